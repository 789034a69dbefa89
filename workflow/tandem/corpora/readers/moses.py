"""Moses archives: line-aligned text as OPUS ships it."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.languages import closest
from tandem.corpora.readers import Reader
from tandem.corpora.readers.lines import align
from tandem.text import Pair


class MosesReader(Reader):
    """A zip or tar with one member `*.<source>` and one `*.<target>`, line-aligned.

    Where no member ends in `.en`, one that ends in `.en-US` or `.en_US` is taken.
    """

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a member that is missing or not the only one is refused."""
        with open_archive(path) as archive:
            left, right = (_member(archive, language) for language in (source, target))
            places = archive.place(left), archive.place(right)
            yield from align(archive.lines(left), archive.lines(right), *places)


def _member(archive: Archive, language: str) -> str:
    """Return the name of the member in a language."""
    endings = [name.rpartition(".")[2] for name in archive.names]
    place = None if language in endings else closest(endings, language)
    return archive.ending(language if place is None else endings[place])
