"""How fast SP trains, and in how much memory, as ratios measured in one run.

    python benchmarks/training.py speed [--threads 2] [--pairs 13040]
    python benchmarks/training.py lstm
    python benchmarks/training.py memory [--pairs 10000000]

speed: pairs per second over a whole run of ten epochs (300 wide, 20,000 pieces, batch 128,
mega-batch 60, dropout 0.3), beside the same loop with PyTorch's dense Adam over the whole table,
and beside the floor: the bytes that the rows in use need, at the rate of this machine's memory.
lstm: the LSTM forward and backward on one thread, as a ratio to PyTorch's over packed sentences and
to what the multiplications alone need, for short and for long sentences.
memory: peak resident memory of training on synthetic pairs mapped from disk, against 4 GiB.
Sentences are synthetic: lengths and frequencies (Zipf) as in interface text.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch.nn.utils.rnn import PackedSequence

from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import packed_order, states
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.row_optimizers import RowAdam, Rows
from tandem.training.run import Run, course_of

TYPES, WIDTH, MEAN_LENGTH = 20_000, 300, 9
EPOCHS, BATCH = 10, 128
CHUNK = 500_000


class DenseAdam(RowAdam):
    """PyTorch's own optimiser behind the same interface: every step passes over the table."""

    def __init__(self, table: torch.Tensor, learning_rate: float, total_steps: int) -> None:
        """Take over the table."""
        super().__init__(table, learning_rate, total_steps)
        self.table.grad = torch.zeros_like(table)
        self.dense = torch.optim.Adam([self.table], learning_rate)

    def fetch(self, index: torch.Tensor) -> Rows:
        """Return rows of the table."""
        # PyTorch's optimiser keeps the moments
        return Rows(index, self.table.index_select(0, index), torch.empty(0))

    def update(self, rows: Rows) -> None:
        """Step over the whole table."""
        self.table.grad.zero_().index_add_(0, rows.index, rows.values.grad)
        self.dense.step()
        self.step_count += 1

    def settle(self, rows_at_once: int = 0) -> torch.Tensor:
        """Return the table."""
        return self.table


def synthetic_side(pairs: int, seed: int) -> Iterator[Ragged]:
    """Yield sentences of 1 to 40 pieces drawn by Zipf's law."""
    random = np.random.default_rng(seed)
    weights = 1 / np.arange(1, TYPES + 1)
    cumulative = np.cumsum(weights) / weights.sum()
    for start in range(0, pairs, CHUNK):
        count = min(CHUNK, pairs - start)
        lengths = np.clip(random.geometric(1 / MEAN_LENGTH, count), 1, 40)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        ids = np.searchsorted(cumulative, random.random(offsets[-1])).astype(np.uint16)
        yield Ragged(ids, offsets)


def synthetic_pairs(pairs: int, folder: Path) -> Pairs:
    """Write a bitext to disk and map it."""
    for seed, side in enumerate(("left", "right")):
        ragged.save_stream(folder / side, synthetic_side(pairs, seed), TYPES - 1)
    return Pairs(ragged.load(folder / "left"), ragged.load(folder / "right"), monolingual=False)


def pairs_per_second(
    pairs: Pairs, threads: int, epochs: int = EPOCHS, anneal: int = 150, dense: bool = False
) -> float:
    """Train to the end; return pairs seen per second of the whole run."""
    start = time.perf_counter()
    recipe = Recipe(epochs=epochs, batch=BATCH, threads=threads)
    run = Run(Averaging(dimension=WIDTH), Margin(megabatch=60, anneal=anneal), recipe, seed=1)
    course = course_of(run, TYPES, [pairs])
    if dense:
        table = course.learner.optimizer.table
        course.learner.optimizer = DenseAdam(table, recipe.learning_rate, 0)
    course.run(lambda parameters: 0.0, show=False)
    return course.progress.pairs / (time.perf_counter() - start)


def floor_pairs_per_second(pairs: Pairs) -> float:
    """Return what copying the floats in use would allow.

    Of each batch: three table rows read and written (value and two moments), tokens read and
    written forward and backward with their dropout factors.
    """
    batch = pairs.take(np.arange(BATCH))
    tokens = 2 * len(batch.ids)  # with the negatives
    rows = int(1.7 * len(np.unique(batch.ids)))
    floats = WIDTH * (6 * rows + 6 * tokens)
    block = torch.zeros(1 << 24)
    target = torch.empty_like(block)
    start = time.perf_counter()
    for _ in range(10):
        target.copy_(block)
    floats_per_second = 10 * 2 * block.numel() / (time.perf_counter() - start)
    return BATCH * floats_per_second / floats


def speed(pairs: int, threads: int) -> None:
    """Print the speeds and their ratios."""
    with tempfile.TemporaryDirectory() as folder:
        data = synthetic_pairs(pairs, Path(folder))
        pairs_per_second(data, threads, epochs=1)  # warm up
        ours = pairs_per_second(data, threads)
        full = pairs_per_second(data, threads, anneal=0)
        dense = pairs_per_second(data, threads, epochs=2, dense=True)
        floor = floor_pairs_per_second(data)
    print(f"threads {threads}, {pairs:,} pairs x {EPOCHS} epochs")
    print(f"tandem                        {ours:10,.0f} pairs/s")
    print(f"tandem, 60 batches from start {full:10,.0f} pairs/s")
    print(
        f"dense Adam, same loop         {dense:10,.0f} pairs/s   tandem / dense {ours / dense:.2f}"
    )
    print(
        f"bytes at memory speed         {floor:10,.0f} pairs/s   tandem / floor {ours / floor:.2f}"
    )


def lstm() -> None:
    """Print tokens per second of ours, of PyTorch's and of the matrix products alone."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    weights = torch.nn.LSTM(WIDTH, 150, bidirectional=True)
    for mean in (MEAN_LENGTH, 25):
        drawn = np.random.default_rng(0).geometric(1 / mean, 4 * BATCH)
        lengths = torch.from_numpy(np.clip(drawn, 1, 4 * mean))
        _, sizes, _ = packed_order(lengths.cumsum(0) - lengths, lengths)
        inputs = torch.randn(int(lengths.sum()), WIDTH)
        ours = tokens_per_second(partial(states, weights), inputs, sizes)
        theirs = tokens_per_second(
            lambda rows, counts: weights(PackedSequence(rows, counts))[0].data, inputs, sizes
        )
        # four gates of two directions, thrice: forward, gradient of the inputs and of the weights
        limit = flops_per_second() / (3 * 2 * 4 * 2 * (WIDTH + 150) * 150)
        print(
            f"{mean:2} tokens a sentence: {ours:9,.0f} tokens/s   "
            f"ours / PyTorch {ours / theirs:.2f}   ours / products {ours / limit:.2f}"
        )


def tokens_per_second(
    run: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    inputs: torch.Tensor,
    sizes: torch.Tensor,
    times: int = 5,
) -> float:
    """Return how many tokens pass forward and backward, at the fastest of some times."""
    seconds = []
    for _ in range(times):
        leaf = inputs.clone().requires_grad_()
        start = time.process_time()
        run(leaf, sizes).sum().backward()
        seconds.append(time.process_time() - start)
    return len(inputs) / min(seconds)


def flops_per_second() -> float:
    """Return what large matrix products reach."""
    left, right = torch.randn(4096, 512), torch.randn(512, 512)
    seconds = []
    for _ in range(20):
        start = time.process_time()
        left @ right
        seconds.append(time.process_time() - start)
    return 2 * 4096 * 512 * 512 / min(seconds)


def memory(pairs: int, threads: int) -> None:
    """Print the peak resident memory of one epoch."""
    with tempfile.TemporaryDirectory() as folder:
        data = synthetic_pairs(pairs, Path(folder))
        rate = pairs_per_second(data, threads, epochs=1)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{pairs:,} pairs, one epoch at {rate:,.0f} pairs/s")
    print(f"peak resident memory {peak / 2**30:.2f} GiB   of 4 GiB: {peak / 2**32:.2f}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["speed", "lstm", "memory"])
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if options.what == "speed":
        speed(options.pairs or 13_040, options.threads)
    elif options.what == "lstm":
        lstm()
    else:
        memory(options.pairs or 10_000_000, options.threads)
