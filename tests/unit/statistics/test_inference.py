"""Intervals over seeds and items: by hand, and how often they cover the truth."""

import numpy as np
import pytest
import scipy.stats

from tandem.statistics.inference import (
    Estimate,
    Figures,
    difference,
    holm,
    over_groups,
    over_seeds,
    sample_mean,
    total,
)


def figures(values, draws):
    return Figures(np.array(values, dtype=float), np.array(draws, dtype=float))


def test_one_seed_has_the_normal_interval_of_its_draws():
    draws = np.random.default_rng(0).normal(7, 2, size=(1, 500))
    found = over_seeds(figures([7.0], draws))
    assert (found.value, found.freedom) == (7, np.inf)
    assert found.error == pytest.approx(draws.std(ddof=1))
    assert found.interval.high == pytest.approx(7 + scipy.stats.norm.ppf(0.975) * found.error)


def test_the_spread_over_seeds_is_unbiased_and_has_its_degrees_of_freedom():
    flat = np.zeros((3, 10))
    found = over_seeds(figures([1, 2, 6], flat))
    low, high = scipy.stats.t.interval(0.95, 2, loc=3, scale=scipy.stats.sem([1, 2, 6]))
    assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
    assert found.p(0) == pytest.approx(scipy.stats.ttest_1samp([1, 2, 6], 0).pvalue)
    welch = scipy.stats.ttest_ind([1, 2, 6], [4, 9], equal_var=False)
    assert difference(figures([1, 2, 6], flat), figures([4, 9], flat[:2])).p(0) == pytest.approx(
        welch.pvalue
    )


def test_what_seeds_make_of_items_is_counted_once():
    # seeds whose draws have nothing in common: items add nothing to the spread over seeds
    draws = np.random.default_rng(0).normal(size=(2, 100000))
    assert over_seeds(figures([1, 4], draws)).error == pytest.approx(1.5, abs=0.01)
    # draws that are the same: their variance is added whole
    same = np.repeat(draws[:1], 2, axis=0)
    assert over_seeds(figures([1, 4], same)).error == pytest.approx(np.sqrt(2.25 + 1), abs=0.01)
    # seeds that are nearer to each other than what items do to them allows
    assert over_seeds(figures([1, 1.1], draws)).error == pytest.approx(np.sqrt(0.5), abs=0.01)


def test_seeds_that_agree_by_chance_leave_what_items_do_to_their_mean():
    # each is wrong on two items of 36, and on others than the other seed
    right = np.ones((2, 36))
    right[0, :2] = right[1, 2:4] = 0
    drawn = np.random.default_rng(0).integers(36, size=(2000, 36))
    draws = 100 * right[:, drawn].mean(axis=2)
    mean = over_seeds(figures(100 * right.mean(axis=1), draws))
    assert mean.error == pytest.approx(100 * np.std(right.mean(axis=0)) / 6, rel=0.05)
    every = figures([100, 100], np.full((2, 2000), 100.0))
    against = difference(every, figures(100 * right.mean(axis=1), draws))
    assert against.freedom == np.inf and 0.02 < against.p(0) < 0.05
    # where nothing was ever wrong, Wilson's interval is of the items alone
    assert over_seeds(every).share_interval(36).low == pytest.approx(90.4, abs=0.05)


def test_seeds_that_agree_by_chance_refute_nothing_more_often_than_the_level():
    # three seeds that items alone tell apart; Holm's correction of 15 tests looks as far as 1/300
    rng, refuted, items, times = np.random.default_rng(6), 0, 70, 3000
    resamples = rng.multinomial(items, np.full(items, 1 / items), size=200).T / items
    for scores in rng.normal(size=(times, 3, items)):
        refuted += over_seeds(Figures(scores.mean(axis=1), scores @ resamples)).p(0) < 1 / 300
    assert refuted / times < 1 / 300


def test_no_interval_of_a_share_is_of_what_seeds_agree_on_by_chance():
    # of 312 items each seed has one right, now the same and now another: 0.32% with both
    rng = np.random.default_rng(5)
    for trial in range(50):
        right = np.zeros((2, 312))
        right[[0, 1], rng.integers(312, size=2)] = 1
        drawn = np.random.default_rng(trial).integers(312, size=(500, 312))
        draws = 100 * right[:, drawn].mean(axis=2)
        bounds = over_seeds(Figures(100 * right.mean(axis=1), draws)).share_interval(312)
        assert bounds.low < 0.15 and 0.9 < bounds.high < 3


def test_items_are_paired_and_seeds_are_not():
    draws = np.random.default_rng(0).normal(size=(2, 400))
    found = difference(figures([5, 7], draws), figures([1, 3], draws[::-1] - 4))
    assert (found.value, found.error) == (4, pytest.approx(np.sqrt(2)))
    # seed by seed, where both are figures of the same models
    same = over_seeds(figures([5, 7], draws) - figures([1, 3], draws - 4))
    assert (same.value, same.error) == (4, pytest.approx(0, abs=1e-9))


def test_a_total_pairs_the_items_of_all_its_sides():
    rng = np.random.default_rng(3)
    items = rng.normal(size=4000)
    single = [Figures(np.array([value]), items[None] * weight)
              for value, weight in ((5.0, 1.0), (2.0, 1.0), (1.0, -2.0))]  # fmt: skip
    whole = total(*single)
    # what items do to the three cancels
    assert whole.value == 8 and whole.error == pytest.approx(0, abs=1e-6)
    assert total(*single[:2]).error == pytest.approx(2 * items.std(ddof=1))
    seeds = total(figures([1, 3], np.zeros((2, 10))), figures([2, 2, 5], np.zeros((3, 10))))
    assert seeds.error**2 == pytest.approx(2 / 2 + 3 / 3)


def test_without_any_spread_equality_alone_is_not_refuted():
    none = Estimate(1.0, 0.0, np.inf)
    assert (none.p(1), none.p(0)) == (1, 0)
    assert (none.interval.low, none.interval.high) == (1, 1)


@pytest.mark.parametrize(("right", "items"), [(977, 1000), (3, 40), (20, 40)])
def test_a_share_has_wilsons_interval(right, items):
    share = right / items
    binomial = Estimate(100 * share, 100 * np.sqrt(share * (1 - share) / items), np.inf)
    wilson = scipy.stats.binomtest(right, items).proportion_ci(method="wilson")
    bounds = binomial.share_interval(items)
    assert (bounds.low, bounds.high) == pytest.approx((100 * wilson.low, 100 * wilson.high))


def test_a_share_stays_between_its_bounds():
    few = Estimate(62.5, 20.0, 1)  # two seeds, far apart
    assert few.interval.high > 100
    bounds = few.share_interval(16)
    assert 0 < bounds.low < 62.5 < bounds.high < 100
    wilson = scipy.stats.binomtest(1000, 1000).proportion_ci(method="wilson")
    whole = Estimate(100.0, 0.0, np.inf).share_interval(1000)
    assert (whole.low, whole.high) == pytest.approx((100 * wilson.low, 100))
    assert Estimate(0.0, 0.0, np.inf).share_interval(1000).low == 0


@pytest.mark.parametrize("share", [0.5, 0.97])
def test_intervals_of_a_share_over_seeds_cover_it_as_often_as_they_say(share):
    rng, held, items, seeds = np.random.default_rng(4), 0, 200, 3
    resamples = rng.multinomial(items, np.full(items, 1 / items), size=200).T / items
    for _ in range(1000):
        ease = np.clip(share + 0.02 * rng.normal(size=(1, items)), 0, 1)
        right = (rng.random((seeds, items)) < ease).astype(float)
        sides = Figures(100 * right.mean(axis=1), 100 * right @ resamples)
        bounds = over_seeds(sides).share_interval(items)
        held += bounds.low <= 100 * share <= bounds.high
    assert 0.92 <= held / 1000 <= 0.99


def test_the_mean_of_groups_has_the_larger_of_two_errors():
    none = np.zeros((2, 0))  # no items
    apart = [figures([1, 1.2], none), figures([4, 4.2], none), figures([7, 7.2], none)]
    expected = sample_mean(np.array([1.1, 4.1, 7.1]))
    assert over_groups(apart).interval.low == pytest.approx(expected.interval.low)
    # alike by chance: the seeds of each say that their means are uncertain
    alike = [figures([3, 5], none), figures([3.1, 5.1], none), figures([3.2, 4.8], none)]
    within = np.mean([2 / 2, 2 / 2, 1.28 / 2])
    near = over_groups(alike)
    assert near.error == pytest.approx(np.sqrt(within / 3)) and near.freedom == 2
    assert near.error > 10 * sample_mean(np.array([4, 4.1, 4.0])).error
    single = [figures([value], none[:1]) for value in (4, 4.1, 4.0)]
    assert over_groups(single).error == pytest.approx(sample_mean(np.array([4, 4.1, 4.0])).error)
    assert np.isnan(over_groups(single[:1]).error)


def test_items_that_groups_share_enter_their_mean():
    draws = np.random.default_rng(0).normal(size=(1, 50000))
    shared = [figures([value, value], np.repeat(draws, 2, axis=0)) for value in (1, 2, 6)]
    found = over_groups(shared)
    assert found.error**2 == pytest.approx(7 / 3 + draws.var(ddof=1))
    # the squares of what the interval would be for either alone
    student, normal = scipy.stats.t.ppf(0.975, 2), scipy.stats.norm.ppf(0.975)
    half = np.sqrt(7 / 3 * student**2 + draws.var(ddof=1) * normal**2)
    assert found.interval.high == pytest.approx(3 + half)
    items_alone = over_groups([figures([1, 1], np.repeat(draws, 2, axis=0))] * 2)
    assert items_alone.freedom == np.inf
    # what items do to one group alone is in what differs between groups
    own = np.random.default_rng(1).normal(size=(3, 50000))
    apart = [figures([v], own[i : i + 1]) for i, v in enumerate((1, 2, 6))]
    assert over_groups(apart).error ** 2 == pytest.approx(7 / 3, abs=0.02)


@pytest.mark.parametrize("groups", [2, 3, 5])
@pytest.mark.parametrize(("between", "items"), [(0, 0), (1, 0), (20, 0), (1, 2), (20, 1)])
def test_intervals_over_groups_cover_the_mean_at_least_as_often_as_they_say(groups, between, items):
    rng, held, seeds, times = np.random.default_rng([groups, between]), 0, 5, 1500
    variance = np.sqrt(items) * rng.normal(size=(1, 400))  # as a bootstrap has it
    for _ in range(times):
        means = np.sqrt(between) * rng.normal(size=groups) + np.sqrt(items) * rng.normal()
        sides = [
            Figures(mean + np.sqrt(seeds) * rng.normal(size=seeds), np.repeat(variance, seeds, 0))
            for mean in means
        ]
        bounds = over_groups(sides).interval
        held += bounds.low <= 0 <= bounds.high
    # a t interval over the groups alone would be as wide as that of the seeds by chance only
    assert held / times > 0.935


def test_a_sample_mean_has_scipys_interval_and_p():
    values = np.array([1.0, 2.5, 2.0, 4.0])
    found, expected = sample_mean(values), scipy.stats.ttest_1samp(values, 1.5)
    bounds = expected.confidence_interval()
    assert found.interval.low == pytest.approx(bounds.low)
    assert found.interval.high == pytest.approx(bounds.high)
    assert found.p(1.5) == pytest.approx(expected.pvalue)
    assert sample_mean(np.full(3, 2.0)).p(2) == 1
    alone = sample_mean(np.array([7.0]))
    assert alone.value == 7 and np.isnan(alone.p(0)) and np.isnan(alone.interval.low)


def test_holm_by_hand():
    # times 4, 3, 2 and 1 in their order; none below the one before
    assert holm([0.04, 0.01, 0.03, 0.005]) == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert holm([0.9, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def coverage(seeds, ratio, meeting=0.0, one_sided=False, items=100, times=4000):
    """Share of 95% intervals that hold the true difference, 0, of two experiments.

    Items add variance 1 to the difference and seeds `ratio`; `meeting` is the standard deviation of
    what a seed makes of an item, relative to that of the items. Of one side's seeds all may agree.
    """
    rng = np.random.default_rng([seeds, int(100 * ratio), int(10 * meeting), one_sided])
    counts = rng.multinomial(items, np.full(items, 1 / items), size=300).T / items
    scale = np.sqrt(ratio * seeds / (1 if one_sided else 2))
    own = np.sqrt(items / 2)  # of items, on each side
    held = 0
    for _ in range(times):
        shared, sides = 3 * rng.normal(size=items), []
        for spread in (scale, 0.0 if one_sided else scale):
            scores = shared + own * rng.normal(size=items) + spread * rng.normal(size=(seeds, 1))
            scores = scores + own * meeting * rng.normal(size=(seeds, items))
            sides.append(Figures(scores.mean(axis=1), scores @ counts))
        held += difference(*sides).p(0) > 0.05
    return held / times


@pytest.mark.parametrize("seeds", [2, 3, 5])
@pytest.mark.parametrize(("ratio", "meeting"), [(0.25, 0), (4, 0), (1, 2)])
def test_intervals_of_a_difference_cover_the_truth_as_often_as_they_say(seeds, ratio, meeting):
    assert 0.93 <= coverage(seeds, ratio, meeting) <= 0.97


@pytest.mark.parametrize(
    ("seeds", "low", "high"), [(2, 0.88, 0.9), (3, 0.91, 0.93), (5, 0.93, 0.95)]
)
def test_few_seeds_on_one_side_alone_cover_less_as_docs_say(seeds, low, high):
    assert low <= coverage(seeds, 4, one_sided=True) <= high
