"""The configuration: the settings that most users change, and the values of each study."""

from __future__ import annotations

import logging
import platform
import sys
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from tandem.corpora.register import DICTIONARIES, Dataset, load_register
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.named import PACKAGED
from tandem.errors import InputError
from tandem.objectives.objective import OBJECTIVES
from tandem.registry import ConfigurationError, Settings, faults, not_among
from tandem.reporting.claim_entries import read_claims
from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.published import read_entries
from tandem.reporting.table import TABLES
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.studies.faults import cross_faults
from tandem.studies.plan import Plan
from tandem.studies.sources import with_sources
from tandem.studies.study import Seed, Study
from tandem.tasks.task import TASKS
from tandem.templates import expanded
from tandem.translation.translator import TRANSLATORS

REGISTRIES = (SEGMENTATIONS, ENCODERS, OBJECTIVES, TRANSLATORS, TASKS, TABLES, CLAIM_TESTS)
"""What a study's folder may add kinds to."""

logger = logging.getLogger(__name__)


class Configuration(Settings):
    """The content of config.yaml, with the values of the scale that overrides it."""

    scale: str
    """Name of the scale; each study has its values for it in scales/<scale>.yaml in its folder."""
    registers: list[str]
    """Files that list the corpora, in the working directory or else beside the Snakefile."""
    mirror: str | None = None
    """A folder with the downloads as <host>/<path>, and packages as <kind>/<file>, for machines
    that cannot reach the hosts."""
    device: Literal["cpu", "cuda", "auto"] = "cpu"
    """What jobs that train, translate, encode or search compute on; auto: a GPU where there is one.
    It is a setting of the machine: a change of it makes no result anew."""
    study_folders: list[str] = ["workflow/studies"]
    """Folders that contain studies, each a folder; searched for like the registers."""
    seeds: list[Seed] | None = None
    """Each experiment is run once with each of these; null: each study's own seeds."""
    studies: dict[str, dict[str, Any]] = {}
    """Values that override a study's own, by the study's name."""


def find(name: str, base: str | Path) -> Path:
    """Return where a file or folder is: in the working directory, else beside the Snakefile."""
    here, beside = Path(name), Path(base, name)
    return beside if beside.exists() and not here.exists() else here


def load_configuration(values: Mapping[str, Any]) -> Configuration:
    """Check the configuration itself; `load_plans` checks the studies.

    Raises:
        ConfigurationError: naming every key at fault.
    """
    try:
        return Configuration.model_validate(values)
    except ValidationError as error:
        raise _refusal("the configuration", faults(error)) from error


def load_registers(configuration: Configuration, base: str | Path) -> dict[str, Dataset]:
    """Read the registers of corpora, that of dictionaries first; `base`: the Snakefile's folder."""
    datasets = load_register(DICTIONARIES)
    for name in configuration.registers:
        if not (file := find(name, base)).is_file():
            raise ConfigurationError(f"registers: no file {name}, here or in {base}. Mend its name")
        entries = load_register(file)
        for twice in sorted({*datasets} & {*entries}):
            if datasets[twice] != entries[twice]:
                raise ConfigurationError(
                    f"{file}: another register has the corpus {twice}, too. Give yours another name"
                )
        datasets |= entries
    return datasets


def study_homes(folders: Iterable[Path]) -> list[Path]:
    """Return the folders of all studies, by name; a study can then be imported by its name."""
    homes: dict[str, Path] = {}
    for folder in folders:
        if str(folder.resolve()) not in sys.path:
            sys.path.append(str(folder.resolve()))
        for file in sorted(folder.glob("*/study.yaml")):
            home = file.parent
            if home.name in homes:
                raise ConfigurationError(
                    f"two studies named {home.name}: {homes[home.name]} and {home}. Rename one"
                )
            homes[home.name] = home
    if not homes:
        raise ConfigurationError("study_folders: none of them has a <study>/study.yaml")
    for registry in REGISTRIES:
        for home in homes.values():
            registry.add_study(home)
    return list(homes.values())


def load_plans(
    configuration: Configuration, datasets: Mapping[str, Dataset], base: str | Path
) -> dict[str, Plan]:
    """Return the plan of every study by the folder of its results; `base`: see `load_registers`.

    Raises:
        ConfigurationError: naming every key at fault.
    """
    homes = study_homes(find(folder, base) for folder in configuration.study_folders)
    names = [home.name for home in homes]
    for name in configuration.studies:
        if name not in names:
            raise ConfigurationError(f"studies: no study {not_among(name, names)}")
    scales = {"default", *(file.stem for home in homes for file in home.glob("scales/*.yaml"))}
    if configuration.scale not in scales:
        raise ConfigurationError(f"scale: no scale {not_among(configuration.scale, scales)}")
    fetched = {
        name: [f"results/corpora/downloads/{name}/{file}" for file in dataset.files()]
        for name, dataset in datasets.items()
    }
    plans: dict[str, Plan] = {}
    for home in homes:
        plan = Plan(home.name, home, load_study(home, configuration, datasets), fetched)
        _check_claims(home / "claims.yaml", plan.study.tables)
        if plan.root in plans:
            other = plans[plan.root].name
            raise ConfigurationError(f"{plan.name} and {other} both write to {plan.root}")
        plans[plan.root] = plan
    return plans


def _check_claims(path: Path, tables: Collection[str]) -> None:
    """Refuse findings that are none, or of no table, before anything is trained: InputError."""
    for key in read_claims(path) if path.is_file() else ():
        if not any(name == key or name.startswith(f"{key}-") for name in tables):
            raise InputError(path, None, f"no table {not_among(key, tables)}", "Mend the name")


def load_study(home: Path, configuration: Configuration, datasets: Collection[str]) -> Study:
    """Read a study: its values, overridden by those of the scale, then by the configuration.

    `home` is its folder, `datasets` are the names of the registered corpora.

    Raises:
        ConfigurationError: naming every key at fault.
    """
    layers = [
        read_entries(home / name, dict[str, Any] | None) or {}  # type: ignore[arg-type]  # a union
        for name in ("study.yaml", f"scales/{configuration.scale}.yaml")
        if (home / name).is_file()
    ]
    values: dict[str, Any] = {}
    for layer in (*layers, configuration.studies.get(home.name, {})):
        values = laid_over(values, _with_all_settings(home.name, layer))
    if configuration.seeds is not None:
        values = {**values, "seeds": configuration.seeds}
    try:
        study = Study.model_validate(with_sources(values, datasets))
        problems = list(cross_faults(study, datasets))
    except ValidationError as error:
        problems = faults(error)
    if problems:
        raise _refusal(f"the study {home.name}", problems)
    return _without_absent(study, home.name)


def _without_absent(study: Study, name: str) -> Study:
    """Leave out of tables, with a warning, pretrained baselines that no package has for here.

    One that a training starts from stays: such a study cannot do without it.
    """
    here = platform.system(), platform.machine()
    starts = {setting.start_pretrained for setting in study.settings.values()}
    starts |= {name for encoder in study.encoders.values() for name in encoder.vectors}
    absent = {
        key: entry.label
        for key, entry in study.pretrained.items()
        if PACKAGED.get(entry.model, here) != here and key not in starts
    }
    tables, labels = {}, dict[str, None]()
    for key, table in study.tables.items():
        named: list[str] = getattr(table, "baselines", [])
        if left_out := [absent[baseline] for baseline in named if baseline in absent]:
            left = [baseline for baseline in named if baseline not in absent]
            tables[key] = table.model_copy(update={"baselines": left})
            labels |= dict.fromkeys(left_out)
    if tables:
        text = "the study %s shows no %s in %s: no package has it for this machine"
        logger.warning(text, name, ", ".join(labels), ", ".join(tables))
    return study.model_copy(update={"tables": study.tables | tables})


def _with_all_settings(name: str, layer: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return values of a study with the templates among its settings expanded.

    That comes before they are laid over others, so that a setting is overridden by its own name.
    """
    if not isinstance(layer.get("settings"), Mapping):
        return layer
    try:
        return {**layer, "settings": expanded(layer["settings"])}
    except ConfigurationError as error:
        raise _refusal(f"the study {name}", [f"settings.{error}"]) from error


def laid_over(values: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """Return values overridden by others: mappings are merged key by key, all else is replaced.

    A mapping that names another `kind` replaces the whole mapping.
    """
    result = dict(values)
    for key, other in others.items():
        value = result.get(key)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            same = other.get("kind", value.get("kind")) == value.get("kind")
            other = laid_over(value, other) if same else other
        result[key] = other
    return result


def _refusal(what: str, problems: list[str]) -> ConfigurationError:
    lines = [f"{what} is refused:", *problems]
    return ConfigurationError("\n  ".join(lines) + "\nSee docs/configuration.md")
