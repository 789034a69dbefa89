"""The learner of contrastive objectives on a GPU, run on the CPU where there is none."""

from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
import torch
from operations import counted_pool
from small_runs import (
    AVERAGING,
    LSTM,
    OBJECTIVE,
    TYPES,
    Rising,
    assert_same_bytes,
    bitext,
    described,
    two_texts,
)

from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.gran import Gran
from tandem.encoders.kinds.transformer import Transformer
from tandem.encoders.rows import parts_by_length
from tandem.machine import cpu_as_gpu
from tandem.objectives.kinds.additive_margin import AdditiveMargin
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation import ragged
from tandem.training import gpu_contrast, gpu_pools
from tandem.training.gpu_contrast import GpuContrast
from tandem.training.run import course_of

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
GRAN = Gran(dimension=16, hidden=8)
TRANSFORMER = Transformer(dimension=16, layers=1, heads=2, hidden=16, filter=32, output=12)
WORDS = TRANSFORMER.model_copy(update={"grouped": True})
HARD = AdditiveMargin(hard=2, megabatch=3)
EXACT = {"dropout": 0.0, "scramble": 0.0, "precision": "float32"}
FLAT = "in_proj_bias", "attention.bias"
"""Parameters that softmax makes the loss not depend on: Adam scales the rounding of zero."""


@pytest.fixture(autouse=True)
def gpu(monkeypatch):
    """Short stretches, so that a small text has several; the code of a GPU on the CPU."""
    monkeypatch.setattr(gpu_pools, "PAIRS", 60)
    monkeypatch.setattr(gpu_contrast, "AT_ONCE", 30)
    with nullcontext() if DEVICE == "cuda" else cpu_as_gpu():
        yield


def in_words(pairs):
    """The pairs in words, each begun by the token 0, with n-grams that are other tokens."""

    def side(rows):
        rows = [rows.row(i) + 1 for i in range(len(rows))]
        return ragged.from_rows([[0, *row[:2], 0, *row] for row in rows])

    return replace(pairs, left=side(pairs.left), right=side(pairs.right))


def course(run, texts, device=DEVICE):
    trained = course_of(run, TYPES + 1, texts, device)
    assert isinstance(trained.learner, GpuContrast) == (device is DEVICE)
    return trained


def train(run, texts, folder=None, **options):
    trained = course(run, texts)
    trained.run(Rising(), folder, show=False, **options)
    return trained


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize("objective", [OBJECTIVE, AdditiveMargin(), HARD], ids=lambda o: o.kind)
@pytest.mark.parametrize("encoder", [AVERAGING, LSTM, GRAN, TRANSFORMER, WORDS])
def test_it_learns_what_a_cpu_does(encoder, objective, optimizer):
    run = described(encoder, objective, optimizer=optimizer, **EXACT)
    texts = [bitext()] if optimizer == "sgd" else two_texts()
    texts = [in_words(text) for text in texts] if encoder.words else texts
    assert_as_on_a_cpu(run, texts, 2e-3 if optimizer == "adam" else 1e-5)


@pytest.mark.parametrize("objective", [OBJECTIVE, AdditiveMargin(), HARD], ids=lambda o: o.kind)
@pytest.mark.parametrize("pairs", [17, 33, 161])
def test_a_last_pair_alone_joins_the_batch_before_it_there_too(objective, pairs, tmp_path):
    run, texts = described(AVERAGING, objective, **EXACT), [bitext(pairs)]
    whole = assert_as_on_a_cpu(run, texts, 2e-3)
    assert whole.learner.step == whole.learner._steps == 3 * (pairs // 16)
    stops = iter([False, True])
    course(run, texts).run(None, tmp_path / "c", show=False, stopped=lambda: next(stops))
    resumed = course(run, texts)
    assert resumed.resume(tmp_path / "c")
    resumed.run(None, tmp_path / "c", show=False)
    assert_same_parameters(whole, resumed)


def assert_as_on_a_cpu(run, texts, bound):
    there = train(run, texts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tandem.machine._as_gpu", [])
        here = course_of(run, TYPES + 1, texts, "cpu")
        assert not isinstance(here.learner, GpuContrast)
        here.run(Rising(), None, show=False)
    losses = [[entry.loss for entry in c.progress.history[1:]] for c in (here, there)]
    np.testing.assert_allclose(*losses, rtol=2e-5)
    for name, tensor in here.best.items():
        if not name.endswith(FLAT):
            torch.testing.assert_close(there.best[name].cpu(), tensor, rtol=bound, atol=bound)
    return there


def of_all_lengths(pairs):
    """The pairs, some of them ten times as long, so that pools need more room or less."""

    def side(rows):
        times = [10 if number % 17 == 0 else 1 for number in range(len(rows))]
        return ragged.from_rows([np.tile(rows.row(i), often) for i, often in enumerate(times)])

    return replace(pairs, left=side(pairs.left), right=side(pairs.right))


@pytest.mark.parametrize("encoder", [AVERAGING, LSTM, TRANSFORMER])
def test_the_same_seed_gives_the_same_bytes_and_a_stopped_run_goes_on_to_them(encoder, tmp_path):
    run, texts = described(encoder), [of_all_lengths(text) for text in two_texts()]
    whole = train(run, texts)
    assert_same_bytes(whole, train(run, texts))
    stops = iter([False, False, True])
    train(run, texts, tmp_path / "c", stopped=lambda: next(stops))
    resumed = course(run, texts)
    with pytest.MonkeyPatch.context() as patch:
        loaded = []
        load = GpuContrast.load_state
        patch.setattr(GpuContrast, "load_state", lambda *a: loaded.append(1) or load(*a))
        resumed.run(Rising(), tmp_path / "c", show=False)
    assert loaded
    assert_same_parameters(whole, resumed)
    losses = [[entry.loss for entry in c.progress.history[1:]] for c in (whole, resumed)]
    np.testing.assert_allclose(*losses, rtol=1e-12)  # sums of losses are sums of other parts
    other = train(described(encoder, seed=6), texts)
    assert not torch.equal(other.best["embedding"], whole.best["embedding"])


def assert_same_parameters(first, second):
    for name, tensor in first.best.items():
        assert torch.equal(tensor, second.best[name]), name


class Highest(Averaging):
    """The highest value of each feature: a kind that knows nothing of rooms."""

    kind = "highest"
    fixed_shapes = False

    def compose(self, weights, tokens):
        """Return the maximum over each sentence's tokens."""
        embedded = tokens.table[tokens.ids]
        if tokens.dropout is not None:
            embedded = embedded * tokens.dropout.factors(tokens.table.shape[1])
        rows = torch.repeat_interleave(
            torch.arange(len(tokens.offsets) - 1, device=embedded.device), tokens.offsets.diff()
        )
        assert len(rows) == len(embedded)
        out = embedded.new_zeros(len(tokens.offsets) - 1, tokens.table.shape[1])
        index = rows.unsqueeze(1).expand_as(embedded)
        return out.scatter_reduce(0, index, embedded, "amax", include_self=False)


@pytest.mark.parametrize("encoder", [AVERAGING, LSTM, TRANSFORMER, WORDS])
def test_a_sentence_has_the_same_noise_wherever_it_stands_in_a_batch(encoder, monkeypatch):
    """As on a CPU, where it is encoded once: as a pair's sentence, and as another's negative."""
    # words would no longer be begun by their marks
    noise = {"dropout": 0.5, "scramble": 0.0 if encoder.words else 0.5, "precision": "float32"}
    text, compared = bitext(144), 0
    loss, learn, standing = Margin.loss, GpuContrast._learn, []

    def noted(learner, room, rows_room, row):
        groups, size, _ = learner._layouts[len(row)]
        standing[:] = row[: groups * size].tolist()
        learn(learner, room, rows_room, row)

    def checked(objective, vectors, *part):
        nonlocal compared
        flat, first = vectors.detach().flatten(0, 1), {}
        for vector, place in zip(flat, standing, strict=True):
            torch.testing.assert_close(vector, first.setdefault(place, vector))
        compared += len(flat) - len(first)
        return loss(objective, vectors, *part)

    monkeypatch.setattr(GpuContrast, "_learn", noted)
    monkeypatch.setattr(Margin, "loss", checked)
    texts = [in_words(text) if encoder.words else text]
    run = described(encoder, Margin(megabatch=3, anneal=0), epochs=1, batch=48, **noise)
    course(run, texts).run(None, show=False)
    assert compared > 10


def test_a_kind_that_knows_nothing_of_rooms_is_trained_unrecorded():
    run = replace(described(AVERAGING, **EXACT), encoder=Highest.model_construct(dimension=16))

    def trained(device):
        learner = run.objective.learner_maker()(run, TYPES + 1, [bitext()], device)
        for epoch in range(2):
            learner.begin(epoch)
            while learner.advance() is not None:
                pass
        return learner

    there = trained(DEVICE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tandem.machine._as_gpu", [])
        here = trained("cpu")
    assert [type(learner) is GpuContrast for learner in (there, here)] == [True, False]
    tables = (learner.encoder()["embedding"].cpu() for learner in (there, here))
    torch.testing.assert_close(*tables, rtol=2e-3, atol=2e-3)


def test_how_much_is_sent_at_a_time_changes_nothing(monkeypatch):
    run, texts = described(AVERAGING), two_texts()
    short = train(run, texts)
    monkeypatch.setattr(gpu_pools, "PAIRS", 10_000)
    monkeypatch.setattr(gpu_contrast, "AT_ONCE", 10_000)
    long = train(run, texts)
    assert all(torch.equal(short.best[name], long.best[name]) for name in short.best)


def test_pools_too_large_to_be_recorded_are_chosen_for_in_parts(monkeypatch):
    run, texts = described(LSTM, HARD, **EXACT), [bitext()]
    whole = train(run, texts)
    monkeypatch.setattr(gpu_contrast, "RECORDED", 0)
    monkeypatch.setattr(parts_by_length, "__defaults__", (64,))
    parts = train(run, texts)
    for name, tensor in whole.best.items():
        torch.testing.assert_close(parts.best[name], tensor, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("objective", [AdditiveMargin(), Margin(megabatch=4, anneal=0)])
def test_shapes_are_those_of_the_whole_epoch_wherever_it_goes_on(tmp_path, objective, monkeypatch):
    """The last digits of products depend on shapes, where these are large enough to be blocked."""
    wide = Transformer(dimension=64, layers=1, heads=4, hidden=64, filter=128, output=64)
    monkeypatch.setattr(gpu_pools, "PAIRS", 300)
    monkeypatch.setattr(gpu_contrast, "AT_ONCE", 100)
    run, texts = described(wide, objective, batch=64, epochs=2), [of_all_lengths(bitext(900))]
    whole = course(run, texts)
    whole.run(None, show=False)
    for after in (1, 3, 6):
        stops = iter([False] * after + [True])
        folder = tmp_path / str(after)
        course(run, texts).run(None, folder, show=False, stopped=lambda: next(stops))  # noqa: B023
        resumed = course(run, texts)
        assert resumed.resume(folder)
        resumed.run(None, folder, show=False)
        assert_same_parameters(whole, resumed)


@pytest.mark.skipif(DEVICE == "cuda", reason="counted on the CPU")
@pytest.mark.parametrize("objective", [Margin(megabatch=1), AdditiveMargin()], ids=["1", "own"])
@pytest.mark.parametrize(
    ("encoder", "most"),
    [(AVERAGING, 130), (LSTM, 190), (GRAN, 190), (TRANSFORMER, 280), (WORDS, 310)],
)
def test_a_step_waits_for_nothing(monkeypatch, encoder, most, objective):
    learner, counts = counted(monkeypatch, encoder, objective)
    assert learner.step == 1
    assert counts["waits"] == counts["reads"] == 0
    assert counts["operations"] <= most


@pytest.mark.skipif(DEVICE == "cuda", reason="counted on the CPU")
@pytest.mark.parametrize("objective", [Margin(megabatch=5, anneal=0), HARD], ids=["5", "hard"])
@pytest.mark.parametrize("encoder", [AVERAGING, LSTM, GRAN, TRANSFORMER, WORDS])
def test_a_pool_of_several_batches_waits_once(monkeypatch, encoder, objective):
    learner, counts = counted(monkeypatch, encoder, objective)
    assert learner.step == (5 if objective is not HARD else 3)
    assert counts["waits"] == 0
    assert counts["reads"] == 1  # of how many tokens its largest batch has


def counted(monkeypatch, encoder, objective):
    """A learner that has trained on one pool, and what that took."""
    texts = [in_words(bitext()) if encoder.words else bitext()]
    learner = course(described(encoder, objective, scramble=0.0), texts).learner
    return learner, counted_pool(monkeypatch, learner)
