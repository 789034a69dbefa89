"""The attention network: attention by hand, padding, gradients that reach every weight."""

import math

import pytest
import torch

from tandem.translation.batching import END, PAD, START, group_by_length, make_batch, pad_sources
from tandem.translation.network import AttentionNetwork, Places, attend, drop, read_rows
from tandem.translation.rnn_training import Aligned, forced_output, sampled_loss


@pytest.fixture
def network():
    net = AttentionNetwork(pieces=30, dimension=8, dropout=0.5)
    net.initialise(torch.Generator().manual_seed(3))
    return net


def test_attention_by_hand():
    queries = torch.tensor([[[1.0, 0.0]]])
    states = torch.tensor([[[math.log(2.0), 5.0], [math.log(6.0), 1.0]]])
    mask = torch.tensor([[True, True]])
    # weights 2/8 and 6/8
    expected = [0.25 * math.log(2.0) + 0.75 * math.log(6.0), 0.25 * 5.0 + 0.75 * 1.0]
    assert attend(queries, states, mask)[0, 0].tolist() == pytest.approx(expected)


def test_attention_gives_padding_nothing():
    queries = torch.tensor([[[1.0, 0.0]]])
    states = torch.tensor([[[0.5, 5.0], [1e4, 1e4]]])
    context = attend(queries, states, torch.tensor([[True, False]]))
    assert context[0, 0].tolist() == [0.5, 5.0]


def test_rows_are_reversed_within_their_length():
    ids = torch.tensor([[5, 6, 7, PAD], [5, 6, 7, 8], [9, PAD, PAD, PAD]])
    places = Places.find(torch.tensor([3, 4, 1]), 4)
    back = read_rows(ids, places.reversal).view_as(ids)
    assert back.tolist() == [[7, 6, 5, PAD], [8, 7, 6, 5], [9, PAD, PAD, PAD]]
    assert torch.equal(read_rows(back, places.reversal).view_as(ids), ids)
    assert read_rows(ids, places.last).tolist() == [7, 8, 9]
    assert torch.equal(places.mask, ids != PAD)


def test_batches_mark_start_and_end():
    batch = make_batch([[7], [8, 9]], [[10, 11], [12]])
    assert batch.source.tolist() == [[7, END, PAD], [8, 9, END]]
    assert batch.lengths.tolist() == [2, 3]
    assert batch.inputs.tolist() == [[START, 10, 11], [START, 12, PAD]]
    assert batch.labels.tolist() == [[10, 11, END], [12, END, PAD]]


def test_groups_hold_every_pair_once_within_the_bound():
    targets = [[5] * n for n in (1, 9, 3, 3, 2, 30, 1)]
    sources = [[5] * n for n in (4, 1, 2, 8, 2, 1, 1)]
    groups = group_by_length(sources, targets, 12, seed=[1, 2])
    assert sorted(i for group in groups for i in group) == list(range(7))
    for group in groups:
        width = max(len(targets[i]) + 1 for i in group)
        assert width * len(group) <= 12 or len(group) == 1
    assert groups == group_by_length(sources, targets, 12, seed=[1, 2])
    assert groups != group_by_length(sources, targets, 12, seed=[1, 3])
    assert group_by_length([], [], 12, seed=[1]) == []


def test_padding_does_not_change_the_result(network):
    alone = pad_sources([[5, 6]])
    together = pad_sources([[5, 6], [7, 8, 9, 10, 11]])
    inputs = torch.tensor([[START, 12, 13]])
    short, long = network.encode(*alone), network.encode(*together)
    one, _ = network.decode(short, inputs, short.initial)
    two, _ = network.decode(long, inputs.repeat(2, 1), long.initial)
    torch.testing.assert_close(one[0], two[0])
    torch.testing.assert_close(short.states[0], long.states[0, :3])


def test_source_order_matters_in_both_directions(network):
    first = network.encode(*pad_sources([[5, 6, 7]]))
    last_changed = network.encode(*pad_sources([[5, 6, 8]]))
    first_changed = network.encode(*pad_sources([[9, 6, 7]]))
    half = first.states.shape[2] // 2
    assert torch.equal(first.states[0, 0, :half], last_changed.states[0, 0, :half])
    assert not torch.equal(first.states[0, 0, half:], last_changed.states[0, 0, half:])
    assert not torch.equal(first.states[0, 2, :half], first_changed.states[0, 2, :half])
    assert torch.equal(first.states[0, 2, half:], first_changed.states[0, 2, half:])


def test_columns_one_by_one_equal_the_whole_target(network):
    memory = network.encode(*pad_sources([[5, 6, 7], [8, 9, 10]]))
    inputs = torch.tensor([[START, 12, 13, 14], [START, 15, 16, 17]])
    whole, _ = network.decode(memory, inputs, memory.initial)
    hidden, columns = memory.initial, []
    for column in inputs.split(1, dim=1):
        output, hidden = network.decode(memory, column, hidden)
        columns.append(output)
    torch.testing.assert_close(whole, torch.cat(columns, dim=1))


def test_a_target_word_sees_no_later_one(network):
    memory = network.encode(*pad_sources([[5, 6, 7]]))
    one, _ = network.decode(memory, torch.tensor([[START, 12, 13]]), memory.initial)
    two, _ = network.decode(memory, torch.tensor([[START, 12, 20]]), memory.initial)
    assert torch.equal(one[0, :2], two[0, :2])
    assert not torch.equal(one[0, 2], two[0, 2])


def test_dropout_keeps_the_mean_and_the_mask_over_time():
    values = torch.ones(4, 6, 500)
    dropped = drop(values, 0.25, torch.Generator().manual_seed(0))
    assert dropped.unique().tolist() == pytest.approx([0.0, 1 / 0.75])
    assert dropped.mean().item() == pytest.approx(1.0, abs=0.05)
    assert torch.equal(dropped[:, :1].expand_as(dropped), dropped)
    assert drop(values, 0.25, None) is values


def test_gradient_reaches_every_weight(network):
    pairs = Aligned([[9], [5, 6], [7]], [[9], [8], [9, 10]])
    output, labels = forced_output(network, pairs, [1, 2], None)
    assert labels.tolist() == [8, END, 9, 10, END]
    nll = torch.nn.functional.cross_entropy(network.logits(output), labels)
    nll.backward()
    for name, parameter in network.named_parameters():
        assert parameter.grad.abs().sum() > 0, name


def test_sampling_every_piece_is_the_full_softmax(network):
    output, labels = torch.randn(5, 8), torch.tensor([4, 9, 4, END, 20])
    full = torch.nn.functional.cross_entropy(network.logits(output), labels)
    draw = torch.Generator().manual_seed(0)
    assert sampled_loss(network, output, labels, 30, draw).item() == pytest.approx(full.item())


def test_sampled_normaliser_is_right_on_average(network):
    output, labels = torch.randn(5, 8), torch.tensor([4, 9, 4, END, 20])
    draw = torch.Generator().manual_seed(0)
    full = torch.nn.functional.cross_entropy(network.logits(output), labels).item()
    some = [sampled_loss(network, output, labels, 10, draw).item() for _ in range(300)]
    assert len(set(some)) > 1
    assert sum(some) / len(some) == pytest.approx(full, rel=0.02)
