"""Moses archives: line-aligned text as OPUS ships it."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.archives import open_archive
from tandem.corpora.readers import Pair, Reader
from tandem.corpora.readers.lines import align
from tandem.errors import InputError
from tandem.io import stream_lines


class MosesReader(Reader):
    """A zip with one member `*.<source>` and one `*.<target>`, line-aligned."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs.

        Raises:
            InputError: when a member is missing or not the only one; see also `align`.
        """
        with open_archive(path) as archive:
            names = []
            for language in (source, target):
                found = [name for name in archive.names if name.endswith(f".{language}")]
                if len(found) != 1:
                    problem = f"{len(found)} members end in .{language}, expected one"
                    remedy = f"It has: {', '.join(archive.names[:20])}"
                    raise InputError(path, None, problem, remedy)
                names += found
            left, right = (f"{path}!{name}" for name in names)
            with archive.open(names[0]) as first, archive.open(names[1]) as second:
                streams = stream_lines(first, left), stream_lines(second, right)
                yield from align(*streams, left, right)
