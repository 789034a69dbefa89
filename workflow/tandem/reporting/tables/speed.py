"""Encoding speed, from raw text to vectors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import harmonic_mean
from typing import TYPE_CHECKING, Any

from tandem.files.io import read_json
from tandem.registry import ConfigurationError
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Names, Report, Table

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


class Speed(Table):
    """Sentences per second of encoders and pretrained baselines."""

    title: str
    """Heading of the table."""
    encoders: Names
    """Encoders that are timed."""
    setting: str
    """What they were trained on."""
    baselines: list[str] = []
    """Pretrained baselines that are timed."""
    source: str | None = None
    """The corpus that is read; null: the sentences of the STS tasks. Those that encoders were
    trained on are left out."""
    languages: list[str] = ["en"]
    """Which of its languages are read: several where it has several translations into one."""
    language: str = "en"
    """The language that encoders take the sentences to be in."""
    sentences: int = 128000
    """Most sentences, no two the same, of all parts together; the paper's number."""
    batches: list[int] = [128, 1024]
    """Batch sizes; the first is the paper's, and that of unseen text."""
    repeats: int = 5
    """Parts of the text, each read once by each encoder, and turns of training; what is reported is
    the rate over all of them."""
    seconds: float = 10
    """Longest time of a part: slower encoders get fewer sentences, but at least one batch."""
    training_pairs: int = 6400
    """Pairs of a turn of training, at most those of the training split."""
    seed: int = 1
    """Seed of the choice of sentences."""
    notes: str = ""
    """Shown under the table."""

    def experiments(self, plan: Outline) -> list[str]:
        """Name the experiments that are timed."""
        return plan.experiments(self.encoders, [self.setting])

    def measured(self) -> dict[str, Any]:
        """Return the settings of the text and the passes for the job that times them."""
        others = {"encoders", "setting", "baselines", "source", "languages", "title", "notes"}
        return self.model_dump(exclude=others)

    def sources(self) -> list[str]:
        """Name the corpus that is read."""
        return [self.source] if self.source else []

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the times, which a job of its own measures.

        Raises:
            ConfigurationError: there is nothing to read.
        """
        name = next(name for name, table in plan.study.tables.items() if table == self)
        if self.source is None and plan.study.sts is None:
            problem = "without the section sts, name a corpus to read"
            raise ConfigurationError(f"tables.{name}.source: {problem}")
        return {"speeds": [plan.path("benchmarks", f"{name}.json")]}

    def build(self, material: Material) -> Report:
        """Make one line per encoder and device.

        Columns: encoder, name, device (with the name of a card), threads, unseen_per_s (sentences
        per second of text read once, all its parts together), unseen_slowest_per_s and
        unseen_fastest_per_s (of the slowest and the fastest part), seen_batch_<n>_per_s (a part
        read again), tokenisation_share, training_pairs_per_s and, on the CPU, sentencepiece_per_s
        (SentencePiece alone on the same unseen text) and unseen_sentencepiece_share (of that
        speed).
        """
        import pandas as pd

        timed = read_json(material.files["speeds"][0])
        names = {name: name for name in self.experiments(material.plan)}
        names |= {name: f"{name}.{self.setting}" for name in self.baselines}
        labels = {key: material.plan.described(name)["encoder"] for key, name in names.items()}
        frame = pd.DataFrame([self._row(entry, timed, labels) for entry in timed["speeds"]])
        passes = [
            {"encoder": labels[entry["name"]], "device": device_kind(entry["device"]), column: rate}
            for entry in timed["speeds"]
            for key, column in (("unseen", READ), ("training", TRAINED))
            for rate in entry[key]
        ]
        others = frame[["encoder", "name", "device"]].assign(
            slug=frame["encoder"].str.lower().str.replace(" ", "-"),
            baseline=frame["name"].isin(self.baselines),
            device=frame["device"].map(device_kind),
        )
        rates = pd.DataFrame(passes, columns=["encoder", "device", READ, TRAINED])
        frames = {"read": rates.dropna(subset=READ), "trained": rates.dropna(subset=TRAINED)}
        return Report(frame, _markdown(self, frame, timed), frames | {"timed": others})

    def _row(
        self, entry: Mapping[str, Any], timed: Mapping[str, Any], labels: Mapping[str, str]
    ) -> dict[str, object]:
        """Make one line of the table."""
        unseen = read_once(entry)
        limit = timed["sentencepiece"] if entry["device"] == "cpu" else None
        return {
            "encoder": labels[entry["name"]],
            **{key: entry[key] for key in ("name", "device", "threads")},
            **unseen,
            **{f"seen_batch_{size}_per_s": entry["seen"][str(size)] for size in self.batches},
            "tokenisation_share": entry["tokenisation"],
            "training_pairs_per_s": harmonic_mean(entry["training"]) if entry["training"] else None,
            "sentencepiece_per_s": limit,
            "unseen_sentencepiece_share": unseen["unseen_per_s"] / limit if limit else None,
        }

    def plot(self, figure: str, frame: pd.DataFrame, material: Material) -> Figure:
        """Draw unseen text, and text read again, of each encoder, fastest on top."""
        import numpy as np

        from tandem.reporting.plots import Dots, dot_plot

        ordered = frame.sort_values("unseen_per_s", ascending=False, kind="stable")
        rows = [
            f"{row['encoder']} ({device_kind(row['device'])}), {row['unseen_per_s']:,.0f}"
            for _, row in ordered.iterrows()
        ]
        series = {"text read once": ordered[[*UNSEEN]].to_numpy(float)}
        series["read again"] = np.full((len(rows), 3), np.nan)
        series["read again"][:, 0] = ordered[f"seen_batch_{self.batches[0]}_per_s"]
        limit = ordered["sentencepiece_per_s"].max()
        label = f"sentences per second from raw text, batch {self.batches[0]} (numbers: read once)"
        marked = (limit, "SentencePiece alone") if limit > 0 else None  # NaN: not measured
        return dot_plot([Dots(label, rows, series, log=True, limit=marked)])


READ, TRAINED = "sentences per second", "training pairs per second"
"""What was timed: columns of the frames that claims read."""
UNSEEN = ("unseen_per_s", "unseen_slowest_per_s", "unseen_fastest_per_s")
"""Columns of the rates of text read once: of all parts together, of the slowest, of the fastest."""


def device_kind(device: str) -> str:
    """Return cpu or cuda for the name of a device: a claim has one name, whatever the card."""
    return device.partition(" ")[0]


def read_once(entry: Mapping[str, Any]) -> dict[str, float]:
    """Return the sentences per second of text read once by an encoder on a device, as UNSEEN."""
    rates = entry["unseen"]
    # the parts are of one size, so the first is the number of sentences over the time of all
    return dict(zip(UNSEEN, (harmonic_mean(rates), min(rates), max(rates)), strict=True))


def _markdown(table: Speed, frame: pd.DataFrame, timed: Mapping[str, Any]) -> str:
    """Lay the table out, fastest first, with how many times faster than the slowest each is."""
    from tandem.reporting.writer import grid, page, quantity

    seen = [column for column in frame.columns if re.fullmatch(r"seen_batch_\d+_per_s", column)]
    ordered = frame.sort_values("unseen_per_s", ascending=False, kind="stable")
    slowest = frame["unseen_per_s"].min()
    rows = [
        [
            row["encoder"],
            row["device"],
            f"{row['unseen_per_s']:,.0f}",
            f"{row['unseen_per_s'] / slowest:.1f}",
            quantity(row["unseen_sentencepiece_share"], ".0%"),
            *(f"{row[column]:,.0f}" for column in seen),
            quantity(row["tokenisation_share"], ".0%"),
            quantity(row["training_pairs_per_s"]),
        ]
        for _, row in ordered.iterrows()
    ]
    headings = [f"Read again, batch {int(column.split('_')[2]):,}" for column in seen]
    limit = timed["sentencepiece"]
    alone = "" if limit is None else f" SentencePiece alone encodes {limit:,.0f} a second."
    return page(
        f"# {table.title}",
        "Sentences per second from raw text to vectors, in batches of "
        f"{next(int(column.split('_')[2]) for column in seen)}, on text that the encoder has not "
        f"read before and was not trained on: parts of {timed['sentences']:,} sentences, none "
        "twice, each read once by the encoders in turns with "
        f"{frame['threads'].max()} processor threads.{alone} "
        "These are times: another run, and above all another machine, gives others. The load of "
        f"this one was {timed['load']:.1f} before, on {timed['processors']} processors.",
        grid(
            ["Encoder", "Device", "Unseen text", "Times the slowest", "Of SentencePiece", *headings,
             "Tokenisation", "Training, pairs per second"],
            rows,
        ),
        "Slow encoders read the beginning of each part only. Read again: the last part once more, "
        "its words remembered. Tokenisation: its time alone over the time of the whole, of text "
        "read again. Training: the first updates by the encoder's own recipe, on as many threads "
        f"as its training has, without segmentation. {table.notes}".rstrip(),
    )  # fmt: skip
