"""What must hold of every mining task that is built."""

from __future__ import annotations

import numpy as np
import pytest

from tandem.corpora.hidden_pairs import build_mining_task
from tandem.corpora.mining_task import gold_rows
from tandem.errors import TandemError
from tandem.text.spelling import collapse


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
    built = build_mining_task(verses, "fr", seed=1, share=0.025)
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
    built = build_mining_task(verses, "fr", seed=2, share=0.025)
    sides: dict[str, list[str]] = {"fr": [], "en": []}
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
        sides["fr"] += source
        sides["en"] += target
    for texts in sides.values():
        assert len(set(texts)) == len(texts)  # training and test share no sentence of a language


def test_each_half_of_the_sections_serves_in_both_parts(verses: list) -> None:
    built = build_mining_task(verses, "fr", seed=2, share=0.025)
    gold = [{name for pair in task.gold for name in pair} for task in (built.training, built.test)]
    others = [
        [{same(text) for name, text in side.items() if name not in found}
         for side in (task.source, task.target)]
        for task, found in zip((built.training, built.test), gold, strict=True)
    ]  # fmt: skip
    english = {same(xx): same(en) for _, en, xx in verses if xx.startswith("mot")}
    for own, other in (others, others[::-1]):
        translated = [english[text] for text in own[0] if text in english]
        # but for the few sentences by which one half is larger
        assert sum(text in other[1] for text in translated) > 0.9 * len(translated)
        assert not own[1] & set(translated) - {f"and he spake {n}" for n in range(8)}


def test_excluded_sentences_leave_no_gold_text_to_train_on(verses: list) -> None:
    built = build_mining_task(verses, "fr", seed=3, share=0.025)
    rest = [row for i, row in enumerate(verses) if i not in built.excluded]
    left = {same(text) for _, *texts in rest for text in texts if text}
    for task in (built.training, built.test):
        for source, target in task.gold:
            assert same(task.source[source]) not in left
            assert same(task.target[target]) not in left
    # nothing else is lost: two parts of gold, and a few families larger than one
    assert len(built.excluded) < 0.2 * len(verses)


def test_distractors_come_from_other_sections(verses: list) -> None:
    built = build_mining_task(verses, "fr", seed=4, share=0.025)
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
    one, two, again = (build_mining_task(verses, "fr", seed, share=0.025) for seed in (5, 6, 5))
    assert one == again
    assert one.excluded != two.excluded


def test_too_little_text_is_refused(verses: list) -> None:
    with pytest.raises(TandemError, match="Give more sentences"):
        build_mining_task(verses[:30], "fr", seed=0, share=0.025)
    with pytest.raises(TandemError, match="more sections"):
        build_mining_task([("one", en, xx) for _, en, xx in verses], "fr", seed=0, share=0.025)
