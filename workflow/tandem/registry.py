"""Kinds by name, and the typed values that a configuration gives them.

A kind of encoder, objective, task, filter, reader or translator is one module with one class: its
fields are its settings, with their defaults and what they mean, and its methods do the work. The
module stands in the package of its registry, or in a study's folder of the same name, and is called
what the configuration calls the kind. Libraries that are slow to import are imported in methods,
since every dry run reads the fields.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from tandem.errors import TandemError


class ConfigurationError(TandemError):
    """A configuration that is refused; the message names every key at fault."""


class Settings(BaseModel):
    """Values from a configuration: an unknown key is refused, and nothing changes afterwards.

    The line under a field says what it means; messages and the page of all keys quote it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, values: Any) -> Any:  # noqa: ANN401  (whatever a file holds)
        if isinstance(values, Mapping):
            for key in values:
                if key not in cls.model_fields:
                    raise PydanticCustomError(
                        "unknown_key", "unknown key {said}", {"said": _said(key, cls.model_fields)}
                    )
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
    """The kinds of one sort: modules of a package, and of the studies' folders of that name."""

    def __init__(self, package: str, base: type[K]) -> None:
        """Look for classes of `base` in the modules of `package`, by their text."""
        self.base, self.noun = base, base.__name__.lower()
        self._packages = {package: Path(importlib.import_module(package).__path__[0])}
        self._folder = package.rsplit(".", 1)[-1]
        self._class = re.compile(rf"^class (\w+)\((?:\w+\.)?{base.__name__}\)", re.MULTILINE)
        self._modules: dict[str, str] | None = None

    def add_study(self, folder: Path) -> None:
        """Look into a study's folder too; the folder above it must be importable from."""
        if (folder / self._folder).is_dir():
            self._packages[f"{folder.name}.{self._folder}"] = folder / self._folder
            self._modules = None

    def modules(self) -> dict[str, str]:
        """Return the module of every kind by the kind's name.

        Raises:
            ConfigurationError: two modules are called the same.
        """
        if self._modules is None:
            self._modules = {}
            for package, folder in self._packages.items():
                for path in sorted(folder.glob("*.py")):
                    name = path.stem.replace("_", "-")
                    if not self._class.search(path.read_text(encoding="utf-8")):
                        continue
                    if name in self._modules:
                        other = self._modules[name]
                        raise ConfigurationError(f"two kinds of {self.noun} named {name}: {path} "
                                                 f"and {other}. Rename one")  # fmt: skip
                    self._modules[name] = f"{package}.{path.stem}"
        return self._modules

    def path(self, name: str) -> Path:
        """Return the file of a kind."""
        package, _, stem = self.modules()[name].rpartition(".")
        return self._packages[package] / f"{stem}.py"

    def kind(self, name: str) -> type[K]:
        """Return the class of a kind.

        Raises:
            ConfigurationError: naming the kinds that there are.
        """
        if name not in self.modules():
            raise ConfigurationError(f"no {self.noun} {_said(name, self.modules())}")
        module = importlib.import_module(self.modules()[name])
        found = self._class.search(self.path(name).read_text(encoding="utf-8"))
        return getattr(module, found[1])

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
        """Do as `parse`, with errors as Pydantic wants them."""
        if isinstance(values, Kind):
            return values  # type: ignore[return-value]
        if not isinstance(values, Mapping):
            raise PydanticCustomError("kind", "not a {noun} with settings", {"noun": self.noun})
        rest = dict(values)
        name = rest.pop("kind", None)
        if name not in self.modules():
            said = _said(name, self.modules())
            raise PydanticCustomError("kind", "no {noun} {said}", {"noun": self.noun, "said": said})
        try:
            return self.kind(str(name)).model_validate(rest)
        except ValidationError as error:
            inside = list(located(error))
            raise PydanticCustomError("inside", "refused", {"inside": inside}) from error

    def dump(self, kind: K) -> dict[str, Any]:
        """Return plain values from which `parse` makes the same kind again."""
        return {"kind": kind.kind, **kind.model_dump(mode="json")}


class Named(Generic[K]):
    """Annotation of a field that holds a kind: `Annotated[Encoder, Named(ENCODERS)]`."""

    def __init__(self, registry: Registry[K]) -> None:
        """Take the kinds of a registry."""
        self.registry = registry

    def __get_pydantic_core_schema__(
        self, source: type, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Validate by the registry; write as `kind` and settings."""
        return core_schema.no_info_plain_validator_function(
            self.registry.check,
            serialization=core_schema.plain_serializer_function_ser_schema(self.registry.dump),
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: object) -> dict[str, Any]:
        """Return a choice of all kinds."""
        return {"oneOf": [self._schema(name) for name in self.registry.modules()]}

    def _schema(self, name: str) -> dict[str, Any]:
        schema = self.registry.kind(name).model_json_schema()
        schema["properties"] = {"kind": {"const": name}} | schema.get("properties", {})
        return schema


def faults(error: ValidationError) -> list[str]:
    """Return what is wrong, each with the path of its key."""
    return [_line(fault) for fault in located(error)]


def located(error: ValidationError) -> Iterable[tuple[str, str]]:
    """Yield (path of the key, what is wrong); those inside a kind go on from the kind's key."""
    for fault in error.errors(include_url=False, include_input=False):
        place = ".".join(str(part) for part in fault["loc"])
        inside = fault["ctx"]["inside"] if fault["type"] == "inside" else [("", fault["msg"])]
        for inner, problem in inside:
            yield ".".join(filter(None, (place, inner))), problem


def _line(fault: tuple[str, str]) -> str:
    place, problem = fault
    return f"{place}: {problem}" if place else problem


def _said(name: object, known: Iterable[str]) -> str:
    """Return a name with the nearest of the known ones, and all of them."""
    known = list(known)
    near = difflib.get_close_matches(str(name), known, 1)
    hint = f" (did you mean {near[0]!r}?)" if near else ""
    return f"{name!r}{hint}; there are {', '.join(known)}"
