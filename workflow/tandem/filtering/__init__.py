"""Filters: one kind for each thing that can be told of a pair of texts, and bounds to keep it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import (
    BeforeValidator,
    Field,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tandem.registry import ConfigurationError, Kind, Named, Registry, faults

Scores = tuple[float, ...]
"""What a filter tells of a pair: one number, or one for each side."""


class Filter(Kind):
    """Gives a pair its scores, and keeps it if they are all within two bounds.

    After OpusFilter (Aulamo et al., 2020). A kind defines `score`, or `scores` where many pairs at
    once are faster.
    """

    minimum: float | None = None
    """Lowest score of a pair that is kept; null: any."""
    maximum: float | None = None
    """Highest score of a pair that is kept; null: any."""

    @model_validator(mode="after")
    def _in_order(self) -> Filter:
        if self.minimum is not None and self.maximum is not None and self.minimum > self.maximum:
            raise PydanticCustomError("order", "minimum is over maximum")
        return self

    @property
    def sides(self) -> tuple[str, ...]:
        """What each score is of: `left` and `right`, or `pair`."""
        return ("pair",)

    def score(self, left: str, right: str) -> Scores:
        """Return the scores of a pair of texts, without outer white space."""
        (scores,) = self.scores([(left, right)])
        return scores

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[Scores]:
        """Return the scores of some pairs."""
        return [self.score(left, right) for left, right in pairs]

    def within(self, scores: Scores) -> bool:
        """Whether a pair with these scores is kept."""
        least, most = self.minimum, self.maximum
        return (least is None or min(scores) >= least) and (most is None or max(scores) <= most)

    def keeps(self, left: str, right: str) -> bool:
        """Whether a pair of texts, without outer white space, is kept."""
        return self.within(self.score(left, right))


FILTERS = Registry("tandem.filtering", Filter)


def _with_kinds(values: object) -> dict[str, object]:
    if not isinstance(values, Mapping):
        raise PydanticCustomError("filters", "not a mapping of filters to their settings")
    kinds = {}
    for name, settings in values.items():
        if isinstance(settings, Mapping):
            if "kind" in settings:
                raise PydanticCustomError("filters", "a filter's name is its `kind`")
            settings = {**settings, "kind": name}
        kinds[name] = settings
    return kinds


def _by_name(schema: dict[str, Any]) -> None:
    kinds = {name: FILTERS.kind(name).model_json_schema() for name in FILTERS.modules()}
    schema.update(properties=kinds, additionalProperties=False)


Filters = Annotated[
    dict[str, Annotated[Filter, Named(FILTERS)]],
    BeforeValidator(_with_kinds),
    PlainSerializer(lambda filters: {name: kind.model_dump() for name, kind in filters.items()}),
    Field(json_schema_extra=_by_name),
]
"""The filters of a corpus by name, applied in this order."""


def parse_filters(values: Mapping[str, Any]) -> dict[str, Filter]:
    """Return the filters with these names and settings.

    Raises:
        ConfigurationError: naming every key at fault.
    """
    try:
        return TypeAdapter(Filters).validate_python(values)
    except ValidationError as error:
        raise ConfigurationError("; ".join(faults(error))) from error
