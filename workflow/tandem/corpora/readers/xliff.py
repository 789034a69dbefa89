"""XLIFF 1.2 and 2, what translators exchange, read as a stream."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.elements import LANGUAGE, Marks, text_of, units
from tandem.corpora.languages import closest
from tandem.corpora.readers import Reader
from tandem.files.io import open_binary
from tandem.text import Pair
from tandem.text.spelling import plain

_CODES = {"bpt", "ept", "ph", "it"}  # their content is the document's markup, not its text
_UNFINISHED = {"new", "needs-translation", "initial"}


class XliffReader(Reader):
    """The segments of a plain or gzipped XLIFF that have a translation, white space collapsed.

    Languages are those of the file element (1.2) or of the document (2), matched as in TMX, in
    either direction. Left out: segments without a target, and those whose state is new,
    needs-translation (1.2) or initial (2). Inline codes lose their markup, marked text stays.
    """

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs.

        Bad XML, declared entities, units beyond the limit and a file without a pair are refused.
        """
        seen = Marks(path, (source, target))
        with open_binary(path) as stream:
            for unit, around in units(stream, path, {"trans-unit", "segment"}, "XLIFF"):
                left, right = unit.find("{*}source"), unit.find("{*}target")
                if left is None or right is None:
                    seen.untranslated = True
                    seen.add([_language(around, "source"), _language(around, "target")])
                    continue
                marks = [
                    side.get(LANGUAGE) or _language(around, name)
                    for side, name in ((left, "source"), (right, "target"))
                ]
                first, second = closest(marks, (source, target))
                if first is None or second is None:
                    seen.add(marks)
                    continue
                seen.paired = True
                if (right.get("state") or unit.get("state")) in _UNFINISHED:
                    continue
                texts = [plain(text_of(side, _CODES), path) for side in (left, right)]
                yield texts[first], texts[second]
        seen.check()


def _language(around: dict[str, str], side: str) -> str:
    """Return what is said of a side: by the file element in 1.2, by the document in 2."""
    short = {"source": "srcLang", "target": "trgLang"}[side]
    return around.get(f"{side}-language") or around.get(short) or ""
