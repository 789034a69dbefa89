"""Whether models have begun to learn: held-out losses, those of frequencies, and claims."""

import json
from math import log
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.errors import InputError
from tandem.objectives.kinds.generative import Generative
from tandem.segmentation.ragged import Ragged
from wieting2020.methods import begun
from wieting2020.methods.begun import (
    counts,
    frequency_loss,
    held_out_loss,
    objective_of,
    unigram_loss,
)  # fmt: skip
from wieting2020.methods.standing import Standing, withheld

TRANSLATION = Generative(
    reconstructs="none", translates="second", language_variables=False, prior=False, smoothing=0.1
)


def ragged(*rows):
    ids = np.array([number for row in rows for number in row], np.int32)
    return Ragged(ids, np.cumsum([0, *map(len, rows)]))


def test_counts_of_types_with_the_end_of_each_sentence():
    assert counts(ragged([0, 2, 2], [1]), 4).tolist() == [1, 1, 2, 2]


def test_loss_by_frequencies_without_smoothing():
    # shares of (1 + 1, 3 + 1, 0 + 1) / 7
    loss = frequency_loss(np.array([1, 3, 0]), np.array([2, 1, 0]))
    assert loss == pytest.approx(-2 * log(2 / 7) - log(4 / 7))


def test_loss_by_frequencies_with_smoothing():
    shares = 0.9 * np.array([2, 4, 1]) / 7 + 0.1 / 3
    exact = -(2 * np.log(shares[0]) + np.log(shares[1]))
    expected = 0.9 * exact - 0.1 * 3 * np.log(shares).mean()
    assert frequency_loss(np.array([1, 3, 0]), np.array([2, 1, 0]), 0.1) == pytest.approx(expected)
    # no other distribution is better for tokens as frequent as those that were read
    read = np.array([8, 3, 1])
    best = frequency_loss(read - 1, read, 0.1)
    for wrong in ([9, 3, 1], [8, 4, 1], [7, 3, 1], [8, 3, 2]):
        assert frequency_loss(np.array(wrong) - 1, read, 0.1) > best


def test_the_side_that_is_written_counts(monkeypatch, tmp_path):
    texts = {
        "train": SimpleNamespace(left=ragged([0], [0]), right=ragged([1, 1], [0])),
        "valid": SimpleNamespace(left=ragged([0], [0]), right=ragged([1], [0]), usable=[0, 1]),
    }
    texts["valid"].usable = np.array([0, 1])
    monkeypatch.setattr(begun, "load_pairs", lambda folder, split, sides: texts[split])
    monkeypatch.setattr(begun, "Segmenter", SimpleNamespace(load=lambda folder: range(2)))
    loss = unigram_loss(tmp_path, ("en", "fr"), TRANSLATION.model_copy(update={"smoothing": 0.0}))
    # read: 0 once, 1 twice, two ends; one more of each makes shares of 2, 3 and 3 eighths
    assert loss == pytest.approx(-(log(3 / 8) + log(2 / 8) + 2 * log(3 / 8)) / 2)


def test_the_least_loss_after_an_epoch(tmp_path):
    history = tmp_path / "history.csv"
    history.write_text(
        "epoch,loss,validation_minus_loss_nats\n0,,-2.0\n1,9.0,-8.5\n2,8.0,-7.25\n3,7.0,-7.5\n"
    )
    assert held_out_loss(tmp_path) == 7.25  # the loss before the first epoch is none of training
    history.write_text("epoch,loss,validation_\n0,,\n1,9.0,\n")
    with pytest.raises(InputError, match="selection: loss"):
        held_out_loss(tmp_path)


def test_the_objective_of_a_model(tmp_path):
    (tmp_path / "decoders").mkdir()
    values = TRANSLATION.model_dump(mode="json") | {"kind": "generative", "tokens": 123}
    stored = {"objective": values, "languages": ["en", "fr"]}
    (tmp_path / "decoders/decoders.json").write_text(json.dumps(stored))
    objective = objective_of(tmp_path)
    assert objective.tokens == 123 and objective.translated == (1,)


def standing(loss, *scores, floor=40.0):
    pairs = [tuple(SimpleNamespace(estimate=v) for v in (score, floor)) for score in scores]
    return Standing(pairs, loss, 10.0, 1000)


def test_of_which_models_claims_are_withheld():
    models = {"a.s": standing(9, 50), "b.s": standing(9, 30, 39), "c.s": standing(9.5, 20, 41),
              "d.s": standing(10.5, 60), "e.s": standing(10, 20), "f.s": standing(9)}  # fmt: skip
    # below is what is below in every figure; a loss as high as by frequencies tells of nothing
    assert [model.mark for model in models.values()] == ["", "§", "", "‡", "‡§", ""]
    reasons = withheld(models)
    assert set(reasons["barred"]) == {"d.s", "e.s"} and set(reasons["doubtful"]) == {"b.s", "e.s"}
    assert reasons["barred"]["d.s"] == "has not begun to learn (10.5 nats, by frequencies 10.0)"
