"""Training an encoder on every condition of a text, and scoring it.

All conditions train on the same number of pairs (section 5), with all seeds. The learning rate is
chosen on the development task, without a filter (the paper so chooses when to stop: 5.3): of the
rates within one standard error of the best, over the seeds, the nearest to the recipe's. With one
seed a high rate is now and then the best by chance, and costs a point of the test task. Each
filter's bound is the one with the best mean of that task. Nothing is chosen on the test task.
Finished trainings are kept in a log, what they scored item by item beside it: a run that was
stopped goes on from it, and so does one that compares more conditions.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tandem.encoders.model import SentenceEncoder
from tandem.files.jsonl import append_entry, read_log
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.statistics.choice import within_one_error
from tandem.tasks.task import MEAN, TASKS, Items, Task, read_items, write_items
from tandem.training.pairs import Pairs
from tandem.training.run import Run, train_encoder
from wieting2017.methods.conditions import EVERYTHING, Condition, combined, drawn, tried
from wieting2017.methods.items import together
from wieting2017.methods.settings import COMBINED, UNFILTERED, Experiment
from wieting2017.methods.texts import Candidate

_DECIMALS = 4
DEVELOPMENT = "development"
"""The task that chooses: nothing is reported of it, so its items are not kept."""
Tasks = Mapping[str, tuple[Task, Mapping[str, Path]]]
"""Tasks by name, each with the folders that it reads."""


@dataclass(frozen=True)
class Text:
    """Both sides of a text as ids of words, and the scores of its pairs."""

    reference: Ragged
    paraphrase: Ragged
    scores: pd.DataFrame

    @classmethod
    def of(
        cls, candidates: Sequence[Candidate], scores: pd.DataFrame, segmenter: Segmenter
    ) -> Text:
        """Segment the pairs."""
        encode = segmenter.encoder("en")
        reference, paraphrase = (encode([pair.sides[k] for pair in candidates]) for k in (0, 1))
        return cls(reference, paraphrase, scores)

    def pairs(self, rows: np.ndarray) -> Pairs:
        """Return the pairs to train on; both sides are English."""
        return Pairs(self.reference.gather(rows), self.paraphrase.gather(rows), monolingual=True)


@dataclass(frozen=True)
class Trial:
    """A training on `size` pairs of a condition, with a seed and a learning rate."""

    condition: Condition
    seed: int
    size: int
    learning_rate: float

    def key(self, salt: str) -> str:
        """Return a digest of what its scores depend on."""
        values = json.dumps([self.condition, self.seed, self.size, self.learning_rate, salt])
        return hashlib.sha256(values.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Bench:
    """What all trials of a text with an encoder share.

    Attributes:
        run: what is trained and how; each trial has its own seed.
        starts: the encoder that training starts from, by seed; empty: the seed draws it.
        tasks: `development`, `test` and further tasks by name, each with the folders that it reads.
        salt: what else the scores of a trial depend on, such as the content of those folders.
    """

    text: Text
    run: Run
    segmenter: Segmenter
    starts: Mapping[int, SentenceEncoder]
    tasks: Tasks
    log: Path
    salt: str

    def results(self, trials: Sequence[Trial]) -> Iterator[dict[str, Any]]:
        """Yield what each trial scores, from the log or by training; no score of too few pairs.

        `items` is the file of its items, where it has any.
        """
        finished = {entry["key"]: entry for entry in read_log(self.log)}
        tasks = {name: TASKS.dump(task) for name, (task, _) in self.tasks.items()}
        salt = f"{self.salt} {json.dumps(tasks, sort_keys=True)}"
        for trial in trials:
            start = self.starts.get(trial.seed)
            # of its own start alone: a further seed changes no other's key
            digest = start.digest() if start else ""
            key = trial.key(f"{salt} {digest}")
            file, entry = self.log.with_suffix("") / f"{key}.npz", finished.get(key)
            if entry is None or (entry["items"] and not file.exists()):
                result, items = self._train(trial)
                if items:
                    file.parent.mkdir(exist_ok=True)
                    write_items(file, items)
                entry = finished[key] = {"key": key, "result": result, "items": bool(items)}
                append_entry(self.log, entry)
            yield entry["result"] | ({"items": str(file)} if entry["items"] else {})

    def _train(self, trial: Trial) -> tuple[dict[str, Any], Items]:
        """Return what a trial scores, and the items of it."""
        passing = np.ones(len(self.text.reference), bool)
        if trial.condition.kept:
            passing = trial.condition.passing(self.text.scores)
        rows = drawn(passing, trial.size, trial.seed)
        result: dict[str, Any] = {
            "filter": trial.condition.name,
            "kept": [
                {**kept._asdict(), "shares": kept.shares and list(kept.shares)}
                for kept in trial.condition.kept
            ],
            "seed": trial.seed,
            "size": trial.size,
            "learning_rate": trial.learning_rate,
            "passing": int(passing.sum()),
        }
        if rows is None:
            return result, {}
        recipe = self.run.recipe.model_copy(update={"learning_rate": trial.learning_rate})
        run = Run(self.run.encoder, self.run.objective, recipe, trial.seed)
        start = self.starts.get(trial.seed)
        texts = [self.text.pairs(rows)]
        # on the CPU: many small trainings in one job, and many jobs side by side
        encoder, _ = train_encoder(
            run, self.segmenter, texts, None, device="cpu", show=False, start=start
        )
        result["tokens"] = int(sum(len(side.ids) for side in (texts[0].left, texts[0].right)))
        scores, items = scored(encoder, self.tasks)
        return result | scores, items


def scored(encoder: SentenceEncoder, tasks: Tasks) -> tuple[dict[str, dict[str, float]], Items]:
    """Return the figures of an encoder on tasks, by task and unit, and their items.

    Items are called <task>.<array>, and have single precision: only draws are made from them.
    """
    figures, kept = {}, {}
    for name, (task, data) in tasks.items():
        items = task.score(encoder, data)
        figures[name] = {
            unit: round(task.estimate(items, unit), _DECIMALS) for unit in task.units(items)
        }
        if name != DEVELOPMENT:
            for key, array in items.items():
                single = np.float32 if array.dtype == np.float64 else array.dtype
                kept[f"{name}.{key}"] = array.astype(single)
    return figures, kept


def untrained(
    starts: Mapping[int, SentenceEncoder], tasks: Tasks
) -> tuple[list[dict[str, Any]], Items]:
    """Return what the encoders score that training starts from, and all their items together."""
    every = {seed: scored(start, tasks) for seed, start in starts.items()}
    same = {"filter": UNFILTERED, "kept": [], "size": 0, "passing": 0, "learning_rate": None}
    results = [
        {**same, "seed": seed, **figures, "items": place}
        for place, (seed, (figures, _)) in enumerate(every.items())
    ]
    return results, together(items for _, items in every.values())


def gathered(parts: Mapping[str, list[dict[str, Any]]]) -> Items:
    """Return the items of all results together; each result then has its place, not its file."""
    files = [r["items"] for results in parts.values() for r in results if "items" in r]
    places = {file: place for place, file in enumerate(dict.fromkeys(files))}
    for results in parts.values():
        results[:] = [{**r, "items": places[r["items"]]} if "items" in r else r for r in results]
    return together(map(read_items, places))


def run_all(
    bench: Bench, experiment: Experiment, text: str, encoder: str, seeds: Sequence[int]
) -> dict[str, list[dict[str, Any]]]:
    """Return what all trials of a text with an encoder score, in four lists; all have all seeds.

    `rates`: no filter with every learning rate, the development task; `bounds`: every filter with
    every bound; `chosen`: what is compared; `growth`: more and more pairs, the best filter and
    none, empty for controls.
    """

    def results(
        conditions: Iterable[Condition], rate: float, size: int = experiment.size
    ) -> list[dict[str, Any]]:
        return list(bench.results([Trial(c, s, size, rate) for c in conditions for s in seeds]))

    usual = bench.run.recipe.learning_rate
    rates = experiment.encoders[encoder].learning_rates or [usual]
    by_rate = {r: results([EVERYTHING], r) for r in rates} if len(rates) > 1 else {}
    rate = _chosen_rate(by_rate, usual) if by_rate else rates[0]
    grid = tried(experiment, encoder, bench.text.scores) if experiment.filtered(text) else []
    bounds = results(grid, rate)
    best = _best({c: bounds[i * len(seeds) :][: len(seeds)] for i, c in enumerate(grid)})
    chosen = [EVERYTHING, *best, *_best_two(best, bench.text.scores, experiment.size)]
    entry = experiment.texts[text]
    curves = [EVERYTHING, *best[:1]] if entry.growth and entry.control is None else []
    return {
        "rates": [_unreported(result) for some in by_rate.values() for result in some],
        "bounds": bounds,
        "chosen": results(chosen, rate),
        "growth": [r for c in curves for n in experiment.growth for r in results([c], rate, n)],
    }


def _chosen_rate(by_rate: Mapping[float, Sequence[dict[str, Any]]], usual: float) -> float:
    """Return the learning rate nearest to the usual one, of those that are as good as the best."""
    scores = [[result[DEVELOPMENT][MEAN] for result in some] for some in by_rate.values()]
    good = [r for r, near in zip(by_rate, within_one_error(np.array(scores)), strict=True) if near]
    return min(good, key=lambda rate: (abs(math.log(rate / usual)), rate))


def _unreported(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result without what it scored on tasks that choose nothing."""
    same = ("filter", "kept", "seed", "size", "learning_rate", "passing", "tokens", DEVELOPMENT)
    return {key: result[key] for key in same}


def _best(results: Mapping[Condition, Sequence[dict[str, Any]]]) -> list[Condition]:
    """Return each filter with its best bound on the development task, the best filter first."""
    best: dict[str, tuple[float, Condition]] = {}
    for condition, trainings in results.items():
        if DEVELOPMENT not in trainings[0]:
            continue  # too few pairs pass
        score = float(np.mean([result[DEVELOPMENT][MEAN] for result in trainings]))
        if condition.name not in best or score > best[condition.name][0]:
            best[condition.name] = score, condition
    return [c for _, c in sorted(best.values(), key=lambda item: -item[0])]


def _best_two(best: Sequence[Condition], scores: pd.DataFrame, size: int) -> list[Condition]:
    """Return the best two filters together that enough pairs pass; empty if there are none.

    `best` is in order of the development task; of two filters the better counts first.
    """
    for two in combinations(best, 2):
        both = combined(two, COMBINED)
        if both.passing(scores).sum() >= size:
            return [both]
    return []
