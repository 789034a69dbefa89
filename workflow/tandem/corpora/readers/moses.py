"""Moses archives: line-aligned text as OPUS ships it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.languages import closest
from tandem.corpora.readers import Reader
from tandem.corpora.readers.lines import align
from tandem.errors import InputError
from tandem.text import Pair


class MosesReader(Reader):
    """A zip or tar with one member `*.<source>` and one `*.<target>`, line-aligned.

    Where no member ends in `.en`, one that ends in `.en-US` or `.en_US` is taken.
    """

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a member that is missing or not the only one is refused."""
        with open_archive(path) as archive:
            left, right = _members(archive, (source, target))
            places = archive.place(left), archive.place(right)
            yield from align(archive.lines(left), archive.lines(right), *places)


def _members(archive: Archive, languages: Sequence[str]) -> list[str]:
    """Return the names of the members in two languages; InputError where that is one."""
    endings = {name.rpartition(".")[2]: None for name in archive.names}
    ordered = sorted(endings, key=lambda ending: ending not in languages)  # as they are written
    places = closest(ordered, languages)
    names = [
        archive.ending(language if place is None else ordered[place])
        for language, place in zip(languages, places, strict=True)
    ]
    if names[0] == names[1]:
        problem = f"{names[0]} is its only member in {' and '.join(languages)}"
        raise InputError(archive.path, None, problem, "Give an archive of two sides")
    return names
