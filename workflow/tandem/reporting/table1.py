"""Table 1 of wieting2019: back-translated text against bitext, for every encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from tandem.reporting.markdown import grid
from tandem.reporting.published import published
from tandem.reporting.results import Result, Role, Setting
from tandem.statistics.correlation import FloatArray, percentile_interval
from tandem.tasks.sts import Index

BESIDE = ("wieting2020.sts.sp", "wieting2020.sts.bilstm", "wieting2020.sts.random_encoder")
"""Published rows that stand under ours: the nearest printed, since Table 1's own cells are not."""


def table1(
    results: Sequence[Result], draws: Mapping[str, FloatArray], settings: Sequence[Setting]
) -> pd.DataFrame:
    """One row per encoder and setting, encoders in order of appearance.

    Args:
        results: every experiment of the table.
        draws: bootstrap draws of each experiment's mean, from `results.draw_means`.
        settings: in the order of the table.

    Returns:
        Columns experiment, encoder, setting, pairs, english_sentences, parameters, a column
        sts<year>_pearson_x100 per year (mean over seeds), mean_pearson_x100 and its 95% interval
        (bootstrap over pairs and seeds), sd_over_seeds_pearson_x100 (of the mean; empty for one
        seed), seed_count, seeds.
    """
    encoders = list(dict.fromkeys(result.experiment.encoder for result in results))
    order = [setting.name for setting in settings]
    ordered = sorted(
        results,
        key=lambda r: (encoders.index(r.experiment.encoder), order.index(r.experiment.setting)),
    )
    return pd.DataFrame([_row(result, draws[result.experiment.name]) for result in ordered])


def _row(result: Result, draws: FloatArray) -> dict[str, object]:
    """One row of the table."""
    experiment, seeds = result.experiment, result.seeds
    interval = percentile_interval(result.mean, draws)
    means = [seed.mean for seed in seeds]
    return {
        "experiment": experiment.name,
        "encoder": experiment.encoder,
        "setting": experiment.setting,
        "pairs": experiment.pairs,
        "english_sentences": experiment.english_sentences,
        "parameters": experiment.parameters,
        **{
            f"sts{year}_pearson_x100": float(np.mean([seed.years[year] for seed in seeds]))
            for year in sorted(seeds[0].years)
        },
        "mean_pearson_x100": interval.estimate,
        "mean_low_pearson_x100": interval.low,
        "mean_high_pearson_x100": interval.high,
        "sd_over_seeds_pearson_x100": np.std(means, ddof=1) if len(means) > 1 else np.nan,
        "seed_count": len(seeds),
        "seeds": " ".join(str(seed.seed) for seed in seeds),
    }


def markdown(
    table: pd.DataFrame,
    settings: Sequence[Setting],
    tasks: Sequence[Mapping[str, object]],
    index: Index,
) -> str:
    """Lay the table out as the paper does, with every year beneath and what each year averages.

    Args:
        table: from `table1`.
        settings: the column groups, in order.
        tasks: the scored tasks (task, year, pairs), from any score file.
        index: of the STS folder: published numbers of pairs, and the tasks it lacks.
    """
    return "\n\n".join(
        [
            "# Table 1: back-translated text and bitext",
            "Pearson's r x 100 with human scores: mean of the years, each the mean of its tasks "
            f"({_seeds(table)}). In brackets, the 95% interval by bootstrap over sentence pairs "
            "and seeds. Best of each column in bold.",
            _means(table, settings),
            "## Every year",
            _years(table, settings),
            "Published figures, for orientation only: other training text, and every task of each "
            f"year. {_sources()} The text of wieting2019 that Tandem quotes from does not print "
            "the cells of its Table 1.",
            "## What each year averages",
            _tasks(tasks, index),
        ]
    ) + "\n"


def _means(table: pd.DataFrame, settings: Sequence[Setting]) -> str:
    """Rows = encoders, columns = settings."""
    groups = {s.name: table[table["setting"] == s.name].set_index("encoder") for s in settings}
    shown = [setting for setting in settings if len(groups[setting.name])]
    rows = []
    for encoder in table["encoder"].unique():
        cells = [encoder]
        for setting in shown:
            group = groups[setting.name]
            cells.append(_cell(group, encoder) if encoder in group.index else "")
        rows.append(cells)
    return grid(["Encoder", *(_heading(s, groups[s.name]) for s in shown)], rows)


def _cell(group: pd.DataFrame, encoder: str) -> str:
    """Mean and interval of one encoder; bold when it is the best of its setting."""
    row = group.loc[encoder]
    mean = f"{row['mean_pearson_x100']:.1f}"
    if row["mean_pearson_x100"] == group["mean_pearson_x100"].max() and len(group) > 1:
        mean = f"**{mean}**"
    return f"{mean} [{row['mean_low_pearson_x100']:.1f}, {row['mean_high_pearson_x100']:.1f}]"


def _heading(setting: Setting, group: pd.DataFrame) -> str:
    """Label of a column with its number of pairs, and of English sentences where trained."""
    if setting.role == Role.UNTRAINED:
        return setting.label
    pairs, english = _counts(group["pairs"]), _counts(group["english_sentences"])
    return f"{setting.label} ({pairs} pairs, {english} English sentences)"


def _counts(column: pd.Series) -> str:
    """Distinct counts of a column, smallest first."""
    return " / ".join(f"{count:,}" for count in sorted(column.unique()))


def _years(table: pd.DataFrame, settings: Sequence[Setting]) -> str:
    """Every row of the table with its years, then the published rows."""
    labels = {setting.name: setting.label for setting in settings}
    years = [column for column in table.columns if column.startswith("sts")]
    rows = [
        [row["encoder"], labels[row["setting"]], f"{row['parameters']:,}"]
        + [f"{row[column]:.1f}" for column in [*years, "mean_pearson_x100"]]
        + [str(row["seed_count"])]
        for _, row in table.iterrows()
    ]
    names = [year.removesuffix("_pearson_x100") for year in years]
    for entry in (published()[key] for key in BESIDE):
        figures = [_figure(entry.values.get(name)) for name in [*names, "mean"]]
        rows.append([f"*{entry.about}*", f"*{entry.paper}, {entry.place}*", "", *figures, ""])
    headings = [name.removeprefix("sts") for name in names]
    return grid(["Encoder", "Trained on", "Parameters", *headings, "Mean", "Seeds"], rows)


def _tasks(tasks: Sequence[Mapping[str, object]], index: Index) -> str:
    """One line per year: its tasks, the pairs at hand of those published, and what is missing."""
    lines = []
    for year in sorted({int(task["year"]) for task in tasks}):
        parts = []
        for name, pairs in ((t["task"], t["pairs"]) for t in tasks if int(t["year"]) == year):
            of = index.tasks[name]["of"]
            count = f"{pairs:,} of {of:,}" if of else f"{pairs:,}"
            parts.append(f"{name.removeprefix(f'{year}.')} ({count} pairs)")
        missing = [e for e in index.missing if int(e["year"]) == year]
        absent = [f"{e['task']} ({e['of']:,} pairs: {e['why']})" for e in missing]
        share = f"{len(parts)} of {len(parts) + len(absent)} tasks"
        lines.append(f"- {year}, {share}: {', '.join(parts)}.")
        lines[-1] += f" Not scored: {'; '.join(absent)}." if absent else ""
    return "\n".join(lines)


def _sources() -> str:
    """Name the places of the published rows."""
    entries = [published()[key] for key in BESIDE]
    return "; ".join(
        f"{entry.about}: {entry.paper}, {entry.place} ({entry.text}, line {entry.line})"
        for entry in entries
    ) + "."


def _seeds(table: pd.DataFrame) -> str:
    """Say over how many seeds figures are averaged."""
    counts = sorted(table["seed_count"].unique())
    return f"averaged over {' or '.join(map(str, counts))} seed{'s' * (counts != [1])}"


def _figure(value: float | None) -> str:
    """A published figure to one decimal; empty where the paper prints none."""
    return "" if value is None else f"*{value:.1f}*"
