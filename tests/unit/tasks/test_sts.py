"""STS scores from a toy encoder whose vectors are known."""

import json
import zlib

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.registry import ConfigurationError
from tandem.statistics.correlation import pearson
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.task import TASKS, read_items, write_scores

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
YEARS = Sts(years=[2012, 2013])
TRACK = "2017.track4b.es-en"


@pytest.fixture
def folder(tmp_path):
    write_folder(
        tmp_path,
        {
            "2012.one": (2012, ONE),
            "2012.two": (2012, TWO),
            "2013.three": (2013, THREE),
            TRACK: (2017, ONE),
        },
    )
    return tmp_path


@pytest.fixture
def items(folder):
    return YEARS.score(AngleEncoder(), {"sts": folder})


SUBSETS = {"first": ["2012.one", "2013.three"], "absent": ["2012.one", "2016.none"]}


def test_a_subset_averages_its_tasks_alone_and_needs_them_all(items):
    task = Sts(years=[2012, 2013], subsets=SUBSETS)
    assert task.units(items) == ["2012", "2013", "mean", "first"]
    r = {entry["task"]: entry["r_x100"] for entry in task.details(items)["tasks"]}
    expected = (r["2012.one"] + r["2013.three"]) / 2
    assert task.estimate(items, "first") == pytest.approx(expected, abs=1e-3)
    assert task.count(items, "first") == 7
    assert task.estimate(items, "mean") == YEARS.estimate(items, "mean")


def test_a_subset_is_the_same_whatever_else_was_scored():
    task = Sts(years=[2012, 2013], subsets={"few": ["2012.a", "2013.c"]})
    whole = noisy(1.0, 3)
    kept = np.r_[0:40, 80:110]
    fewer = {
        "task": whole["task"][[0, 2]], "year": whole["year"][[0, 2]],
        "offsets": np.array([0, 40, 70]),
        "gold": whole["gold"][kept], "cosine": whole["cosine"][kept],
    }  # fmt: skip
    assert task.estimate(whole, "few") == task.estimate(fewer, "few")
    draws = [task.draws([items], "few", 50, 1) for items in (whole, fewer)]
    assert np.array_equal(*draws)
    assert not np.array_equal(*(task.draws([items], "mean", 50, 1) for items in (whole, fewer)))


@pytest.mark.parametrize("name", ["mean", "2012"])
def test_a_subset_has_a_name_of_its_own(name):
    with pytest.raises(ConfigurationError, match="another figure's name"):
        TASKS.parse({"kind": "sts", "years": [2012], "subsets": {name: ["2012.one"]}})


def noisy(noise, seed, tasks=("2012.a", "2012.b", "2013.c")):
    """Items of 40, 40 and 30 pairs whose cosine is the human score with this much noise."""
    gold = np.random.default_rng(0).uniform(0, 5, 110)
    return {
        "task": np.array(tasks),
        "year": np.array([2012, 2012, 2013]),
        "offsets": np.array([0, 40, 80, 110]),
        "gold": gold,
        "cosine": gold + noise * np.random.default_rng(seed).normal(size=110),
    }


def test_scores_by_hand(items):
    r = [
        pearson([5, 3, 0], [1, 0.5, 0]),
        pearson([0, 2, 5], [1, 0.5, 0]),
        pearson([4, 1, 5, 2], [np.cos(np.pi / 6), 0, 1, 0]),  # an empty sentence has cosine 0
    ]
    assert YEARS.units(items) == ["2012", "2013", "mean"]
    assert YEARS.estimate(items, "2012") == pytest.approx(50 * (r[0] + r[1]))
    assert YEARS.estimate(items, "2013") == pytest.approx(100 * r[2])
    # The mean of the two years, not of the three tasks
    assert YEARS.estimate(items, "mean") == pytest.approx(25 * (r[0] + r[1]) + 50 * r[2])
    assert [YEARS.count(items, unit) for unit in YEARS.units(items)] == [6, 4, 10]
    assert YEARS.details(items)["tasks"][2] == {
        "task": "2013.three", "year": 2013, "pairs": 4, "r_x100": pytest.approx(100 * r[2])
    }  # fmt: skip


def test_named_tasks_are_units_of_their_own(folder):
    kind = Sts(tasks=[TRACK, "2013.three", "2017.track1.ar-ar"])
    items = kind.score(AngleEncoder(), {"sts": folder})
    assert kind.units(items) == [TRACK, "2013.three"]  # the third is not at hand
    assert kind.estimate(items, TRACK) == pytest.approx(100 * pearson([5, 3, 0], [1, 0.5, 0]))
    assert kind.count(items, "2013.three") == 4


def test_only_tasks_in_the_languages_of_the_encoder_are_scored(folder):
    encoder = AngleEncoder()
    encoder.languages = ["en", "cs"]
    items = Sts(tasks=[TRACK, "2012.one"]).score(encoder, {"sts": folder})
    assert list(items["task"]) == ["2012.one"]
    nothing = Sts(tasks=[TRACK]).score(encoder, {"sts": folder})
    assert Sts(tasks=[TRACK]).units(nothing) == []


def test_languages_come_from_the_index_not_from_the_name(folder):
    encoder = AngleEncoder()
    Sts(tasks=[TRACK, "2012.one"]).score(encoder, {"sts": folder})
    assert [language for language, _ in encoder.seen] == ["en", "es", "en", "en"]


def test_a_year_without_a_task_is_refused(folder):
    with pytest.raises(TandemError, match="no task of 2014, 2016. Leave the year out"):
        Sts(years=[2012, 2014, 2016]).score(AngleEncoder(), {"sts": folder})


@pytest.mark.parametrize("values", [{}, {"years": [2012], "tasks": ["2012.one"]}])
def test_years_or_tasks_must_be_given(values):
    with pytest.raises(ConfigurationError, match="give years or tasks"):
        TASKS.parse({"kind": "sts", **values})


def test_draws_of_the_mean_join_those_of_tasks_drawn_alone():
    one = noisy(1.0, 1)
    kind = Sts(tasks=list(one["task"]))
    alone = [kind.draws([one], task, 100, 3)[0] for task in one["task"]]
    mean = YEARS.draws([one], "mean", 100, 3)[0]
    np.testing.assert_allclose(mean, (alone[0] + alone[1]) / 4 + alone[2] / 2, atol=1e-9)
    np.testing.assert_allclose(YEARS.draws([one], "2013", 100, 3)[0], alone[2], atol=1e-9)


def test_draws_resample_the_pairs_of_a_task_from_its_own_stream():
    one = noisy(1.0, 1)
    rng = np.random.default_rng([3, zlib.crc32(b"2013.c")])
    index = rng.integers(30, size=(50, 30))
    gold, cosine = one["gold"][80:], one["cosine"][80:]
    expected = [100 * np.corrcoef(gold[row], cosine[row])[0, 1] for row in index]
    np.testing.assert_allclose(YEARS.draws([one], "2013", 50, 3)[0], expected)


def test_systems_meet_the_same_resamples_whatever_their_company():
    systems = [noisy(1.0, 1), noisy(2.0, 2), noisy(0.5, 3)]
    together = YEARS.draws(systems, "mean", 40, 5)
    assert together.shape == (3, 40)
    np.testing.assert_allclose(together[2:], YEARS.draws(systems[2:], "mean", 40, 5), atol=1e-9)


def test_systems_scored_on_different_pairs_are_not_compared():
    changed = noisy(1.0, 1) | {"gold": np.arange(110.0)}
    for other in (changed, noisy(1.0, 1, ("2012.a", "2012.b", "2013.z"))):
        with pytest.raises(TandemError, match="different pairs"):
            YEARS.draws([noisy(1.0, 1), other], "mean", 10, 0)


def test_a_constant_cosine_scores_zero():
    flat = noisy(0.0, 0) | {"cosine": np.ones(110)}
    assert YEARS.estimate(flat, "mean") == 0
    assert (YEARS.draws([flat], "mean", 20, 0) == 0).all()


def test_score_files_hold_figures_and_items_with_the_same_bytes(tmp_path, items):
    origin = {"study": "s", "experiment": "e.x", "seed": 1, "task": "sts", "code": "c"}
    rows = write_scores(tmp_path / "one", YEARS, items, origin)
    write_scores(tmp_path / "two", YEARS, items, origin)
    for ending in ("json", "npz"):
        one, two = (tmp_path / f"{name}.{ending}" for name in ("one", "two"))
        assert one.read_bytes() == two.read_bytes()
    stored = json.loads((tmp_path / "one.json").read_text())
    assert stored["rows"] == rows
    assert rows[-1] == {"unit": "mean", "value": round(YEARS.estimate(items, "mean"), 4)}
    assert (stored["metric"], stored["experiment"]) == ("pearson_x100", "e.x")
    back = read_items(tmp_path / "one.npz")
    assert back.keys() == items.keys()
    for name, array in items.items():
        np.testing.assert_array_equal(back[name], array)
