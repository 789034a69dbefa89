import math

import pytest
from scipy import stats
from tandem.reporting.table4_claims import table4_claims

from tandem.reporting.claims import Verdict

LABELS = {"sp.en-cs": "SP", "trigram.en-cs": "TRIGRAM", "lstm-sp.en-cs": "LSTM-SP",
          "word.en-cs": "WORD", "muse": "Multilingual USE", "minilm": "MiniLM"}  # fmt: skip


def entry(name, passes, device="cpu"):
    return {"name": name, "device": device, "passes": {"128": passes, "1024": [1.0] * len(passes)}}


def claims_of(*speeds):
    found = table4_claims({"speeds": speeds}, LABELS, ["muse", "minilm"], "tiny")
    return {claim.claim: claim for claim in found}


def test_a_ratio_is_judged_by_the_t_interval_over_paired_passes():
    claims = claims_of(
        entry("sp.en-cs", [200.0, 400.0, 800.0]),
        entry("trigram.en-cs", [100.0, 200.0, 200.0]),  # 2, 2 and 4 times slower
        entry("lstm-sp.en-cs", [20.0, 40.0, 80.0]),
    )
    claim = claims["table4.faster.cpu.trigram"]
    logs = [math.log(2), math.log(2), math.log(4)]
    low, high = stats.t.interval(0.95, 2, sum(logs) / 3, stats.sem(logs))
    assert claim.statistic == pytest.approx(4 ** (2 / 3))
    assert (claim.ci_low, claim.ci_high) == pytest.approx((math.exp(low), math.exp(high)))
    assert claim.n == 3
    assert claim.verdict == Verdict.UNDECIDED
    assert claims["table4.faster.cpu.lstm-sp"].verdict == Verdict.SUPPORTED
    assert claims["table4.faster.cpu.all"].statistic == pytest.approx(4 ** (2 / 3))
    assert len(claims) == 3


def test_hundreds_of_times_means_a_hundred_at_least():
    claims = claims_of(
        entry("sp.en-cs", [1000.0, 1010.0]), entry("muse", [2.0, 2.0]), entry("minilm", [50.0] * 2)
    )
    assert claims["table4.hundreds.cpu.multilingual-use"].verdict == Verdict.SUPPORTED
    assert claims["table4.hundreds.cpu.minilm"].verdict == Verdict.CONTRADICTED
    assert claims["table4.hundreds.cpu.all"].verdict == Verdict.CONTRADICTED


def test_every_device_is_judged_by_its_own_times_and_without_sp_nothing_is():
    claims = claims_of(
        entry("sp.en-cs", [10.0, 10.0]), entry("trigram.en-cs", [5.0, 5.0]),
        entry("sp.en-cs", [10.0, 10.0], "cuda"), entry("trigram.en-cs", [20.0, 20.0], "cuda"),
    )  # fmt: skip
    assert claims["table4.faster.cpu.trigram"].verdict == Verdict.SUPPORTED
    assert claims["table4.faster.cuda.trigram"].verdict == Verdict.CONTRADICTED
    assert not claims_of(entry("word.en-cs", [1.0, 2.0]), entry("trigram.en-cs", [1.0, 2.0]))
