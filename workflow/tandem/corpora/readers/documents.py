"""Line-aligned text whose lines say which document they are from: the UN Parallel Corpus.

An archive holds a text in each language and a list of ids, all with as many lines. A line of ids
begins with the name of the document, up to a space, a tab or a colon: in the UN Parallel Corpus
(Ziemski et al., 2016) as OPUS ships it, documents of both languages and the numbers of sentences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.readers import Placed, Reader
from tandem.corpora.readers.lines import align
from tandem.errors import InputError

_NAME = re.compile(r"[^\s:]+")


class DocumentsReader(Reader):
    """A zip or tar with one member `*.<source>`, one `*.<target>` and one `*.ids`, line-aligned.

    Sections are documents.
    """

    ids: str = "ids"
    """What the name of the member with ids ends in."""

    def sections(
        self, path: str, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, Iterator[Placed]]]:
        """Yield each target language with its pairs and their documents.

        Members that are missing or not the only ones, or have not as many lines each, are refused,
        and a line of ids without a name.
        """
        with open_archive(path) as archive:
            for target in targets:
                yield target, self._placed(archive, source, target)

    def _placed(self, archive: Archive, source: str, target: str) -> Iterator[Placed]:
        left, right, ids = (archive.ending(ending) for ending in (source, target, self.ids))
        places = archive.place(left), archive.place(right), archive.place(ids)
        pairs = align(archive.lines(left), archive.lines(right), *places[:2])
        lines = zip_longest(pairs, archive.lines(ids))
        for number, (pair, line) in enumerate(lines, start=1):
            if pair is None or line is None:
                longer, shorter = places[::2] if line is None else places[::-2]
                problem = f"no counterpart in {shorter}, which ends after {number - 1:,} lines"
                raise InputError(longer, number, problem, "Give files with as many lines each")
            document = _NAME.match(line)
            if document is None:
                raise InputError(places[2], number, "no name of a document", "Mend the line")
            yield document[0], *pair
