"""Sentence pairs out of the files that people have, each told apart by how its content begins."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal

from tandem.corpora.readers.lines import align
from tandem.errors import InputError, TandemError, shown
from tandem.files.io import open_binary, read_lines, stream_lines, unpacked
from tandem.files.untrusted import refusing
from tandem.text import Pair

STDIO = "-"
Format = Literal["lines", "columns", "tmx", "po", "archive"]

_HEAD = 1 << 16
"""Bytes at the beginning of a file that tell its format."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_PO_LANGUAGE = re.compile(r'^"Language: *([\w@.-]+)', re.MULTILINE)


@dataclass(frozen=True)
class Corpus:
    """One file of pairs, or two files of as many lines."""

    name: str
    """The names of its files, as the caller wrote them, as text."""
    files: tuple[str, ...]
    """Their paths; `-` is stdin."""
    format: Format

    def pairs(self, languages: Sequence[str]) -> Iterator[Pair]:
        """Yield its pairs, in the order of the languages; a text may be empty.

        InputError names file, line and remedy where the content is refused.
        """
        first, second = languages
        path = self.files[0]
        if self.format == "lines":
            left, right = self.files
            yield from align(lines_of(left), lines_of(right), left, right)
        elif self.format == "columns":
            yield from _columns(lines_of(path), path)
        elif self.format == "tmx":
            from tandem.corpora.readers.tmx import TmxReader

            yield from TmxReader().pairs(path, first, second)
        elif self.format == "archive":
            from tandem.corpora.readers.moses import MosesReader

            yield from MosesReader().pairs(path, first, second)
        else:
            from tandem.corpora.readers.po import PoReader

            yield from PoReader(msgid=_msgid(path, first, second)).pairs(path, first, second)


def read_bitext(*files: str | Path, languages: Sequence[str]) -> Iterator[Pair]:
    """Return the sentence pairs of some corpora, one after the other, as a stream.

    A corpus is one file, or two that stand side by side and have as many lines. The format is told
    by how a file begins, not by its name; all may be packed (gzip, bzip2, xz, Zstandard):

    - TMX: units that have both languages; `en` also takes segments marked en-US.
    - PO: finished entries. The header names the language of its msgstr; where it names neither
      of the two, the msgids are in the first language.
    - a Moses archive (zip or tar): the members `*.en` and `*.de`.
    - text of two columns, separated by a tab, in the order of the languages; or of three, where a
      number precedes them, as `tandem score` and `tandem mine` write it.
    - other text: one of two files whose lines belong together. `-` is stdin.

    Args:
        files: paths.
        languages: codes of the two sides, such as ("en", "de").

    Raises:
        TandemError: the files do not make up corpora.
        InputError: the content of one is refused; it names file, line and remedy.
    """
    return chain.from_iterable(corpus.pairs(languages) for corpus in corpora(files))


def corpora(files: Sequence[str | Path]) -> list[Corpus]:
    """Return the corpora that files make up; see `read_bitext`.

    TandemError where text of one column stands alone; see also `check_readable`.
    """
    names = [str(file) for file in files]
    check_readable(names)
    if len(names) == 1 and not _is_file(names[0]):
        return [Corpus(shown(names[0]), (names[0],), "columns")]
    complete, waiting = [], ""
    for name in names:
        kind = _look(name)
        if kind == "lines" and not waiting:
            waiting = name
            continue
        if waiting and kind != "lines":
            break
        paths = (waiting, name) if waiting else (name,)
        complete.append(Corpus(shown(" and ".join(paths)), paths, kind))
        waiting = ""
    if waiting:
        problem = "text of one column, and none follows that its lines could belong to"
        remedy = "Name the files of a pair one after the other, or give one file of two columns"
        raise InputError(waiting, None, problem, remedy)
    return complete


def lines_of(name: str) -> Iterator[str]:
    """Yield the lines of a file, or of stdin for -; either may be packed."""
    if name == STDIO:
        return stream_lines(unpacked(sys.stdin.buffer), "stdin")
    return read_lines(name)


def check_readable(names: Sequence[str]) -> None:
    """Refuse what cannot be read: no name, stdin twice, a folder; OSError if one is not there."""
    if not names or names.count(STDIO) > 1:
        raise TandemError("give some files; - is stdin, once at most")
    for name in names:
        if name != STDIO and stat.S_ISDIR(os.stat(name).st_mode):
            raise InputError(name, None, "a folder", "Name a text file")


def _is_file(name: str) -> bool:
    """Tell whether it can be read twice: it is a plain file, not stdin or a pipe."""
    return name != STDIO and Path(name).is_file()


def _look(name: str) -> Format:
    """Return the format of a file; a stream that can be read only once is taken for lines."""
    if not _is_file(name):
        return "lines"
    with open_binary(name) as stream, refusing(name):
        head = stream.read(_HEAD)
    if head.startswith(b"PK\x03\x04") or head[257:262] == b"ustar":
        return "archive"
    text = head.decode("utf-16" if head.startswith(_UTF16) else "utf-8-sig", "replace")
    if re.match(r"\s*(<\?xml|<!DOCTYPE tmx|<tmx)", text):
        return "tmx"
    rows = text.splitlines() or [""]
    content = (row for row in rows if row.strip() and not row.startswith("#"))
    if re.match(r'(msgid|msgctxt)\s*"', next(content, "")):
        return "po"
    return "columns" if "\t" in rows[0] else "lines"


def _columns(lines: Iterable[str], name: str) -> Iterator[Pair]:
    """Yield the last two of two or three columns; the first of three is a number."""
    for number, line in enumerate(lines, start=1):
        cells = line.split("\t")
        if len(cells) != 2 and not (len(cells) == 3 and _is_number(cells[0])):
            problem = f"{len(cells)} columns, not 2"
            remedy = "Give sentence, tab, sentence; a number and a tab may precede them"
            raise InputError(name, number, problem, remedy)
        yield cells[-2], cells[-1]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _msgid(path: str, first: str, second: str) -> str:
    """Return the language of a catalogue's msgids: not the one that its header names."""
    with open_binary(path) as stream, refusing(path):
        head = stream.read(_HEAD).decode("utf-8", "replace")
    header = _PO_LANGUAGE.search(head)
    named = header[1].replace("_", "-").casefold() if header else ""
    return second if named.split("-")[0] == first.split("-")[0].casefold() else first
