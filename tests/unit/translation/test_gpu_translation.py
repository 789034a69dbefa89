"""The recurrent translator as a GPU trains it and translates, run on the CPU."""

import math
from collections import Counter
from contextlib import contextmanager
from itertools import count

import numpy as np
import pytest
import torch
from rnn_example import BITEXT, NONE, SHORT, save_always, settings
from torch.utils._python_dispatch import TorchDispatchMode

from tandem.errors import TandemError
from tandem.machine import cpu_as_gpu
from tandem.segmentation.ragged import from_rows
from tandem.training.course import Course
from tandem.translation import decoding, gpu_training
from tandem.translation.batching import END, PAD, make_batch
from tandem.translation.decoding import bound, decode_greedily
from tandem.translation.gpu_training import Laid, Softmax, draw_softmax, lay_out
from tandem.translation.network import AttentionNetwork, Places
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


def test_a_batch_is_laid_out_as_it_is_padded():
    sources, targets = [[5, 6, 7], [8], [9, 10]], [[11], [12, 13], [14, 15, 16]]
    batch = make_batch(sources, targets)
    ended = [from_rows([*row, END] for row in side) for side in (sources, targets)]
    softmax = Softmax(np.array([3, 11, 40]), ended[1].ids, np.zeros(3, np.float32))
    laid, shape = lay_out(*ended, softmax)
    laid = Laid(*map(torch.from_numpy, laid))
    assert shape == (3, 4, 4)
    places = Places.find(batch.lengths, 4)
    assert torch.equal(laid.reversal, places.reversal) and torch.equal(laid.last, places.last)
    source, backwards, inputs, pieces = laid.ids.split([12, 12, 12, 3])
    assert torch.equal(source, batch.source.flatten())
    assert torch.equal(backwards, source[places.reversal])
    words = batch.labels.flatten() != PAD
    assert torch.equal(laid.words, words.nonzero()[:, 0])
    assert torch.equal(laid.labels, batch.labels.flatten()[words])
    assert torch.equal(inputs[words], batch.inputs.flatten()[words])
    assert pieces.tolist() == [3, 11, 40]


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
    train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "whole", "cpu")
    save_always(monkeypatch)
    save, saves = Course.save, count(1)

    def save_then_die(course, folder):
        save(course, folder)
        if next(saves) == checkpoints:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Course, "save", save_then_die)
        train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "killed", "cpu")
    train_rnn(BITEXT, BITEXT, SHORT, tmp_path / "killed", "cpu")
    assert contents(tmp_path / "whole") == contents(tmp_path / "killed")


def test_a_checkpoint_of_another_device_is_not_gone_on_from(tmp_path, monkeypatch, caplog):
    save_always(monkeypatch)
    train_network(SHORT, 60, IDS, NONE, tmp_path / "checkpoint")
    with cpu_as_gpu():
        train_network(SHORT, 60, IDS, NONE, tmp_path / "checkpoint")
    assert "beginning anew" in caplog.text


def test_a_gradient_that_is_not_finite_is_told_when_the_epoch_ends(gpu):
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
    def forward(ctx, values, width, *weights):
        ctx.shapes = values.shape, [weight.shape for weight in weights]
        output = values[..., :width].contiguous()
        return output, output[None, :, -1].contiguous()

    @staticmethod
    def backward(ctx, output, hidden):
        shape, weights = ctx.shapes
        return output.new_ones(shape), None, *map(output.new_ones, weights)


def brief_gru(gru, values, hidden=None):
    return BriefGru.apply(values, gru.hidden_size, *gru.parameters())


@contextmanager
def nothing_read(monkeypatch):
    def refuse(*args, **kwargs):
        raise AssertionError("a GPU would be waited for")

    with monkeypatch.context() as patch:
        for name in READS:
            patch.setattr(torch.Tensor, name, refuse)
        yield


VIEWS = {
    "view", "_unsafe_view", "t", "transpose", "expand", "unsqueeze", "slice", "select", "detach",
    "split_with_sizes", "alias", "empty", "_record_function_enter_new", "_record_function_exit",
    "new_ones", "zeros",
}  # fmt: skip
"""Operations that a GPU has nothing to do with, and those of what stands for a GRU."""


def test_a_step_waits_for_nothing_and_has_few_operations(monkeypatch, gpu):
    monkeypatch.setattr(torch.nn.GRU, "forward", brief_gru)
    learner = gpu_learner(SHORT)
    learner.begin(0)
    learner.advance()  # sends batches, and makes the moments
    with nothing_read(monkeypatch), Operations() as operations:
        learner.advance()
    assert sum(n for name, n in operations.counts.items() if name not in VIEWS) <= 95


def test_batches_are_sent_without_waiting(monkeypatch, gpu):
    monkeypatch.setattr(torch.nn.GRU, "forward", brief_gru)
    monkeypatch.setattr(gpu_training, "BATCHES", 2)
    learner = gpu_learner(SHORT)
    learner.begin(0)
    learner.advance()
    with nothing_read(monkeypatch), Operations():
        for _ in range(4):
            learner.advance()


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
        outputs = decode_greedily(network, SOURCES)
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
