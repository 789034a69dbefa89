"""Kinds by name, and the typed values that a configuration gives them.

A kind of encoder, segmentation, task or table (CONTRIBUTING.md has them all) is one module with one
class: its fields are its settings, with their defaults and what they mean, and its methods do the
work. The module is in the package of its registry, or in a study's folder, and has the name of the
kind in the configuration; one whose name begins with `_` holds no kind. Libraries that are slow to
import are imported in methods, since every dry run imports these modules.
"""

from __future__ import annotations

import ast
import difflib
import importlib
import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, ErrorDetails, PydanticCustomError, core_schema

from tandem.classes import kind_class
from tandem.errors import TandemError


class ConfigurationError(TandemError):
    """A refused configuration; the message names every key at fault."""


class Settings(BaseModel):
    """Values from a configuration: unknown keys are refused, and values cannot be changed.

    The docstring under a field says what it means; docs/configuration.md quotes it. It is read when
    it is asked for (`meanings`): Pydantic would read the source of every class that is imported.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """Return what each field means, by the docstrings of the class and of its bases."""
        texts: dict[str, str] = {}
        for base in reversed(cls.__mro__[: cls.__mro__.index(Settings)]):
            (defined,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
            assert isinstance(defined, ast.ClassDef)
            for field, text in pairwise(defined.body):
                match field, text:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str(meaning))),
                    ) if name in cls.model_fields:
                        texts[name] = inspect.cleandoc(meaning)
        return texts

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Add what the fields mean."""
        described = handler(schema)
        properties = handler.resolve_ref_schema(described).get("properties", {})
        for name, meaning in cls.meanings().items():
            properties[cls.model_fields[name].alias or name]["description"] = meaning
        return described

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, values: Any) -> Any:  # noqa: ANN401  (whatever a file holds)
        keys = [field.alias or name for name, field in cls.model_fields.items()]
        if isinstance(values, Mapping) and (wrong := [key for key in values if key not in keys]):
            text = f"{', '.join(_near(key, keys) for key in wrong)}; there are {', '.join(keys)}"
            raise PydanticCustomError("unknown_key", "unknown key {text}", {"text": text})
        return values


class Kind(Settings):
    """A kind: what can be named by `kind` in a configuration, with its settings."""

    kind: ClassVar[str] = ""
    """The name of its module, with hyphens for underscores."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:  # noqa: ANN401
        """Name the kind after its module."""
        super().__pydantic_init_subclass__(**kwargs)
        cls.kind = cls.__module__.rsplit(".", 1)[-1].replace("_", "-")


K = TypeVar("K", bound=Kind)


class Registry(Generic[K]):
    """The kinds of one sort: modules of a package, and of a folder that each study may have."""

    def __init__(self, package: str, base: type[K]) -> None:
        """Look for classes that derive from `base` in a package, without importing its modules.

        The studies' folder has the package's name: `encoders` for `tandem.encoders.kinds`.
        """
        self.base = base
        self.noun = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", base.__name__).lower()
        self._packages = {package: Path(importlib.import_module(package).__path__[0])}
        self._folder = package.removesuffix(".kinds").rsplit(".", 1)[-1]
        self._modules: dict[str, tuple[str, str, Path]] | None = None

    def add_study(self, folder: Path) -> None:
        """Look into a study's folder too; the folder above it must be on sys.path."""
        if (folder / self._folder).is_dir():
            self._packages[f"{folder.name}.{self._folder}"] = folder / self._folder
            self._modules = None

    def modules(self) -> dict[str, tuple[str, str, Path]]:
        """Return the module, the class and the file of every kind by the kind's name.

        Raises:
            ConfigurationError: two modules are called the same.
        """
        if self._modules is None:
            roots = [folder.parents[name.count(".")] for name, folder in self._packages.items()]
            kinds: dict[str, tuple[str, str, Path]] = {}
            for package, folder in self._packages.items():
                for path in sorted(folder.glob("[!_]*.py")):
                    module, name = f"{package}.{path.stem}", path.stem.replace("_", "-")
                    class_name = kind_class(module, self.base, roots)
                    if class_name and name in kinds:
                        raise ConfigurationError(f"two kinds of {self.noun} named {name}: {path} "
                                                 f"and {kinds[name][2]}. Rename one")  # fmt: skip
                    if class_name:
                        kinds[name] = module, class_name, path
            self._modules = kinds
        return self._modules

    def path(self, name: str) -> Path:
        """Return the file of a kind."""
        return self.modules()[name][2]

    def kind(self, name: str) -> type[K]:
        """Return the class of a kind.

        Raises:
            ConfigurationError: naming the kinds that there are.
        """
        if name not in self.modules():
            raise ConfigurationError(f"no {self.noun} {not_among(name, self.modules())}")
        module, class_name, _ = self.modules()[name]
        return getattr(importlib.import_module(module), class_name)

    def parse(self, values: Mapping[str, Any] | K) -> K:
        """Return a kind with its settings, from `kind` and the settings of that kind.

        Raises:
            ConfigurationError: naming every key at fault.
        """
        try:
            return self.check(values)
        except PydanticCustomError as error:
            inside = (error.context or {}).get("inside", [("", error.message())])
            raise ConfigurationError("; ".join(map(_line, inside))) from error

    def check(self, values: object) -> K:
        """Do as `parse` does, with the errors that Pydantic expects of validators."""
        if isinstance(values, self.base):
            return values
        if not isinstance(values, Mapping) or "kind" not in values:
            kinds = ", ".join(self.modules())
            raise PydanticCustomError("kind", "needs `kind`, one of {kinds}", {"kinds": kinds})
        settings = {key: value for key, value in values.items() if key != "kind"}
        try:
            return self.kind(str(values["kind"])).model_validate(settings)
        except ConfigurationError as error:
            raise PydanticCustomError("kind", "{problem}", {"problem": str(error)}) from error
        except ValidationError as error:
            inside = list(located(error))
            raise PydanticCustomError("inside", "refused", {"inside": inside}) from error

    def dump(self, kind: K) -> dict[str, Any]:
        """Return plain values from which `parse` makes the same kind again."""
        return {"kind": kind.kind, **kind.model_dump(mode="json")}


class Named(Generic[K]):
    """Annotation of a field that holds a kind: `Annotated[Encoder, Named(ENCODERS)]`."""

    def __init__(self, registry: Registry[K], inner: bool = False) -> None:
        """Take the kinds of a registry.

        `inner`: the field is of such a kind itself, which the schema has no end of: there it is an
        object with a `kind`, no more.
        """
        self.registry, self.inner = registry, inner

    def __get_pydantic_core_schema__(self, source: type, handler: object) -> CoreSchema:
        """Validate by the registry; write as `kind` and settings."""
        return core_schema.no_info_plain_validator_function(
            self.registry.check,
            serialization=core_schema.plain_serializer_function_ser_schema(self.registry.dump),
        )

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return a choice of all kinds; each is defined once, with its name as its `kind`."""
        registry = self.registry
        if self.inner:
            return {"type": "object", "required": ["kind"]}
        kinds = {name: registry.kind(name).__pydantic_core_schema__ for name in registry.modules()}
        choices = handler(core_schema.tagged_union_schema(kinds, "kind"))["oneOf"]
        for name, choice in zip(kinds, choices, strict=True):
            definition = handler.resolve_ref_schema(choice)
            definition["properties"] = {"kind": {"const": name}, **definition.get("properties", {})}
        return {"oneOf": choices, "required": ["kind"]}


def faults(error: ValidationError) -> list[str]:
    """Return what is wrong, each fault with the path of its key."""
    return [_line(fault) for fault in located(error)]


def located(error: ValidationError) -> Iterable[tuple[str, str]]:
    """Yield (path of the key, what is wrong); those inside a kind go on from the kind's key."""
    for fault in error.errors(include_url=False):
        place = ".".join(str(part) for part in fault["loc"])
        inside = fault["ctx"]["inside"] if fault["type"] == "inside" else [("", _problem(fault))]
        for inner, problem in inside:
            yield ".".join(filter(None, (place, inner))), problem


def _problem(fault: ErrorDetails) -> str:
    """Return what is wrong in words of ours where those of the library say too little."""
    if fault["type"] == "missing":
        return "not given, and without a default. Give it"
    if fault["type"] == "string_pattern_mismatch":
        value, pattern = str(fault["input"]), fault["ctx"]["pattern"]
        other = value.replace("_", "-")
        remedy = f". Write {other}" if value != other and re.fullmatch(pattern, other) else ""
        return f"{value!r} does not match the pattern {pattern}{remedy}"
    return fault["msg"].removeprefix("Value error, ")


def _line(fault: tuple[str, str]) -> str:
    place, problem = fault
    return f"{place}: {problem}" if place else problem


def not_among(name: object, choices: Iterable[str]) -> str:
    """Return a name with the nearest of some choices, and the first dozen of these."""
    choices = list(choices)
    more = ", ..." if len(choices) > 12 else ""
    return f"{_near(name, choices)}; there are {', '.join(choices[:12])}{more}"


def _near(name: object, choices: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(name), choices, 1)
    return f"{name!r} (did you mean {near[0]!r}?)" if near else repr(name)
