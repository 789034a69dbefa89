"""Which compiled loops and hand-written gradients of training are worth their lines.

    OMP_NUM_THREADS=1 python benchmarks/kernels.py [--folder results] [--repeats 5]

Trains one epoch of each encoder of Table 1, in its batches, with all of them, without each and
without any, in turn. Prints pairs a second of processor time (the best), the ratio of times, and
the seconds that all trainings of Table 1 would take longer. Needs Table 1's text under --folder.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from unittest.mock import patch

import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils.rnn import PackedSequence

from tandem.encoders import packed_lstm
from tandem.encoders.averaging import Averaging
from tandem.encoders.lstm import Lstm
from tandem.encoders.masked_sums import MaskedSums
from tandem.objectives import margin_loss
from tandem.objectives.margin import Margin
from tandem.training import adam
from tandem.training.loop import Run, Trainer
from tandem.training.recipe import Recipe
from tandem.training.run import load_pairs

SHORT, LONG = Recipe(epochs=1, batch=8), Recipe(epochs=1, batch=32, scramble=0.3)
CASES = {
    "SP": ("pieces", Averaging(), SHORT, 5_000, 560_000),
    "WORD": ("words", Averaging(), SHORT, 5_000, 560_000),
    "TRIGRAM": ("trigrams", Averaging(), SHORT, 5_000, 560_000),
    "LSTM": ("words", Lstm(), LONG, 800, 56_000),
    "LSTM-SP": ("pieces", Lstm(), LONG, 800, 56_000),
}
"""Segmentation, encoder, recipe, pairs to measure, and pairs trained on in all of Table 1."""


def plain_sums(table: Tensor, ids: Tensor, offsets: Tensor, keep: Tensor, places: Tensor) -> Tensor:
    """Sum masked embeddings by PyTorch's own operations."""
    masks = keep.unfold(0, table.shape[1], 1)[places].float()
    every = torch.arange(len(ids))
    return functional.embedding_bag(every, table[ids] * masks, offsets[:-1], mode="sum")


def plain_lstm(lstm: torch.nn.LSTM, tokens: Tensor, sizes: Tensor) -> Tensor:
    """Run PyTorch's LSTM."""
    return lstm(PackedSequence(tokens, sizes))[0].data


def plain_loss(vectors: Tensor, margin: float, has_negative: Tensor | None = None) -> Tensor:
    """Return the margin loss, its gradient recorded by PyTorch."""
    unit = functional.normalize(vectors, dim=-1)
    positive, negative = (unit[0] * unit[1]).sum(-1), (unit[:2] * unit[2:]).sum(-1)
    losses = torch.relu(margin - positive + negative)
    return (losses if has_negative is None else losses * has_negative).sum(0).mean()


@contextmanager
def plain_adam() -> Iterator[None]:
    """Let the optimiser use its array operations."""
    compiled = adam.RowAdam.__init__

    def initialise(self: adam.RowAdam, *arguments: object) -> None:
        compiled(self, *arguments)
        self._compiled = False

    with patch.object(adam.RowAdam, "__init__", initialise):
        yield


@contextmanager
def plain_all() -> Iterator[None]:
    """Replace everything at once."""
    with ExitStack() as stack:
        for name, replaced in WITHOUT.items():
            if name != "all":
                stack.enter_context(replaced())
        yield


WITHOUT: dict[str, Callable] = {
    "masked sums": lambda: patch.object(MaskedSums, "apply", plain_sums),
    "LSTM": lambda: patch.object(packed_lstm, "hidden_states", plain_lstm),
    "margin loss": lambda: patch.object(margin_loss, "margin_loss", plain_loss),
    "Adam": plain_adam,
    "all": plain_all,
}


def main() -> None:
    """Read the options, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("results"))
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"{'':8}{'without':14}{'pairs/s':>9}{'ratio':>7}{'Table 1, s':>12}")
    for case, (segmentation, encoder, recipe, count, visits) in CASES.items():
        folder = options.folder / "vocab/en-cs" / segmentation
        pairs = load_pairs(folder, "train", ("en", "cs"), count)
        vocabulary = 1 + max(int(side.ids.max()) for side in (pairs.left, pairs.right))
        run = Run(encoder, Margin(), recipe, seed=1)
        other = "LSTM" if isinstance(encoder, Averaging) else "masked sums"
        times: dict[str, list[float]] = {name: [] for name in ("", *WITHOUT) if name != other}
        for turn in range(options.repeats + 1):
            for name, seconds in times.items():
                with WITHOUT.get(name, nullcontext)():
                    trainer = Trainer(run, vocabulary, pairs)
                    start = time.process_time()
                    trainer.run(lambda table, composition: 0.0, show=False)
                if turn:  # the first one compiles
                    seconds.append((time.process_time() - start) / count)
        best = {name: min(seconds) for name, seconds in times.items()}
        for name, seconds in best.items():
            ratio, longer = seconds / best[""], (seconds - best[""]) * visits
            row = f"{case:8}{name or '-':14}{1 / seconds:9,.0f}{ratio:7.2f}{longer:12.0f}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
