"""Filters: one kind for each thing that decides whether a pair of texts is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainSerializer, TypeAdapter, ValidationError
from pydantic_core import PydanticCustomError

from tandem.registry import ConfigurationError, Kind, Named, Registry, faults


class Filter(Kind):
    """Decides on pairs by what can be seen in them (after OpusFilter; Aulamo et al., 2020)."""

    def keeps(self, left: str, right: str) -> bool:
        """Whether a pair of texts, without outer white space, is kept."""
        raise NotImplementedError


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
