"""Values of the losses are chosen on the validation books, by one rule."""

import importlib.util
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.files.io import write_json, write_lines
from tandem.training.history import Epoch

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def dual(monkeypatch):
    """The program that tries values; it imports its neighbour."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    described = importlib.util.spec_from_file_location("dual", BENCHMARKS / "dual.py")
    module = importlib.util.module_from_spec(described)
    monkeypatch.setitem(sys.modules, "dual", module)
    described.loader.exec_module(module)
    return module


def options(**changed):
    grid = {"scales": [40.0, 10.0, 20.0], "rates": [], "multipliers": []}
    return SimpleNamespace(values=["sp.both-ways"], **grid | changed)


@pytest.mark.parametrize(
    ("figures", "chosen"),
    [
        ([[90.0], [92.0], [91.0]], "(20.0,)"),  # one seed: the best of 10, 20 and 40
        ([[92.0, 90], [92.5, 91], [80, 85]], "(20.0,)"),
        ([[92.0, 91], [92.5, 90.9], [80, 85]], "(10.0,)"),  # the first within a standard error
    ],
)
def test_the_lowest_scale_is_taken_that_is_as_good_as_the_best(
    dual, monkeypatch, capsys, figures, chosen
):
    tried = []
    monkeypatch.setattr(dual, "scores", lambda sets, _: tried.extend(sets) or np.array(figures))
    dual.choose(options())
    assert [dict(changes)["scale"] for _, changes in tried] == ["10.0", "20.0", "40.0"]
    assert capsys.readouterr().out.strip() == f"sp.both-ways: {chosen}"
    with pytest.raises(SystemExit, match="nothing to choose from"):
        dual.choose(options(scales=[]))


def test_what_is_tried_is_scored_without_the_books_that_are_searched(
    dual, monkeypatch, tmp_path, encoder
):
    part = {"source": "books", "left": "en", "right": "de", "train": 9, "valid": 120, "test": 99}
    corpus = tmp_path / "corpora/verses"
    (corpus / "valid").mkdir(parents=True)  # and nothing else: no test split to read
    write_json(corpus / "collection.json", {"parts": [part]})
    lines = [f"{n}\tw{n} w{n + 1}\tw{n}x w{n + 1}x" for n in range(120)]
    write_lines(corpus / "valid/books.en.de.tsv", lines)
    chooses = []

    def trained(run, segmenter, texts, select, **_):
        chooses.append(select)
        return encoder, [Epoch(0, None, 1.0), Epoch(1, 0.5, 60.0)]

    monkeypatch.setattr(dual, "segmented", lambda trial, folder: tmp_path)
    monkeypatch.setattr(dual.Segmenter, "load", lambda path: Segments())
    monkeypatch.setattr(dual, "load_collection", lambda path: [SimpleNamespace(usable=[1, 2])])
    monkeypatch.setattr(dual, "train_encoder", trained)
    trial = dual.Trial("sp.both-ways", "fr", 1, None, (("scale", "10"),))
    entry = dual.train(dual_language(trial), tmp_path)
    assert (entry["p_at_1_x100"], entry["validation"]) == (100.0, [1.0, 60.0])
    assert len(chooses) == 1 and chooses[0] is not None


class Segments:
    """A segmenter of which only the lines that it is asked for count."""

    def encoder(self, language):
        return list


def dual_language(trial):
    """Return a trial of the study's French values, on the German text of this test."""

    class German(type(trial)):
        def values(self):
            return trial.values()

    return German(trial.experiment, "de", trial.seed, trial.pairs, trial.changes)
