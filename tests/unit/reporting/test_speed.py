"""Speeds, measured by a job of its own, as a table of any study."""

from types import SimpleNamespace

import numpy as np
import pytest

from tandem.files.io import write_json
from tandem.registry import ConfigurationError
from tandem.reporting.table import TABLES

VALUES = {
    "kind": "speed", "title": "How fast", "encoders": ["lstm", "sp"], "setting": "en-cs",
    "baselines": ["muse"], "source": "verses", "languages": ["en", "en-old"], "notes": "Noted.",
}  # fmt: skip


def entry(name, unseen, device="cpu", **more):
    return {"name": name, "device": device, "threads": 2, "unseen": unseen, "tokenisation": None,
            "seen": {"128": 4000.0, "1024": 80.0}, "training": []} | more  # fmt: skip


SPEEDS = [
    # a third of the text at 50 a second and the rest at 200 takes as long as all at 100
    entry("lstm.en-cs", [50.0, 200.0, 200.0], tokenisation=0.05, training=[20.0, 40.0, 40.0]),
    entry("sp.en-cs", [1000.0, 4000.0, 4000.0], tokenisation=0.9, training=[5000.0] * 3),
    entry("muse", [500.0] * 3, "cuda (Card)"),
]


@pytest.fixture
def timed(material, tmp_path):
    def make(*speeds, sentencepiece=4000.0):
        found = {"sentences": 5000, "sentencepiece": sentencepiece, "speeds": speeds,
                 "load": 0.25, "processors": 2}  # fmt: skip
        write_json(tmp_path / "times.json", found)
        table, known = TABLES.parse(VALUES), material(speeds=[tmp_path / "times.json"])
        return table, known, table.build(known)

    return make


def test_a_row_has_rates_over_all_parts_and_its_share_of_the_limit(timed):
    frame = timed(*SPEEDS)[2].frame
    assert list(frame.columns) == [
        "encoder", "name", "device", "threads", "unseen_per_s", "unseen_slowest_per_s",
        "unseen_fastest_per_s", "seen_batch_128_per_s", "seen_batch_1024_per_s",
        "tokenisation_share", "training_pairs_per_s",
        "sentencepiece_per_s", "unseen_sentencepiece_share",
    ]  # fmt: skip
    rows = frame.set_index("encoder")
    found = ["unseen_per_s", "unseen_slowest_per_s", "unseen_fastest_per_s"]
    assert rows.loc["SP", found].to_list() == pytest.approx([2000.0, 1000.0, 4000.0])
    assert rows.loc["SP", "unseen_sentencepiece_share"] == pytest.approx(0.5)
    assert rows.loc["LSTM", "training_pairs_per_s"] == pytest.approx(30.0)
    none = ["tokenisation_share", "training_pairs_per_s", "unseen_sentencepiece_share"]
    assert rows.loc["MUSE", none].isna().all()


def test_markdown_is_fastest_first_and_relative_to_the_slowest(timed):
    lines = timed(*SPEEDS)[2].markdown.split("\n")
    rows = [line for line in lines if line.startswith(("| SP", "| LSTM", "| MUSE"))]
    assert rows[0] == "| SP | cpu | 2,000 | 20.0 | 50% | 4,000 | 80 | 90% | 5,000 |"
    assert rows[1].startswith("| MUSE | cuda (Card) | 500 | 5.0 |  |")
    assert rows[2] == "| LSTM | cpu | 100 | 1.0 | 2% | 4,000 | 80 | 5% | 30 |"
    text = "\n".join(lines)
    assert text.startswith("# How fast\n")
    assert text.endswith("without segmentation. Noted.\n")
    assert "SentencePiece alone encodes 4,000 a second" in text
    assert "in batches of 128, on text that the encoder has not read before" in text
    assert "The load of this one was 0.2 before, on 2 processors" in text


def test_without_a_model_of_sentencepiece_there_is_no_limit(timed):
    table, material, report = timed(*SPEEDS, sentencepiece=None)
    assert report.frame["unseen_sentencepiece_share"].isna().all()
    assert "SentencePiece alone" not in report.markdown
    figure = table.plot("figures/speed", report.frame, material)
    assert "SentencePiece alone" not in [t.get_text() for t in figure.legends[0].get_texts()]


def test_figure_has_the_fastest_on_top_and_the_limit(timed):
    table, material, report = timed(*SPEEDS)
    figure = table.plot("figures/speed", report.frame, material)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["SP (cpu), 2,000", "MUSE (cuda), 500", "LSTM (cpu), 100"]
    assert axes.get_xscale() == "log"
    once, again = axes.containers
    assert list(once.lines[0].get_xdata()) == pytest.approx([2000.0, 500.0, 100.0])
    spans = np.array(once.lines[2][0].get_segments())[:, :, 0]  # from the slowest to the fastest
    assert spans == pytest.approx(np.array([[1000, 4000], [500, 500], [50, 200]]))
    assert list(again.lines[0].get_xdata()) == [4000.0] * 3
    assert [4000.0, 4000.0] in [list(line.get_xdata()) for line in axes.get_lines()]


def planned(sts=None, **values):
    """Return a table, and a plan that has it and another."""
    table = TABLES.parse(VALUES | values)
    tables = {"other": TABLES.parse(VALUES | {"repeats": 3}), "mine": table}
    path = "/".join
    study = SimpleNamespace(tables=tables, sts=sts)
    return table, SimpleNamespace(study=study, path=lambda *parts: path(["results", *parts]))


def test_times_have_the_name_of_the_table():
    table, plan = planned()
    assert table.inputs(plan) == {"speeds": ["results/benchmarks/mine.json"]}


def test_without_a_corpus_the_sentences_of_sts_are_read():
    table, plan = planned(sts="archives", source=None)
    assert table.sources() == []
    assert table.inputs(plan) == {"speeds": ["results/benchmarks/mine.json"]}
    table, plan = planned(source=None)
    with pytest.raises(ConfigurationError, match=r"tables\.mine\.source: .*name a corpus"):
        table.inputs(plan)


def test_the_job_that_times_is_told_what_it_needs():
    table = TABLES.parse(VALUES)
    assert table.sources() == ["verses"]
    assert table.measured() == {
        "language": "en", "sentences": 128000, "batches": [128, 1024], "repeats": 5,
        "seconds": 10, "training_pairs": 6400, "seed": 1,
    }  # fmt: skip
