"""Verdicts, claims from a file, and the joining of claim files."""

import numpy as np
import pandas as pd
import pytest

from tandem.errors import InputError, TandemError
from tandem.registry import ConfigurationError
from tandem.reporting import claims
from tandem.reporting.claim_tests.claim_test import Measured
from tandem.reporting.claims import Claim, Verdict
from tandem.reporting.table import Report
from tandem.reporting.writer import write_frame

FIRST = """\
table1:
  - id: table1.better
    part: "{name}"
    paper: p2019
    place: Table 1
    statement: "{name} is better on bitext than {other}"
    all: bitext is better everywhere
    each:
      - {name: sp, other: lstm}
      - {name: lstm, other: sp}
      - {name: word, other: sp}
    test:
      kind: difference
      better: {experiment: "{name}.en-cs", task: sts, unit: mean}
      worse: {experiment: "{other}.en-cs", task: sts, unit: mean}
"""
SIZES = pd.DataFrame({"name": ["sp", "lstm", "word"], "parameters": [600, 1900, 600]})


def judged(given, tmp_path, text, published="[]", frames=None, name="table1"):
    (tmp_path / "claims.yaml").write_text(text)
    (tmp_path / "published.yaml").write_text(published)
    paper = [tmp_path / "claims.yaml", tmp_path / "published.yaml"]
    report = Report(SIZES, "", frames or {})
    return {claim.claim: claim for claim in claims.judge(given(name, paper=paper), report)}


def make(name, verdict=Verdict.SUPPORTED, statistic=1.0):
    return Claim(
        name, "s", "p", "here", "t", statistic, None, None, "x", None, verdict, 3, "1", "tiny"
    )


@pytest.mark.parametrize(
    ("low", "high", "margin", "verdict"),
    [
        (0.1, 2.0, 0, "supported"),
        (-2.0, -0.1, 0, "contradicted"),
        (-0.1, 2.0, 0, "undecided"),
        (0.0, 2.0, 0, "undecided"),
        (-2.0, 0.0, 0, "undecided"),
        (0.0, 0.0, 0, "undecided"),
        (2.1, 3.0, 2, "supported"),
        (1.9, 3.0, 2, "undecided"),
        (0.5, 1.9, 2, "contradicted"),
    ],
)
def test_interval_verdict(low, high, margin, verdict):
    measured = Measured("t", (low + high) / 2, low, high, "x")
    assert claims.single_verdict(measured, margin) == verdict


def test_exact_verdict():
    numbers = [Measured("t", difference, None, None, "x") for difference in (1, 0, -1)]
    found = [claims.single_verdict(number, 0) for number in numbers]
    assert found == ["supported", "contradicted", "contradicted"]
    assert claims.single_verdict(numbers[0], 1) == "contradicted"


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


def test_a_difference_by_hand(given, scores, tmp_path):
    found = judged(given, tmp_path, FIRST)
    claim = found["p2019.table1.better.sp"]
    better, worse = (scores.cell(f"{name}.en-cs", "sts", "mean") for name in ("sp", "lstm"))
    low, high = np.quantile(better.draws - worse.draws, [0.025, 0.975])
    assert claim.statistic == pytest.approx(better.estimate - worse.estimate)
    assert (claim.ci_low, claim.ci_high) == pytest.approx((low, high))
    assert (claim.n, claim.seeds, claim.unit) == (110, "2 and 2", "pearson_x100")
    assert claim.test == (
        "sts mean of sp.en-cs minus lstm.en-cs; paired bootstrap over 110 items, and seeds"
    )
    assert claim.statement == "sp is better on bitext than lstm"
    assert (claim.paper, claim.place, claim.scale) == ("p2019", "Table 1", "tiny")
    assert (claim.verdict, found["p2019.table1.better.lstm"].verdict) == (
        "supported", "contradicted"
    )  # fmt: skip


def test_the_joint_claim_takes_the_smallest_and_leaves_out_what_was_not_scored(given, tmp_path):
    found = judged(given, tmp_path, FIRST)
    # nothing was scored of word.en-cs
    assert list(found) == [f"p2019.table1.better.{part}" for part in ("sp", "lstm", "all")]
    joint = found["p2019.table1.better.all"]
    assert joint.statistic == found["p2019.table1.better.lstm"].statistic
    assert (joint.ci_low, joint.verdict) == (None, "contradicted")
    assert joint.statement == "bitext is better everywhere"
    assert joint.test.startswith("all of p2019.table1.better.sp, p2019.table1.better.lstm;")


def test_one_part_alone_makes_no_joint_claim(given, tmp_path):
    text = FIRST.replace("      - {name: lstm, other: sp}\n", "")
    assert list(judged(given, tmp_path, text)) == ["p2019.table1.better.sp"]


def test_entries_of_one_id_are_parts_of_one_finding(given, tmp_path):
    second = FIRST.partition("\n")[2].replace("{name: sp, other: lstm}", "{name: sp, other: sp}")
    found = judged(given, tmp_path, FIRST + second.replace('part: "{name}"', 'part: "{name}2"'))
    assert list(found)[-1] == "p2019.table1.better.all" and len(found) == 5
    assert found["p2019.table1.better.sp2"].verdict == "undecided"  # with itself


def test_only_the_claims_of_the_table_are_judged(given, tmp_path):
    assert judged(given, tmp_path, FIRST, name="table2") == {}


def test_a_study_without_claims_has_none(given):
    assert claims.judge(given(), Report(SIZES, "")) == []


EXACT = """\
table1:
  - id: table1.smaller
    part: "{name}"
    paper: p2019
    place: Table 1
    statement: sp is smaller than {name} ({parameters})
    each: {frame: table, without: {name: [sp]}}
    test:
      kind: exact
      column: parameters
      of: {name: "{name}"}
      minus: {name: sp}
    published: {of: p2019.a, minus: p2019.b, value: "{name}"}
"""
PUBLISHED = """
- {id: p2019.a, paper: p2019, place: T, text: p, line: 1, about: a, unit: x, values: {lstm: 5.02}}
- {id: p2019.b, paper: p2019, place: T, text: p, line: 1, about: b, unit: x, values: {lstm: 3.01}}
"""


def test_an_exact_claim_reads_a_frame_and_quotes_the_published_difference(given, tmp_path):
    found = judged(given, tmp_path, EXACT, PUBLISHED)
    claim = found["p2019.table1.smaller.lstm"]
    assert (claim.statistic, claim.ci_low, claim.verdict) == (1300, None, "supported")
    assert (claim.published, claim.unit, claim.n, claim.seeds) == (2.01, "parameters", None, "")
    assert claim.statement == "sp is smaller than lstm (1900)"
    same = found["p2019.table1.smaller.word"]
    assert (same.statistic, same.verdict, same.published) == (0, "contradicted", None)


RATIO = """\
table1:
  - id: table1.faster
    paper: p2019
    place: Table 4
    statement: sp is {much} faster
    each: [{much: much}]
    test:
      kind: rate-ratio
      frame: passes
      column: rate
      of: {name: sp}
      over: {name: lstm}
    margin: 2
"""


def test_a_ratio_has_the_t_interval_of_its_logarithm(given, tmp_path):
    passes = pd.DataFrame(
        {"name": ["sp"] * 3 + ["lstm"] * 3, "rate": [200.0, 400, 800, 100, 200, 200]}
    )
    claim = judged(given, tmp_path, RATIO, frames={"passes": passes})["p2019.table1.faster"]
    # log ratios: log 2, log 2, log 4; their mean, and 4.303 standard errors of log 2 / 3 about it
    assert claim.statistic == pytest.approx(2 ** (4 / 3))
    half = 4.302653 / 3
    assert claim.ci_low == pytest.approx(2 ** (4 / 3 - half), rel=1e-5)
    assert claim.ci_high == pytest.approx(2 ** (4 / 3 + half), rel=1e-5)
    assert (claim.n, claim.unit, claim.verdict) == (3, "ratio", "undecided")
    assert claim.test.endswith("said to be above 2")
    assert judged(given, tmp_path, RATIO, frames={"passes": passes[:3]}) == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("place:", "page:", "table1.0: unknown key 'page'"),
        ("kind: difference", "kind: differences", "no claim test 'differences' .did you mean"),
        ("unit: mean}\n      worse", "units: mean}\n      worse", "test.*unknown key 'units'"),
        ("    paper: p2019\n", "", "table1.0.paper: Field required"),
    ],
)
def test_a_faulty_file_is_refused_by_its_key(given, tmp_path, old, new, message):
    with pytest.raises(InputError, match=message):
        judged(given, tmp_path, FIRST.replace(old, new))


def test_braces_without_a_value_are_refused(given, tmp_path):
    with pytest.raises(ConfigurationError, match="no 'much' to put in braces; there are name"):
        judged(given, tmp_path, FIRST.replace("is better on", "is {much} better on"))


def test_an_unknown_frame_or_figure_is_refused(given, tmp_path):
    with pytest.raises(TandemError, match="reads frame tables; there are table"):
        judged(given, tmp_path, EXACT.replace("frame: table", "frame: tables"), PUBLISHED)
    with pytest.raises(TandemError, match="quotes p2019.a, which published.yaml does not hold"):
        judged(given, tmp_path, EXACT)


def test_claims_of_several_tables_join_without_changing_a_digit(tmp_path):
    one, two = tmp_path / "claims.table1.csv", tmp_path / "claims.table2.csv"
    claims.write_claims(one, [make("table1.a", statistic=1 / 3)])
    claims.write_claims(two, [make("table2.b"), make("table2.c")])
    joined = claims.merge([two, one])
    assert list(joined["claim"]) == ["table2.b", "table2.c", "table1.a"]
    write_frame(tmp_path / "claims.csv", joined)
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
