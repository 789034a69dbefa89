"""Recipes: how the learning rate goes."""

import numpy as np
import pytest

from tandem.training.recipe import Recipe


def factors(total=100, **settings):
    """The factors of updates 1 .. total, and of ten more."""
    return Recipe(**settings).factors(np.arange(1, total + 11), total)


def test_without_decay_it_stays():
    assert (factors() == 1).all()


def test_linear_decay_falls_from_update_to_update_to_nothing_after_the_last():
    fall = factors(decay="linear")
    np.testing.assert_allclose(fall[:3], [1, 0.99, 0.98])
    assert fall[99] == pytest.approx(0.01)
    assert not fall[100:].any()


@pytest.mark.parametrize("decay", ["none", "linear", "tenth", "root"])
def test_it_rises_over_the_first_updates(decay):
    rise = factors(decay=decay, warmup=20)
    np.testing.assert_allclose(rise[:20], np.arange(1, 21) / 20)


def test_after_the_rise_it_falls_from_its_value():
    linear = factors(decay="linear", warmup=20)
    assert linear[20] == pytest.approx(1)
    assert linear[60] == pytest.approx(0.5)
    assert not linear[100:].any()
    root = factors(decay="root", warmup=25)
    np.testing.assert_allclose(root[[24, 99]], [1, 0.5])
    # Vaswani et al. (2017), equation 3, but for its constant
    steps = np.arange(1, 111)
    theirs = np.minimum(steps**-0.5, steps * 25**-1.5) * 25**0.5
    np.testing.assert_allclose(root, theirs)


def test_without_a_rise_the_root_falls_from_the_first_update():
    np.testing.assert_allclose(factors(decay="root")[[0, 3]], [1, 0.5])


@pytest.mark.parametrize("decay", ["none", "linear", "tenth", "root"])
def test_a_short_training_has_its_rate_after_half_of_its_updates(decay):
    short = factors(total=10, decay=decay, warmup=40)
    np.testing.assert_allclose(short[:5], np.arange(1, 6) / 5)
    np.testing.assert_allclose(short, factors(total=10, decay=decay, warmup=5))
