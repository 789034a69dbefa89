"""Training: it learns, repeats itself to the byte, and resumes to the byte."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tandem.encoders.composition import from_parameters, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import Lstm
from tandem.errors import TandemError
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation import ragged
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter
from tandem.training.contrast import Contrast
from tandem.training.course import Course
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of, train_encoder

AVERAGING = Averaging(dimension=16)
LSTM = Lstm(dimension=16, hidden=8)
OBJECTIVE = Margin(megabatch=3, anneal=4)
RECIPE = Recipe(epochs=3, batch=16, dropout=0.3, scramble=0.3, learning_rate=0.01)
TYPES = 100


def bitext(count=150, monolingual=False):
    """Pairs in which word w of one language translates as word w + 50."""
    random = np.random.default_rng(3)
    left = [random.integers(0, 50, random.integers(1, 7)).tolist() for _ in range(count)]
    right = [[w + (0 if monolingual else 50) for w in row[::-1]] for row in left]
    return Pairs(ragged.from_rows(left), ragged.from_rows(right), monolingual)


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


def parameters(trained):
    return [trained.best[name] for name in sorted(trained.best)]


def assert_same_bytes(first, second):
    for one, other in zip(parameters(first), parameters(second), strict=True):
        assert torch.equal(one, other)
    assert first.progress.history == second.progress.history


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
@pytest.mark.parametrize("monolingual", [False, True])
def test_the_loss_falls(architecture, monolingual):
    pairs = bitext(monolingual=monolingual)
    # a growing mega-batch makes negatives harder, dropout makes the loss noisy: without either
    steady = {"dropout": 0.0, "scramble": 0.0, "epochs": 6}
    run = described(architecture, Margin(megabatch=3, anneal=0), **steady)
    trained = train(run, pairs=pairs)
    losses = [entry.loss for entry in trained.progress.history[1:]]
    assert losses[-1] < losses[0] * 0.9
    assert trained.progress.best_epoch == 6


def test_the_best_epoch_on_validation_is_kept():
    scores = iter([9.0, 1.0, 3.0, 2.0])  # the untrained start is never kept
    trained = train(AVERAGING, validate=lambda parameters: next(scores))
    assert trained.progress.best_epoch == 2
    short = train(described(AVERAGING, epochs=2))
    tables = (run.best["embedding"] for run in (trained, short))
    torch.testing.assert_close(*tables, rtol=0, atol=1e-6)


def test_training_ends_when_nothing_gets_better():
    scores = iter([1.0, 5.0, 7.0, 7.0, 6.0])  # no sixth: it would be an error to ask for it
    trained = train(
        described(AVERAGING, epochs=9, patience=2), validate=lambda parameters: next(scores)
    )
    assert (trained.progress.best_epoch, trained.progress.epoch) == (2, 4)
    assert trained.finished
    short = train(described(AVERAGING, epochs=2))
    assert torch.equal(trained.best["embedding"], short.best["embedding"])


def test_patience_without_validation_is_none():
    trainer = course_of(described(AVERAGING, epochs=4, patience=1), TYPES, [bitext()])
    trainer.run(None, show=False)
    assert trainer.progress.best_epoch == 4


def test_training_that_is_stopped_goes_on_to_the_same_bytes(tmp_path):
    run, calls = described(AVERAGING), iter(range(100))
    trainer = course_of(run, TYPES, [bitext()])
    trainer.run(None, tmp_path / "c", show=False, stopped=lambda: next(calls) == 2)
    assert not trainer.finished
    again = course_of(run, TYPES, [bitext()])
    again.run(None, tmp_path / "c", show=False)
    assert again.finished
    whole = course_of(run, TYPES, [bitext()])
    whole.run(None, show=False)
    assert_same_bytes(again, whole)


def test_without_validation_the_last_epoch_is_kept(tmp_path):
    def trained(folder=None, **options):
        trainer = course_of(described(AVERAGING), TYPES, [bitext()])
        trainer.run(None, folder, show=False, **options)
        return trainer

    whole, rising = trained(), train(AVERAGING)
    assert whole.progress.best_epoch == 3
    assert torch.equal(whole.best["embedding"], rising.best["embedding"])
    assert [entry.validation for entry in whole.progress.history] == [None] * 3
    losses = [entry.loss for entry in rising.progress.history[1:]]
    assert [entry.loss for entry in whole.progress.history] == losses
    trained(tmp_path / "c", checkpoint_seconds=-1)
    assert_same_bytes(trained(tmp_path / "c"), whole)


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
def test_the_same_seed_gives_the_same_bytes(architecture):
    assert_same_bytes(train(architecture), train(architecture))
    other = train(described(architecture, seed=6))
    assert not torch.equal(*(run.best["embedding"] for run in (other, train(architecture))))


class Killed(Exception):
    pass


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
def test_a_batch_that_is_its_own_pool_is_encoded_once(monkeypatch, architecture):
    encoded = []
    encode = Contrast._encode
    monkeypatch.setattr(Contrast, "_encode", lambda *a: encoded.append(1) or encode(*a))
    run = described(architecture, Margin(megabatch=2, anneal=8), dropout=0.0, scramble=0.0)
    once = train(run)
    steps = once.learner.step
    passes = 8 + (steps - 8) * 1.5  # from two batches on, negatives are chosen first
    assert len(encoded) == passes
    monkeypatch.setattr(Contrast, "_plain", False)
    assert_same_bytes(once, train(run))
    assert len(encoded) == 2 * passes + 8


def killed_after(saves, monkeypatch, train):
    """Train, and die after so many checkpoints."""
    save, count = Course.save, 0

    def save_then_die(course, folder):
        nonlocal count
        save(course, folder)
        count += 1
        if count == saves:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(Course, "save", save_then_die)
        train()


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
@pytest.mark.parametrize("saves", [1, 4, 9])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path, monkeypatch, architecture, saves):
    whole, folder = train(architecture), tmp_path / "checkpoint"
    killed_after(saves, monkeypatch, lambda: train(architecture, folder, checkpoint_seconds=-1))
    rising = Rising()
    trainer = course_of(described(architecture), TYPES, [bitext()])
    assert trainer.resume(tmp_path / "checkpoint")
    assert trainer.learner.step > 0
    rising.calls = len(trainer.progress.history)
    assert_same_bytes(train(architecture, tmp_path / "checkpoint", rising), whole)


def test_a_checkpoint_of_another_run_is_not_taken_up(tmp_path):
    train(AVERAGING, tmp_path / "c", checkpoint_seconds=-1)
    changed = Margin(megabatch=3, anneal=4, margin=0.5)
    other = described(AVERAGING, changed), described(AVERAGING, seed=6), described(LSTM)
    for run in other:
        assert not course_of(run, TYPES, [bitext()]).resume(tmp_path / "c")


def test_a_checkpoint_of_other_text_of_the_same_length_is_not_taken_up(tmp_path):
    train(AVERAGING, tmp_path / "c", checkpoint_seconds=-1)
    assert course_of(described(AVERAGING), TYPES, [bitext()]).resume(tmp_path / "c")
    pairs = bitext()
    pairs.right.ids[3] += 1 if pairs.right.ids[3] == 0 else -1
    assert not course_of(described(AVERAGING), TYPES, [pairs]).resume(tmp_path / "c")


def two_texts():
    """Pairs of two languages and of one, in an epoch that draws some of them twice."""
    bilingual, monolingual = bitext(150), bitext(60, monolingual=True)
    passes = np.linspace(0.5, 1.5, 150).astype(np.float32)
    keyed = Pairs(bilingual.left, bilingual.right, False, np.arange(150), passes)
    return keyed, monolingual


def train_both(folder=None, **options):
    trainer = course_of(described(AVERAGING), TYPES, two_texts())
    trainer.run(None, folder, show=False, **options)
    return trainer


def test_texts_of_two_languages_and_of_one_take_turns(monkeypatch):
    chosen = []
    choose = Margin.choose

    def noted(self, pool):
        chosen.append(pool.monolingual)
        return choose(self, pool)

    monkeypatch.setattr(Margin, "choose", noted)
    trained = train_both()
    # as evenly as pools of up to three batches allow
    first = chosen[: len(chosen) // 3]
    assert {*first} == {False, True}
    assert first[0] is False and True in first[1:4]
    assert trained.progress.best_epoch == 3
    assert np.isfinite([entry.loss for entry in trained.progress.history]).all()


@pytest.mark.parametrize("saves", [2, 7])
def test_a_killed_run_of_two_texts_resumes_to_the_same_bytes(tmp_path, monkeypatch, saves):
    whole, folder = train_both(), tmp_path / "c"
    killed_after(saves, monkeypatch, lambda: train_both(folder, checkpoint_seconds=-1))
    assert_same_bytes(train_both(folder), whole)


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


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
def test_training_starts_from_an_encoder(architecture):
    start = encoder_of(train(architecture))
    before = start.table.copy()
    trainer = course_of(described(architecture, seed=6), TYPES, [bitext()], start=start)
    assert np.array_equal(trainer.learner.optimizer.settle(), before)
    for name, weights in start.weights.items():
        assert np.array_equal(trainer.learner.composition.state_dict()[name], weights)
    scratch, more = train(described(architecture, seed=6)), continued(start)
    first = [trained.progress.history[1].loss for trained in (scratch, more)]
    assert first[1] < first[0]
    assert np.array_equal(start.table, before)  # it is left as it was


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
@pytest.mark.parametrize("saves", [1, 7])
def test_a_killed_run_with_a_start_resumes_to_the_same_bytes(
    tmp_path, monkeypatch, architecture, saves
):
    start, folder = encoder_of(train(architecture)), tmp_path / "c"
    whole = continued(start)
    killed_after(saves, monkeypatch, lambda: continued(start, folder, checkpoint_seconds=-1))
    trainer = course_of(described(architecture, seed=6), TYPES, [bitext()], start=start)
    assert trainer.resume(folder)
    rising = Rising()
    rising.calls = len(trainer.progress.history)
    trainer.run(rising, folder, show=False)
    assert_same_bytes(trainer, whole)


def test_a_checkpoint_of_another_start_is_not_taken_up(tmp_path):
    start, other = (encoder_of(train(described(AVERAGING, seed=seed))) for seed in (5, 7))
    assert start.digest() == encoder_of(train(AVERAGING)).digest() != other.digest()
    continued(start, tmp_path / "c", checkpoint_seconds=-1)
    run = described(AVERAGING, seed=6)
    assert course_of(run, TYPES, [bitext()], start=start).resume(tmp_path / "c")
    for begun in (None, other):
        assert not course_of(run, TYPES, [bitext()], start=begun).resume(tmp_path / "c")
    train(run, tmp_path / "d", checkpoint_seconds=-1)
    assert not course_of(run, TYPES, [bitext()], start=start).resume(tmp_path / "d")


def test_an_encoder_of_another_kind_or_vocabulary_is_no_start():
    start = encoder_of(train(AVERAGING))
    for run, types in ((described(LSTM), TYPES), (described(AVERAGING), TYPES + 1)):
        with pytest.raises(TandemError, match="Give both the same architecture and segmentation"):
            course_of(run, types, [bitext()], start=start)
    other = encoder_of(train(AVERAGING), "v").segmenter
    with pytest.raises(TandemError, match="Segment it with the encoder's own segmenter"):
        train_encoder(described(AVERAGING), other, [bitext()], None, show=False, start=start)


def test_a_model_says_what_it_started_from():
    start = encoder_of(train(AVERAGING))
    run, texts = described(AVERAGING, epochs=1), [bitext()]
    options = {"device": "cpu", "show": False}
    scratch, _ = train_encoder(run, start.segmenter, texts, None, **options)
    more, _ = train_encoder(run, start.segmenter, texts, None, **options, start=start)
    known = {"start": {"sha256": start.digest(), "training": {"seed": 5}}}
    assert more.metadata == scratch.metadata | known


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
def test_plain_values_make_the_same_run(architecture):
    run = described(architecture)
    assert Run.parse(run.description(), run.seed) == run


def test_one_pair_is_too_few():
    with pytest.raises(TandemError, match="at least 2"):
        course_of(described(AVERAGING), TYPES, [bitext(1)])


def test_a_last_pair_alone_joins_the_megabatch_before_it():
    run = described(AVERAGING, Margin(megabatch=1, anneal=0), epochs=1)
    trained = train(run, pairs=bitext(33))
    assert np.isfinite(trained.progress.history[-1].loss)


def test_initial_embeddings_are_standard_normal_and_leave_the_global_generator_alone():
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    table, _ = initialise(LSTM, 20_000, seed=1)
    assert torch.equal(torch.rand(1), expected)
    assert table.mean().item() == pytest.approx(0, abs=0.01)
    assert table.std().item() == pytest.approx(1, abs=0.01)


def test_labelled_pairs_are_for_objectives_that_read_labels(monkeypatch):
    pairs = replace(bitext(40), labels=np.arange(40, dtype=np.int8) % 2)
    with pytest.raises(TandemError, match="takes all pairs for translations"):
        course_of(described(AVERAGING), TYPES, [pairs])
    pools, choose = [], Margin.choose
    monkeypatch.setattr(Margin, "labelled", True)
    monkeypatch.setattr(Margin, "choose", lambda *a: pools.append(a[1]) or choose(*a))
    train(described(AVERAGING, epochs=1), pairs=pairs)
    labels = np.concatenate([pool.labels for pool in pools])
    assert sorted(labels) == [0] * 20 + [1] * 20
    assert pairs.checksum != bitext(40).checksum
