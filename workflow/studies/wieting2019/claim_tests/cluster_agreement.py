"""Whether the clusters of SentencePiece overlap are those of the script."""

from __future__ import annotations

from tandem.reporting.claim_test import ClaimTest, Evidence, Measured
from wieting2019.methods.settings import FEWEST


class ClusterAgreement(ClaimTest):
    """Cohen's kappa x 100 of two divisions of the languages: by their overlap, and by script.

    The overlaps are divided by 2-means, anew in each resample of families.
    """

    where: dict[str, str]
    """Selects the languages: columns of the points and their values."""

    def measure(self, evidence: Evidence, margin: float) -> Measured | None:
        """Measure, unless there are too few languages, or all are of one script or one overlap."""
        import numpy as np

        from wieting2019.methods.correlations import ENGLISH_SCRIPT, natural_thresholds
        from wieting2019.methods.kinship import Sample

        points = evidence.rows("points", self.where)
        overlap = points["overlap_types"].to_numpy()
        latin = (points["script_group"] == ENGLISH_SCRIPT).to_numpy()
        if len(points) < FEWEST or latin.all() or not latin.any():
            return None
        sample = Sample(points["branch"].tolist(), evidence.scores.resamples, evidence.scores.seed)
        weights = sample.weights
        high = overlap >= natural_thresholds(overlap, weights)[:, None]
        count = weights.sum(axis=1)
        agreed = (weights * (high == latin)).sum(axis=1) / count
        shares = (weights * high).sum(axis=1) / count, weights @ latin / count
        chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
        with np.errstate(invalid="ignore", divide="ignore"):
            kappa = 100 * np.where(chance < 1, (agreed - chance) / (1 - chance), np.nan)
        if np.isnan(kappa[0]):
            return None
        estimate = sample.estimate(kappa)
        return Measured(
            test="Cohen's kappa of high overlap (divided by 2-means) and Latin script; "
            f"{sample.families} families resampled",
            statistic=estimate.value,
            low=estimate.interval.low,
            high=min(100.0, estimate.interval.high),
            p=estimate.p(margin),
            unit="kappa_x100",
            n=len(points),
        )
