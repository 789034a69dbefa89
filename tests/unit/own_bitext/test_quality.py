"""How good an encoder is said to be, and the thresholds that are calibrated."""

import json

import numpy as np
import pytest

from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.own_bitext.mined import calibrated
from tandem.own_bitext.quality import (
    Sides,
    evaluated,
    examples,
    filtering,
    halves,
    mining,
    quality,
    retrieval,
    similarity,
    thresholds,
    wilson,
)
from tandem.search.margins import Score
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn

LANGUAGES = ("en", "de")


def translated(count, noise, seed=1, width=32):
    """Vectors of sentences and of translations that are off by so much noise."""
    draw = np.random.default_rng(seed)
    left, off = draw.standard_normal((2, count, width)).astype(np.float32)
    return Sides(left, left + noise * off)


def crowd(count, width=32):
    left, right = np.random.default_rng(9).standard_normal((2, count, width)).astype(np.float32)
    return Sides(left, right)


def test_a_threshold_keeps_95_percent_of_the_pairs_that_it_is_calibrated_on():
    pairs = translated(400, 0.5)
    found = thresholds(pairs, crowd(1000))
    assert set(found) == {str(score) for score in Score}
    assert filtering(pairs, found["cosine"])["true_kept_x100"] == 95.0
    # one step higher loses one pair more
    assert filtering(pairs, np.nextafter(found["cosine"], 2))["true_kept_x100"] == 94.75
    assert mining(pairs, crowd(1000), found["ratio"])["recall_x100"] == pytest.approx(95, abs=4)


def test_thresholds_of_margins_depend_on_the_crowd():
    pairs = translated(200, 1.0)
    alone, among = (thresholds(pairs, crowd(count)) for count in (0, 5000))
    assert alone["cosine"] == among["cosine"]
    assert alone["ratio"] > among["ratio"]  # neighbours are nearer in a crowd


def test_a_worse_encoder_has_worse_figures():
    figures = []
    for noise in (0.5, 3.0):
        found = thresholds(translated(300, noise), crowd(1000))
        other = translated(300, noise, seed=2)
        figures.append((
            retrieval(other)["p_at_1_x100"],
            -filtering(other, found["cosine"])["wrong_kept_x100"],
            mining(other, crowd(1000), found["ratio"])["f1_x100"],
        ))  # fmt: skip
    assert all(good > bad for good, bad in zip(*figures, strict=True))
    assert figures[0][0] == 100.0


def test_mining_counts_what_is_proposed_for_sentences_without_a_translation():
    found = mining(translated(100, 0.1), crowd(50), threshold=-1)
    assert (found["recall_x100"], found["targets"]) == (100, 100)
    # a sentence whose translation is gone gets the wrong one that is left over
    assert 50 < found["precision_x100"] < 90
    assert found["f1_x100"] == pytest.approx(2 / (1 / found["precision_x100"] + 1 / 100))
    assert mining(translated(100, 0.1), crowd(50), threshold=1.5)["precision_x100"] == 100


@pytest.mark.parametrize(
    ("share", "count", "low", "high"),
    # Wilson (1927) as in Newcombe (1998), Statistics in Medicine 17, table I: 81/263, 15/148, 0/20
    [(81 / 263, 263, 0.2553, 0.3662), (15 / 148, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611)],
)
def test_intervals_of_shares_are_wilsons(share, count, low, high):
    assert wilson(share, count) == pytest.approx((low, high), abs=5e-5)


def test_no_text_of_the_second_half_stands_in_the_first():
    pairs = [("a", "A"), ("b", "B"), ("c", "C"), ("d", "B")]
    assert halves(pairs) == (pairs[:2], [("c", "C")])


@pytest.fixture
def encoder(tmp_path):
    """Words and their translations have one vector, but for each fourth, which has another's."""
    english = [f"en{n}" for n in range(200)]
    german = [f"de{n}" for n in range(200)]
    texts = {"en": lambda: english, "de": lambda: german}
    segmenter = learn(Words(size=500), texts, tmp_path)
    table = np.zeros((len(segmenter), 16), np.float32)
    vectors = np.random.default_rng(1).standard_normal((200, 16))
    for n in range(200):
        table[segmenter.vocabulary.index(f"en{n}")] = vectors[n]
        table[segmenter.vocabulary.index(f"de{n}")] = vectors[n if n % 4 else n // 2]
    return SentenceEncoder(segmenter, Averaging(dimension=16), table)


PAIRS = [(f"en{n}", f"de{n}") for n in range(200)]


def test_one_half_calibrates_and_the_other_is_reported(encoder):
    found = quality(encoder, PAIRS, [], LANGUAGES)
    assert found["calibrated_on_pairs"] == 100
    assert found["retrieval"]["pairs"] == 100
    assert found["retrieval"]["p_at_1_x100"] == pytest.approx(75, abs=5)
    lines = examples(encoder, PAIRS, LANGUAGES)
    assert lines[:2] == ["hit: en101", "      finds: de101"]
    assert (lines[2], lines[4]) == ("miss: en100", "      right: de100")
    assert not any(text in repr(found) for pair in PAIRS for text in pair)  # it may be private
    # what is reported changes nothing of what is calibrated
    others = PAIRS[:100] + PAIRS[150:] + PAIRS[100:150]
    other = quality(encoder, others, [], LANGUAGES)
    assert other["thresholds"] == found["thresholds"]
    assert examples(encoder, others, LANGUAGES) != lines


def test_halves_with_a_text_in_common_are_refused(encoder):
    same = [(f"en{n}", "de0") for n in range(8)]
    with pytest.raises(TandemError, match="first 4 pairs to measure on, and each of the others"):
        evaluated(encoder, same, LANGUAGES)
    measured = evaluated(encoder, [*same, ("en9", "de9")], LANGUAGES)
    assert measured["retrieval"]["pairs"] == 1


def test_an_encoder_with_thresholds_is_not_calibrated_again(encoder):
    before = evaluated(encoder, PAIRS, LANGUAGES)
    assert before["calibrated_on_pairs"] == 100
    encoder.metadata["quality"] = {"thresholds": dict.fromkeys(map(str, Score), 0.5)}
    after = evaluated(encoder, [*PAIRS, *PAIRS], LANGUAGES)
    assert after["thresholds"]["cosine"] == 0.5
    assert after["retrieval"]["pairs"] == 200  # a pair counts once
    with pytest.raises(TandemError, match="3 different pairs are too few"):
        evaluated(encoder, PAIRS[:3], LANGUAGES)


def test_a_threshold_is_found_or_it_is_said_why_not(encoder):
    with pytest.raises(TandemError, match="no calibrated threshold"):
        calibrated(encoder, Score.RATIO, LANGUAGES)
    encoder.metadata["quality"] = {"thresholds": {"ratio": 1.1, "cosine": 0.4}}
    assert calibrated(encoder, Score.RATIO, LANGUAGES) == 1.1
    assert calibrated(encoder, Score.COSINE, LANGUAGES, k=8) == 0.4
    with pytest.raises(TandemError, match="over 4 neighbours, not 8"):
        calibrated(encoder, Score.RATIO, LANGUAGES, k=8)


@pytest.mark.parametrize(("unknown", "absent"), [(5, False), (6, True), (100, True)])
@pytest.mark.parametrize("sides", [(0,), (1,), (0, 1)])
def test_thresholds_are_finite_or_absent(unknown, absent, sides):
    pairs = translated(100, 0.5)
    for side in sides:
        pairs[side][:unknown] = 0  # no word of these sentences is known
    limits = thresholds(pairs, crowd(50))
    assert (limits == {}) == absent
    assert all(map(np.isfinite, limits.values()))


def test_a_ratio_that_true_pairs_do_not_have_is_absent():
    # a side is opposite to all of the other: a ratio has no positive denominator
    left = np.ones((40, 2), np.float32)
    assert set(thresholds(Sides(left, -left), crowd(0, 2))) == {"cosine", "distance"}


def test_what_has_no_threshold_is_not_reported(encoder):
    unheard = [(f"a{n}", f"b{n}") for n in range(40)]
    figures = evaluated(encoder, [*PAIRS[:20], *unheard], LANGUAGES)
    assert figures["thresholds"] == {}
    assert figures.keys() == {"thresholds", "calibrated_on_pairs", "retrieval"}
    json.dumps(figures, allow_nan=False)
    encoder.metadata["quality"] = figures
    with pytest.raises(TandemError, match="for the ratio: of the pairs to calibrate on too many"):
        calibrated(encoder, Score.RATIO, LANGUAGES)


def test_similarity_is_that_of_sentence_transformers(encoder, tmp_path):
    from scipy import stats

    path = tmp_path / "sts.tsv"
    draw = np.random.default_rng(3)
    rows = [(5 * draw.random(), *draw.integers(0, 200, 2)) for _ in range(80)]
    path.write_text("".join(f"{score:.2f}\ten{a}\tde{b}\n" for score, a, b in rows))
    found = similarity(encoder, path, LANGUAGES)
    left = encoder.encode([f"en{a}" for _, a, _ in rows], "en")
    right = encoder.encode([f"de{b}" for _, _, b in rows], "de")
    unit = [side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right)]
    gold = [round(score, 2) for score, *_ in rows]
    cosines = (unit[0] * unit[1]).sum(1)
    assert found.pairs == 80
    r, rho = stats.pearsonr(gold, cosines)[0], stats.spearmanr(gold, cosines)[0]
    assert found.pearson_x100.estimate == pytest.approx(100 * r, abs=1e-4)
    assert found.spearman_x100.estimate == pytest.approx(100 * rho, abs=0.5)  # float32 ties
    assert found.pearson_x100.low < found.pearson_x100.estimate < found.pearson_x100.high
