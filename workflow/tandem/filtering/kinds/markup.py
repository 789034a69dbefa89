"""Text for machines: placeholders, tags, addresses."""

from __future__ import annotations

import re

from pydantic import Field

from tandem.filtering.filter import Filter, Scores

_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"  # {name}, and ICU's {n, plural, one {..} other {..}}
_MARKUP = re.compile(
    rf"{_BRACES}|https?://\S+|www\.\S+|[^\s@]{{1,64}}@[^\s@]{{1,255}}\.\S+|</?[A-Za-z][^<>]*>|%\(\w+\)[a-z]|%[0-9$.]*[sdf]\b"
)
# 64 and 255: the longest name and domain of an address; without bounds, long blobs take hours
_SIGNS = ("{", "<", "%", "@", "://", "www.")  # a text without any needs no slow search


class MarkupShare(Filter):
    """Share of a side's characters in placeholders ({name}, %s), HTML tags, addresses and URLs."""

    maximum: float | None = Field(0.5, ge=0, le=1)
    """Largest share in either side of a pair that is kept."""

    @property
    def sides(self) -> tuple[str, ...]:
        """Both, one after the other."""
        return "left", "right"

    def score(self, left: str, right: str) -> Scores:
        """Return the share of each side."""
        return markup_share(left), markup_share(right)


def markup_share(text: str) -> float:
    """Return the share of a text's characters that are placeholders, tags, addresses or URLs."""
    if not any(sign in text for sign in _SIGNS):
        return 0.0
    return sum(len(match.group()) for match in _MARKUP.finditer(text)) / max(len(text), 1)
