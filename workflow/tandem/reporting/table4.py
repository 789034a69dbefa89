"""Table 4 of wieting2019: encoding speed, from raw text to vectors."""

from __future__ import annotations

import re
from collections.abc import Mapping
from statistics import median
from typing import Any

import pandas as pd

from tandem.reporting.markdown import grid


def table4(timed: Mapping[str, Any], labels: Mapping[str, str]) -> pd.DataFrame:
    """One line per encoder and device.

    Args:
        timed: what `speed_run.measure_models` returned.
        labels: headings of the encoders by name.

    Returns:
        Columns encoder, name, device, threads, first_per_s (the first pass, each word new when it
        first occurs), batch_<n>_per_s, best_batch, best_per_s, tokenisation_share, and,
        on the CPU, sentencepiece_per_s (SentencePiece alone on the same text) and
        batch_<n>_sentencepiece_share (of that speed).
    """
    lines = []
    for entry in timed["speeds"]:
        rates = {int(size): median(passes) for size, passes in entry["passes"].items()}
        best = max(rates, key=rates.__getitem__)
        limit = timed["sentencepiece"] if entry["device"] == "cpu" else None
        lines.append(
            {
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
        )
    return pd.DataFrame(lines)


def markdown(table: pd.DataFrame, timed: Mapping[str, Any]) -> str:
    """Lay the table out, fastest first, with how many times faster than the slowest each is."""
    sizes = [c.removesuffix("_per_s") for c in table.columns if re.fullmatch(r"batch_\d+_per_s", c)]
    ordered = table.sort_values("best_per_s", ascending=False, kind="stable")
    slowest = table["best_per_s"].min()
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
    beside = "" if limit is None else f" SentencePiece alone encodes {limit:,.0f} a second."
    return "\n\n".join(
        [
            "# Table 4: encoding speed",
            f"Sentences per second from raw text to vectors, {timed['sentences']:,} English "
            f"sentences, {table['threads'].max()} processor threads; medians of passes that take "
            f"turns.{beside} These are times: another run, and above all another machine, gives "
            "others.",
            grid(
                ["Encoder", "Device", "First pass", *headings, "Best (its batch)",
                 "Times the slowest", "Tokenisation", "Of SentencePiece"],
                rows,
            ),
            "First pass: at the first batch size, each word new when it first occurs; the others "
            "are of words seen before, on fewer sentences where the encoder is slow. Tokenisation: "
            "its time alone over the time of the whole. Of SentencePiece: share of its speed at "
            "each batch size; above 100% because words are remembered. The text of wieting2019 "
            "that Tandem quotes from does not print its Table 4; it says that SP encodes hundreds "
            "of times faster than the encoders it was compared with.",
        ]
    ) + "\n"  # fmt: skip


def _share(value: float | None) -> str:
    """A share in percent; empty where it was not measured."""
    return "" if pd.isna(value) else f"{100 * value:.0f}%"
