"""Samples of a training split: drawn by the seed, nested, the same sentences in every corpus."""

import numpy as np
import pytest

from tandem.corpora.sample import draw_sample, drawn_lines
from tandem.errors import TandemError

LINES = [f"sentence {number}" for number in range(400)]


def written(path, lines):
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


@pytest.fixture
def text(tmp_path):
    """A text of distinct lines."""
    return written(tmp_path / "train.en", LINES)


def test_a_sample_has_its_size_and_every_seed_draws_another(text):
    first, again, second = (draw_sample(text, 100, seed) for seed in (1, 1, 2))
    assert first.sum() == second.sum() == 100
    np.testing.assert_array_equal(first, again)
    # two samples of a quarter share about a quarter of their lines
    assert 10 < (first & second).sum() < 45


def test_every_line_is_as_likely(text):
    often = sum(draw_sample(text, 100, seed).astype(int) for seed in range(200))
    assert often.min() > 20
    assert often.max() < 85


def test_a_small_sample_is_part_of_a_larger_one(text):
    small, large = draw_sample(text, 100, 1), draw_sample(text, 200, 1)
    assert not (small & ~large).any()


def test_corpora_that_share_a_side_give_the_same_sentences_of_it(text, tmp_path):
    fewer = written(tmp_path / "other", [line for n, line in enumerate(LINES) if n % 10])
    own = set(drawn_lines(text, draw_sample(text, 100, 1)))
    others = list(drawn_lines(fewer, draw_sample(fewer, 100, 1)))
    assert len(others) == 100
    kept = {line for n, line in enumerate(LINES) if n % 10} & own
    assert kept <= set(others)
    assert len(kept) > 80


def test_lines_come_in_the_order_of_the_text(text):
    drawn = list(drawn_lines(text, draw_sample(text, 50, 3)))
    assert drawn == sorted(drawn, key=LINES.index)


def test_all_lines_may_be_drawn_and_no_more(text):
    assert draw_sample(text, 400, 1).all()
    with pytest.raises(TandemError, match="has 400 training pairs and the setting asks for 401"):
        draw_sample(text, 401, 1)


def test_equal_lines_are_drawn_from_the_first_on(tmp_path):
    text = written(tmp_path / "same", ["a"] * 5)
    assert draw_sample(text, 2, 1).tolist() == [True, True, False, False, False]
