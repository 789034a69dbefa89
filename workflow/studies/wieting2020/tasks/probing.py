"""Probing: what of a sentence a linear classifier tells from its frozen vector (section 5.2)."""

from __future__ import annotations

import json
import logging
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveFloat, PositiveInt, model_validator

from tandem.errors import TandemError
from tandem.registry import Settings
from tandem.tasks.groups import GROUPS, drawn_means, drawn_times, group_count
from tandem.tasks.task import Encodes, Items, Places, Task, knows
from wieting2020.methods import probe

if TYPE_CHECKING:
    from tandem.statistics.correlation import FloatArray

logger = logging.getLogger(__name__)
_ABOUT = ".about"
"""Ends the names of items about a set."""
_NOTE = "unreachable.txt"


class ProbingSet(Settings):
    """Labelled sentences in SentEval's form: lines of tr, va or te, the label, and the sentence.

    Made sets have a fourth column, the sentence's meaning.
    """

    made: str | None = None
    """A set made from the study's text: probing/<made>.txt under its results. `{language}` is the
    experiment's language beside English."""
    dataset: str | None = None
    """A registered corpus in that form; where it cannot be fetched the set is left out. Give this
    or `made`."""
    language: str = "en"
    """Language of the sentences; `{language}` as above."""
    only: list[str] | None = None
    """The languages beside English in which it is scored; null: all."""

    @model_validator(mode="after")
    def _one_of_the_two(self) -> Self:
        if bool(self.made) == bool(self.dataset):
            raise ValueError("give made or dataset, one of the two")
        return self


class Probing(Task):
    """Accuracy x 100 of a logistic regression on standardised vectors, on each set.

    Its inverse strength is chosen on the validation part of a set alone. Sets in languages that the
    encoder does not know are left out, and so are corpora that could not be fetched. Items:
    `<set>`, which test sentences are labelled right, bool (n,); `<set>__groups`, (n,), numbers that
    sentences with one meaning share; `<set>.about`, JSON.
    """

    metric: ClassVar[str] = "accuracy_x100"

    sets: dict[str, ProbingSet] = Field(min_length=1)
    """The sets by name, which are its units."""
    training: PositiveInt | None = 100_000
    """Most training sentences of a set; null: all. The paper's sets have 100,000."""
    validation: PositiveInt | None = 10_000
    """Most validation sentences of a set; the paper's have 10,000."""
    test: PositiveInt | None = 10_000
    """Most test sentences of a set; the paper's have 10,000."""
    strengths: list[PositiveFloat] = Field(default=[0.0001, 0.001, 0.01, 0.1], min_length=1)
    """Inverse strengths of regularization that are tried."""
    seed: NonNegativeInt = 1
    """Seed of the choice of sentences, where a part has more than are taken."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the file of each set; of a registered corpus its folder."""
        other = language_beside_english(plan, experiment)
        paths = {}
        for name, entry in self.sets.items():
            if entry.only is not None and other not in entry.only:
                continue
            if entry.dataset:
                paths[_key(name, "en")] = str(Path(plan.fetched[entry.dataset][0]).parent)
            else:
                file = f"{_filled(str(entry.made), other)}.txt"
                paths[_key(name, _filled(entry.language, other))] = plan.path("probing", file)
        return paths

    def optional(self) -> list[str]:
        """Name the registered corpora."""
        return [entry.dataset for entry in self.sets.values() if entry.dataset]

    def score(self, encoder: Encodes, data: Mapping[str, Path]) -> Items:
        """Probe the encoder on every set; `data` has them by `<set>__<language>`.

        Raises:
            TandemError: no set is left to score.
        """
        items: Items = {}
        for key, path in data.items():
            name, _, language = key.rpartition("__")
            file = _file_of(path)
            if file is None:
                logger.warning("%s is left out: see %s/%s", name, path, _NOTE)
            elif knows(encoder, language):
                items |= self._score_set(encoder, name, language, file)
        if not items:
            raise TandemError("no probing set that can be had is in a language of the encoder")
        return items

    def _score_set(self, encoder: Encodes, name: str, language: str, file: Path) -> Items:
        most = {"tr": self.training, "va": self.validation, "te": self.test}
        parts = probe.read_set(file, most, self.seed)
        texts = [text for part in parts.values() for text in part.sentences]
        ends = np.cumsum([len(part.labels) for part in parts.values()])[:-1]
        split = np.split(encoder.encode(texts, language=language), ends)
        labels = {mark: part.labels for mark, part in parts.items()}
        probed = probe.probe(dict(zip(parts, split, strict=True)), labels, self.strengths)
        about = {
            "set": name,
            "chance_x100": round(100 * probe.chance(labels["tr"], labels["te"]), 4),
            "labels": len(set(labels["tr"])),
            "strength": probed.strength,
            "validation_x100": round(100 * probed.validation, 4),
            **{probe.PARTS[mark]: len(part) for mark, part in labels.items()},
        }
        numbers: dict[str, int] = {}
        groups = [numbers.setdefault(name, len(numbers)) for name in parts["te"].meanings]
        return {
            name: probed.right,
            f"{name}{GROUPS}": np.array(groups),
            f"{name}{_ABOUT}": np.array(json.dumps(about)),
        }

    def units(self, items: Items) -> list[str]:
        """Return the sets that were scored."""
        return [name for name in items if not name.endswith((_ABOUT, GROUPS))]

    def estimate(self, items: Items, unit: str) -> float:
        """Return the accuracy x 100."""
        return 100 * float(items[unit].mean())

    def draws(self, systems: Sequence[Items], unit: str, resamples: int, seed: int) -> FloatArray:
        """Bootstrap a set, resampling meanings of test sentences: (systems, resamples), x 100."""
        times = drawn_times(systems, [unit], resamples, [seed, zlib.crc32(unit.encode())])
        return 100 * drawn_means(systems, unit, times[unit])

    def count(self, items: Items, unit: str) -> int:
        """Count the meanings behind a set: what is drawn of them is independent."""
        return group_count(items, [unit])

    def details(self, items: Items) -> dict[str, Any]:
        """Return, of each set, its sizes, its number of labels, and what chance would score."""
        return {"sets": [json.loads(str(items[f"{name}{_ABOUT}"])) for name in self.units(items)]}


def language_beside_english(plan: Places, experiment: str) -> str:
    """Return the one language beside English that an experiment is trained on.

    Raises:
        TandemError: there is none, or several.
    """
    setting = plan.setting(experiment)
    codes = setting.languages or plan.sides(setting.corpus)
    others = [code for code in codes if code != "en"]
    if len(others) != 1:
        raise TandemError(f"{experiment}: probing needs text of English and one other language")
    return others[0]


def _key(name: str, language: str) -> str:
    """Name an input after its set and the language of its sentences, which a job is told so."""
    return f"{name}__{language}"


def _filled(text: str, language: str) -> str:
    return text.replace("{language}", language)


def _file_of(path: Path) -> Path | None:
    """Return the file of a set; None for the folder of a corpus that could not be fetched."""
    if not Path(path).is_dir():
        return Path(path)
    files = [file for file in sorted(Path(path).glob("*.txt")) if file.name != _NOTE]
    return files[0] if files else None
