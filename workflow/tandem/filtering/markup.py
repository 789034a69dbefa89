"""Text for machines: placeholders, tags, addresses."""

from __future__ import annotations

import re

from pydantic import Field

from tandem.filtering import Filter

_BRACES = r"\{(?:[^{}]|\{[^{}]*\})*\}"  # {name}, and ICU's {n, plural, one {..} other {..}}
_MARKUP = re.compile(
    rf"{_BRACES}|https?://\S+|www\.\S+|\S{{1,64}}@\S+\.\S+|</?[A-Za-z][^<>]*>|%\(\w+\)[a-z]|%[0-9$.]*[sdf]\b"
)
# 64: the longest name that an address may have; without a bound, long blobs take minutes
_SIGNS = ("{", "<", "%", "@", "://", "www.")  # a text without any cannot match: far cheaper to see


class MarkupShare(Filter):
    """Share of a side's characters in placeholders ({name}, %s), HTML tags, addresses and URLs."""

    maximum: float = Field(0.5, ge=0, le=1)
    """Largest share in either side of a pair that is kept."""

    def keeps(self, left: str, right: str) -> bool:
        """Whether both shares are small enough."""
        return markup_share(left) <= self.maximum and markup_share(right) <= self.maximum


def markup_share(text: str) -> float:
    """Return the share of a text's characters that are placeholders, tags, addresses or URLs."""
    if not any(sign in text for sign in _SIGNS):
        return 0.0
    return sum(len(match.group()) for match in _MARKUP.finditer(text)) / max(len(text), 1)
