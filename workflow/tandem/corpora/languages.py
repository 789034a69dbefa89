"""The register of languages: what a corpus code means (ISO 639-3, script, family, name)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tandem.errors import InputError, TandemError
from tandem.io import read_yaml

ISOLATE = "Isolate"
"""The family of a language without known relatives."""

_FIELDS = {"code", "name", "iso639_3", "script", "family"}
_OPTIONAL = {"uriel", "aliases"}
_PATTERNS = {
    "code": r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?",
    "iso639_3": r"[a-z]{3}",
    "uriel": r"[a-z]{3}",
}
_MEND = "Mend the entry; the head of the file says what each field holds"


@dataclass(frozen=True)
class Language:
    """One language as corpora write it.

    `uriel` is its entry in URIEL (an ISO 639-3 code), `script` an ISO 15924 code and
    `script_group` the group of scripts that gives it a colour in figures.
    """

    code: str
    name: str
    iso639_3: str
    uriel: str
    script: str
    script_group: str
    family: str
    aliases: tuple[str, ...]

    @property
    def isolate(self) -> bool:
        """Whether the language has no known relative."""
        return self.family == ISOLATE


class Register:
    """Languages by corpus code or alias; spelling in lower case or with `_` is accepted."""

    def __init__(self, languages: Iterable[Language], source: str | Path) -> None:
        """Index the languages, which `source` holds.

        Raises:
            InputError: when two of them claim one code or one name.
        """
        self.source = str(source)
        self._languages: dict[str, Language] = {}
        self._by_key: dict[str, Language] = {}
        names: dict[str, str] = {}
        for language in languages:
            keys = {_key(code) for code in (language.code, *language.aliases)}
            for key in sorted(keys):
                if key in self._by_key:
                    problem = f"{language.code} and {self._by_key[key].code} both claim {key!r}"
                    raise InputError(source, None, problem, "Give each code to one language")
                self._by_key[key] = language
            other = names.setdefault(language.name, language.code)
            if other != language.code:
                problem = f"{language.code} and {other} are both named {language.name!r}"
                raise InputError(source, None, problem, "Tell the two names apart")
            self._languages[language.code] = language

    def __iter__(self) -> Iterator[Language]:
        """Iterate over the languages in the order of the register."""
        return iter(self._languages.values())

    def __len__(self) -> int:
        """Return the number of languages."""
        return len(self._languages)

    def __contains__(self, code: object) -> bool:
        """Whether a corpus code is registered."""
        return isinstance(code, str) and _key(code) in self._by_key

    def __getitem__(self, code: str) -> Language:
        """Return the language of a corpus code.

        Raises:
            TandemError: when it is not registered.
        """
        try:
            return self._by_key[_key(code)]
        except KeyError:
            raise TandemError(
                f"language {code!r} is not in {self.source}: add its ISO 639-3 code, script, "
                "family and name there, or take it out of the configuration"
            ) from None

    @property
    def script_groups(self) -> tuple[str, ...]:
        """The groups of scripts in the order in which the register first uses them."""
        return tuple(dict.fromkeys(language.script_group for language in self))


def read_register(path: str | Path) -> Register:
    """Read the register from YAML.

    Raises:
        InputError: naming the entry, on a missing or unknown field, a malformed code, a script
            without a group, or a code or name given twice.
    """
    try:
        content = read_yaml(path)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        raise InputError(path, line, "not YAML", "Mend the file") from error
    if not isinstance(content, dict) or set(content) != {"scripts", "languages"}:
        raise InputError(path, None, "it must hold `scripts` and `languages`, nothing else", _MEND)
    scripts = content["scripts"]
    return Register((_language(entry, scripts, path) for entry in content["languages"]), path)


def _language(entry: dict[str, Any], scripts: dict[str, str], path: str | Path) -> Language:
    """Check one entry and make it a Language."""
    where = f"entry {entry.get('code', entry)!r}" if isinstance(entry, dict) else f"{entry!r}"
    fields = set(entry) if isinstance(entry, dict) else set()
    if not fields >= _FIELDS or not fields <= _FIELDS | _OPTIONAL:
        wrong = sorted((_FIELDS - fields) | (fields - _FIELDS - _OPTIONAL))
        raise InputError(path, None, f"{where}: missing or unknown {', '.join(wrong)}", _MEND)
    for field in sorted(fields - {"aliases"}):
        value, pattern = entry[field], _PATTERNS.get(field, r"\S(.*\S)?")
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise InputError(path, None, f"{where}: {field} is {value!r}", _MEND)
    if entry["script"] not in scripts:
        problem = f"{where}: script {entry['script']!r} has no group"
        raise InputError(path, None, problem, "Add it to `scripts`")
    aliases = entry.get("aliases", [])
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise InputError(path, None, f"{where}: aliases must be a list of codes", _MEND)
    return Language(
        code=entry["code"],
        name=entry["name"],
        iso639_3=entry["iso639_3"],
        uriel=entry.get("uriel", entry["iso639_3"]),
        script=entry["script"],
        script_group=scripts[entry["script"]],
        family=entry["family"],
        aliases=tuple(aliases),
    )


def _key(code: str) -> str:
    """Spell a code so that pt_br, pt-br and pt-BR are one."""
    return code.replace("_", "-").lower()
