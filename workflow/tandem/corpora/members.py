"""Patterns of the names of an archive's members, whose groups say what each member is."""

from __future__ import annotations

import re

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError


def naming(group: str) -> AfterValidator:
    """Return a validator that refuses a pattern without a group of this name."""

    def has_group(members: re.Pattern[str]) -> re.Pattern[str]:
        if group not in members.groupindex:
            text = f"it has no group (?P<{group}>...)"
            raise PydanticCustomError("group", "{text}", {"text": text})
        return members

    return AfterValidator(has_group)
