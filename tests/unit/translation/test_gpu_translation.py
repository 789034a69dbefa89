"""The recurrent translator as a GPU trains it and translates, run on the CPU."""

import math
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest
import torch
from operations import Roundings
from rnn_example import BITEXT, NONE, SHORT, kill, save_always, settings
from torch.utils._python_dispatch import TorchDispatchMode

from tandem.errors import TandemError
from tandem.machine import cpu_as_gpu
from tandem.segmentation.ragged import from_rows
from tandem.training.course import Course
from tandem.translation import decoding, gpu_training
from tandem.translation.batching import END, PAD, group_by_length, make_batch
from tandem.translation.decoding import bound, decode_greedily
from tandem.translation.gpu_batches import (
    IGNORED,
    Laid,
    Shape,
    Softmax,
    draw_softmax,
    lay_out,
    shapes_of,
)
from tandem.translation.gpu_training import Masks
from tandem.translation.network import AttentionNetwork, Places, run_gru
from tandem.translation.rnn_training import Aligned, RnnLearner, train_network, train_rnn
from tandem.translation.translator import load_translator

EXACT = settings(epochs=2, dropout=0, sampled_pieces=1000)
"""Nothing is drawn beside the order and the first weights: both devices learn the same."""
IDS = Aligned(
    [[4 + i % 50, 5 + i % 3] + [7] * (i % 5) for i in range(90)],
    [[8 + i % 40] * (1 + i % 4) for i in range(90)],
)


@pytest.fixture
def gpu():
    with cpu_as_gpu():
        yield


def gpu_learner(config, validation=NONE):
    return gpu_training.GpuRnnLearner(config, 60, IDS, validation, "cpu")


@pytest.mark.parametrize("count", [3, 1000])
def test_pieces_are_drawn_and_numbered(count):
    labels = np.array([9, 4, 9, 3])
    pieces, numbers, weights = draw_softmax(labels, count, 12, np.random.default_rng(1))
    assert pieces[:3].tolist() == [3, 4, 9] and pieces[numbers].tolist() == labels.tolist()
    drawn = min(count, 9)
    assert len({*pieces.tolist()}) == len(pieces) == 3 + drawn
    assert weights.tolist() == pytest.approx([0.0] * 3 + [math.log(9 / drawn)] * drawn)


def test_every_piece_may_occur():
    pieces, _, weights = draw_softmax(np.arange(12), 5, 12, np.random.default_rng(1))
    assert pieces.tolist() == list(range(12)) and not weights.any()


def ended(sources, targets):
    return tuple(from_rows([*row, END] for row in side) for side in (sources, targets))


def test_a_softmax_is_padded_with_pieces_that_have_no_share():
    softmax = Softmax(np.array([3, 5]), np.array([1]), np.zeros(2, np.float32)).padded(4)
    assert softmax.pieces.tolist() == [3, 5, PAD, PAD] and softmax.labels.tolist() == [1]
    assert softmax.weights.tolist() == [0, 0, -math.inf, -math.inf]


def test_a_batch_is_laid_out_as_it_is_padded():
    sources, targets = [[5, 6, 7], [8], [9, 10]], [[11], [12, 13], [14, 15, 16]]
    # the room beyond is filled with pairs of nothing
    batch = make_batch([*sources, []], [*targets, []])
    pairs = ended(sources, targets)
    softmax = Softmax(np.array([3, 11, 40]), pairs[1].ids, np.zeros(3, np.float32))
    laid = Laid(*map(torch.from_numpy, lay_out(*pairs, softmax, Shape(4, 4, 4, 3), 8)))
    places = Places.find(batch.lengths, 4)
    assert torch.equal(laid.reversal, places.reversal) and torch.equal(laid.last, places.last)
    source, backwards, inputs, pieces = laid.ids.split([16, 16, 16, 3])
    assert torch.equal(source, batch.source.flatten())
    assert torch.equal(backwards, source[places.reversal])
    batch.labels[3] = PAD
    words = batch.labels.flatten() != PAD
    assert torch.equal(laid.labels, batch.labels.flatten().masked_fill(~words, IGNORED))
    assert torch.equal(inputs[words], batch.inputs.flatten()[words])
    assert pieces.tolist() == [3, 11, 40] and laid.seed.tolist() == [8]
    for part, again in zip(laid, Laid.split(torch.cat(laid), Shape(4, 4, 4, 3)), strict=True):
        assert torch.equal(part, again)


def test_batches_have_few_shapes_that_hold_them():
    random = np.random.default_rng(3)
    sides = [[[5] * n for n in random.integers(4, 20, 20_000)] for _ in "st"]
    groups = group_by_length(*sides, 700, (1, 0))
    shapes = shapes_of(ended(*sides), groups, 700, 500, 4000)
    assert len(groups) > 300 and len({*shapes}) <= 30
    again = group_by_length(*sides, 700, (1, 1))
    assert {*shapes} == {*shapes_of(ended(*sides), again, 700, 500, 4000)}
    room = used = 0
    for group, shape in zip(groups, shapes, strict=True):
        longest = [max(len(side[pair]) + 1 for pair in group) for side in sides]
        assert len(group) <= shape.rows and longest <= [shape.source, shape.target]
        assert shape.pieces == 1200
        used, room = used + len(group) * longest[1], room + shape.rows * shape.target
    assert room < 1.5 * used


def test_a_pair_longer_than_a_batch_has_room():
    sides = [[5] * 3], [[6] * 30]
    assert shapes_of(ended(*sides), [[0]], 10, 4, 4000) == [Shape(8, 4, 32, 36)]
    assert shapes_of(ended(*sides), [[0]], 10, 4, 20) == [Shape(8, 4, 32, 20)]
    assert shapes_of(ended([], []), [], 10, 4, 20) == []


def test_masks_are_drawn_by_their_seed_and_keep_the_mean():
    seed, values = torch.tensor([7]), torch.ones(40, 3, 100)
    masks = Masks(0.2, 40, 200, seed)
    first, second = masks(values), masks(values)
    assert torch.equal(Masks(0.2, 40, 200, seed)(values), first)
    assert not torch.equal(first, second)
    assert torch.equal(first, first[:, :1].expand_as(first))
    assert {*first.unique().tolist()} == {0.0, 1.25}
    assert float(first.mean()) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("start", [True, False])
def test_a_gru_gives_what_it_gives_for_a_matrix(start):
    gru, values = torch.nn.GRU(6, 4, batch_first=True), torch.randn(3, 5, 6)
    hidden = torch.randn(1, 3, 4) if start else None
    expected = gru(values, hidden)
    with cpu_as_gpu():
        for result, other in zip(run_gru(gru, values, hidden), expected, strict=True):
            torch.testing.assert_close(result, other)


def test_a_gpu_learns_what_a_cpu_does(tmp_path, gpu):
    learner = gpu_learner(EXACT, IDS)
    course = Course(learner, {}, EXACT.epochs, selects=False)
    course.run(lambda parameters: learner.validation_loss(), show=False)
    with_gpu = course.progress.history, course.best
    cpu = RnnLearner(EXACT, 60, IDS, IDS)
    course = Course(cpu, {}, EXACT.epochs, selects=False)
    course.run(lambda parameters: cpu.validation_loss(), show=False)
    for epoch, expected in zip(with_gpu[0], course.progress.history, strict=True):
        assert epoch.loss == pytest.approx(expected.loss, rel=1e-5)
        assert epoch.validation == pytest.approx(expected.validation, rel=1e-5)
    for name, parameter in course.best.items():
        torch.testing.assert_close(with_gpu[1][name], parameter, atol=1e-4, rtol=1e-3)


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_gpu_trains_to_the_same_bytes_and_learns(tmp_path, gpu):
    config = settings(epochs=25)
    for name in "ab":
        train_rnn(BITEXT, BITEXT, config, tmp_path / name, "cpu")
    assert contents(tmp_path / "a") == contents(tmp_path / "b")
    translator = load_translator(tmp_path / "a", device="cpu")
    texts = [result.text for result in translator.translate(BITEXT.sources)]
    assert sum(map(str.__eq__, texts, BITEXT.targets)) >= 18


@pytest.mark.parametrize("checkpoints", [1, 4, 9])
def test_a_killed_run_resumes_to_the_same_bytes(tmp_path, monkeypatch, gpu, checkpoints):
    monkeypatch.setattr(gpu_training, "BATCHES", 3)
    monkeypatch.setattr(gpu_training, "TOGETHER", 1)
    train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "whole", "cpu")
    save_always(monkeypatch)
    arguments = BITEXT, BITEXT, SHORT, tmp_path / "killed", "cpu"
    kill(monkeypatch, checkpoints, lambda: train_rnn(*arguments))
    train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "killed", "cpu")
    assert contents(tmp_path / "whole") == contents(tmp_path / "killed")


def test_a_checkpoint_of_another_device_is_not_gone_on_from(tmp_path, monkeypatch, caplog):
    save_always(monkeypatch)
    train_network(SHORT, 60, IDS, NONE, tmp_path / "checkpoint")
    with cpu_as_gpu():
        train_network(SHORT, 60, IDS, NONE, tmp_path / "checkpoint")
    assert "beginning anew" in caplog.text


def test_a_gradient_that_is_not_finite_is_told_when_the_epoch_ends(monkeypatch, gpu):
    monkeypatch.setattr(gpu_training, "TOGETHER", 1)
    learner = gpu_learner(EXACT)
    learner.begin(0)
    learner.advance()
    learner.state()
    with torch.no_grad():
        learner.network.bias.fill_(math.inf)
    with pytest.raises(TandemError, match="lower learning_rate"):
        while learner.advance() is not None:
            pass
    with pytest.raises(TandemError, match="lower learning_rate"):
        learner.state()


WAITS = {
    "_local_scalar_dense", "nonzero", "masked_select", "_unique2", "unique_dim",
    "unique_consecutive", "equal",
}  # fmt: skip
"""Operations after which a GPU is waited for."""
READS = ("numpy", "tolist", "item", "cpu", "__bool__", "__float__", "__int__", "nonzero")
"""Methods of a tensor that wait for a GPU."""


class Operations(TorchDispatchMode):
    """Counts operations, and refuses those that wait."""

    def __init__(self):
        super().__init__()
        self.counts = Counter()

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        assert name not in WAITS
        if name.startswith("index"):  # by booleans: how many is unknown
            indices = args[1] if isinstance(args[1], list | tuple) else []
            assert not any(i is not None and i.dtype == torch.bool for i in indices)
        self.counts[name] += 1
        return function(*args, **kwargs or {})


class BriefGru(torch.autograd.Function):
    """Something of the shapes of a GRU, of few operations, as cuDNN's is."""

    @staticmethod
    def forward(ctx, values, hidden, *weights):
        ctx.shapes = values.shape, hidden.shape, [weight.shape for weight in weights]
        return values[:, : hidden.shape[2]].contiguous(), hidden.clone()

    @staticmethod
    def backward(ctx, output, last):
        values, hidden, weights = ctx.shapes
        return output.new_ones(values), output.new_ones(hidden), *map(output.new_ones, weights)


def brief_gru(values, sizes, hidden, weights, *settings):
    assert sizes.is_cpu and len(sizes) * hidden.shape[1] == len(values)
    return BriefGru.apply(values, hidden, *weights)


@contextmanager
def nothing_read(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a GPU would be waited for")

    with monkeypatch.context() as patch:
        for name in READS:
            patch.setattr(torch.Tensor, name, refuse)
        yield


def test_steps_wait_for_nothing(monkeypatch, gpu):
    monkeypatch.setattr(torch, "gru", brief_gru)
    monkeypatch.setattr(gpu_training, "TOGETHER", 2)
    monkeypatch.setattr(gpu_training, "BATCHES", 3)
    learner = gpu_learner(SHORT)
    learner.begin(0)
    learner.advance()
    with nothing_read(monkeypatch), Operations() as operations:
        for _ in range(2):
            assert learner.advance().pairs
    assert operations.counts["embedding"] == 4


def test_a_step_gives_little_to_a_gpu(monkeypatch, gpu):
    """What a recorded step is filled with are two tensors, whose shapes go with its key."""
    learner, asked, shapes = gpu_learner(SHORT), [], {}
    monkeypatch.setattr(learner._graphs, "run", lambda *step: asked.append(step))
    learner.begin(0)
    with nothing_read(monkeypatch), Operations() as operations:
        learner.advance()
    assert operations.counts.total() <= 12
    while learner.advance():
        pass
    for key, _, inputs in asked:
        assert len(inputs) == 2
        assert shapes.setdefault(key, [t.shape for t in inputs]) == [t.shape for t in inputs]
    assert len(shapes) < len(asked) / 2


def drawn_network():
    """A network that ends its outputs after some words, or not at all."""
    network = AttentionNetwork(30, 32, 0.0)
    network.initialise(torch.Generator().manual_seed(5))
    with torch.no_grad():
        for parameter in network.parameters():
            parameter *= 3
        network.bias[END] = 1.5
    return network


SOURCES = [[5 + i % 20, 6 + i % 7] * (1 + i % 6) for i in range(40)]


@pytest.mark.parametrize("steps", [1, 3, 8, 100])
def test_a_gpu_translates_as_a_cpu_does(monkeypatch, steps):
    network = drawn_network()
    expected = decode_greedily(network, SOURCES)
    bounded = [output.tokens == bound(len(row))
               for row, output in zip(SOURCES, expected, strict=True)]  # fmt: skip
    assert any(bounded) and not all(bounded)
    monkeypatch.setattr(decoding, "STEPS", steps)
    with cpu_as_gpu():
        with Roundings() as roundings:
            outputs = decode_greedily(network, SOURCES)
    assert roundings.of_products == {False}
    for output, other in zip(outputs, expected, strict=True):
        assert (output.ids, output.tokens) == (other.ids, other.tokens)
        assert output.log_probability == pytest.approx(other.log_probability, rel=1e-5)


def test_a_gpu_is_read_from_once_in_many_steps(monkeypatch, gpu):
    network, reads, cpu = drawn_network(), [], torch.Tensor.cpu
    longest = max(output.tokens for output in decode_greedily(network, SOURCES))
    monkeypatch.setattr(torch.Tensor, "cpu", lambda tensor: reads.append(1) or cpu(tensor))
    with Operations():
        decode_greedily(network, SOURCES)
    assert len(reads) == 2 * -(-longest // decoding.STEPS)


def test_a_translator_may_be_loaded_onto_a_device(folder, translator):
    expected = list(translator.translate(BITEXT.sources))
    with cpu_as_gpu():
        results = list(load_translator(folder, device="cpu").translate(BITEXT.sources))
    assert [result.text for result in results] == [result.text for result in expected]
    with pytest.raises(TandemError, match="cannot compute on 'meta'"):
        load_translator(folder, device="meta")
