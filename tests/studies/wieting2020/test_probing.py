"""Probes of frozen vectors, and the files that they read."""

import numpy as np
import pytest

from tandem.errors import InputError, TandemError
from tandem.registry import ConfigurationError
from tandem.tasks.task import TASKS, read_items, write_scores

SETS = {
    "animals": {"made": "animals"},
    "depth": {"dataset": "senteval-tree-depth"},
    "gender": {"made": "gender-{language}", "language": "{language}", "only": ["fr", "es"]},
}


@pytest.fixture
def task():
    return TASKS.parse({"kind": "probing", "sets": SETS, "strengths": [0.01, 1.0]})


def test_a_probe_reads_the_words_and_not_what_is_not_there(task, words, probing_set, tmp_path):
    items = task.score(words(), {"animals__en": probing_set})
    assert task.units(items) == ["animals"] and task.count(items, "animals") == 120
    [about] = task.details(items)["sets"]
    assert about["set"] == "animals" and about["labels"] == 3
    assert (about["training"], about["validation"], about["test"]) == (240, 60, 120)
    assert about["strength"] in task.strengths and 30 < about["chance_x100"] < 70
    assert task.estimate(items, "animals") > 85 > about["chance_x100"] + 10
    blind = task.score(words(noise=1000.0), {"animals__en": probing_set})
    assert task.estimate(blind, "animals") < about["chance_x100"] + 12
    write_scores(tmp_path / "seed1", task, items, {})
    stored = read_items(tmp_path / "seed1.npz")
    assert task.details(stored) == task.details(items)


def test_scores_repeat_and_share_resamples(task, words, probing_set):
    first = task.score(words(), {"animals__en": probing_set})
    again = task.score(words(), {"animals__en": probing_set})
    assert np.array_equal(first["animals"], again["animals"])
    other = task.score(words(noise=3.0), {"animals__en": probing_set})
    both = task.draws([first, other], "animals", 400, 1)
    assert np.array_equal(both[1:], task.draws([other], "animals", 400, 1))
    rate = first["animals"].mean()
    assert both[0].mean() == pytest.approx(100 * rate, abs=0.5)
    assert both[0].std() == pytest.approx(100 * (rate * (1 - rate) / 120) ** 0.5, rel=0.15)
    with pytest.raises(TandemError, match="judged different items. Score them again"):
        fewer = {name: other[name][:50] for name in ("animals", "animals__groups")}
        task.draws([first, fewer], "animals", 5, 1)


def test_sentences_with_one_meaning_are_drawn_together(task, words, probing_set, tmp_path):
    """A set of three versions of each sentence is as large as its meanings are many."""
    lines, path = probing_set.read_text().splitlines(), tmp_path / "versions.txt"
    path.write_text("".join(f"{line}\t{n}\n" for n, line in enumerate(lines) for _ in range(3)))
    items, tripled = (
        task.score(words(), {"animals__en": file}) for file in (probing_set, path)
    )  # fmt: skip
    assert len(tripled["animals"]) == 360 and task.count(tripled, "animals") == 120
    assert task.units(tripled) == ["animals"]
    rate = tripled["animals"].mean()
    drawn = task.draws([tripled], "animals", 2000, 1)[0]
    assert drawn.std() > 1.5 * 100 * (rate * (1 - rate) / 360) ** 0.5
    # a set without meanings draws its sentences
    assert task.count(items, "animals") == 120
    assert items["animals__groups"].tolist() == list(range(120))


def test_the_strength_is_chosen_on_the_validation_part_alone(words, probing_set, tmp_path):
    """Labels of the test part do not change what is chosen, nor what is predicted."""
    task = TASKS.parse({"kind": "probing", "sets": {"animals": SETS["animals"]}})
    swapped = tmp_path / "swapped.txt"
    lines = probing_set.read_text().splitlines()
    turned = ["te\tcat\t" + line.split("\t")[2] if line.startswith("te") else line
              for line in lines]  # fmt: skip
    swapped.write_text("\n".join(turned) + "\n")
    encoder = words(noise=2.0)
    items, other = (task.score(encoder, {"animals__en": p}) for p in (probing_set, swapped))
    [about], [of_other] = task.details(items)["sets"], task.details(other)["sets"]
    keys = ("strength", "validation_x100")
    assert [about[key] for key in keys] == [of_other[key] for key in keys]
    is_cat = np.array([line.split("\t")[1] == "cat" for line in lines if line.startswith("te")])
    assert np.array_equal(items["animals"][is_cat], other["animals"][is_cat])


def test_sentences_are_limited_by_part(words, probing_set):
    limits = {"training": 50, "validation": 20, "test": 30}
    task = TASKS.parse({"kind": "probing", "sets": {"animals": SETS["animals"]}, **limits})
    items = task.score(words(), {"animals__en": probing_set})
    [about] = task.details(items)["sets"]
    assert {key: about[key] for key in limits} == limits and len(items["animals"]) == 30


def test_inputs_are_the_sets_of_the_language(task, plan):
    places = task.inputs(plan, "bgt.fr")
    assert places == {
        "animals__en": plan.path("probing", "animals.txt"),
        "depth__en": "results/corpora/downloads/senteval-tree-depth",
        "gender__fr": plan.path("probing", "gender-fr.txt"),
    }
    assert "gender__es" in task.inputs(plan, "bgt.es")
    assert set(task.inputs(plan, "bgt.tr")) == {"animals__en", "depth__en"}
    assert task.optional() == ["senteval-tree-depth"]


def test_what_cannot_be_had_is_left_out_and_told(task, words, probing_set, tmp_path, caplog):
    (tmp_path / "unreachable.txt").write_text("no network")
    data = {"animals__en": probing_set, "depth__en": tmp_path}
    assert task.units(task.score(words(), data)) == ["animals"]
    assert f"depth is left out: see {tmp_path}/unreachable.txt" in caplog.text
    (tmp_path / "depth.txt").write_text(probing_set.read_text())
    assert task.units(task.score(words(), data)) == ["animals", "depth"]


def test_an_encoder_is_probed_in_its_languages(task, words, probing_set):
    data = {"animals__en": probing_set, "gender__fr": probing_set}
    assert task.units(task.score(words(languages=("fr",)), data)) == ["gender"]
    with pytest.raises(TandemError, match="no probing set that can be had"):
        task.score(words(languages=("de",)), data)


@pytest.mark.parametrize(
    "text, message",
    [("tr\tcat\n", "line 1: no line of a probing set. Give tr, va or te, a label"),
     ("tr\ta\tb\nxx\ta\tb\n", "line 2: no line of a probing set"),
     ("tr\ta\tb\t1\ntr\ta\tc\n", "line 2: no line of a probing set.*, in all lines or in none,"),
     ("tr\ta\tb\nva\ta\tb\n", "it has no test part. Add lines with te"),
     ("tr\ta\tb\nva\ta\tb\nte\ta\tb\n", "its training part has one label")],
)  # fmt: skip
def test_files_are_refused_with_their_line(task, words, tmp_path, text, message):
    (tmp_path / "set.txt").write_text(text)
    with pytest.raises(InputError, match=message):
        task.score(words(), {"animals__en": tmp_path / "set.txt"})


def test_a_set_has_one_origin():
    for entry in ({}, {"made": "a", "dataset": "b"}):
        with pytest.raises(ConfigurationError, match="give made or dataset"):
            TASKS.parse({"kind": "probing", "sets": {"x": entry}})


def test_text_of_several_languages_is_refused(task, plan):
    plan.sides = lambda corpus: ["en", "fr", "es"]
    with pytest.raises(TandemError, match="English and one other language"):
        task.inputs(plan, "bgt.fr")
