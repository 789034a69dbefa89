"""Entries that are written once for many: a template, with names in braces, and their values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

from tandem.registry import ConfigurationError, Settings

_PLACEHOLDER = re.compile(r"\{([A-Za-z]\w*)\}")


def expanded(entries: Mapping[str, Any]) -> dict[str, Any]:
    """Return entries by name, with those that a template stands for in its place.

    A template has the key `each`: a list of mappings, every one with the values of one entry, or a
    mapping of lists, whose combinations each make an entry. Braces in all other keys and values,
    and in the template's name, are filled.

    Raises:
        ConfigurationError: naming the template.
    """
    plain: dict[str, Any] = {}
    for name, entry in entries.items():
        for key, value in _entries_of(name, entry):
            if key in plain:
                raise ConfigurationError(f"{name}: another entry is named {key}. Rename one")
            plain[key] = value
    return plain


def _entries_of(name: str, entry: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401
    if not isinstance(entry, Mapping) or "each" not in entry:
        yield name, entry
        return
    template = {key: value for key, value in entry.items() if key != "each"}
    try:
        for values in _rows(entry["each"]):
            yield _text(str(name), values), filled(template, values)
    except ConfigurationError as error:
        raise ConfigurationError(f"{name}: {error}") from error


def _rows(table: Any) -> list[Mapping[str, Any]]:  # noqa: ANN401  (whatever a file holds)
    if isinstance(table, Mapping) and all(isinstance(column, list) for column in table.values()):
        return [dict(zip(table, row, strict=True)) for row in product(*table.values())]
    if isinstance(table, list) and all(isinstance(row, Mapping) for row in table):
        return table
    raise ConfigurationError("`each` needs a list of mappings, or a mapping of lists")


def or_template(model: type[Settings]) -> Callable[[dict[str, Any]], None]:
    """Return a function that makes the JSON schema of entries by name accept templates too."""
    keys = {"enum": ["each", *model.model_fields]}
    template = {"type": "object", "required": ["each"], "propertyNames": keys}

    def accept(schema: dict[str, Any]) -> None:
        entry = schema.pop("patternProperties").values()
        schema["additionalProperties"] = {"anyOf": [*entry, template]}

    return accept


def filled(value: Any, values: Mapping[str, Any]) -> Any:  # noqa: ANN401  (plain values)
    """Return plain values in which braces are filled: `{name}` by the value of that name.

    Text that is only a name in braces becomes the value itself, which need not be text.

    Raises:
        ConfigurationError: no value has such a name.
    """
    if isinstance(value, str):
        alone = _PLACEHOLDER.fullmatch(value)
        return _value(alone, values) if alone else _text(value, values)
    if isinstance(value, Mapping):
        return {
            _text(key, values) if isinstance(key, str) else key: filled(inner, values)
            for key, inner in value.items()
        }
    return [filled(inner, values) for inner in value] if isinstance(value, list) else value


def _text(text: str, values: Mapping[str, Any]) -> str:
    return _PLACEHOLDER.sub(lambda match: str(_value(match, values)), text)


def _value(match: re.Match[str], values: Mapping[str, Any]) -> Any:  # noqa: ANN401
    if match[1] not in values:
        raise ConfigurationError(f"no {match[1]!r} to put in braces; there are {', '.join(values)}")
    return values[match[1]]
