"""Tandem's training of SP beside the plainest loop that does what the paper says.

    python benchmarks/plain.py [--folder results] [--pairs 12000] [--dropout 0.3]

Both begin from one table and train on the same pairs, those that SP's setting `bitext` of Table 1
draws, with its recipe; the plain loop lets PyTorch drop and differentiate, and steps a dense Adam
over the whole table. Printed are Pearson's r x 100 on the selection task, STS 2017 en-en, before
training and after every epoch, which must agree to what another order of pairs changes, and pairs
per second, validation included. No scored task is read.

Needs the corpora of Table 1 under --folder: run `snakemake results/table1.csv` before.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from learning import ROOT, Job, load, segmented
from torch import Tensor
from torch.nn import functional

from tandem.encoders.composition import Composition, as_encoder
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.selection import Select, by_similarity
from tandem.training.pairs import Pairs
from tandem.training.run import Run, train_encoder, untrained_encoder


def average(table: Tensor, rows: Ragged, chosen: np.ndarray, dropout: float) -> Tensor:
    """Return the means of the chosen sentences' token embeddings, (sentences, dimension)."""
    rows = rows.gather(chosen)
    lengths = torch.from_numpy(rows.lengths())
    ids = torch.from_numpy(rows.ids.astype(np.int64))
    tokens = functional.dropout(functional.embedding(ids, table), dropout)
    sums = torch.zeros(len(rows), table.shape[1])
    sums = sums.index_add(0, torch.repeat_interleave(lengths), tokens)
    return sums / lengths.clamp(min=1)[:, None]


def train_plainly(
    table: Tensor, pairs: Pairs, run: Run, validate: Callable[[Tensor], float]
) -> list[float]:
    """Train in place; return the validation score before training and after each epoch."""
    recipe = run.recipe
    optimizer = torch.optim.Adam([table.requires_grad_()], recipe.learning_rate)
    scores, step = [validate(table)], 0
    total = recipe.epochs * -(-len(pairs.usable) // recipe.batch)
    for epoch in range(recipe.epochs):
        order = np.random.default_rng((run.seed, epoch)).permutation(pairs.usable)
        while len(order):
            size = recipe.batch * run.objective.batches(step, total)
            pool, order = order[:size], order[size:]
            with torch.no_grad():
                sides = (average(table, side, pool, 0.0) for side in (pairs.left, pairs.right))
                first, second = (functional.normalize(vectors) for vectors in sides)
                cosines = (first @ second.T).fill_diagonal_(-2)
            hardest_right, hardest_left = cosines.argmax(1).numpy(), cosines.argmax(0).numpy()
            for batch in np.array_split(np.arange(len(pool)), -(-len(pool) // recipe.batch)):
                left, right, not_right, not_left = (
                    average(table, side, pool[index], recipe.dropout)
                    for side, index in (
                        (pairs.left, batch), (pairs.right, batch),
                        (pairs.right, hardest_right[batch]), (pairs.left, hardest_left[batch]),
                    )
                )  # fmt: skip
                near = run.objective.margin - functional.cosine_similarity(left, right)
                loss = torch.relu(near + functional.cosine_similarity(left, not_right))
                loss = loss + torch.relu(near + functional.cosine_similarity(not_left, right))
                optimizer.zero_grad()
                loss.mean().backward()
                optimizer.step()
                step += 1
        scores.append(validate(table))
    return scores


def compare(segmenter: Segmenter, pairs: Pairs, run: Run, select: Select) -> None:
    """Print both loops' scores and speeds."""
    visits = run.recipe.epochs * len(pairs.usable)
    untrained, _ = untrained_encoder(run.encoder, segmenter, run.seed, select)
    table = torch.tensor(untrained.table)

    def validate(table: Tensor) -> float:
        encoder = as_encoder(segmenter, table, Composition(run.encoder))
        return select(encoder.encode_ids)

    short = replace(run, recipe=run.recipe.model_copy(update={"epochs": 1}))
    # compiles what is compiled
    train_encoder(short, segmenter, [pairs], select, device="cpu", show=False)
    start = time.perf_counter()
    _, history = train_encoder(run, segmenter, [pairs], select, device="cpu", show=False)
    ours = visits / (time.perf_counter() - start)
    torch.manual_seed(run.seed)
    start = time.perf_counter()
    scores = train_plainly(table, pairs, run, validate)
    plain = visits / (time.perf_counter() - start)
    print(f"{len(pairs.usable):,} pairs, dropout {run.recipe.dropout}; STS 2017 en-en, r x 100")
    print("tandem", *(f"{epoch.validation:5.1f}" for epoch in history))
    print("plain ", *(f"{score:5.1f}" for score in scores))
    print(f"tandem {ours:,.0f} pairs/s   plain {plain:,.0f} pairs/s   ratio {ours / plain:.1f}")


def main() -> None:
    """Read the options and run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "results")
    parser.add_argument("--pairs", type=int, default=12_000)
    parser.add_argument("--dropout", type=float, help="default: the recipe's")
    parser.add_argument("--epochs", type=int, help="default: the recipe's")
    parser.add_argument("--configfile", nargs="*", default=[], help="of the scale")
    options = parser.parse_args()
    plan, _ = load(options.configfile)
    run = Run.parse(plan.run("sp.bitext"), seed=1)
    changes = {key: getattr(options, key) for key in ("dropout", "epochs")}
    changes = {key: value for key, value in changes.items() if value is not None}
    run = replace(run, recipe=run.recipe.model_copy(update=changes))
    torch.set_num_threads(run.recipe.threads)
    size = plan.study.segmentations[plan.study.encoders["sp"].segmentation].size
    job = Job("sp", "bitext", run.seed, size, run.recipe.learning_rate)
    with tempfile.TemporaryDirectory() as name:
        segmenter, drawn = segmented(plan, job, options.folder, Path(name))
    sides = (side.part(0, options.pairs) for side in (drawn.left, drawn.right))
    pairs = Pairs(*sides, drawn.monolingual)
    selection = options.folder / "corpora" / "selection.tsv"
    compare(segmenter, pairs, run, by_similarity(segmenter, selection))


if __name__ == "__main__":
    main()
