"""A small bitext, encoders that are trained on it in a second, and what tests ask of them."""

import numpy as np
import torch

from tandem.encoders.composition import from_parameters
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import Lstm
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation import ragged
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of

AVERAGING = Averaging(dimension=16)
LSTM = Lstm(dimension=16, hidden=8)
OBJECTIVE = Margin(megabatch=3, anneal=4)
RECIPE = Recipe(epochs=3, batch=16, dropout=0.3, scramble=0.3, learning_rate=0.01)
TYPES = 100


def bitext(count=150, monolingual=False, reverse=True):
    """Pairs in which word w of one language translates as word w + 50, in reverse order or not."""
    random = np.random.default_rng(3)
    left = [random.integers(0, 50, random.integers(1, 7)).tolist() for _ in range(count)]
    right = [[w + (0 if monolingual else 50) for w in row[:: -1 if reverse else 1]] for row in left]
    return Pairs(ragged.from_rows(left), ragged.from_rows(right), monolingual)


def two_texts():
    """Pairs of two languages and of one, in an epoch that draws some of them twice."""
    bilingual, monolingual = bitext(150), bitext(60, monolingual=True)
    passes = np.linspace(0.5, 1.5, 150).astype(np.float32)
    keyed = Pairs(bilingual.left, bilingual.right, False, np.arange(150), passes)
    return keyed, monolingual


class Rising:
    """Scores each epoch higher than the last, so that the last is kept."""

    def __init__(self):
        self.calls = 0

    def __call__(self, parameters):
        self.calls += 1
        return float(self.calls)


def described(encoder, objective=OBJECTIVE, seed=5, **changed):
    """A run, with some of the recipe changed."""
    return Run(encoder, objective, RECIPE.model_copy(update=changed), seed)


def train(run, folder=None, validate=None, pairs=None, **options):
    run = run if isinstance(run, Run) else described(run)
    trainer = course_of(run, TYPES, [pairs or bitext()])
    trainer.run(validate or Rising(), folder, show=False, **options)
    return trainer


def train_both(folder=None, **options):
    trainer = course_of(described(AVERAGING), TYPES, two_texts())
    trainer.run(None, folder, show=False, **options)
    return trainer


def encoder_of(trained, vocabulary="w"):
    """Return what a run has trained as an encoder."""
    segmenter = Segmenter(
        Words(), [f"{vocabulary}{n}" for n in range(TYPES)], {"en": None}
    )
    return from_parameters(segmenter, trained.learner.settings.encoder, trained.best, {"seed": 5})


def continued(start, folder=None, seed=6, **options):
    """Train with another seed from an encoder."""
    architecture = start.kind
    trainer = course_of(described(architecture, seed=seed), TYPES, [bitext()], start=start)
    trainer.run(Rising(), folder, show=False, **options)
    return trainer


def parameters(trained):
    return [trained.best[name] for name in sorted(trained.best)]


def assert_same_bytes(first, second):
    for one, other in zip(parameters(first), parameters(second), strict=True):
        assert torch.equal(one, other)
    assert first.progress.history == second.progress.history
