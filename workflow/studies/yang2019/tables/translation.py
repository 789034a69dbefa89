"""Table 3: translators trained on mined pairs beside one trained on the original pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from tandem.statistics.inference import over_seeds
from yang2019.methods.experiments import printed
from yang2019.methods.mined import ORIGINS, Translation
from yang2019.methods.translations import MEASURES, Scored, gain, percent, scored

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


LABELS = {"original": "Original pairs", "forward": "Mined forward", "backward": "Mined backward"}


class TranslationTable(Table):
    """BLEU and chrF of translations of other text, means over seeds, beside the original pairs'."""

    mined: Translation
    """How pairs are mined and what is trained on them."""
    quoted: list[str] = []
    """Rows of published.yaml that are shown, by id."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the translations, and the counts of the pairs."""
        languages = list(self.mined.by_language(plan))
        return {
            "translated": [
                plan.path("translated", code, origin, f"seed{seed}")
                for code in languages for origin in ORIGINS for seed in self.mined.seeds
            ],
            "mined": [plan.path("mined", code) for code in languages],
        }  # fmt: skip

    def build(self, material: Material) -> Report:
        """Make a line for each language and origin of pairs.

        Columns: language, origin, pairs, right_share (of the pairs, those of the text), threshold,
        seed_count; bleu and chrf, means over the translator's seeds, with the 95% interval over
        sentences and seeds; both differences from the original pairs in percent of their score,
        with intervals and p-values (empty with one seed). The frame `translation` has the logarithm
        of the ratio with its standard error and degrees of freedom, too.
        """
        import pandas as pd

        from tandem.files.io import read_json
        from tandem.reporting.writer import grid, page

        languages = list(self.mined.by_language(material.plan))
        places = zip(self.inputs(material.plan)["translated"], material.files["translated"],
                     strict=True)  # fmt: skip
        folders, tested, signatures = dict(places), [], set()
        for code, counts in zip(languages, material.files["mined"], strict=True):
            counted = read_json(counts / "counts.json")
            scores = {}
            for origin in ORIGINS:
                trained = [folders[material.plan.path("translated", code, origin, f"seed{seed}")]
                           for seed in self.mined.seeds]  # fmt: skip
                scores[origin] = scored(trained, self.mined.resamples, self.mined.seed)
                signatures |= scores[origin].signatures
                line = {"language": code, "origin": origin, "pairs": counted["pairs"][origin],
                        "right_share": counted["right"][origin],
                        "threshold": counted["thresholds"].get(origin),
                        "seed_count": len(trained)}  # fmt: skip
                tested.append(line | compared(scores[origin], scores[ORIGINS[0]]))
        every = pd.DataFrame(tested)
        frame = every.drop(columns=[name for name in every if "_gain_log" in str(name)])
        headings = ["Language", "Trained on", "Pairs", "Right, %", "Threshold", "BLEU", "chrF"]
        text = page(
            "# Table 3: translators trained on mined pairs",
            "The same translator, from English, trained on the original pairs of the text that is "
            "searched and on those that each search finds above its threshold; it translates other "
            "text. Right: how many of the pairs are pairs of the text. Means over "
            f"{len(self.mined.seeds)} seeds of the translator; in brackets, the 95% interval over "
            "sentences and seeds; p is of the ratio to the original pairs' score, by Student's t "
            f"over sentences ({self.mined.resamples:,} resamples) and seeds. With one seed there "
            "is no p, since another training would give another score.",
            grid(headings, [_shown(line) for line in tested]),
            "sacreBLEU: " + "; ".join(f"`{signature}`" for signature in sorted(signatures)),
            printed(material, self.quoted, languages, languages),
        )
        return Report(frame, text, {"translation": every})

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


def compared(mined: Scored, original: Scored) -> dict[str, float | None]:
    """Return the columns of an origin: its scores, and what they gain over the original pairs'."""
    columns: dict[str, float | None] = {}
    for name, figures in mined.figures.items():
        bounds = over_seeds(figures).interval
        columns |= {name: bounds.estimate, f"{name}_low": bounds.low, f"{name}_high": bounds.high}
        estimate = None if mined is original else gain(figures, original.figures[name])
        logs = (None,) * 3 if estimate is None else (
            estimate.value, estimate.error, estimate.freedom)  # fmt: skip
        shares: list[float | None] = [None] * 3
        p = None
        if estimate is not None:
            within = estimate.interval
            shares = [percent(v) for v in (estimate.value, within.low, within.high)]
            p = estimate.p(0.0) if len(figures.values) > 1 else None
        parts = [f"{name}_gain_percent{part}" for part in ("", "_low", "_high")]
        parts += [f"{name}_gain_log{part}" for part in ("", "_error", "_freedom")]
        columns |= {f"p_{name}": p} | dict(zip(parts, [*shares, *logs], strict=True))
    return columns


def _shown(row: dict[str, Any]) -> list[str]:
    """Lay out a line."""
    from tandem.reporting.writer import p_value

    threshold, cells = row["threshold"], []
    for name in MEASURES:
        p = "" if row[f"p_{name}"] is None else f", p {p_value(row[f'p_{name}'])}"
        cells.append(f"{row[name]:.1f} [{row[f'{name}_low']:.1f}, {row[f'{name}_high']:.1f}]{p}")
    return [row["language"], LABELS[row["origin"]], f"{row['pairs']:,}",
            f"{100 * row['right_share']:.1f}", "" if threshold is None else f"{threshold:.3f}",
            *cells]  # fmt: skip
