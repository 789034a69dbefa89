"""Moses archives: line-aligned text as OPUS ships it."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.archives import open_archive
from tandem.corpora.readers import Reader
from tandem.corpora.readers.lines import align
from tandem.text import Pair


class MosesReader(Reader):
    """A zip with one member `*.<source>` and one `*.<target>`, line-aligned."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a member that is missing or not the only one is refused."""
        with open_archive(path) as archive:
            left, right = archive.ending(source), archive.ending(target)
            places = archive.place(left), archive.place(right)
            yield from align(archive.lines(left), archive.lines(right), *places)
