"""Runs: as plain values, and from an encoder that is trained already."""

import numpy as np
import pytest
from small_runs import AVERAGING, LSTM, TYPES, bitext, continued, described, encoder_of, train

from tandem.errors import TandemError
from tandem.training.run import Run, course_of, train_encoder


@pytest.mark.parametrize("architecture", [AVERAGING, LSTM])
def test_plain_values_make_the_same_run(architecture):
    run = described(architecture)
    assert Run.parse(run.description(), run.seed) == run


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
