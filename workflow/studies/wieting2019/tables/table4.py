"""Table 4: encoding speed, from raw text to vectors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from tandem.io import read_json
from tandem.reporting.table import Given, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from tandem.plan import Plan


class Table4(Table):
    """Sentences per second of encoders and pretrained baselines."""

    encoders: list[str]
    """Encoders that are timed."""
    setting: str
    """What they were trained on."""
    baselines: list[str] = []
    """Pretrained baselines that are timed."""
    bitext: str
    """The bitext whose training split gives the sentences."""
    language: str = "en"
    """The language of these sentences, one side of the bitext."""
    sentences: int = 10000
    """Number of sentences to encode; 128,000 in the paper."""
    batches: list[int] = [128, 1024]
    """Batch sizes; the first is the paper's."""
    repeats: int = 5
    """Timed passes of each encoder and batch size; their median is reported."""
    seconds: float = 10
    """Longest time of a pass: slower encoders get fewer sentences, but at least one batch."""
    seed: int = 1
    """Seed of the choice of sentences."""

    def experiments(self, plan: Plan) -> list[str]:
        """Name the experiments that are timed."""
        return plan.experiments(self.encoders, [self.setting])

    def measured(self) -> dict[str, Any]:
        """Return what the job that times them needs to know of the text and the passes."""
        named = {"language", "sentences", "batches", "repeats", "seconds", "seed"}
        return self.model_dump(include=named)

    def inputs(self, plan: Plan) -> dict[str, list[str]]:
        """Name the times, which a job of its own measures."""
        return {"speeds": [plan.path("benchmarks", "speed.json")]}

    def build(self, given: Given) -> Report:
        """Make one line per encoder and device.

        Columns: encoder, name, device, threads, first_per_s (the first pass, each word new when it
        first occurs), batch_<n>_per_s, best_batch, best_per_s, tokenisation_share, and, on the
        CPU, sentencepiece_per_s (SentencePiece alone on the same text) and
        batch_<n>_sentencepiece_share (of that speed).
        """
        import pandas as pd

        timed = read_json(given.files["speeds"][0])
        names = {name: name for name in self.experiments(given.plan)}
        names |= {name: f"{name}.{self.setting}" for name in self.baselines}
        labels = {name: given.plan.described(known)["encoder"] for name, known in names.items()}
        frame = pd.DataFrame([self._row(entry, timed, labels) for entry in timed["speeds"]])
        passes = [
            {"encoder": labels[entry["name"]], "device": entry["device"], "batch": size,
             "sentences per second": rate}
            for entry in timed["speeds"]
            for size in self.batches
            for rate in entry["passes"][str(size)]
        ]  # fmt: skip
        others = frame[["encoder", "name", "device"]].assign(
            slug=frame["encoder"].str.lower().str.replace(" ", "-"),
            batch=self.batches[0],
            baseline=frame["name"].isin(self.baselines),
        )
        frames = {"passes": pd.DataFrame(passes), "timed": others}
        return Report(frame, _markdown(frame, timed), frames)

    def _row(
        self, entry: Mapping[str, Any], timed: Mapping[str, Any], labels: Mapping[str, str]
    ) -> dict[str, object]:
        """Make one line of the table."""
        rates = {size: median(entry["passes"][str(size)]) for size in self.batches}
        best = max(rates, key=rates.__getitem__)
        limit = timed["sentencepiece"] if entry["device"] == "cpu" else None
        return {
            "encoder": labels[entry["name"]],
            "name": entry["name"],
            "device": entry["device"],
            "threads": entry["threads"],
            "first_per_s": entry["first"],
            **{f"batch_{size}_per_s": rate for size, rate in rates.items()},
            "best_batch": best,
            "best_per_s": rates[best],
            "tokenisation_share": entry["tokenisation"],
            "sentencepiece_per_s": limit,
            **{
                f"batch_{size}_sentencepiece_share": rate / limit if limit else None
                for size, rate in rates.items()
            },
        }

    def plot(self, figure: str, frame: pd.DataFrame, given: Given) -> Figure:
        """Draw the first pass and the best batch size of each encoder, fastest on top."""
        import numpy as np

        from tandem.reporting.plots import Dots, dot_plot

        ordered = frame.sort_values("best_per_s", ascending=False, kind="stable")
        rows = [
            f"{row['encoder']} ({row['device']}), {row['best_per_s']:,.0f}"
            for _, row in ordered.iterrows()
        ]
        names = {"first pass": "first_per_s", "words seen, best batch": "best_per_s"}
        series = {}
        for label, column in names.items():
            values = np.full((len(rows), 3), np.nan)
            values[:, 0] = ordered[column]
            series[label] = values
        limit = ordered["sentencepiece_per_s"].max()
        label = "sentences per second from raw text (numbers: best batch)"
        marked = (limit, "SentencePiece alone") if limit > 0 else None  # NaN: not measured
        return dot_plot([Dots(label, rows, series, log=True, limit=marked)])


def _markdown(frame: pd.DataFrame, timed: Mapping[str, Any]) -> str:
    """Lay the table out, fastest first, with how many times faster than the slowest each is."""
    from tandem.reporting.writer import grid, page

    sizes = [c.removesuffix("_per_s") for c in frame if re.fullmatch(r"batch_\d+_per_s", c)]
    ordered = frame.sort_values("best_per_s", ascending=False, kind="stable")
    slowest = frame["best_per_s"].min()
    rows = [
        [
            row["encoder"],
            row["device"],
            f"{row['first_per_s']:,.0f}",
            *(f"{row[f'{size}_per_s']:,.0f}" for size in sizes),
            f"{row['best_per_s']:,.0f} ({row['best_batch']})",
            f"{row['best_per_s'] / slowest:.1f}",
            _share(row["tokenisation_share"]),
            " / ".join(filter(None, (_share(row[f"{n}_sentencepiece_share"]) for n in sizes))),
        ]
        for _, row in ordered.iterrows()
    ]
    headings = [f"Batch {size.split('_')[1]}" for size in sizes]
    limit = timed["sentencepiece"]
    alone = "" if limit is None else f" SentencePiece alone encodes {limit:,.0f} a second."
    return page(
        "# Table 4: encoding speed",
        f"Sentences per second from raw text to vectors, {timed['sentences']:,} English "
        f"sentences, {frame['threads'].max()} processor threads; medians of passes that take "
        f"turns.{alone} These are times: another run, and above all another machine, gives others.",
        grid(
            ["Encoder", "Device", "First pass", *headings, "Best (its batch)", "Times the slowest",
             "Tokenisation", "Of SentencePiece"],
            rows,
        ),
        "First pass: at the first batch size, each word new when it first occurs; the others are "
        "of words seen before, on fewer sentences where the encoder is slow. Tokenisation: its "
        "time alone over the time of the whole. Of SentencePiece: share of its speed at each batch "
        "size; above 100% because words are remembered. The text of wieting2019 that Tandem quotes "
        "from does not print its Table 4; it says that SP encodes hundreds of times faster than "
        "the encoders it was compared with.",
    )  # fmt: skip


def _share(value: float | None) -> str:
    """A share in percent; empty where it was not measured."""
    import pandas as pd

    return "" if pd.isna(value) else f"{100 * value:.0f}%"
