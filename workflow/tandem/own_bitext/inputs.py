"""The text of a training as it comes in: from files, pipes or Python; it can be read again."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from tandem.corpora.files import STDIO, Corpus, is_file
from tandem.corpora.tables import Columns
from tandem.errors import TandemError
from tandem.files.io import atomic_path, sha256, write_lines
from tandem.text import Pair
from tandem.text.spelling import collapse
from tandem.text.values import text_pairs


def described(corpora: Sequence[Corpus]) -> dict[str, Any]:
    """Return what decides which pairs corpora have, as plain values."""
    files = enumerate((file for corpus in corpora for file in corpus.files), start=1)
    return {
        "text": {f"of file {number}": sha256(file) for number, file in files},
        "formats": [corpus.format for corpus in corpora],
        "columns": [[[*corpus.columns.chosen], corpus.columns.header] for corpus in corpora],
    }


def files_in(corpora: Iterable[Corpus], folder: Path) -> list[Corpus]:
    """Return corpora that can be read again; files that cannot are copied into the folder."""
    numbers = count(1)
    return [
        replace(
            corpus,
            files=tuple(_spool(name, folder, next(numbers)) for name in corpus.files),
            originals=corpus.files,
        )
        for corpus in corpora
    ]


def written(pairs: Iterable[Pair], folder: Path) -> list[Corpus]:
    """Write pairs to a file, to be read again."""
    path = folder / "pairs.tsv"
    if not write_lines(path, ("\t".join(map(collapse, pair)) for pair in text_pairs(pairs))):
        raise TandemError("there is no pair to train on. Give some, in two languages")
    return [Corpus("pairs", (str(path),), "columns", Columns(header=False))]


def _spool(name: str, folder: Path, number: int) -> str:
    """Return the path of an input; what can be read only once is copied into the folder.

    The copy is named by its number: names of pipes repeat, and could be those of the work.
    """
    if is_file(name):
        return name
    copy = folder / f"input-{number}"
    source = sys.stdin.buffer if name == STDIO else open(name, "rb")
    with source, atomic_path(copy) as temporary, open(temporary, "wb") as out:
        shutil.copyfileobj(source, out)
    return str(copy)
