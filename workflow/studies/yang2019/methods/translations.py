"""BLEU and chrF of translators trained with several seeds, and what mined pairs change of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tandem.errors import TandemError
from tandem.files.io import read_lines
from tandem.statistics.inference import Estimate, Figures, difference

MEASURES = ("bleu", "chrf")


class Scored(NamedTuple):
    """What translators score: figures by measure, and the metrics' signatures."""

    figures: dict[str, Figures]
    signatures: set[str]


def scored(folders: Sequence[Path], resamples: int, seed: int) -> Scored:
    """Score the translations of one test text by translators of several seeds, a folder for each.

    Sentences are resampled with replacement. Calls with equally long texts share the draws, so what
    they return is paired.

    Raises:
        TandemError: the folders do not translate the same text.
    """
    import sacrebleu

    texts = [list(read_lines(folder / "translations.txt")) for folder in folders]
    references = [list(read_lines(folder / "references.txt")) for folder in folders]
    if any(lines != references[0] for lines in references):
        raise TandemError(f"{folders[0].parent}: translators of different texts. Train them again")
    size, rng = len(references[0]), np.random.default_rng(seed)
    times = [rng.integers(size, size=size) for _ in range(resamples)]
    figures, signatures = {}, set()
    for name, metric in zip(MEASURES, (sacrebleu.BLEU(), sacrebleu.CHRF()), strict=True):
        values = [metric.corpus_score(text, references[:1]).score for text in texts]
        draws = [_draws(metric, text, references[0], times) for text in texts]
        figures[name] = Figures(np.array(values), np.stack(draws))
        signatures.add(str(metric.get_signature()))
    return Scored(figures, signatures)


def gain(first: Figures, second: Figures) -> Estimate | None:
    """Estimate the logarithm of the first score over the second; None where one is 0.

    Sentences are paired and trainings are not, whatever their seeds (Student's t, as for all
    scores).
    """
    sides = first, second
    if any(np.any(part <= 0) for side in sides for part in (side.values, side.draws)):
        return None
    logs = (Figures(np.log(side.values), np.log(side.draws)) for side in sides)
    return difference(*logs)


def percent(logarithm: float) -> float:
    """Return the logarithm of a ratio as a difference in percent."""
    return 100 * float(np.expm1(logarithm))


def _draws(
    metric: Any,  # noqa: ANN401  (of sacreBLEU, which has no types)
    translations: Sequence[str],
    references: Sequence[str],
    times: Sequence[np.ndarray],
) -> np.ndarray:
    """Return the score of each resample, (resamples,), from the counts of its sentences."""
    counts = np.array(metric._extract_corpus_statistics(translations, [references]))
    sums = (counts[rows].sum(axis=0).tolist() for rows in times)
    return np.array([metric._compute_score_from_stats(total).score for total in sums])
