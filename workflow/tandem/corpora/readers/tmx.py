"""Translation memories (TMX 1.4), read as a stream."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.elements import LANGUAGE, Marks, text_of, units
from tandem.corpora.languages import closest
from tandem.corpora.readers import Reader
from tandem.files.io import open_binary
from tandem.text import Pair
from tandem.text.spelling import plain

_CODES = {"bpt", "ept", "ph", "it", "ut"}  # their content is the document's markup, not its text


class TmxReader(Reader):
    """The units of a plain or gzipped TMX that have both languages, white space collapsed.

    A language is matched exactly (case and `_` for `-` aside), else by its first part: `en` takes
    a segment marked en-US, `en-US` none marked `en`. Of several segments the first is taken, and
    none for both languages.
    Inline codes lose their markup, highlights keep their text. Entities are not expanded, and
    nothing outside the file is read.
    """

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs.

        Bad XML, declared entities, units beyond the limit and a file without a pair are refused.
        """
        seen = Marks(path, (source, target))
        with open_binary(path) as stream:
            for unit, _ in units(stream, path, {"tu"}, "TMX"):
                variants = [(v, v.find("{*}seg")) for v in unit.iterfind("{*}tuv")]
                segments = [
                    (variant.get(LANGUAGE) or variant.get("lang") or "", segment)
                    for variant, segment in variants
                    if segment is not None
                ]
                marks = [mark for mark, _ in segments]
                left, right = closest(marks, (source, target))
                if left is None or right is None:
                    seen.add(marks)
                    continue
                seen.paired = True
                first, second = (text_of(segments[n][1], _CODES) for n in (left, right))
                yield plain(first, path), plain(second, path)
        seen.check()
