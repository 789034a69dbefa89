"""Table 4: speeds, measured by a job of its own."""

import numpy as np
import pytest

from tandem.io import write_json
from tandem.reporting.claims import judge

VALUES = {
    "encoders": ["lstm", "sp", "trigram", "lstm-sp"], "setting": "bitext",
    "source": "verses", "languages": ["en", "en-old"], "baselines": ["muse", "minilm"],
}  # fmt: skip


def entry(name, unseen, device="cpu", **more):
    return {"name": name, "device": device, "threads": 2, "unseen": unseen, "tokenisation": None,
            "seen": {"128": 4000.0, "1024": 80.0}, "training": []} | more  # fmt: skip


SPEEDS = [
    # a third of the text at 50 a second and the rest at 200 takes as long as all at 100
    entry("lstm.bitext", [50.0, 200.0, 200.0], tokenisation=0.05, training=[20.0, 40.0, 40.0]),
    entry("sp.bitext", [1000.0, 4000.0, 4000.0], tokenisation=0.9, training=[5000.0] * 3),
    entry("muse", [500.0] * 3, "cuda"),
]


@pytest.fixture
def timed(made, plan):
    def make(*speeds, sentencepiece=4000.0):
        found = {"sentences": 5000, "sentencepiece": sentencepiece, "speeds": speeds,
                 "load": 0.25, "processors": 2}  # fmt: skip
        write_json(plan.root / "benchmarks/speed.json", found)
        return made("table4", VALUES)

    return make


def claims_of(made):
    _, given, report = made
    return {c.claim.removeprefix("wieting2019.table4."): c for c in judge(given, report)}


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
    assert rows.loc["Multilingual USE", none].isna().all()


def test_markdown_is_fastest_first_and_relative_to_the_slowest(timed):
    lines = timed(*SPEEDS)[2].markdown.split("\n")
    rows = [line for line in lines if line.startswith(("| SP", "| LSTM", "| Multi"))]
    assert rows[0] == "| SP | cpu | 2,000 | 20.0 | 50% | 4,000 | 80 | 90% | 5,000 |"
    assert rows[1].startswith("| Multilingual USE | cuda | 500 | 5.0 |  |")
    assert rows[2] == "| LSTM | cpu | 100 | 1.0 | 2% | 4,000 | 80 | 5% | 30 |"
    text = "\n".join(lines)
    assert "SentencePiece alone encodes 4,000 a second" in text
    assert "in batches of 128, on text that the encoder has not read before" in text
    assert "The load of this one was 0.2 before, on 2 processors" in text


def test_without_a_model_of_sentencepiece_there_is_no_limit(timed):
    table, given, report = timed(*SPEEDS, sentencepiece=None)
    assert report.frame["unseen_sentencepiece_share"].isna().all()
    assert "SentencePiece alone" not in report.markdown
    figure = table.plot("figures/table4", report.frame, given)
    assert "SentencePiece alone" not in [t.get_text() for t in figure.legends[0].get_texts()]


def test_figure_has_the_fastest_on_top_and_the_limit(timed):
    table, given, report = timed(*SPEEDS)
    figure = table.plot("figures/table4", report.frame, given)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["SP (cpu), 2,000", "Multilingual USE (cuda), 500", "LSTM (cpu), 100"]
    assert axes.get_xscale() == "log"
    once, again = axes.containers
    assert list(once.lines[0].get_xdata()) == pytest.approx([2000.0, 500.0, 100.0])
    spans = np.array(once.lines[2][0].get_segments())[:, :, 0]  # from the slowest to the fastest
    assert spans == pytest.approx(np.array([[1000, 4000], [500, 500], [50, 200]]))
    assert list(again.lines[0].get_xdata()) == [4000.0] * 3
    assert [4000.0, 4000.0] in [list(line.get_xdata()) for line in axes.get_lines()]


def test_speeds_on_unseen_text_and_of_training_are_compared_turn_by_turn(timed):
    claims = claims_of(timed(
        entry("sp.bitext", [200.0, 400.0, 800.0], training=[50.0, 60.0, 50.0]),
        # 2, 2 and 4 times slower
        entry("trigram.bitext", [100.0, 200.0, 200.0], training=[90.0, 100.0, 90.0]),
        entry("lstm-sp.bitext", [20.0, 40.0, 80.0], training=[5.0, 6.0, 5.0]),
    ))  # fmt: skip
    assert claims["faster.cpu.trigram"].statistic == pytest.approx(4 ** (2 / 3))
    assert claims["faster.cpu.trigram"].verdict == "undecided"
    assert claims["faster.cpu.lstm-sp"].verdict == "supported"
    assert claims["faster.cpu.all"].statistic == pytest.approx(4 ** (2 / 3))
    assert claims["trains-faster.cpu.trigram"].verdict == "contradicted"
    assert claims["trains-faster.cpu.lstm-sp"].statistic == pytest.approx(10.0)
    assert len(claims) == 6


def test_hundreds_of_times_means_a_hundred_at_least(timed):
    claims = claims_of(timed(
        entry("sp.bitext", [1000.0, 1010.0]), entry("muse", [2.0, 2.0]), entry("minilm", [50.0] * 2)
    ))  # fmt: skip
    assert claims["hundreds.cpu.multilingual-use"].verdict == "supported"
    assert claims["hundreds.cpu.minilm"].verdict == "contradicted"
    assert claims["hundreds.cpu.all"].verdict == "contradicted"


def test_every_device_is_judged_by_its_own_times_and_without_sp_nothing_is(timed):
    claims = claims_of(timed(
        entry("sp.bitext", [10.0, 10.0]), entry("trigram.bitext", [5.0, 5.0]),
        entry("sp.bitext", [10.0, 10.0], "cuda"), entry("trigram.bitext", [20.0, 20.0], "cuda"),
    ))  # fmt: skip
    assert claims["faster.cpu.trigram"].verdict == "supported"
    assert claims["faster.cuda.trigram"].verdict == "contradicted"
    assert not claims_of(
        timed(entry("lstm.bitext", [1.0, 2.0]), entry("trigram.bitext", [1.0, 2.0]))
    )


def test_the_job_that_times_is_told_what_it_needs(made, plan, timed):
    table, _, _ = timed(*SPEEDS)
    assert table.experiments(plan)[:2] == ["lstm.bitext", "sp.bitext"]
    assert table.sources() == ["verses"]
    assert table.measured() == {
        "language": "en", "sentences": 128000, "batches": [128, 1024], "repeats": 5,
        "seconds": 10, "training_pairs": 6400, "seed": 1,
    }  # fmt: skip
