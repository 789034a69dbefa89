"""The learner of contrastive objectives: it learns, and repeats itself to the byte."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from small_runs import (
    AVERAGING,
    LSTM,
    TYPES,
    assert_same_bytes,
    bitext,
    described,
    parameters,
    train,
    train_both,
)

from tandem.errors import TandemError
from tandem.objectives.contrastive import batch_count, batch_slices
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.objectives.kinds.additive_margin_scale import AdditiveMarginScale
from tandem.objectives.kinds.margin import Margin
from tandem.objectives.kinds.scaled_cosine import ScaledCosine
from tandem.training.contrast import Contrast
from tandem.training.pairs import Pairs, distinct
from tandem.training.run import course_of


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


def test_one_pair_is_too_few():
    with pytest.raises(TandemError, match="at least 2"):
        course_of(described(AVERAGING), TYPES, [bitext(1)])


@pytest.mark.parametrize(
    "objective", [Margin(megabatch=1), Margin(megabatch=3, anneal=0), AdditiveMargin()]
)
@pytest.mark.parametrize(("pairs", "sizes"), [(33, [16, 17]), (17, [17]), (34, [16, 16, 2])])
def test_a_last_pair_alone_joins_the_batch_before_it(objective, pairs, sizes, monkeypatch):
    """Alone it would have no negative."""
    read, loss = [], type(objective).loss
    monkeypatch.setattr(type(objective), "loss", lambda *a: read.append(a[1].shape[1]) or loss(*a))
    trained = train(described(AVERAGING, objective, epochs=2), pairs=bitext(pairs))
    assert read == 2 * sizes
    assert trained.learner.step == trained.learner._steps == len(read)


def test_batches_of_one_pair_are_of_one_pair():
    assert [batch_count(pairs, 1) for pairs in (1, 2, 5)] == [1, 2, 5]
    assert batch_slices(3, 1) == [slice(0, 1), slice(1, 2), slice(2, 3)]
    assert batch_slices(1, 4) == [slice(0, 1)]  # of an epoch that draws no more


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


@pytest.mark.parametrize("objective", [ScaledCosine(), AdditiveMarginScale(hard=2, megabatch=3)])
def test_a_sentence_of_several_labelled_pairs_is_encoded_once(objective, monkeypatch):
    few = bitext(40)
    rows = np.arange(120) // 3  # three pairs of each left sentence
    right = few.right.gather(np.arange(120) % 40)
    labels = np.arange(120, dtype=np.int8) % 2
    pairs = Pairs(few.left.gather(rows), right, False, labels=labels)
    calls, encode = [], Contrast._encode_all
    monkeypatch.setattr(Contrast, "_encode_all", lambda *a: calls.append(a[1]) or encode(*a))
    still = {"dropout": 0.0, "scramble": 0.0, "epochs": 2, "order": "groups"}
    run = described(LSTM, objective, **still)
    once = train(run, pairs=pairs)
    assert all(len(distinct(rows)[0]) == len(rows) for rows in calls)
    monkeypatch.setattr(
        "tandem.training.contrast.distinct", lambda rows: (np.arange(len(rows)),) * 2
    )
    each = train(run, pairs=pairs)
    assert sum(map(len, calls[: len(calls) // 2])) < 0.8 * sum(map(len, calls[len(calls) // 2 :]))
    for one, other in zip(parameters(once), parameters(each), strict=True):
        assert torch.allclose(one, other, atol=1e-4)
