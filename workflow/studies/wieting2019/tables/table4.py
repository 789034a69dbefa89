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
    sentences: int = 25000
    """Number of sentences, no two the same, of all parts together; 128,000 in the paper."""
    batches: list[int] = [128, 1024]
    """Batch sizes; the first is the paper's, and that of unseen text."""
    repeats: int = 5
    """Parts of the text, each read once by each encoder, and turns of training; the medians are
    reported."""
    seconds: float = 10
    """Longest time of a part: slower encoders get fewer sentences, but at least one batch."""
    training_pairs: int = 2560
    """Pairs of a turn of training."""
    seed: int = 1
    """Seed of the choice of sentences."""

    def experiments(self, plan: Plan) -> list[str]:
        """Name the experiments that are timed."""
        return plan.experiments(self.encoders, [self.setting])

    def measured(self) -> dict[str, Any]:
        """Return what the job that times them needs to know of the text and the passes."""
        named = {"language", "sentences", "batches", "repeats", "seconds", "seed"}
        named.add("training_pairs")
        return self.model_dump(include=named)

    def inputs(self, plan: Plan) -> dict[str, list[str]]:
        """Name the times, which a job of its own measures."""
        return {"speeds": [plan.path("benchmarks", "speed.json")]}

    def build(self, given: Given) -> Report:
        """Make one line per encoder and device.

        Columns: encoder, name, device, threads, unseen_per_s (sentences per second of text read
        once, median over its parts), seen_batch_<n>_per_s (a part read again), tokenisation_share,
        training_pairs_per_s and, on the CPU, sentencepiece_per_s (SentencePiece alone on the same
        unseen text) and unseen_sentencepiece_share (of that speed).
        """
        import pandas as pd

        timed = read_json(given.files["speeds"][0])
        names = {name: name for name in self.experiments(given.plan)}
        names |= {name: f"{name}.{self.setting}" for name in self.baselines}
        labels = {name: given.plan.described(known)["encoder"] for name, known in names.items()}
        frame = pd.DataFrame([self._row(entry, timed, labels) for entry in timed["speeds"]])
        passes = [
            {"encoder": labels[entry["name"]], "device": entry["device"], column: rate}
            for entry in timed["speeds"]
            for key, column in (("unseen", READ), ("training", TRAINED))
            for rate in entry[key]
        ]
        others = frame[["encoder", "name", "device"]].assign(
            slug=frame["encoder"].str.lower().str.replace(" ", "-"),
            baseline=frame["name"].isin(self.baselines),
        )
        rates = pd.DataFrame(passes, columns=["encoder", "device", READ, TRAINED])
        frames = {"read": rates.dropna(subset=READ), "trained": rates.dropna(subset=TRAINED)}
        return Report(frame, _markdown(frame, timed), frames | {"timed": others})

    def _row(
        self, entry: Mapping[str, Any], timed: Mapping[str, Any], labels: Mapping[str, str]
    ) -> dict[str, object]:
        """Make one line of the table."""
        unseen, limit = median(entry["unseen"]), None
        if entry["device"] == "cpu":
            limit = timed["sentencepiece"]
        return {
            "encoder": labels[entry["name"]],
            "name": entry["name"],
            "device": entry["device"],
            "threads": entry["threads"],
            "unseen_per_s": unseen,
            **{f"seen_batch_{size}_per_s": entry["seen"][str(size)] for size in self.batches},
            "tokenisation_share": entry["tokenisation"],
            "training_pairs_per_s": median(entry["training"]) if entry["training"] else None,
            "sentencepiece_per_s": limit,
            "unseen_sentencepiece_share": unseen / limit if limit else None,
        }

    def plot(self, figure: str, frame: pd.DataFrame, given: Given) -> Figure:
        """Draw unseen text, and text read again, of each encoder, fastest on top."""
        import numpy as np

        from tandem.reporting.plots import Dots, dot_plot

        ordered = frame.sort_values("unseen_per_s", ascending=False, kind="stable")
        rows = [
            f"{row['encoder']} ({row['device']}), {row['unseen_per_s']:,.0f}"
            for _, row in ordered.iterrows()
        ]
        again = f"seen_batch_{self.batches[0]}_per_s"
        series = {}
        for label, column in {"text read once": "unseen_per_s", "read again": again}.items():
            values = np.full((len(rows), 3), np.nan)
            values[:, 0] = ordered[column]
            series[label] = values
        limit = ordered["sentencepiece_per_s"].max()
        label = f"sentences per second from raw text, batch {self.batches[0]} (numbers: read once)"
        marked = (limit, "SentencePiece alone") if limit > 0 else None  # NaN: not measured
        return dot_plot([Dots(label, rows, series, log=True, limit=marked)])


READ, TRAINED = "sentences per second", "training pairs per second"
"""What was timed: columns of the frames that claims read."""


def _markdown(frame: pd.DataFrame, timed: Mapping[str, Any]) -> str:
    """Lay the table out, fastest first, with how many times faster than the slowest each is."""
    from tandem.reporting.writer import grid, page

    seen = [column for column in frame if re.fullmatch(r"seen_batch_\d+_per_s", column)]
    ordered = frame.sort_values("unseen_per_s", ascending=False, kind="stable")
    slowest = frame["unseen_per_s"].min()
    rows = [
        [
            row["encoder"],
            row["device"],
            f"{row['unseen_per_s']:,.0f}",
            f"{row['unseen_per_s'] / slowest:.1f}",
            _share(row["unseen_sentencepiece_share"]),
            *(f"{row[column]:,.0f}" for column in seen),
            _share(row["tokenisation_share"]),
            _number(row["training_pairs_per_s"]),
        ]
        for _, row in ordered.iterrows()
    ]
    headings = [f"Read again, batch {int(column.split('_')[2]):,}" for column in seen]
    limit = timed["sentencepiece"]
    alone = "" if limit is None else f" SentencePiece alone encodes {limit:,.0f} a second."
    return page(
        "# Table 4: encoding speed",
        "Sentences per second from raw text to vectors, in batches of "
        f"{min(int(column.split('_')[2]) for column in seen)}, on text that the encoder has not "
        f"read before: medians over parts of {timed['sentences']:,} English sentences, none twice, "
        f"which the encoders read in turns with {frame['threads'].max()} processor threads.{alone} "
        "These are times: another run, and above all another machine, gives others.",
        grid(
            ["Encoder", "Device", "Unseen text", "Times the slowest", "Of SentencePiece", *headings,
             "Tokenisation", "Training, pairs per second"],
            rows,
        ),
        "Slow encoders read the beginning of each part only. Read again: the last part once more, "
        "its words remembered. Tokenisation: its time alone over the time of the whole, of text "
        "read again. Training: one thread, the encoder's own recipe, without segmentation. The "
        "text of wieting2019 that Tandem quotes from does not print its Table 4; it says that SP "
        "encodes hundreds of times faster than the encoders it was compared with.",
    )  # fmt: skip


def _number(value: float | None) -> str:
    """A number with separators; empty where it was not measured."""
    import pandas as pd

    return "" if pd.isna(value) else f"{value:,.0f}"


def _share(value: float | None) -> str:
    """A share in percent; empty where it was not measured."""
    import pandas as pd

    return "" if pd.isna(value) else f"{100 * value:.0f}%"
