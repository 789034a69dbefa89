"""Writes docs/configuration.md and workflow/schemas/ from the types of the configuration.

python docs/reference.py          write them
python docs/reference.py --check  end with an error if they are not what they would be
"""

from __future__ import annotations

import json
import re
import sys
import typing
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from types import NoneType, UnionType

from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticUndefined

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "workflow"))

from tandem.corpora.readers import READERS  # noqa: E402
from tandem.corpora.register import Dataset  # noqa: E402
from tandem.filtering.filter import FILTERS  # noqa: E402
from tandem.mining.settings import WithMining  # noqa: E402
from tandem.registry import Kind, Settings  # noqa: E402
from tandem.studies.configuration import REGISTRIES, study_homes  # noqa: E402
from tandem.studies.study import Study  # noqa: E402

NOUNS = {registry.base: registry.noun for registry in (*REGISTRIES, FILTERS, READERS)}
HEAD = """# Every key of the configuration

`make reference` writes this page from the types, and `make lint` checks that it is up to date.
`workflow/schemas/` has the same for editors that check YAML while you type: start a study.yaml with
`# yaml-language-server: $schema=../../schemas/study.schema.json`.

- [config.yaml](#configyaml) holds the settings that most users change.
- [study.yaml](#studyyaml) holds the values of one study. They are overridden by the
  study's `scales/<scale>.yaml`, and both are overridden by `studies` in config.yaml, as in
  `studies: {wieting2019: {recipes: {sp: {epochs: 5}}}}`. Mappings are merged key by key;
  lists, numbers, text and mappings that name another `kind` are replaced.
- [Registers of corpora](#an-entry-of-a-register-of-corpora) list what can be fetched.

"By name" is a mapping whose keys are names of your choice. "A kind of" encoder (or of another
thing) is a mapping with the key `kind`, one of the names under "Kinds of encoder", and the keys of
that kind. A filter needs no key `kind` where its name is one, as in
`cleaning: {words: {minimum: 2}}`.

An entry of `settings` or of a register that has the key `each` is a template for several. `each` is
a list of mappings, one for each entry, or a mapping of lists, of which every combination makes an
entry. `{name}`, in the key of the template and in all that it holds, stands for the value of that
name; text that is nothing else becomes the value itself, which may be a number or null.

```yaml
settings:
  both-ways-{language}:
    each: {language: [fr, es]}
    languages: ["{language}"]
```

A template is replaced by its entries, here `both-ways-fr` and `both-ways-es`, before values are
laid over it. They are overridden by their own names, one by one or by another template.
"""
WORDS = {int: "whole number", float: "number", str: "text", bool: "true or false",
         re.Pattern: "regular expression", typing.Any: "anything"}  # fmt: skip
SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


def pages() -> dict[Path, str]:
    """Return the text of every file that is made from the types."""
    study_homes([REPOSITORY / "workflow/studies"])
    parts = [HEAD, *section("config.yaml", WithMining, 2), *section("study.yaml", Study, 2)]
    parts += section("An entry of a register of corpora", Dataset, 2)
    for registry in (*REGISTRIES, FILTERS, READERS):
        parts.append(f"## Kinds of {registry.noun}\n")
        for name in registry.modules():
            package = registry.kind(name).__module__.split(".")[0]
            of = "" if package == "tandem" else f" (of the study {package})"
            parts += section(f"{name}{of}", registry.kind(name), 3)
    schemas, untitled = REPOSITORY / "workflow/schemas", {"schema_generator": Untitled}
    return {
        REPOSITORY / "docs/configuration.md": "\n".join(parts).rstrip() + "\n",
        **{
            schemas / f"{name}.schema.json": in_lines(model.model_json_schema(**untitled)) + "\n"
            for name, model in (("config", WithMining), ("study", Study))
        },
    }


class Untitled(GenerateJsonSchema):
    """Leaves out the titles of keys, which say the keys again."""

    def field_title_should_be_set(self, schema: object) -> bool:
        """Return that none is."""
        return False


def in_lines(value: object, depth: int = 0) -> str:
    """Return JSON in which what fits on a line stands on one."""
    line = json.dumps(value)
    if depth + len(line) <= 100 or not isinstance(value, dict | list):
        return line
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {in_lines(part, depth + 1)}" for key, part in value.items()]
    else:
        parts = [in_lines(part, depth + 1) for part in value]
    start, end = "\n" + " " * (depth + 1), "\n" + " " * depth
    return line[0] + start + f",{start}".join(parts) + end + line[-1]


def section(title: str, model: type[Settings], level: int) -> Iterator[str]:
    """Yield the keys of a model, then the models that stand in it."""
    yield f"{'#' * level} {title}\n"
    yield in_cell((model.__doc__ or "").split("\n")[0]) + "\n"
    if model.model_fields:
        yield "| key | type | default | meaning |\n| --- | --- | --- | --- |"
        inside: dict[type[Settings], list[str]] = {}
        meanings = model.meanings()
        for name, field in model.model_fields.items():
            cells = said_type(field), said_default(field), in_cell(meanings.get(name, ""))
            yield f"| `{name}` | " + " | ".join(cells) + " |"
            for inner in models_in(field.annotation):
                inside.setdefault(inner, []).append(name)
        yield ""
        for inner, names in inside.items():
            yield from section(f"{title}: {', '.join(names)}", inner, level + 1)


def in_cell(text: str) -> str:
    """Return text as one line in which Markdown sees no column and no tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")


def said_default(field: FieldInfo) -> str:
    """Return the default of a key."""
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined:
        return "required"
    if isinstance(value, Settings):
        kind = {"kind": value.kind} if isinstance(value, Kind) else {}
        value = kind | value.model_dump(exclude_defaults=True)
        if not value:
            return "as below"
    elif isinstance(value, dict):
        value = {
            key: inner if isinstance(inner, str) else inner.model_dump(exclude_defaults=True)
            for key, inner in value.items()
        }
    return "`" + re.sub(r'"(\w+)": ', r"\1: ", json.dumps(value)) + "`"


def said_type(field: FieldInfo) -> str:
    """Return the type of a key in words."""
    if not field.metadata:
        return in_words(field.annotation)
    return in_words(typing.Annotated[(field.annotation, *field.metadata)])


def in_words(annotation: object) -> str:
    """Return a type in words."""
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return f"{in_words(inner[0])} {in_cell(bounds(annotation.__metadata__))}".rstrip()
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (typing.Union, UnionType):
        return " or ".join("null" if part is NoneType else in_words(part) for part in inner)
    if origin is dict:
        return f"by name: {in_words(inner[1])}"
    if origin in (list, tuple):
        number = f" of {len(inner)}" if origin is tuple and Ellipsis not in inner else ""
        return f"list{number}: {in_words(inner[0])}"
    annotation = origin or annotation
    if annotation in NOUNS:
        return f"a kind of {NOUNS[annotation]}"
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return " or ".join(f"`{member.value}`" for member in annotation)
    return WORDS.get(annotation, "keys below")


def bounds(metadata: Iterable[object]) -> str:
    """Return the bounds of a number, such as ">= 0, < 1"."""
    parts = [part for entry in metadata for part in getattr(entry, "metadata", [entry])]
    said = [f"{sign} {getattr(part, name)}" for part in parts for name, sign in SIGNS.items()
            if getattr(part, name, None) is not None]  # fmt: skip
    return ", ".join(said)


def models_in(annotation: object) -> Iterator[type[Settings]]:
    """Yield the models that a type holds, but for kinds, which have sections of their own."""
    for inner in typing.get_args(annotation):
        yield from models_in(inner)
    if isinstance(annotation, type) and issubclass(annotation, Settings):
        if annotation not in NOUNS:
            yield annotation


def main() -> int:
    """Write the files, or compare them."""
    stale = {p: t for p, t in pages().items() if not p.is_file() or p.read_text("utf-8") != t}
    for path, text in stale.items():
        if "--check" in sys.argv:
            print(f"{path.relative_to(REPOSITORY)} is not what the types say: make reference")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    return "--check" in sys.argv and bool(stale)


if __name__ == "__main__":
    sys.exit(main())
