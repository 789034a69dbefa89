"""Table 3: translators trained on mined pairs beside one trained on the original pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from yang2019.methods.experiments import printed
from yang2019.methods.mined import ORIGINS, Translation

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


LABELS = {"original": "Original pairs", "forward": "Mined forward", "backward": "Mined backward"}


class TranslationTable(Table):
    """BLEU and chrF of translations of other text, with paired bootstrap significance."""

    mined: Translation
    """How pairs are mined and what is trained on them."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the translations, and the counts of the pairs."""
        languages = list(self.mined.by_language(plan))
        return {
            "translated": [
                plan.path("translated", code, origin) for code in languages for origin in ORIGINS
            ],
            "mined": [plan.path("mined", code) for code in languages],
        }

    def build(self, material: Material) -> Report:
        """Make a line for each language and origin of pairs.

        Columns: language, origin, pairs, right_share (of the pairs, those of the text), threshold;
        bleu and chrf with the 95% bootstrap interval over sentences; p_bleu and p_chrf of the
        paired bootstrap against the original pairs; both differences in percent of the
        score with the original pairs, with their intervals.
        """
        import pandas as pd

        from tandem.files.io import read_json
        from tandem.reporting.writer import grid, page

        rows, signatures = [], set()
        folders = iter(material.files["translated"])
        languages = list(self.mined.by_language(material.plan))
        for code, counts in zip(languages, material.files["mined"], strict=True):
            counted = read_json(counts / "counts.json")
            translated = [next(folders) for _ in ORIGINS]
            scored, metrics = compared(translated, self.mined.resamples, self.mined.seed)
            signatures |= metrics
            for origin, scores in zip(ORIGINS, scored, strict=True):
                least = counted["thresholds"].get(origin)
                row = {"language": code, "origin": origin, "pairs": counted["pairs"][origin]}
                row |= {"right_share": counted["right"][origin], "threshold": least, **scores}
                rows.append(row)
        frame = pd.DataFrame(rows)
        shown = [
            [row["language"], LABELS[row["origin"]], f"{row['pairs']:,}",
             f"{100 * row['right_share']:.1f}",
             "" if row["threshold"] is None else f"{row['threshold']:.3f}",
             *(f"{row[m]:.1f} [{row[f'{m}_low']:.1f}, {row[f'{m}_high']:.1f}]" + _p(row, m)
               for m in ("bleu", "chrf"))]
            for row in rows
        ]  # fmt: skip
        headings = ["Language", "Trained on", "Pairs", "Right, %", "Threshold", "BLEU", "chrF"]
        text = page(
            "# Table 3: translators trained on mined pairs",
            "The same translator, from English, trained on the original pairs of the text that is "
            "searched and on those that each search finds above its threshold; it translates other "
            "text. Right: how many of the pairs are pairs of the text. In brackets, the 95% "
            "interval over sentences; p is of the paired bootstrap (Koehn, 2004) against the "
            f"original pairs, {self.mined.resamples:,} resamples. One training each, so what "
            "another seed of the translator would change is in neither.",
            grid(headings, shown),
            "sacreBLEU: " + "; ".join(f"`{signature}`" for signature in sorted(signatures)),
            printed(material, self.quoted, languages, languages),
        )
        return Report(frame, text, {"translation": frame})

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw a panel for each measure: a row for each language, a series for each origin."""
        from tandem.reporting.plots import Dots, dot_plot

        languages = list(frame["language"].unique())
        panels = []
        for measure, label in (("bleu", "BLEU"), ("chrf", "chrF")):
            columns = [measure, f"{measure}_low", f"{measure}_high"]
            series = {
                LABELS[str(origin)]: lines.set_index("language").loc[languages, columns].to_numpy()
                for origin, lines in frame.groupby("origin", sort=False)
            }
            panels.append(Dots(f"{label}, with 95% interval", languages, series))
        return dot_plot(panels)


def compared(
    folders: list[Any], resamples: int, seed: int
) -> tuple[list[dict[str, float | None]], set[str]]:
    """Score the translations in each folder, compare them with the first, and name the metrics.

    Sentences are resampled with replacement, the same ones for all: the p-value of a difference is
    twice the share of resamples on the other side of 0, at least 2 / (resamples + 1).
    """
    import numpy as np
    import sacrebleu

    from tandem.files.io import read_lines

    texts = [list(read_lines(folder / "translations.txt")) for folder in folders]
    references = list(read_lines(folders[0] / "references.txt"))
    rng = np.random.default_rng(seed)
    times = [rng.integers(len(references), size=len(references)) for _ in range(resamples)]
    scores: list[dict[str, float | None]] = [{} for _ in folders]
    signatures = set()
    for name, metric in (("bleu", sacrebleu.BLEU()), ("chrf", sacrebleu.CHRF())):
        drawn = []
        for place, translations in enumerate(texts):
            score = metric.corpus_score(translations, [references]).score
            statistics = np.array(metric._extract_corpus_statistics(translations, [references]))
            sums = [statistics[rows].sum(axis=0) for rows in times]
            values = np.array([metric._compute_score_from_stats(s.tolist()).score for s in sums])
            drawn.append(values)
            low, high = np.percentile(values, [2.5, 97.5])
            scores[place] |= {name: score, f"{name}_low": low, f"{name}_high": high}
            whole = float(scores[0][name] or 0)
            apart = values - drawn[0]
            sides = [(np.sum(apart <= 0) + 1), (np.sum(apart >= 0) + 1)]
            p = min(1.0, 2 * float(min(sides)) / (resamples + 1))
            gains = np.array([score - whole, *np.percentile(apart, [2.5, 97.5])])
            shares = [None] * 3 if place == 0 or not whole else (100 * gains / whole).tolist()
            names = [f"{name}_gain_percent{part}" for part in ("", "_low", "_high")]
            scores[place] |= {f"p_{name}": None if place == 0 else p}
            scores[place] |= dict(zip(names, shares, strict=True))
        signatures.add(str(metric.get_signature()))
    return scores, signatures


def _p(row: dict[str, Any], measure: str) -> str:
    p = row[f"p_{measure}"]
    return "" if p is None else f", p = {p:.3f}"
