"""Verdicts, differences and the joining of claim files."""

import numpy as np
import pytest
from tandem.reporting.results import draw_means

from tandem.errors import TandemError
from tandem.reporting import claims
from tandem.reporting.claims import Claim, Finding, Verdict

FINDING = Finding("A is better than B", "paper", "section 1")


def make(name, verdict=Verdict.SUPPORTED, statistic=1.0):
    return Claim(
        name, "s", "p", "here", "t", statistic, None, None, "x", None, verdict, 3, "1", "tiny"
    )


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.1, 2.0, "supported"),
        (-2.0, -0.1, "contradicted"),
        (-0.1, 2.0, "undecided"),
        (0.0, 2.0, "undecided"),
        (-2.0, 0.0, "undecided"),
        (0.0, 0.0, "undecided"),
    ],
)
def test_interval_verdict(low, high, verdict):
    assert claims.interval_verdict(low, high) == verdict


def test_exact_verdict():
    found = [claims.exact_verdict(difference) for difference in (1, 0, -1)]
    assert found == ["supported", "contradicted", "contradicted"]


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "undecided"], "undecided"),
        (["supported", "undecided", "contradicted"], "contradicted"),
    ],
)
def test_joint_verdict(parts, verdict):
    assert claims.joint_verdict(map(Verdict, parts)) == verdict


def test_difference_claim_by_hand(results):
    better, worse = results[0], results[2]
    draws = draw_means(results, 80, 1)
    claim = claims.difference_claim("t.x", FINDING, better, worse, draws, "tiny")
    expected = draws["sp.en-cs"] - draws["lstm.en-cs"]
    low, high = np.quantile(expected, [0.025, 0.975])
    assert claim.statistic == pytest.approx(better.mean - worse.mean)
    assert (claim.ci_low, claim.ci_high) == pytest.approx((low, high))
    assert claim.verdict == "supported"
    assert (claim.n, claim.seeds, claim.unit) == (110, "2 and 2", "pearson_x100")
    other = claims.difference_claim("t.x", FINDING, worse, better, draws, "tiny")
    assert other.verdict == "contradicted"
    same = claims.difference_claim("t.x", FINDING, better, better, draws, "tiny")
    assert same.verdict == "undecided" and same.statistic == 0


def test_joint_claim_takes_the_smallest_difference():
    parts = [make("t.a", statistic=2.0), make("t.b", Verdict.UNDECIDED, 0.5)]
    joint = claims.joint_claim("t.all", FINDING, parts)
    assert (joint.statistic, joint.verdict, joint.ci_low) == (0.5, "undecided", None)
    assert joint.test.startswith("all of t.a, t.b")


def test_claims_of_several_tables_join_without_changing_a_digit(tmp_path):
    one, two = tmp_path / "claims.table1.csv", tmp_path / "claims.table2.csv"
    claims.write_claims(one, [make("table1.a", statistic=1 / 3)])
    claims.write_claims(two, [make("table2.b"), make("table2.c")])
    joined = claims.merge([two, one])
    assert list(joined["claim"]) == ["table2.b", "table2.c", "table1.a"]
    claims.write_frame(tmp_path / "claims.csv", joined)
    lines = (tmp_path / "claims.csv").read_text().split("\n")
    assert lines[0] == (
        "claim,statement,paper,place,test,statistic,ci_low,ci_high,unit,published,verdict,n,seeds,"
        "scale"
    )
    assert lines[3] == "table1.a,s,p,here,t,0.3333,,,x,,supported,3,1,tiny"


def test_a_table_without_claims_keeps_its_header(tmp_path):
    claims.write_claims(tmp_path / "none.csv", [])
    claims.write_claims(tmp_path / "some.csv", [make("a")])
    assert len(claims.merge([tmp_path / "none.csv", tmp_path / "some.csv"])) == 1


def test_two_claims_with_one_name_are_refused(tmp_path):
    claims.write_claims(tmp_path / "a.csv", [make("same")])
    claims.write_claims(tmp_path / "b.csv", [make("same")])
    with pytest.raises(TandemError, match="two claims named same"):
        claims.merge([tmp_path / "a.csv", tmp_path / "b.csv"])
