"""The register of languages: each corpus code with its ISO 639-3 code, script, family and name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from tandem.errors import InputError, TandemError
from tandem.files.io import read_yaml
from tandem.registry import Settings, faults

ISOLATE = "Isolate"
"""The family of a language without known relatives."""

_MEND = "Mend the entry; the head of the file says what each field holds"
_Iso639 = Annotated[str, Field(pattern=r"^[a-z]{3}$")]
_Words = Annotated[str, Field(pattern=r"^\S(.*\S)?$")]


class Language(Settings):
    """One language, by its code in corpora."""

    code: Annotated[str, Field(pattern=r"^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$")]
    """As in the catalogue and verse corpora; also the label in figures."""
    name: _Words
    """In English."""
    iso639_3: _Iso639
    """The individual language."""
    uriel: _Iso639
    """Its entry in URIEL; by default `iso639_3`."""
    script: _Words
    """An ISO 15924 code."""
    script_group: _Words
    """The group of scripts that gives it a colour in figures; by default its script's."""
    family: _Words
    """The top level in Glottolog."""
    branch: _Words
    """What counts as one family in statistics: a branch of a large family; by default the family,
    and of an isolate the language."""
    aliases: tuple[str, ...] = ()
    """Its codes in other corpora."""

    @property
    def isolate(self) -> bool:
        """Whether the language has no known relative."""
        return self.family == ISOLATE


class Register:
    """Languages by corpus code or alias; case does not matter, nor `_` for `-`."""

    def __init__(self, languages: Iterable[Language], source: str | Path) -> None:
        """Index the languages of the file `source`.

        Raises:
            InputError: when two of them claim one code or one name.
        """
        self.source = str(source)
        self._languages = list(languages)
        self._by_key: dict[str, Language] = {}
        names: dict[str, str] = {}
        for language in self._languages:
            for key in sorted({_key(code) for code in (language.code, *language.aliases)}):
                if key in self._by_key:
                    problem = f"{language.code} and {self._by_key[key].code} both claim {key!r}"
                    raise InputError(source, None, problem, "Give each code to one language")
                self._by_key[key] = language
            other = names.setdefault(language.name, language.code)
            if other != language.code:
                problem = f"{language.code} and {other} are both named {language.name!r}"
                raise InputError(source, None, problem, "Tell the two names apart")

    def __iter__(self) -> Iterator[Language]:
        """Iterate over the languages in the order of the register."""
        return iter(self._languages)

    def __contains__(self, code: object) -> bool:
        """Whether a corpus code is registered."""
        return isinstance(code, str) and _key(code) in self._by_key

    def __getitem__(self, code: str) -> Language:
        """Return the language of a corpus code.

        Raises:
            TandemError: when it is not registered.
        """
        if code not in self:
            raise TandemError(
                f"language {code!r} is not in {self.source}: add its ISO 639-3 code, script, "
                "family and name there, or take it out of the configuration"
            )
        return self._by_key[_key(code)]

    @property
    def script_groups(self) -> tuple[str, ...]:
        """The groups of scripts in the order in which the register first uses them."""
        return tuple(dict.fromkeys(language.script_group for language in self))


class _File(Settings):
    scripts: dict[str, _Words]
    languages: list[dict[str, Any]]


def read_register(path: str | Path) -> Register:
    """Read the register from YAML.

    Raises:
        InputError: naming the entry, on a missing or unknown field, a malformed code, a script
            without a group, or a code or name that occurs twice.
    """
    place = ""
    try:
        file, languages = _File.model_validate(read_yaml(path)), []
        for entry in file.languages:
            place, script = f"entry {entry.get('code')!r}: ", str(entry.get("script"))
            if script not in file.scripts:
                problem = f"{place}script {script!r} has no group"
                raise InputError(path, None, problem, "Add it to `scripts`")
            filled = {"uriel": entry.get("iso639_3"), "script_group": file.scripts[script]}
            alone = entry.get("family") == ISOLATE  # two isolates are not related
            filled["branch"] = entry.get("name" if alone else "family")
            languages.append(Language.model_validate(filled | entry))
    except ValidationError as error:
        raise InputError(path, None, f"{place}{'; '.join(faults(error))}", _MEND) from error
    return Register(languages, path)


def _key(code: str) -> str:
    """Spell a code so that pt_br, pt-br and pt-BR are the same."""
    return code.replace("_", "-").lower()
