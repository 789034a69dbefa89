"""The filtering experiments: texts, scores of pairs, conditions, and what is trained and chosen."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from tandem.corpora.collection import Part
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.errors import TandemError
from tandem.objectives.kinds.margin import Margin
from tandem.registry import Kind, Settings
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn
from tandem.tasks.task import MEAN
from tandem.training.recipe import Recipe
from tandem.training.run import Run
from wieting2017.methods import classifier, conditions, runs, texts
from wieting2017.methods.conditions import EVERYTHING, Condition, Kept
from wieting2017.methods.items import items_at
from wieting2017.methods.scoring import score
from wieting2017.methods.settings import Experiment
from wieting2017.methods.starts import starts
from wieting2017.methods.texts import Candidate
from wieting2017.methods.word_vectors import word_shares

VALUES = {
    "candidates": 60,
    "size": 20,
    "development": "development",
    "test": "test",
    "growth": [10],
    "texts": {
        "bt": {"label": "a", "backtranslation": "bt"},
        "random": {"label": "r", "control": "random", "of": "bt"},
    },
    "filters": {
        "length": {"label": "l", "score": "length", "bounds": [(None, 3), (4, None), (99, 99)]},
        "half": {"label": "half", "score": "overlap-1", "bounds": [(None, 0.5)], "shares": True},
        "cost": {"label": "cost", "score": "cost", "bounds": [(None, 1)]},
    },
    "encoders": {
        "avg": {"label": "AVG", "encoder": "avg", "objective": "m", "recipe": "r",
                "filters": ["length", "half", "cost"], "learning_rates": [0.001, 0.01, 0.1]},
    },
}  # fmt: skip
WORDS = "the a old cat dog house sees paints likes red green very".split()


def sentences(count, seed):
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, random.integers(2, 7))) for _ in range(count)]


@pytest.fixture(scope="module")
def segmenter(tmp_path_factory):
    folder = tmp_path_factory.mktemp("words")
    return learn(Words(size=50), {"en": lambda: sentences(200, 0)}, folder)


@pytest.fixture
def candidates():
    pairs = zip(sentences(60, 1), sentences(60, 2), strict=True)
    return [Candidate(a, b, 0.1 * i) for i, (a, b) in enumerate(pairs)]


def test_back_translated_text_comes_with_its_costs(tmp_path):
    (tmp_path / "test.en").write_text("one\ntwo\n")
    (tmp_path / "test.en-bt").write_text("uno\ndos\n")
    (tmp_path / "test.en-bt.scores.tsv").write_text("log_probability\ttokens\n-3\t4\n-1\t0\n")
    found = list(texts.back_translated(tmp_path, ("en", "en-bt"), "test"))
    assert found == [("one", "uno", 0.75), ("two", "dos", 1.0)]
    texts.write(tmp_path, found, 2)
    assert texts.read(tmp_path) == found and texts.read_apart(tmp_path) == []
    with pytest.raises(Exception, match="has 2 pairs, and 3 are asked for"):
        texts.write(tmp_path, found, 3)


def test_two_versions_of_a_text_are_paired_or_any_two(tmp_path):
    parts = [Part("v", *sides) for sides in (("en", "en-a"), ("en", "en-b"), ("en-a", "en-b"))]
    (tmp_path / "train").mkdir()
    for part in (*parts, Part("v", "en", "de")):
        (tmp_path / f"train/v.{part.left}.{part.right}.tsv").write_text(
            f"k\t{part.left} 1\t{part.right} 1\nk\t{part.left} 2\t{part.right} 2\n"
        )
    every = [*parts, Part("v", "en", "de")]
    assert len(list(texts.versions(tmp_path, every, None, 1))) == 6
    one = {pair.sides for pair in texts.versions(tmp_path, every, ["en-b", "en-a"], 1)}
    assert one == {("en-a 1", "en-b 1"), ("en-a 2", "en-b 2")}
    with pytest.raises(TandemError, match="no pairs of en and en-c; there are en and en-a, en and"):
        list(texts.versions(tmp_path, every, ["en", "en-c"], 1))


def test_random_pairs_are_never_a_sentence_with_itself(candidates):
    found = list(texts.control(candidates, "random", 1))
    places = {one.reference: i for i, one in enumerate(candidates)}
    others = [places[one.paraphrase] for one in found]
    assert sorted(others) == sorted(places.values())
    assert all(own != other for own, other in enumerate(others))
    assert all(a == b for a, b, _ in texts.control(candidates, "identical", 1))


def test_pairs_have_all_scores(candidates, segmenter):
    apart = list(zip(sentences(80, 3), sentences(80, 4), strict=True))
    scores, about = score(candidates, apart, segmenter, 1)
    assert sorted(scores) == sorted([
        "length", "cost", "overlap-1", "overlap-2", "overlap-3", "bleu", "fluency",
        "reference-avg", "reference-lstm", "cosine",
    ])  # fmt: skip
    assert np.isfinite(scores.to_numpy()).all()
    assert scores["length"].tolist() == [len(one.paraphrase.split()) for one in candidates]
    assert scores["reference-avg"].between(0, 1).all()
    assert about["reference-avg"]["majority"] == 0.5
    assert scores["cosine"].between(-1, 1).all()
    without, _ = score([one._replace(cost=None) for one in candidates], [], segmenter, 1)
    assert not {"cost", "fluency", "cosine"} & set(without)


def test_the_cosine_is_of_the_encoder_that_is_given_or_of_one_trained_on_pairs_held_apart(
    candidates, segmenter
):
    table = np.eye(len(segmenter), 8, dtype=np.float32)
    given = SentenceEncoder(segmenter, Averaging(dimension=8), table)
    pair = Candidate("the a", "a the", None)
    scores, _ = score([pair, *candidates], [], segmenter, 1, given)
    assert scores["cosine"][0] == 1
    vectors = [given.encode([one[side] for one in candidates], "en") for side in (0, 1)]
    lengths = np.prod([np.linalg.norm(side, axis=1) for side in vectors], axis=0)
    expected = (vectors[0] * vectors[1]).sum(1) / np.maximum(lengths, 1e-9)
    assert scores["cosine"][1:].to_numpy() == pytest.approx(expected, abs=1e-5)
    # what always comes together in the pairs held apart is near to each other
    apart = [(f"{a} cat", f"{a} dog") for a in sentences(300, 5)]
    apart += [(f"{a} house", f"{a} very") for a in sentences(300, 6)]
    tried = [Candidate("cat", "dog", None), Candidate("cat", "very", None)]
    own, _ = score(tried, apart, segmenter, 1)
    assert own["cosine"][0] > own["cosine"][1] + 0.2


def test_of_a_translator_s_own_text_the_share_is_told(tmp_path):
    pairs = [Candidate(text, "x", 1.0) for text in ("One two", "three", "four")]
    texts.write(tmp_path, pairs, 3)
    (tmp_path / "apart.tsv").write_text("five\ty\n")
    (tmp_path / "train.en").write_text("one  two\nnever\n")
    assert texts.met_share(tmp_path, tmp_path / "train.en") == 0.25


def test_a_classifier_tells_what_can_be_told(segmenter):
    pairs = [(f"{a} cat", f"{b} dog") for a, b in zip(sentences(300, 1), sentences(300, 2),
                                                     strict=True)]  # fmt: skip
    pairs = [(a.replace("dog", "house"), b.replace("cat", "house")) for a, b in pairs]
    kind = Averaging(dimension=16)
    trained = classifier.train(segmenter, kind, pairs, 1)
    assert trained.accuracy > 0.85 and trained.majority == 0.5
    like, unlike = trained.probabilities(["the cat", "the dog"])
    assert like > unlike + 0.01
    again = classifier.train(segmenter, kind, pairs, 1)
    assert again.probabilities(["a cat sees"]) == trained.probabilities(["a cat sees"])


def test_conditions_are_every_bound_of_every_filter_that_a_text_has():
    experiment = Experiment(**VALUES)
    scores = pd.DataFrame({"length": [1.0, 3, 5, 7], "overlap-1": [0.0, 0.2, 0.8, 1.0]})
    found = conditions.tried(experiment, "avg", scores)
    assert [each.name for each in found] == ["length"] * 3 + ["half"]  # no costs here
    assert found[3].kept[0].high == pytest.approx(0.5)
    passing = [each.passing(scores).tolist() for each in found]
    assert passing[0] == passing[3] == [True, True, False, False]
    assert passing[1] == [False, False, True, True] and not any(passing[2])
    both = conditions.combined([found[0], found[3]], "combined")
    assert both.passing(scores).tolist() == passing[0]


def test_what_is_drawn_overlaps_as_far_as_it_can():
    everything, half = np.ones(100, bool), np.arange(100) % 2 == 0
    all_drawn, half_drawn = (conditions.drawn(each, 30, 1) for each in (everything, half))
    assert set(all_drawn[half[all_drawn]]) <= set(half_drawn)
    assert half[half_drawn].all() and len(set(half_drawn)) == 30
    assert conditions.drawn(half, 51, 1) is None
    assert not np.array_equal(all_drawn, conditions.drawn(everything, 30, 2))


class FakeTask(Kind):
    """Scores an encoder by one number of its table."""

    more: float = 0.0

    def score(self, encoder, data):
        return {"x": np.array([encoder.table.sum()], dtype=np.float64), "same": np.array([1, 2])}

    def units(self, items):
        return [MEAN]

    def estimate(self, items, unit):
        return float(items["x"][0]) % 10 + self.more


def bench(tmp_path, candidates, segmenter):
    scores = pd.DataFrame({"length": [len(one.paraphrase.split()) for one in candidates]})
    scores["overlap-1"] = np.linspace(0, 1, len(candidates))
    recipe = Recipe(epochs=1, batch=10, dropout=0.0, learning_rate=0.01)
    run = Run(Averaging(dimension=4), Margin(megabatch=1, anneal=0), recipe, 0)
    tasks = {name: (FakeTask(), {}) for name in ("development", "test")}
    text = runs.Text.of(candidates, scores, segmenter)
    return runs.Bench(text, run, segmenter, {}, tasks, tmp_path / "log.jsonl", "salt")


def test_bounds_are_chosen_on_development_and_then_trained_with_all_seeds(
    tmp_path, candidates, segmenter
):
    experiment = Experiment(**VALUES)
    found = runs.run_all(bench(tmp_path, candidates, segmenter), experiment, "bt", "avg", [1, 2])
    assert [len(part) for part in found.values()] == [6, 8, 8, 4]
    assert all("test" not in result and "items" not in result for result in found["rates"])
    assert [r["seed"] for r in found["rates"]] == [1, 2] * 3
    by_rate = {rate: found["rates"][2 * n : 2 * n + 2] for n, rate in enumerate([0.001, 0.01, 0.1])}
    assert all(r["learning_rate"] == rate for rate, some in by_rate.items() for r in some)
    rates = {r["learning_rate"] for part in ("bounds", "chosen", "growth") for r in found[part]}
    assert rates == {runs._chosen_rate(by_rate, 0.01)}
    assert "development" not in found["bounds"][4] and found["bounds"][4]["passing"] == 0
    names = [result["filter"] for result in found["chosen"]][::2]
    assert names[0] == "none" and names[-1] == "combined" and {*names[1:-1]} == {"length", "half"}
    of_length = [r for r in found["bounds"] if r["filter"] == "length" and "development" in r]
    by_bound = [of_length[:2], of_length[2:]]
    best = max(by_bound, key=lambda some: sum(result["development"][MEAN] for result in some))
    assert [r for r in found["chosen"] if r["filter"] == "length"] == best
    assert {result["size"] for result in found["growth"]} == {10}
    again = bench(tmp_path, candidates, segmenter)
    lines = (tmp_path / "log.jsonl").read_text().splitlines()
    # stopped after five, by a full disk
    (tmp_path / "log.jsonl").write_text("\n".join(lines[:5]) + "\n" + lines[5][:30])
    assert runs.run_all(again, experiment, "bt", "avg", [1, 2]) == found
    before = (tmp_path / "log.jsonl").read_text().splitlines()
    longer = Experiment(**{**VALUES, "growth": [10, 15]})
    assert len(runs.run_all(again, longer, "bt", "avg", [1, 2])["growth"]) == 8
    after = (tmp_path / "log.jsonl").read_text().splitlines()
    assert after[: len(before)] == before and len(after) == len(before) + 4  # only what is new
    control = runs.run_all(again, experiment, "random", "avg", [1, 2])
    assert [len(part) for part in control.values()] == [6, 0, 2, 0]


def test_items_are_kept_beside_the_log_and_then_together(tmp_path, candidates, segmenter):
    experiment = Experiment(**VALUES)
    one = bench(tmp_path, candidates, segmenter)
    found = runs.run_all(one, experiment, "bt", "avg", [1, 2])
    file = next(iter((tmp_path / "log").iterdir()))
    file.unlink()  # a training whose items are gone is made again
    assert runs.run_all(one, experiment, "bt", "avg", [1, 2]) == found and file.exists()
    assert all("items" in result for result in (*found["chosen"], *found["growth"]))
    assert not any("items" in result for result in found["rates"])  # nothing of them is reported
    joined = runs.gathered(found)
    places = [result["items"] for result in found["chosen"]]
    assert len({*places}) == len(places)  # those of a bound with the first seed stand there, too
    for result in (*found["chosen"], *found["bounds"]):
        if "items" in result:
            items = items_at(joined, result["items"], "test")
            assert items["same"].tolist() == [1, 2]
            assert float(items["x"][0]) % 10 == pytest.approx(result["test"][MEAN], abs=1e-3)
    assert "test.same" in joined and not any(n.endswith(".test.same") for n in joined)


def test_a_training_is_scored_anew_where_tasks_are_others(tmp_path, candidates, segmenter):
    one, trial = bench(tmp_path, candidates, segmenter), runs.Trial(EVERYTHING, 1, 20, 0.01)
    (first,) = one.results([trial])
    changed = one.tasks | {"test": (FakeTask(more=5), {})}
    (second,) = replace(one, tasks=changed).results([trial])
    assert second["test"][MEAN] == pytest.approx(first["test"][MEAN] + 5, abs=1e-3)
    (third,) = replace(one, tasks=one.tasks | {"further": (FakeTask(), {})}).results([trial])
    assert third["further"] == first["test"]
    assert len(one.log.read_text().splitlines()) == 3
    assert [*replace(one, tasks=dict(reversed(one.tasks.items()))).results([trial])] == [first]
    assert len(one.log.read_text().splitlines()) == 3  # their order says nothing


def test_a_rate_is_as_usual_unless_another_is_better_than_seeds_tell():
    def scored(*values):
        return [{"development": {MEAN: value}} for value in values]

    lucky = {0.0003: scored(55, 55), 0.001: scored(63, 65), 0.004: scored(66, 64)}
    assert runs._chosen_rate(lucky, 0.001) == 0.001  # the best by chance is another
    better = {0.0003: scored(58, 59), 0.001: scored(53, 54), 0.004: scored(40, 42)}
    assert runs._chosen_rate(better, 0.001) == 0.0003


def test_encoders_are_scored_as_training_starts_from_them(tmp_path, candidates, segmenter):
    one = bench(tmp_path, candidates, segmenter)
    shares = word_shares(segmenter, sentences(200, 0))
    np.save(tmp_path / "shares.npy", shares)
    encoder = VALUES["encoders"]["avg"] | {"frequent": 0.1}
    experiment = Experiment(**(VALUES | {"encoders": {"avg": encoder}}))
    first, file = ("avg", segmenter, one.run.encoder, [1, 2], []), tmp_path / "shares.npy"
    weighed, plain = (starts(e, *first, file) for e in (experiment, Experiment(**VALUES)))
    norms = [np.linalg.norm(each[1].table, axis=1) for each in (weighed, plain)]
    ratio = norms[0] / norms[1]
    assert ratio == pytest.approx(0.1 / (0.1 + shares), rel=1e-5)
    found, joined = runs.untrained(weighed, one.tasks)
    assert [(r["seed"], r["size"], r["filter"]) for r in found] == [(1, 0, "none"), (2, 0, "none")]
    for result in found:
        items = items_at(joined, result["items"], "test")
        assert items["x"][0] == pytest.approx(weighed[result["seed"]].table.sum(), rel=1e-5)


def test_the_same_seed_trains_on_the_same_text_alike(tmp_path, candidates, segmenter):
    one = bench(tmp_path, candidates, segmenter)
    trial = runs.Trial(EVERYTHING, 1, 20, 0.01)
    everything = Condition("wide", (Kept("wide", "length", None, 99),))
    first, same = one.results([trial, runs.Trial(everything, 1, 20, 0.01)])
    assert first["test"] == same["test"]


def test_the_best_two_filters_are_combined_of_those_that_enough_pairs_pass():
    scores = pd.DataFrame({"a": [0.0, 1, 2, 3], "b": [3.0, 2, 1, 0], "c": [0.0, 0, 0, 1]})
    low_a, low_b, low_c = (Condition(n, (Kept(n, n, None, high),)) for n, high in
                           (("a", 1), ("b", 1), ("c", 0)))  # fmt: skip
    (both,) = runs._best_two([low_a, low_b, low_c], scores, 2)
    assert both.name == "combined" and [kept.filter for kept in both.kept] == ["a", "c"]
    assert runs._best_two([low_a, low_b], scores, 1) == []
    assert [kept.filter for kept in runs._best_two([low_a, low_b], scores, 0)[0].kept] == ["a", "b"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"texts": {"a": {"label": "a"}}}, "give backtranslation, collection, bitext, or control"),
        ({"texts": {"a": {"label": "a", "control": "random", "of": "b"}}}, "no text 'b'"),
        ({"compare": ["c"]}, "compare: no text 'c'"),
        ({"texts": {"a": {"label": "a", "bitext": "b", "versions": ("en", "de")}}}, "versions: th"),
        ({"texts": {"untrained": VALUES["texts"]["bt"]}}, "untrained is no name of a text"),
        ({"filters": {"none": VALUES["filters"]["half"]}}, "no filter 'length'|names of filters"),
    ],
)
def test_what_makes_no_sense_is_refused(change, said):
    assert issubclass(Experiment, Settings)
    with pytest.raises(ValueError, match=said):
        Experiment(**(VALUES | change))
