"""Writes docs/configuration.md and workflow/schemas/ from the types of the configuration.

python docs/reference.py          write them
python docs/reference.py --check  end with an error if they are not what they would be
"""

from __future__ import annotations

import json
import sys
import typing
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType

from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "workflow"))

from tandem.configuration import REGISTRIES, Configuration  # noqa: E402
from tandem.corpora.readers import READERS  # noqa: E402
from tandem.corpora.register import Dataset  # noqa: E402
from tandem.filtering import FILTERS  # noqa: E402
from tandem.registry import Registry, Settings  # noqa: E402
from tandem.study import Study  # noqa: E402

HEAD = """# Every key of the configuration

Made from the types by `make reference`; a test holds it to them. `config.yaml` holds the first
section. A study's `study.yaml` holds the second, and everything in it can be changed from outside:
`studies: {wieting2019: {recipes: {averaging: {epochs: 5}}}}`. Where a key names a kind, `kind` says
which, and that kind's own keys stand beside it.
"""


def pages() -> dict[Path, str]:
    """Return the text of every file that is made from the types."""
    parts = [HEAD, *section("config.yaml", Configuration, 2), *section("study.yaml", Study, 2)]
    parts += section("An entry of a register of corpora", Dataset, 2)
    for registry in (*REGISTRIES, FILTERS, READERS):
        parts.append(f"## Kinds of {registry.noun}\n")
        for name in registry.modules():
            parts += section(f"{registry.noun}: {name}", registry.kind(name), 3)
    schemas = REPOSITORY / "workflow/schemas"
    return {
        REPOSITORY / "docs/configuration.md": "\n".join(parts).rstrip() + "\n",
        **{
            schemas / f"{name}.schema.json": json.dumps(model.model_json_schema(), indent=1) + "\n"
            for name, model in (("config", Configuration), ("study", Study), ("dataset", Dataset))
        },
    }


def section(title: str, model: type[Settings], level: int) -> Iterator[str]:
    """Yield the keys of a model, then the models that stand in it."""
    yield f"{'#' * level} {title}\n"
    yield (model.__doc__ or "").split("\n")[0] + "\n"
    if model.model_fields:
        yield "| key | type | default | meaning |\n| --- | --- | --- | --- |"
        for name, field in model.model_fields.items():
            yield f"| `{name}` | {said_type(field)} | {said_default(field)} | {meaning(field)} |"
        yield ""
    for name, field in model.model_fields.items():
        for inner in models_in(field.annotation):
            yield from section(f"{title}: {name}", inner, level + 1)


def meaning(field: FieldInfo) -> str:
    """Return what a key means, as one cell."""
    return " ".join((field.description or "").split()).replace("|", "\\|")


def said_default(field: FieldInfo) -> str:
    """Return the default of a key."""
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "needed"
    if isinstance(value, Settings):
        return "see below"
    plain = {k: v.model_dump() for k, v in value.items()} if isinstance(value, dict) else value
    return f"`{json.dumps(plain)}`"


def said_type(field: FieldInfo) -> str:
    """Return the type of a key in words."""
    noun = next((m.registry.noun for m in field.metadata if hasattr(m, "registry")), None)
    return f"a kind of {noun}" if noun else in_words(field.annotation)


def in_words(annotation: object) -> str:
    """Return a type in words."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        registries = [m.registry for m in annotation.__metadata__ if hasattr(m, "registry")]
        return f"a kind of {registries[0].noun}" if registries else in_words(inner[0])
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (typing.Union, UnionType):
        return " or ".join("null" if part is NoneType else in_words(part) for part in inner)
    if origin is dict:
        return f"by name: {in_words(inner[1])}"
    if origin is tuple and Ellipsis not in inner:
        return f"{len(inner)} of {in_words(inner[0])}"
    if origin in (list, tuple):
        return f"list of {in_words(inner[0])}"
    names = {int: "whole number", float: "number", str: "text", bool: "true or false"}
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        return "see below"
    return names.get(annotation, getattr(annotation, "__name__", str(annotation)))


def models_in(annotation: object) -> Iterator[type[Settings]]:
    """Yield the models that a type holds, but for kinds, which have sections of their own."""
    if any(hasattr(m, "registry") for m in getattr(annotation, "__metadata__", ())):
        return
    for inner in typing.get_args(annotation):
        yield from models_in(inner)
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        if not any(issubclass(annotation, base(registry)) for registry in REGISTRIES):
            yield annotation


def base(registry: Registry) -> type[Settings]:
    """Return what the kinds of a registry derive from."""
    return registry.base


def main() -> int:
    """Write the files, or compare them."""
    stale = [p for p, text in pages().items() if not p.is_file() or p.read_text("utf-8") != text]
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path.relative_to(REPOSITORY)} is not what the types say: make reference")
        return bool(stale)
    for path, text in pages().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
