"""Table 4: speeds, measured by a job of its own."""

import pytest

from tandem.io import write_json
from tandem.reporting.claims import judge

VALUES = {
    "encoders": ["lstm", "sp", "trigram", "lstm-sp"], "setting": "bitext", "bitext": "en-es",
    "baselines": ["muse", "minilm"],
}  # fmt: skip


def entry(name, passes, device="cpu", large=None, **more):
    return {"name": name, "device": device, "threads": 2, "first": 90.0, "tokenisation": None,
            "passes": {"128": passes, "1024": large or [80.0] * len(passes)}} | more  # fmt: skip


SPEEDS = [
    entry("lstm.bitext", [100.0, 90.0, 110.0], tokenisation=0.05),
    entry("sp.bitext", [2000.0, 1900.0, 2100.0], first=900.0, tokenisation=0.9,
          large=[3000.0, 2000.0, 4000.0]),
    entry("muse", [500.0] * 3, "cuda", large=[600.0] * 3),
]  # fmt: skip


@pytest.fixture
def timed(made, plan):
    def make(*speeds, sentencepiece=4000.0):
        found = {"sentences": 5000, "sentencepiece": sentencepiece, "speeds": speeds}
        write_json(plan.root / "benchmarks/speed.json", found)
        return made("table4", VALUES)

    return make


def claims_of(made):
    _, given, report = made
    return {c.claim.removeprefix("wieting2019.table4."): c for c in judge(given, report)}


def test_a_row_names_its_best_batch_and_its_share_of_the_limit(timed):
    frame = timed(*SPEEDS)[2].frame
    assert list(frame.columns) == [
        "encoder", "name", "device", "threads", "first_per_s", "batch_128_per_s",
        "batch_1024_per_s", "best_batch", "best_per_s", "tokenisation_share",
        "sentencepiece_per_s", "batch_128_sentencepiece_share", "batch_1024_sentencepiece_share",
    ]  # fmt: skip
    rows = frame.set_index("encoder")
    assert rows.loc["SP", "best_batch"] == 1024
    shares = ["batch_128_sentencepiece_share", "batch_1024_sentencepiece_share"]
    assert rows.loc["SP", shares].to_list() == [0.5, 0.75]
    assert rows.loc["LSTM", "best_per_s"] == 100.0
    assert rows.loc["Multilingual USE", ["tokenisation_share", *shares]].isna().all()


def test_markdown_is_fastest_first_and_relative_to_the_slowest(timed):
    lines = timed(*SPEEDS)[2].markdown.split("\n")
    rows = [line for line in lines if line.startswith(("| SP", "| LSTM", "| Multi"))]
    assert rows[0] == "| SP | cpu | 900 | 2,000 | 3,000 | 3,000 (1024) | 30.0 | 90% | 50% / 75% |"
    assert rows[1].startswith("| Multilingual USE | cuda")
    assert rows[2].endswith("| 1.0 | 5% | 2% / 2% |")
    assert "SentencePiece alone encodes 4,000 a second" in "\n".join(lines)


def test_without_a_model_of_sentencepiece_there_is_no_limit(timed):
    table, given, report = timed(*SPEEDS, sentencepiece=None)
    assert report.frame["batch_1024_sentencepiece_share"].isna().all()
    assert "SentencePiece alone" not in report.markdown
    figure = table.plot("figures/table4", report.frame, given)
    assert "SentencePiece alone" not in [t.get_text() for t in figure.legends[0].get_texts()]


def test_figure_has_the_fastest_on_top_and_the_limit(timed):
    table, given, report = timed(*SPEEDS)
    figure = table.plot("figures/table4", report.frame, given)
    (axes,) = figure.axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["SP (cpu), 3,000", "Multilingual USE (cuda), 600", "LSTM (cpu), 100"]
    assert axes.get_xscale() == "log"
    first, best = axes.containers
    assert list(first.lines[0].get_xdata()) == [900.0, 90.0, 90.0]
    assert list(best.lines[0].get_xdata()) == [3000.0, 600.0, 100.0]
    assert [4000.0, 4000.0] in [list(line.get_xdata()) for line in axes.get_lines()]


def test_speeds_are_compared_at_the_first_batch_size(timed):
    claims = claims_of(timed(
        entry("sp.bitext", [200.0, 400.0, 800.0]),
        entry("trigram.bitext", [100.0, 200.0, 200.0]),  # 2, 2 and 4 times slower
        entry("lstm-sp.bitext", [20.0, 40.0, 80.0]),
    ))  # fmt: skip
    assert claims["faster.cpu.trigram"].statistic == pytest.approx(4 ** (2 / 3))
    assert claims["faster.cpu.trigram"].verdict == "undecided"
    assert claims["faster.cpu.lstm-sp"].verdict == "supported"
    assert claims["faster.cpu.all"].statistic == pytest.approx(4 ** (2 / 3))
    assert len(claims) == 3


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
    assert table.measured() == {
        "language": "en", "sentences": 10000, "batches": [128, 1024], "repeats": 5,
        "seconds": 10, "seed": 1,
    }  # fmt: skip
