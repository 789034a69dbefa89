"""Filters: one kind for each thing that decides whether a pair of texts is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import GetCoreSchemaHandler, TypeAdapter, ValidationError
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tandem.registry import ConfigurationError, Kind, Named, Registry, faults

Scores = tuple[float, ...]


class Filter(Kind):
    """A score of a pair, and which scores are accepted (after OpusFilter; Aulamo et al., 2020)."""

    def score(self, left: str, right: str) -> Scores:
        """Return one number for the pair, or one for each side. Texts have no outer white space."""
        raise NotImplementedError

    def accept(self, score: Scores) -> bool:
        """Whether a pair of this score is kept."""
        raise NotImplementedError


FILTERS = Registry("tandem.filtering", Filter)


class _ByName:
    """Annotation of a field that holds filters by their names, each name to its settings."""

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            self._name_kinds,
            handler(source),
            serialization=core_schema.plain_serializer_function_ser_schema(
                lambda filters: {name: kind.model_dump() for name, kind in filters.items()}
            ),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: object) -> dict[str, Any]:
        kinds = {name: FILTERS.kind(name).model_json_schema() for name in FILTERS.modules()}
        return {"type": "object", "properties": kinds, "additionalProperties": False}

    def _name_kinds(self, values: object) -> dict[str, object]:
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


Filters = Annotated[dict[str, Annotated[Filter, Named(FILTERS)]], _ByName()]
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
