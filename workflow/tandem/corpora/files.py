"""Sentence pairs out of the files that people have, each told apart by how its content begins."""

from __future__ import annotations

import contextlib
import os
import re
import stat
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from tandem.corpora.formats import HEAD, IN_PLACE, STREAMED, Format, look, of_one_file, rows_of
from tandem.corpora.languages import code, same_language
from tandem.corpora.readers.csv import delimiter_of
from tandem.corpora.readers.lines import align
from tandem.corpora.tables import ANY_COLUMNS, Columns, one_column, pairs_in, quoted, tabbed
from tandem.errors import InputError, TandemError, shown
from tandem.files.io import beginning, open_binary, stream_lines, unpacked
from tandem.files.untrusted import refusing
from tandem.text import Pair
from tandem.text.values import two_languages

STDIO = "-"
_PO_LANGUAGE = re.compile(r'^"Language: *([\w@.-]+)', re.MULTILINE)
_MARK = "\ufeff"
"""The byte-order mark, which stands inside a file that was put together from several."""


@dataclass(frozen=True)
class Corpus:
    """One file of pairs, or two files of as many lines."""

    name: str
    """The names of its files, as the caller wrote them, as text."""
    files: tuple[str, ...]
    """Their paths; `-` is stdin."""
    format: Format
    columns: Columns = ANY_COLUMNS
    """Which columns have the text."""
    originals: tuple[str, ...] = ()
    """What the files are copies of, if they are: messages name these."""

    def pairs(self, languages: Sequence[str]) -> Iterator[Pair]:
        """Yield its pairs, in the order of the languages; a text may be empty.

        InputError names file, line and remedy where the content is refused.
        """
        number = 0
        for number, pair in enumerate(self._read(languages), start=1):  # noqa: B007
            yield pair
        if not number:
            raise InputError(self.name, None, "it has no pair", "Give text with its translation")

    def _read(self, languages: Sequence[str]) -> Iterator[Pair]:
        first, second = languages
        path = self.files[0]
        if self.format == "lines":
            yield from self._side_by_side(languages)
        elif self.format in STREAMED:
            yield from self._streamed(languages)
        elif self.format == "tmx":
            from tandem.corpora.readers.tmx import TmxReader

            yield from TmxReader().pairs(path, first, second)
        elif self.format == "xliff":
            from tandem.corpora.readers.xliff import XliffReader

            yield from XliffReader().pairs(path, first, second)
        elif self.format == "archive":
            from tandem.corpora.readers.moses import MosesReader

            yield from MosesReader().pairs(path, first, second)
        elif self.format == "parquet":
            from tandem.corpora.readers.parquet import pairs_of

            yield from pairs_of(path, languages, self.columns)
        else:
            from tandem.corpora.readers.po import PoReader

            yield from PoReader(msgid=_msgid(path, first, second)).pairs(path, first, second)

    @property
    def _names(self) -> list[str]:
        """The names of its files in messages."""
        names = self.originals or self.files
        return ["stdin" if name == STDIO else name for name in names]

    def _side_by_side(self, languages: Sequence[str]) -> Iterator[Pair]:
        """Yield the pairs of two files, without a first line that names the languages."""
        texts = [lines_of(*both) for both in zip(self.files, self._names, strict=True)]
        if self.columns.chosen:
            texts = [
                one_column(text, name, self.columns)
                for text, name in zip(texts, self._names, strict=True)
            ]
        pairs = align(texts[0], texts[1], *self._names)
        for number, pair in enumerate(pairs):
            if number or not self.columns.heads(pair, languages):
                yield pair

    def _streamed(self, languages: Sequence[str]) -> Iterator[Pair]:
        """Yield the pairs of one text, which may be one that can be read only once."""
        name = self._names[0]
        with _opened(self.files[0]) as opened:
            with refusing(name):
                head, stream = beginning(opened, HEAD)
            streams = self.format == "stream"
            form = _of_head(head, name, self.columns) if streams else self.format
            if form not in STREAMED:
                problem = f"{form.upper()} cannot be read from a pipe"
                raise InputError(name, None, problem, "Write it to a file, and name that")
            lines = _lines(stream, name)
            if form == "json":
                from tandem.corpora.readers.json_lines import pairs_of

                yield from pairs_of(lines, name, languages, self.columns)
            elif form == "csv":
                rows = quoted(lines, name, delimiter_of(rows_of(head), odd=True) or ",")
                yield from pairs_in(rows, name, languages, self.columns)
            else:
                yield from pairs_in(tabbed(lines), name, languages, self.columns)


def read_bitext(
    *files: str | Path,
    languages: Sequence[str],
    columns: Sequence[str | int] = (),
    header: bool | None = None,
) -> Iterator[Pair]:
    """Return the sentence pairs of some corpora, one after the other, as a stream.

    A corpus is one file, or two that stand side by side and have as many lines. The format is told
    by how a file begins, not by its name; all but zip and Parquet may be packed (gzip, bzip2, xz,
    Zstandard):

    - TMX: units that have both languages; `en` also takes segments marked en-US.
    - XLIFF 1.2 and 2: translated segments, in either direction.
    - PO: finished entries. The header names the language of its msgstr; where it names none, the
      msgids are in the first language.
    - a Moses archive (zip or tar): the members `*.en` and `*.de`.
    - JSON lines and Parquet: the keys or columns `en` and `de`, alone or under `translation`, or
      `source` and `target`, or `sentence1` and `sentence2`.
    - text of two columns, separated by a tab, in the order of the languages; or of three, where a
      number precedes them, as `tandem score` and `tandem mine` write it. A first line that names
      both languages, or `source` and `target`, or `sentence1` and `sentence2`, says which columns
      they are in.
    - CSV, with quotes, in the same way.
    - other text: one of two files whose lines belong together. `-` is stdin.

    Two files of text are the two sides, and tabs in them are text, unless in both every line has
    as many tabs.

    Args:
        files: paths.
        languages: codes of the two sides, such as ("en", "de").
        columns: the two columns that have the text, by number, from 1, or by name; one: the column
            of each of two files.
        header: whether the first line names columns; None: it is recognised.

    Raises:
        TandemError: the files do not make up corpora.
        InputError: the content of one is refused; it names file, line and remedy.
    """
    choice, languages = Columns.listed(columns, header), two_languages(languages)
    return chain.from_iterable(corpus.pairs(languages) for corpus in corpora(files, choice))


def corpora(files: Sequence[str | Path], columns: Columns = ANY_COLUMNS) -> list[Corpus]:
    """Return the corpora that files make up; see `read_bitext`.

    TandemError where text of one column stands alone; see also `check_readable`.
    """
    names = [str(file) for file in files]
    check_readable(names)
    if len(names) == 1:
        return [Corpus(shown(names[0]), (names[0],), _alone(names[0], columns), columns)]
    forms = [_look(name, columns) for name in names]
    if len(names) == 2 and set(forms) == {"lines", "columns"}:
        forms = ["lines", "lines"]
    complete, waiting = [], ""
    for name, form in zip(names, forms, strict=True):
        if form == "lines" and not waiting:
            waiting = name
            continue
        if waiting and form != "lines":
            break
        paths = (waiting, name) if waiting else (name,)
        complete.append(Corpus(shown(" and ".join(paths)), paths, form, columns))
        waiting = ""
    if waiting:
        raise _lonely(waiting, columns)
    return complete


def lines_of(file: str, name: str = "") -> Iterator[str]:
    """Yield the lines of a file, or of stdin for -; either may be packed. Messages say `name`.

    A byte-order mark is dropped from the beginning of every line: files are put together.
    """
    with _opened(file) as stream:
        yield from _lines(stream, name or ("stdin" if file == STDIO else file))


def check_readable(names: Sequence[str]) -> None:
    """Refuse what cannot be read: no name, stdin twice, a folder; OSError if one is not there."""
    if not names or names.count(STDIO) > 1:
        raise TandemError("give some files; - is stdin, once at most")
    if "" in names:
        raise TandemError("the name of a file is empty. Name one; - is stdin")
    for name in names:
        if name != STDIO and stat.S_ISDIR(os.stat(name).st_mode):
            raise InputError(name, None, "a folder", "Name a text file")


def _opened(name: str) -> contextlib.AbstractContextManager[BinaryIO]:
    """Open a file, or stdin, which is not closed; either may be packed."""
    if name == STDIO:
        return contextlib.nullcontext(unpacked(sys.stdin.buffer))
    return open_binary(name)


def _lines(stream: BinaryIO, name: str) -> Iterator[str]:
    return (line.removeprefix(_MARK) for line in stream_lines(stream, name))


def is_file(name: str) -> bool:
    """Tell whether it can be read twice: it is a plain file, not stdin or a pipe."""
    return name != STDIO and Path(name).is_file()


def _look(name: str, columns: Columns) -> Format:
    """Return the format of one of several files; what can be read only once is taken for lines."""
    if not is_file(name):
        return "lines"
    head = _head(name)
    form = look(head, name, alone=False)
    if form in ("lines", "columns") and columns.chosen:
        # the caller says whether a file has one side or both
        both = of_one_file(head, name, True) or "columns"
        return both if len(columns.chosen) == 2 else "lines"
    return form


def _alone(name: str, columns: Columns) -> Format:
    """Return the format of a file that has both sides."""
    if not is_file(name):
        return "stream"
    return _of_head(_head(name), name, columns)


def _head(name: str) -> bytes:
    """Return the first bytes of a file; InputError where packing hides what is read in place."""
    with open_binary(name) as stream, refusing(name):
        head = stream.read(HEAD)
    with open(name, "rb") as packed:
        start = packed.read(4)
    for magic, what in IN_PLACE.items():
        if head.startswith(magic) and start != magic:
            raise InputError(name, None, f"packed {what}", "Unpack it, and give the result")
    return head


def _of_head(head: bytes, name: str, columns: Columns) -> Format:
    """Return the format of text that stands alone; InputError where it has one side at most."""
    form = look(head, name)
    if form != "lines":
        return form
    if not head.strip():
        raise InputError(name, None, "the file is empty", "Give a file with pairs")
    both = of_one_file(head, name, len(columns.chosen) == 2)
    if both is None:
        raise _lonely(name, columns)
    return both


def _lonely(name: str, columns: Columns) -> InputError:
    problem = "text of one column, and none follows that its lines could belong to"
    remedy = (
        "Name the files of a pair one after the other, or give one file of two columns between "
        f"tabs; where commas separate them, say which: {columns.option} 1,2"
    )
    return InputError(name, None, problem, remedy)


def _msgid(path: str, first: str, second: str) -> str:
    """Return the language of a catalogue's msgids: not the one that its header names."""
    with open_binary(path) as stream, refusing(path):
        header = _PO_LANGUAGE.search(stream.read(HEAD).decode("utf-8", "replace"))
    if header is None:
        return first
    near = [language for language in (first, second) if same_language(header[1], language)]
    if near:
        here = min(near, key=lambda language: code(language) != code(header[1]))
        return second if here == first else first
    problem = f"its header names {header[1]}, neither {first} nor {second}"
    raise InputError(path, None, problem, "Give that language, or correct the header")
