"""Table 4's claims, on speeds that a job of its own measures."""

import pytest

from tandem.files.io import write_json
from tandem.reporting.claims import judge
from tandem.reporting.table import TABLES

VALUES = {
    "title": "Table 4: encoding speed", "encoders": ["lstm", "sp", "trigram", "lstm-sp"],
    "setting": "bitext", "baselines": ["muse", "minilm"], "source": "verses",
}  # fmt: skip


def entry(name, unseen, device="cpu", **more):
    return {"name": name, "device": device, "threads": 2, "unseen": unseen, "tokenisation": None,
            "seen": {"128": 4000.0, "1024": 80.0}, "training": []} | more  # fmt: skip


@pytest.fixture
def timed(made, plan):
    def make(*speeds):
        found = {"sentences": 5000, "sentencepiece": 4000.0, "speeds": speeds,
                 "load": 0.25, "processors": 2}  # fmt: skip
        write_json(plan.root / "benchmarks/table4.json", found)
        plan.study.tables = {"table4": TABLES.parse({"kind": "speed", **VALUES})}
        return made("speed", VALUES, name="table4")

    return make


def claims_of(made):
    _, given, report = made
    return {c.claim.removeprefix("wieting2019.table4."): c for c in judge(given, report)}


def test_speeds_on_unseen_text_and_of_training_are_compared_turn_by_turn(timed):
    claims = claims_of(timed(
        entry("sp.bitext", [200.0, 400.0, 800.0], training=[50.0, 60.0, 50.0]),
        # 2, 2 and 4 times slower
        entry("trigram.bitext", [100.0, 200.0, 200.0], training=[90.0, 100.0, 90.0]),
        entry("lstm-sp.bitext", [20.0, 40.0, 80.0], training=[5.0, 6.0, 5.0]),
    ))  # fmt: skip
    assert claims["faster.cpu.trigram"].statistic == pytest.approx(4 ** (2 / 3))
    assert claims["faster.cpu.trigram"].verdict == "undecided"
    assert claims["faster.cpu.lstm-sp"].verdict == "description"  # it could hardly fail
    assert claims["faster.cpu.lstm-sp"].statistic == pytest.approx(10.0)
    assert claims["trains-faster.cpu.trigram"].verdict == "contradicted"
    assert claims["trains-faster.cpu.lstm-sp"].statistic == pytest.approx(10.0)
    assert claims["trains-faster.cpu.lstm-sp"].verdict == "description"
    assert len(claims) == 4


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
        entry("sp.bitext", [10.0, 10.0], "cuda (Card)"),
        entry("trigram.bitext", [20.0, 20.0], "cuda (Card)"),
    ))  # fmt: skip
    assert claims["faster.cpu.trigram"].verdict == "supported"
    assert claims["faster.cuda.trigram"].verdict == "contradicted"
    assert not claims_of(
        timed(entry("lstm.bitext", [1.0, 2.0]), entry("trigram.bitext", [1.0, 2.0]))
    )
