"""One way in to every format: `read_bitext`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tandem.corpora.bucc import read_bucc_pairs
from tandem.corpora.catalogue import read_catalogue, read_catalogues
from tandem.corpora.lines import read_line_pairs, read_moses
from tandem.corpora.po import read_po
from tandem.corpora.register import Dataset
from tandem.corpora.tmx import read_tmx
from tandem.corpora.tsv import read_tsv
from tandem.corpora.verses import read_verse_languages, read_verses
from tandem.errors import TandemError


def read_bitext(
    dataset: Dataset, path: str | Path, source: str, target: str
) -> Iterator[tuple[str, str]]:
    """Yield the sentence pairs of a fetched corpus.

    Args:
        dataset: its entry in the register.
        path: what `fetch` returned; holds `{language}` where the corpus is a file per language.
        source: the language of the first side.
        target: the language of the second side.

    Raises:
        TandemError: when the corpus has not both languages, or is no bitext.
        InputError: when its content is refused (see the readers).
    """
    path, options = str(path), dataset.options
    left, right = dataset.code(source), dataset.code(target)
    if source == target:
        raise TandemError(f"{dataset.name}: a bitext needs two languages, not {source} twice")
    match dataset.reader:
        case "catalogue":
            return read_catalogue(path, left, right, options["members"])
        case "verses":
            return read_verses(path, left, right, **options)
        case "lines":
            return read_line_pairs(path.format(language=source), path.format(language=target))
        case "moses":
            return read_moses(path, left, right)
        case "tsv":
            return read_tsv(path, left, right, options["columns"], options["header"])
        case "tmx":
            return read_tmx(path, left, right)
        case "po":
            return _oriented_po(path, source, target, options["msgid"])
        case "bucc":
            return read_bucc_pairs(path, left, right, options["part"])
    raise TandemError(f"The corpus {dataset.name} is no bitext: its register entry has no reader")


def read_bitexts(
    dataset: Dataset, path: str | Path, source: str, targets: Sequence[str]
) -> Iterator[tuple[str, Iterable[tuple[str, str]]]]:
    """Yield several target languages of one corpus, each with its sentence pairs.

    What holds all languages in one archive is opened once, and its source language read once.
    See `read_bitext` for the arguments and the errors.
    """
    codes = {dataset.code(target): target for target in targets}
    if len(codes) < len(targets):
        raise TandemError(f"{dataset.name}: two of {', '.join(targets)} are one language there")
    left, options = dataset.code(source), dataset.options
    match dataset.reader:
        case "catalogue":
            found = read_catalogues(path, left, list(codes), options["members"])
        case "verses":
            found = read_verse_languages(path, left, list(codes), **options)
        case _:
            found = ((c, read_bitext(dataset, path, source, t)) for c, t in codes.items())
    for code, pairs in found:
        yield codes[code], pairs


def _oriented_po(path: str, source: str, target: str, msgid: str) -> Iterator[tuple[str, str]]:
    """Yield the pairs of a PO catalogue, whichever side is the language of its msgids."""
    if msgid not in (source, target):
        raise TandemError(f"{path}: one language must be {msgid}, that of the catalogue's msgids")
    if source == msgid:
        yield from read_po(path.format(language=target))
    else:
        for left, right in read_po(path.format(language=source)):
            yield right, left
