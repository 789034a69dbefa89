"""Coverage counted by hand, and the correlation over the pairs that a vocabulary covers."""

from types import SimpleNamespace

import numpy as np
import pytest

from tandem.errors import TandemError
from tandem.files.io import write_json
from tandem.registry import ConfigurationError
from tandem.segmentation.kinds.trigrams import Trigrams
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter
from tandem.statistics.correlation import pearson
from tandem.tasks.sts_data import read_index
from tandem.tasks.task import TASKS
from wieting2019.methods.coverage import share_read, token_counts

WORDS = Segmenter(Words(), ["a", "cat", "sat", "."], {"en": None})
SUBSETS = {"common": ["2012.a"], "every": ["2012.a", "2013.b"]}
TASK = TASKS.parse({"kind": "covered-pairs", "years": [2012, 2013], "subsets": SUBSETS})
TEXT = {
    "2012.a": [("5", "A cat.", "a cat"), ("1", "a cat", "a sat"), ("3", "a dog", "a cat"),
               ("2", "cat sat", "a")],
    "2013.b": [("0", "sat", "cat"), ("4", "sat.", "cow"), ("5", "cat", "cat")],
}  # fmt: skip
COVERED = [True, True, False, True, True, False, True]


class Angles:
    """A sentence is a unit vector at an angle of its length."""

    metadata = {"seed": 7}

    def encode(self, sentences, language=None, batch_size=1024):
        angles = np.array([len(s) / 10 for s in sentences])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).reshape(-1, 2)


def cosine(first, second):
    return np.cos((len(first) - len(second)) / 10)


@pytest.fixture
def data(tmp_path):
    entries = []
    for name, lines in TEXT.items():
        (tmp_path / f"{name}.tsv").write_text("".join("\t".join(x) + "\n" for x in lines))
        entries.append({"file": f"{name}.tsv", "languages": ["en", "en"]})
    write_json(tmp_path / "index.json", {"tasks": entries, "missing": []})
    (tmp_path / "seed7/segmenter").mkdir(parents=True)
    WORDS.save(tmp_path / "seed7/segmenter")
    return {"sts": tmp_path, "seed7": tmp_path / "seed7"}


def test_tokens_are_counted_by_hand():
    counts = token_counts(WORDS, "en", ["A cat sat.", "the dog, a dog", ""])
    assert counts.tolist() == [[4, 5, 0], [4, 1, 0]]  # the, dog, a comma and dog are not there
    trigrams = Segmenter(Trigrams(), [" do"], {"en": None})
    # of "dog" there is a trigram, of "a" none
    assert token_counts(trigrams, "en", ["a dog"]).tolist() == [[2], [1]]


def test_the_share_read_by_hand(data):
    index = read_index(data["sts"])
    # 2012.a: 3 + 2, 2 + 2, 2 + 2, 2 + 1 tokens, all but dog
    # 2013.b: 1 + 1, 2 + 1, 1 + 1, all but cow
    assert share_read(WORDS, data["sts"], index, ["2012.a"]) == pytest.approx(100 * 15 / 16)
    assert share_read(WORDS, data["sts"], index, [*TEXT]) == pytest.approx(100 * 21 / 23)


def test_pairs_with_an_unknown_word_do_not_count(data):
    items = TASK.score(Angles(), data)
    assert items["covered"].tolist() == COVERED
    assert not items["cosine"][[2, 5]].any()
    assert TASK.units(items) == ["mean", "common", "every"]
    assert [TASK.count(items, unit) for unit in ("common", "every")] == [3, 5]
    assert [task["pairs"] for task in TASK.details(items)["tasks"]] == [3, 2]
    pairs = [pair for pair, kept in zip(TEXT["2012.a"], COVERED, strict=False) if kept]
    expected = pearson(*np.array([(float(g), cosine(a, b)) for g, a, b in pairs]).T)
    assert TASK.estimate(items, "common") == pytest.approx(100 * expected)


def test_r_is_within_tasks(data):
    items = TASK.score(Angles(), data)
    gold, cosines, kept = items["gold"], items["cosine"], items["covered"]
    parts = []
    for part in (slice(0, 4), slice(4, 7)):
        sides = gold[part][kept[part]], cosines[part][kept[part]]
        parts.append([side - side.mean() for side in sides])
    x, y = (np.concatenate(side) for side in zip(*parts, strict=True))
    assert TASK.estimate(items, "every") == pytest.approx(100 * (x @ y) / np.sqrt(x @ x * (y @ y)))
    moved = items | {"gold": gold + np.repeat([0.0, 100.0], [4, 3])}
    assert TASK.estimate(moved, "every") == pytest.approx(TASK.estimate(items, "every"))


def drawn(seed, covered=None, size=300):
    """Items of two tasks whose cosine is the human score with noise."""
    gold, random = np.random.default_rng(0).uniform(0, 5, size), np.random.default_rng(seed)
    return {
        "task": np.array(["2012.a", "2013.b"]),
        "year": np.array([2012, 2013]),
        "offsets": np.array([0, size // 2, size]),
        "gold": gold,
        "cosine": gold + 3 * random.normal(size=size),
        "covered": random.random(size) < 0.6 if covered is None else covered,
    }


def test_draws_are_those_of_resampled_pairs_whichever_count():
    systems = [drawn(1), drawn(2)]
    draws = TASK.draws(systems, "every", 2000, 1)
    assert draws.shape == (2, 2000)
    for system, row in zip(systems, draws, strict=True):
        r = TASK.estimate(system, "every")
        assert row.mean() == pytest.approx(r, abs=1)
        # the standard error of r, roughly
        error = 100 * (1 - (r / 100) ** 2) / np.sqrt(TASK.count(system, "every"))
        assert row.std() == pytest.approx(error, rel=0.25)
    assert np.array_equal(draws[1:], TASK.draws(systems[1:], "every", 2000, 1))
    some = [drawn(1, np.arange(300) < 0)] * 2  # no pair is covered: nothing varies
    assert not TASK.draws(some, "every", 10, 1).any() and TASK.estimate(some[0], "every") == 0


def test_systems_of_other_tasks_are_not_compared():
    other = drawn(2) | {"task": np.array(["2012.a", "2013.c"])}
    with pytest.raises(TandemError, match="scored on other tasks"):
        TASK.draws([drawn(1), other], "mean", 5, 1)


def test_each_seed_has_the_vocabulary_of_its_own_sample(data):
    plan = SimpleNamespace(
        path=lambda *parts: "/".join(parts),
        setting=lambda name: SimpleNamespace(encoders=["sp"] + ["word"] * (name != "sp.x")),
        models=lambda names: [f"models/{name}/seed{seed}" for name in names for seed in (1, 2)],
    )
    assert TASK.inputs(plan, "sp.bitext-es") == {
        "sts": "corpora/sts",
        "seed1": "models/word.bitext-es/seed1",
        "seed2": "models/word.bitext-es/seed2",
    }
    with pytest.raises(ConfigurationError, match="settings.x does not train word"):
        TASK.inputs(plan, "sp.x")
    with pytest.raises(TandemError, match="word has no seed7, whose vocabulary"):
        TASK.score(Angles(), {"sts": data["sts"]})
