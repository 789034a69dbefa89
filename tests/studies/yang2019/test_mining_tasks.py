"""Mining with rescoring, the order of candidates, and what went wrong."""

import json

import numpy as np
import pytest

from tandem.search.margins import MinedPairs, Retrieval
from yang2019.methods import candidates, classifiers, comparable, failures, mined, texts
from yang2019.tasks.hidden_mining import HiddenMining
from yang2019.tasks.ranked_mining import RankedMining, average_precision
from yang2019.tasks.rescoring import UNIT, Rescoring


@pytest.fixture
def task(searched, tmp_path):
    folder = tmp_path / "task"
    comparable.hide(searched, "de", comparable.Comparable(share=0.2, section=10), folder)
    return folder


def test_a_task_is_hidden_in_what_is_searched(task, searched):
    english = {line.split("\t")[1] for line in searched.read_text("utf-8").split("\n")[:-1]}
    for part in ("training", "test"):
        rows = (task / f"{part}.en").read_text("utf-8").split("\n")[:-1]
        assert {row.split("\t")[1] for row in rows} <= english
        assert len((task / f"{part}.gold").read_text("utf-8").split("\n")) - 1 == 30


def test_mining_is_the_librarys_on_the_studys_tasks(encoder, task):
    kind = HiddenMining()
    items = kind.score(encoder, {"mining": task})
    assert len(kind.units(items)) == 6
    assert kind.estimate(items, "cosine.forward") > 95
    assert kind.details(items)["methods"]["yang-9.backward"]["training"]["f1"] > 95


def test_the_thresholds_of_both_ways_come_from_one_search(encoder, searched, monkeypatch):
    text, searches = texts.read(searched), []
    pairs = [(text.english[left], text.other[right]) for left, right in text.pairs[:50]]
    pairs += [(pairs[0][0], "q r s")]  # an English sentence with another translation
    nearest = mined.nearest
    monkeypatch.setattr(mined, "nearest", lambda *a: searches.append(a) or nearest(*a))
    least = mined.chosen_thresholds(encoder, pairs, "de", 2 << 10)
    assert len(searches) == 1
    # each sentence is nearest to its translation; nothing like "q r s" is English
    assert list(least) == ["forward", "backward"]
    assert max(least.values()) == pytest.approx(1)


def test_average_precision_by_hand():
    items = {
        "source": np.array([0, 1, 2, 3]),
        "gold": np.array([True, False, True, False]),
        "wanted": np.array([1, 0, 1, 0, 1]),
    }
    once = np.ones(5, np.int64)
    # found at places 1 and 3 of three: (1 / 1 + 2 / 3) / 3
    assert average_precision(items, once) == pytest.approx((1 + 2 / 3) / 3)
    # without the false one, and the first twice: 1 at recall 2/4 and 3/4
    assert average_precision(items, np.array([2, 0, 1, 1, 1])) == pytest.approx(0.75)


def test_ranked_candidates_have_a_curve_and_failures(encoder, task):
    kind = RankedMining()
    items = kind.score(encoder, {"mining": task})
    assert kind.estimate(items, kind.units(items)[0]) == pytest.approx(100)
    found = kind.details(items)
    assert found["curve"][-1][0] == 1 and found["false_negatives"] == []
    drawn = kind.draws([items, items], "average-precision", 5, 1)
    assert drawn.shape == (2, 5) and (drawn[0] == drawn[1]).all()
    json.dumps(found)


def made(pairs, gold, wanted, texts):
    source, target, score = (np.array(column) for column in zip(*pairs, strict=True))
    ids = [[f"{side}{n}" for n in range(len(own))] for side, own in zip("se", texts, strict=True)]
    mined = MinedPairs(source, target, score.astype(float))
    return candidates.Candidates(mined, np.array(gold), wanted, texts, ids, np.zeros((0, 6)), None)


def test_failures_are_sorted_by_what_went_wrong():
    texts = (
        ["Männer verdienen 26.397 im Jahr", "ganz nah", "kurz", "gefunden", "fern"],
        ["Men earn 52,454 a year", "quite near", "short, and then a great deal more is said",
         "found", "far away", "nearer"],
    )  # fmt: skip
    pairs = [(0, 0, 0.96), (2, 2, 0.9), (1, 1, 0.85), (4, 5, 0.7), (3, 3, 0.6)]
    found = failures.sorted_out(made(pairs, [False] * 4 + [True], [(3, 3), (4, 4)], texts), 0.8, 9)
    kinds = {entry["source_id"]: entry["kind"] for entry in found["false_positives"]}
    assert kinds == {"s0": "numbers", "s2": "partial", "s1": "other"}
    negatives = {entry["source_id"]: entry for entry in found["false_negatives"]}
    assert negatives["s3"]["kind"] == "threshold" and negatives["s3"]["cosine"] == 0.6
    assert negatives["s4"]["kind"] == "neighbour" and negatives["s4"]["nearer"] == "nearer"
    assert found["counts"]["positives.numbers"] == found["counts"]["negatives.neighbour"] == 1


def test_numbers_are_compared_by_their_digits():
    assert candidates.numbers("in 1,874 or 3.5%") == candidates.numbers("3,5 % um 1.874")
    assert candidates.numbers("12 and 13") != candidates.numbers("12 and 14")


def test_a_tenth_of_what_is_learned_from_is_gold_and_a_fifth_is_held_back():
    gold = np.arange(600) < 20
    found = classifiers.divide(gold, 3)
    every = np.concatenate(found)
    assert len(every) == len(set(every.tolist())) == 220
    assert gold[found.learned].sum() == 16 and gold[found.development].sum() == 4
    assert len(found.development) == 44


def test_a_light_classifier_tells_translations_from_near_sentences(encoder, task):
    kind = Rescoring()
    items = kind.score(encoder, {"mining": task})
    assert kind.estimate(items, UNIT) > 90
    found = kind.details(items)
    assert found["test"]["gold"] == 30 and found["development"]["gold"] == 6
    assert kind.draws([items], UNIT, 5, 1).shape == (1, 5)


@pytest.fixture
def bert(tmp_path):
    """A small BERT with random weights, and word pieces of the text."""
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "w", "##x"]
    (tmp_path / "vocab.txt").write_text("\n".join([*words, *(f"##{n}" for n in range(400))]))
    folder = tmp_path / "bert"
    BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(folder)
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    vocabulary = len(words) + 400
    config = BertConfig(vocab_size=vocabulary, intermediate_size=16, num_labels=2, **size)
    BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_a_bert_is_fine_tuned_by_its_folder(encoder, task, bert):
    found = [
        candidates.find(encoder, task, part, Retrieval.FORWARD, 4, 2 << 30)
        for part in ("training", "test")
    ]
    division = classifiers.divide(found[0].gold, 1)
    said = [
        classifiers.fine_tuned(str(bert), *found, division, seed, 2, 16, 1e-3) for seed in (1, 1)
    ]
    assert [len(one) for one in said[0]] == [len(one.gold) for one in found]
    assert all(((part > 0) & (part < 1)).all() for part in said[0])
    assert (said[0][1] == said[1][1]).all()
    kind = Rescoring(model=str(bert), epochs=1)
    items = kind.score(encoder, {"mining": task})
    assert 0 <= kind.estimate(items, UNIT) <= 100
