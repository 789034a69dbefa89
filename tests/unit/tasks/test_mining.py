"""BUCC scoring by hand, and what must hold of every task that is built."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tandem.corpora.readers.bucc import MiningTask
from tandem.corpora.text import collapse
from tandem.errors import TandemError
from tandem.search.margins import Pairs
from tandem.tasks.mining import (
    MiningScore,
    best_threshold,
    bootstrap_f1,
    build_mining_task,
    evaluate_mining,
    gold_rows,
)


def pairs(*rows: tuple[int, int, float]) -> Pairs:
    source, target, score = zip(*rows, strict=True)
    return Pairs(np.array(source), np.array(target), np.array(score, np.float64))


# right, wrong, right, then a tie of a right and a wrong one, wrong
MINED = pairs((0, 0, 0.9), (1, 7, 0.8), (2, 2, 0.7), (3, 3, 0.5), (4, 8, 0.5), (5, 9, 0.4))
GOLD = [(0, 0), (2, 2), (3, 3), (6, 6)]


def test_best_threshold_by_hand() -> None:
    # F1 at .9: 2/5; .8: 2/6; .7: 4/7 = .571; .5, both of the tie: 6/9 = .667; .4: 6/10
    found = best_threshold(MINED, GOLD)
    assert found.value == 0.5
    assert found.score == MiningScore(60.0, 75.0, pytest.approx(200 / 3), 3, 5, 4)


def test_ties_stand_or_fall_together() -> None:
    # taken alone the right one of the tie would give F1 = 1
    found = best_threshold(pairs((0, 0, 0.9), (1, 1, 0.5), (2, 5, 0.5)), [(0, 0), (1, 1)])
    assert found.value == 0.5
    assert found.score.proposed == 3


def test_of_equal_f1_the_highest_threshold() -> None:
    # .9: 2*1/(1+2) = 2/3; .5: 2*2/(4+2) = 2/3
    mined = pairs((0, 0, 0.9), (1, 5, 0.8), (2, 6, 0.7), (3, 3, 0.5))
    assert best_threshold(mined, [(0, 0), (3, 3)]).value == 0.9


def test_threshold_of_training_is_applied_unchanged() -> None:
    score = evaluate_mining(MINED, GOLD, 0.75)
    assert (score.correct, score.proposed, score.gold) == (1, 2, 4)
    assert (score.precision, score.recall) == (50, 25)
    assert score.f1 == pytest.approx(100 / 3)
    nothing = evaluate_mining(MINED, GOLD, 2.0)
    assert (nothing.precision, nothing.recall, nothing.f1) == (0, 0, 0)


def test_no_gold_and_no_pairs_are_refused() -> None:
    with pytest.raises(TandemError, match="0 gold"):
        best_threshold(MINED, [])
    nothing = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    with pytest.raises(TandemError, match="0 pairs"):
        best_threshold(nothing, GOLD)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25))
def test_sweep_equals_trying_every_threshold(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    score = -np.sort(-rng.integers(0, 6, n) / 6)
    mined = Pairs(np.arange(n), np.arange(n), score)
    gold = [(i, i) for i in range(n) if rng.random() < 0.5] + [(99, 99)]
    tried = {t: evaluate_mining(mined, gold, t).f1 for t in set(score.tolist())}
    found = best_threshold(mined, gold)
    assert found.score.f1 == pytest.approx(max(tried.values()))
    assert found.value == max(t for t, f1 in tried.items() if f1 >= max(tried.values()) - 1e-9)
    assert evaluate_mining(mined, gold, found.value) == found.score


def test_bootstrap_interval() -> None:
    n = 400
    mined = pairs(*((i, i if i % 2 else i + 1000, 1.0) for i in range(n)))
    gold = [(i, i) for i in range(n)]
    interval = bootstrap_f1(mined, gold, 0.5, seed=3)
    assert interval.estimate == 50
    # every sentence has one proposed and one gold pair, so F1 is the share of right ones
    half = 100 * 1.96 * np.sqrt(0.25 / n)
    assert interval.low == pytest.approx(50 - half, abs=0.5)
    assert interval.high == pytest.approx(50 + half, abs=0.5)
    assert bootstrap_f1(mined, gold, 0.5, seed=3) == interval
    sure = bootstrap_f1(pairs((0, 0, 1.0)), [(0, 0)], 0.5, seed=0)
    assert (sure.low, sure.high) == (100, 100)


def test_gold_rows_follow_the_order_of_the_files() -> None:
    task = MiningTask({"fr-2": "a", "fr-1": "b"}, {"en-9": "c"}, [("fr-1", "en-9")])
    assert gold_rows(task) == [(1, 0)]
    with pytest.raises(TandemError, match="no gold"):
        gold_rows(MiningTask({}, {}, None))


def bible(chapters: int = 120, verses: int = 20, seed: int = 0) -> list[tuple[str, str, str]]:
    """Return verses, some said twice and some with one translation in common."""
    rng = np.random.default_rng(seed)
    rows = []
    for chapter in range(chapters):
        for verse in range(verses):
            english, french = f"word {chapter} {verse}", f"mot {chapter} {verse}"
            match rng.integers(12):
                case 0:
                    english = f"And  he spake {rng.integers(8)}"
                case 1:
                    french = f"Et il dit {rng.integers(8)}"
                case 2:
                    english = french = f"Selah {rng.integers(8)}"
                case 3:
                    english = ""
            rows.append((f"chapter {chapter}", english, french))
    return rows


@pytest.fixture(scope="module")
def verses() -> list[tuple[str, str, str]]:
    return bible()


def same(text: str) -> str:
    return collapse(text).casefold()


def test_shape_and_ids(verses: list) -> None:
    built = build_mining_task(verses, "fr", seed=1)
    for task in (built.training, built.test):
        for prefix, side in (("fr", task.source), ("en", task.target)):
            assert list(side) == [f"{prefix}-{i:09d}" for i in range(1, len(side) + 1)]
            assert 0.023 < len(task.gold) / len(side) < 0.028
        assert len(task.source) == len(task.target)
        translations = {(same(xx), same(en)) for _, en, xx in verses}
        for left, right in task.gold:
            assert (same(task.source[left]), same(task.target[right])) in translations
        # the place of a sentence tells nothing of its translation
        rows = gold_rows(task)
        assert sum(i == j for i, j in rows) < len(rows) / 2


def test_only_gold_pairs_are_translations_of_each_other(verses: list) -> None:
    built = build_mining_task(verses, "fr", seed=2)
    texts: list[str] = []
    for task in (built.training, built.test):
        source = {same(text): name for name, text in task.source.items()}
        target = {same(text): name for name, text in task.target.items()}
        assert len(source) == len(task.source) and len(target) == len(task.target)
        assert not set(source) & set(target) - {same(task.source[i]) for i, _ in task.gold}
        hidden = {
            (source[same(xx)], target[same(en)])
            for _, en, xx in verses
            if same(xx) in source and same(en) in target
        }
        assert hidden == set(task.gold)
        texts += [*source] + [text for text in target if text not in source]
    assert len(set(texts)) == len(texts)  # training and test share nothing


def test_excluded_sentences_leave_no_gold_text_to_train_on(verses: list) -> None:
    built = build_mining_task(verses, "fr", seed=3)
    rest = [row for i, row in enumerate(verses) if i not in built.excluded]
    left = {same(text) for _, *texts in rest for text in texts if text}
    for task in (built.training, built.test):
        for source, target in task.gold:
            assert same(task.source[source]) not in left
            assert same(task.target[target]) not in left
    # nothing else is lost: two parts of gold, and a few families larger than one
    assert len(built.excluded) < 0.2 * len(verses)


def test_distractors_come_from_other_sections(verses: list) -> None:
    built = build_mining_task(verses, "fr", seed=4)
    section = {same(text): name for name, *texts in verses for text in texts}
    for task in (built.training, built.test):
        gold = {name for pair in task.gold for name in pair}
        sides = [
            {section[same(text)] for name, text in side.items()
             if name not in gold and same(text).startswith(("word", "mot"))}
            for side in (task.source, task.target)
        ]
        assert sides[0] and sides[1] and not sides[0] & sides[1]


def test_seed_decides(verses: list) -> None:
    assert build_mining_task(verses, "fr", seed=5) == build_mining_task(verses, "fr", seed=5)
    one, two = (build_mining_task(verses, "fr", seed=seed) for seed in (5, 6))
    assert one.excluded != two.excluded


def test_too_little_text_is_refused(verses: list) -> None:
    with pytest.raises(TandemError, match="Give more sentences"):
        build_mining_task(verses[:30], "fr", seed=0)
    with pytest.raises(TandemError, match="more sections"):
        build_mining_task([("one", en, xx) for _, en, xx in verses], "fr", seed=0)
