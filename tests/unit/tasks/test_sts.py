"""STS scores from a toy encoder whose vectors are known."""

import json

import numpy as np
import pytest
from tandem.tasks.pair_scores import PairScores

from tandem.errors import InputError, TandemError
from tandem.statistics.correlation import pearson
from tandem.tasks import pair_scores as pairs
from tandem.tasks import sts

ANGLES = {"a": 0.0, "b": 30.0, "c": 60.0, "d": 90.0}
LANGUAGES = {"2017.track4b.es-en": ["en", "es"]}


class AngleEncoder:
    """A letter is a unit vector at its angle, times 3 (rows are not normalised); others are 0."""

    def __init__(self):
        self.seen = []

    def encode(self, sentences, language=None, batch_size=1024):
        sentences = list(sentences)
        self.seen.append((language, len(sentences)))
        degrees = np.radians([ANGLES.get(s, 0.0) for s in sentences])
        known = np.array([3.0 * (s in ANGLES) for s in sentences])
        return (known * np.stack([np.cos(degrees), np.sin(degrees)])).T.astype(np.float32)


def write_folder(folder, tasks):
    """Tasks given as name -> (year, lines)."""
    index = []
    for name, (year, lines) in tasks.items():
        (folder / f"{name}.tsv").write_text("".join("\t".join(x) + "\n" for x in lines))
        short, languages = name.partition(".")[2], LANGUAGES.get(name, ["en", "en"])
        entry = {"task": short, "year": str(year), "file": f"{name}.tsv", "languages": languages}
        index.append(entry | {"pairs": len(lines), "of": None, "complete": False})
    (folder / "index.json").write_text(json.dumps({"tasks": index, "missing": []}))


ONE = [("5", "a", "a"), ("3", "a", "c"), ("0", "a", "d")]
TWO = [("0", "a", "a"), ("2", "a", "c"), ("5", "a", "d")]
THREE = [("4", "b", "a"), ("1", "a", "d"), ("5", "c", "c"), ("2", "", "a")]


@pytest.fixture
def folder(tmp_path):
    write_folder(
        tmp_path,
        {
            "2012.one": (2012, ONE),
            "2012.two": (2012, TWO),
            "2013.three": (2013, THREE),
            "2017.track4b.es-en": (2017, ONE),
        },
    )
    return tmp_path


def test_scores_by_hand(folder):
    scores, cosines = sts.score_sts(
        AngleEncoder(), folder, ["2012.one", "2012.two", "2013.three"], 200, 3
    )
    r = [
        pearson([5, 3, 0], [1, 0.5, 0]),
        pearson([0, 2, 5], [1, 0.5, 0]),
        pearson([4, 1, 5, 2], [np.cos(np.pi / 6), 0, 1, 0]),  # an empty sentence has cosine 0
    ]
    found = [task["pearson_x100"] for task in scores["tasks"]]
    assert found == pytest.approx([100 * value for value in r], abs=1e-3)
    assert scores["years"] == {
        "2012": pytest.approx(50 * (r[0] + r[1]), abs=1e-3),
        "2013": pytest.approx(100 * r[2], abs=1e-3),
    }
    # The mean of the two years, not of the three tasks
    assert scores["mean_of_years"] == pytest.approx(25 * (r[0] + r[1]) + 50 * r[2], abs=1e-3)
    assert scores["mean_of_years_low"] <= scores["mean_of_years"] <= scores["mean_of_years_high"]
    assert scores["metric"] == "pearson_x100"
    assert scores["tasks"][2] == {
        "task": "2013.three", "year": 2013, "pairs": 4, "pearson_x100": pytest.approx(found[2])
    }
    assert len(cosines.cosine[2]) == 4
    json.dumps(scores)


def test_interval_equals_resampling_within_each_task(folder):
    tasks = ["2012.one", "2013.three"]
    scores, cosines = sts.score_sts(AngleEncoder(), folder, tasks, 100, 3)
    draws = pairs.bootstrap_means([cosines], 100, 3)[:, 0]
    low, high = 100 * np.quantile(draws, [0.025, 0.975])
    assert scores["mean_of_years_low"] == pytest.approx(low, abs=1e-4)
    assert scores["mean_of_years_high"] == pytest.approx(high, abs=1e-4)
    # Adding a task leaves the draws of the others as they were
    one, _ = (sts.score_sts(AngleEncoder(), folder, [t], 100, 3) for t in tasks)
    alone = pairs.bootstrap_means([one[1]], 100, 3)[:, 0]
    other = pairs.bootstrap_means([_[1]], 100, 3)[:, 0]
    np.testing.assert_allclose(draws, (alone + other) / 2, atol=1e-12)


def test_languages_come_from_the_index_not_from_the_name(folder):
    encoder = AngleEncoder()
    sts.score_sts(encoder, folder, ["2017.track4b.es-en", "2012.one"], 10, 0)
    assert [language for language, _ in encoder.seen] == ["en", "es", "en", "en"]


def test_task_weights_average_years_not_tasks():
    np.testing.assert_allclose(pairs.task_weights([2012, 2012, 2013]), [0.25, 0.25, 0.5])


def test_tasks_of_years(folder):
    index = sts.read_index(folder)
    assert sts.tasks_of(index, [2013, 2012]) == ["2012.one", "2012.two", "2013.three"]


def test_unknown_task_is_refused_with_the_known_ones(folder):
    with pytest.raises(TandemError, match="no task 2012.none; it holds 2012.one, 2012.two"):
        sts.score_sts(AngleEncoder(), folder, ["2012.none"], 10, 0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5\ta\tb\n1\ta\n", "line 2: 2 columns"),
        ("5\ta\tb\tc\n", "line 1: 4 columns"),
        ("five\ta\tb\n", "line 1: the score 'five'"),
        ("nan\ta\tb\n", "line 1: the score 'nan'"),
        ("5.5\ta\tb\n", "line 1: the score '5.5'"),
        ("2\ta\tb\n2\tc\td\n", "no two different scores"),
        ("", "no two different scores"),
    ],
)
def test_a_faulty_task_is_refused(tmp_path, text, message):
    path = tmp_path / "2012.bad.tsv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        sts.read_task(path)


def test_cosine_of_a_zero_vector_is_zero_and_of_nan_refused():
    zero, one = np.zeros((1, 2), np.float32), np.ones((1, 2), np.float32)
    assert sts.cosine_similarity(zero, one) == [0.0]
    with pytest.raises(TandemError, match="pair 2: training diverged"):
        sts.cosine_similarity(np.array([[1.0, 0], [np.nan, 0]]), np.ones((2, 2)))


def test_selection_score_of_segmented_sentences():
    table = np.array([[1.0, 0.0], [0.5, np.sqrt(0.75)], [0.0, 1.0]])
    gold = np.array([5.0, 3.0, 0.0])
    score = sts.select_score(lambda ids: table[ids], np.zeros(3, int), np.arange(3), gold)
    assert score == pytest.approx(100 * pearson(gold, [1, 0.5, 0]))
    # A collapsed model scores 0: it must neither stop training nor be selected
    assert sts.select_score(lambda ids: np.ones((3, 2)), None, None, gold) == 0


def make(cosine, gold=(1.0, 2.0, 3.0), name="2012.x"):
    return PairScores((name,), (2012,), (np.array(gold),), (np.array(cosine),))


def test_pair_scores_round_trip_with_the_same_bytes(tmp_path):
    scores = PairScores(
        ("2012.x", "2013.y"), (2012, 2013),
        (np.array([1.0, 2.0, 3.0]), np.array([0.0, 5.0])),
        (np.array([0.1, 0.2, 0.3]), np.array([-1.0, 1.0])),
    )
    first, second = tmp_path / "1.npz", tmp_path / "2.npz"
    pairs.write_pairs(first, scores)
    pairs.write_pairs(second, scores)
    assert first.read_bytes() == second.read_bytes()
    back = pairs.read_pairs(first)
    assert (back.tasks, back.years) == (scores.tasks, scores.years)
    for old, new in zip(scores.gold + scores.cosine, back.gold + back.cosine, strict=True):
        np.testing.assert_array_equal(old, new)


@pytest.mark.parametrize("other", [make([1, 2, 3], (1, 2, 4)), make([1, 2, 3], name="2012.z")])
def test_systems_scored_on_different_pairs_are_not_compared(other):
    with pytest.raises(TandemError, match="different pairs"):
        pairs.bootstrap_means([make([1, 2, 4]), other], 10, 0)
