"""Filters: each kind scores one property of a pair of texts, and bounds say what is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tandem.registry import ConfigurationError, Kind, Named, Registry, faults
from tandem.text import Pair

Scores = tuple[float, ...]
"""The scores that a filter gives a pair: one, or one for each side."""
Scorer = Callable[[Sequence[Pair]], list[Scores]]
"""Returns the scores of some pairs."""
Encode = Callable[[Sequence[str], str], NDArray[np.float32]]
"""Returns the vectors of sentences in a language, (sentences, dimension)."""
FindModel = Callable[[str], Path]
"""Returns the folder of a model that is named, or is a folder itself."""
OpenEncoder = Callable[[str, Sequence[str]], Encode]
"""Loads an encoder by its folder or name, and refuses a language that it does not know."""


class Filter(Kind):
    """Gives a pair its scores, and keeps it if they are all within two bounds.

    After OpusFilter (Aulamo et al., 2020). A kind defines `score`, or `scores` where many pairs at
    once are faster.
    """

    reads: ClassVar[tuple[str, ...]] = ()
    """The settings that name a file or a model that it needs beside the pair: no corpus may name a
    filter that has any."""
    minimum: float | None = None
    """Lowest score of a pair that is kept; null: any."""
    maximum: float | None = None
    """Highest score of a pair that is kept; null: any."""

    @model_validator(mode="after")
    def _in_order(self) -> Filter:
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            bounds = {"minimum": f"{self.minimum:g}", "maximum": f"{self.maximum:g}"}
            words = "minimum {minimum} is over maximum {maximum}"
            raise PydanticCustomError("order", words, bounds)
        return self

    def inputs(self, find_model: FindModel) -> list[str]:
        """Return the paths of the files and models that it reads."""
        return [str(getattr(self, setting)) for setting in self.reads]

    @property
    def sides(self) -> tuple[str, ...]:
        """What each score describes: `left` and `right`, or `pair`."""
        return ("pair",)

    def score(self, left: str, right: str) -> Scores:
        """Return the scores of a pair of texts, without outer white space."""
        (scores,) = self.scores([(left, right)])
        return scores

    def scores(self, pairs: Sequence[Pair]) -> list[Scores]:
        """Return the scores of some pairs."""
        return [self.score(left, right) for left, right in pairs]

    def scorer(self, languages: Sequence[str], open_encoder: OpenEncoder) -> Scorer:
        """Load what the scores need, and return a function that scores pairs of two languages.

        A filter that needs a sentence encoder gets it from `open_encoder`.
        """
        return self.scores

    def fitted(self, pairs: Iterable[Pair]) -> Filter:
        """Return the filter with what it takes from the text itself, as some pairs of it show."""
        return self

    def within(self, scores: Scores) -> bool:
        """Whether a pair with these scores is kept."""
        least, most = self.minimum, self.maximum
        return (least is None or min(scores) >= least) and (most is None or max(scores) <= most)

    def keeps(self, left: str, right: str) -> bool:
        """Whether a pair of texts, without outer white space, is kept."""
        return self.within(self.score(left, right))


FILTERS = Registry("tandem.filtering.kinds", Filter)


def _with_kinds(values: object) -> dict[str, object]:
    if not isinstance(values, Mapping):
        raise PydanticCustomError("filters", "not a mapping of filters to their settings")
    for name in values:
        if isinstance(name, str) and name.split() != [name]:
            problem = "{name}: a name is one word, since names stand in columns; mend it"
            raise PydanticCustomError("filters", problem, {"name": repr(name)})
    return {
        name: {"kind": name, **settings} if isinstance(settings, Mapping) else settings
        for name, settings in values.items()
    }


def _without_files(filters: dict[str, Filter]) -> dict[str, Filter]:
    if named := [name for name, kind in filters.items() if kind.reads]:
        names = ", ".join(named)
        raise PydanticCustomError(
            "filters", "{name}: a filter of `tandem filter` only, not of a corpus", {"name": names}
        )
    return filters


def _plain(filters: Mapping[str, Filter]) -> dict[str, dict[str, Any]]:
    """Return names and settings; the kind too where the name is another."""
    return {
        name: FILTERS.dump(kind) if name != kind.kind else kind.model_dump()
        for name, kind in filters.items()
    }


def _by_name(schema: dict[str, Any]) -> None:
    """Let a schema take each name as the kind, unless `kind` has another."""
    choices = zip(FILTERS.modules(), schema["additionalProperties"]["oneOf"], strict=True)
    kinds = {name: kind for name, kind in choices if not FILTERS.kind(name).reads}
    others = {"oneOf": list(kinds.values()), "required": ["kind"]}
    schema.update(properties=kinds, additionalProperties=others)


Rules = Annotated[
    dict[str, Annotated[Filter, Named(FILTERS)]],
    BeforeValidator(_with_kinds),
    PlainSerializer(_plain),
]
"""Filters by name, applied in this order; the name is the kind unless `kind` has another."""
Filters = Annotated[Rules, AfterValidator(_without_files), Field(json_schema_extra=_by_name)]
"""The filters of a corpus by name, applied in this order."""


def parse_filters(values: Mapping[str, Any], files: bool = False) -> dict[str, Filter]:
    """Return the filters with these names and settings.

    Args:
        values: settings by name, with `kind` if the name is not that of a kind.
        files: whether filters that read files are allowed.

    Raises:
        ConfigurationError: names every key at fault.
    """
    try:
        return TypeAdapter(Rules if files else Filters).validate_python(values)
    except ValidationError as error:
        raise ConfigurationError("; ".join(faults(error))) from error


def settings_of(filters: Mapping[str, Filter]) -> dict[str, dict[str, Any]]:
    """Return plain values from which `parse_filters` makes the same filters again."""
    return TypeAdapter(Rules).dump_python(dict(filters), mode="json")
