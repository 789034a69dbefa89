"""The study's tests of claims, by hand."""

import pandas as pd
import pytest
import scipy.stats

from tandem.registry import ConfigurationError
from tandem.reporting.claim_test import CLAIM_TESTS, Evidence
from tandem.reporting.claims import judge
from tandem.reporting.scores import Scores
from tandem.reporting.table import Material, Report
from tandem.statistics.inference import holm

SIZES = pd.DataFrame({"name": ["sp", "lstm", "word"], "parameters": [600, 1900, 600]})
PASSES = pd.DataFrame({"name": ["sp"] * 3 + ["lstm"] * 3, "rate": [200.0, 400, 800, 100, 200, 200]})
EXACT = {"kind": "exact", "column": "parameters", "of": {"name": "lstm"}, "minus": {"name": "sp"}}
RATIO = {
    "kind": "rate-ratio", "frame": "passes", "column": "rate",
    "of": {"name": "sp"}, "over": {"name": "lstm"},
}  # fmt: skip


@pytest.fixture
def measure(plan):
    """Return a function that measures what a test says, on these frames."""

    def measure(values, margin=0.0, **frames):
        frames = {"table": SIZES, "passes": PASSES} | frames
        evidence = Evidence(Scores([], {}, 200, 1), frames, plan)
        return CLAIM_TESTS.parse(values).measure(evidence, margin)

    return measure


def test_an_exact_number_has_no_interval_and_no_p(measure):
    measured = measure(EXACT)
    assert (measured.statistic, measured.low, measured.p) == (1300, None, None)
    assert (measured.unit, measured.n, measured.seeds) == ("parameters", None, "")
    assert measured.test == "parameters of lstm minus sp; exact"
    assert measure(EXACT | {"of": {"name": "word"}}).statistic == 0
    assert measure(EXACT | {"of": {"name": "trigram"}}) is None


RHO = {
    "kind": "rank-correlation", "named": "rho", "where": {}, "of": "overlap_types",
    "permutations": 99,
}  # fmt: skip


def languages(families):
    """Two languages of each family; the more overlap, the more gain, but for every third."""
    count = 2 * families
    return pd.DataFrame({
        "language": [f"l{n}" for n in range(count)], "branch": [f"b{n // 2}" for n in range(count)],
        "script": ["Latin", "Greek"] * families, "seeds": 5,
        "overlap_types": range(count), "gain": [n - 4 * (n % 3 == 0) for n in range(count)],
    })  # fmt: skip


def test_few_families_of_languages_make_no_claim(measure):
    assert measure(RHO, points=languages(9)) is None
    enough = measure(RHO, points=languages(10))
    assert -100 <= enough.low < enough.statistic < enough.high <= 100


def test_a_permutation_test_has_no_interval_of_another(measure):
    held = measure(RHO | {"held": ["branch"]}, points=languages(6))  # it resamples no families
    assert (held.low, held.high) == (None, None) and 0 < held.p <= 1
    assert held.test == "rho; p by permuting within branch"


CLAIMS = """\
table4:
  - id: table4.first
    paper: p2019
    place: Table 4
    statement: "{name} is faster"
    part: "{name}"
    each: [{name: sp}, {name: lstm}]
    test: {kind: paired-means, frame: passes, column: rate, unit: "1/s", by: pass,
           better: {name: "{name}"}}
  - id: table4.smaller
    paper: p2019
    place: Table 4
    statement: the LSTM is larger
    test: {kind: exact, column: parameters, of: {name: lstm}, minus: {name: sp}}
"""


def test_an_exact_number_is_not_counted_in_holms_correction(plan, tmp_path):
    path = tmp_path / "claims.yaml"
    path.write_text(CLAIMS, encoding="utf-8")
    material = Material("table4", plan, {"paper": [path]}, Scores([], {}, 1, 1), "tiny")
    passes = PASSES.assign(**{"pass": [1, 2, 3] * 2})
    first, second, exact = judge(material, Report(SIZES, "", {"passes": passes}))
    assert first.p is not None and second.p is not None
    assert [first.p_holm, second.p_holm] == pytest.approx(holm([first.p, second.p]))
    assert max(first.p_holm, second.p_holm) > min(first.p, second.p)
    assert (exact.verdict, exact.p, exact.p_holm, exact.margin) == ("description", None, None, None)


def test_a_ratio_has_the_t_interval_of_its_logarithm(measure):
    measured = measure(RATIO, 2)
    # log ratios: log 2, log 2, log 4; their mean, and 4.303 standard errors of log 2 / 3 about it
    assert measured.statistic == pytest.approx(2 ** (4 / 3))
    half = 4.302653 / 3
    assert measured.low == pytest.approx(2 ** (4 / 3 - half), rel=1e-5)
    assert measured.high == pytest.approx(2 ** (4 / 3 + half), rel=1e-5)
    assert (measured.n, measured.unit) == (3, "ratio")
    # t of log(2 ** (4 / 3) / 2) over log 2 / 3, two degrees of freedom
    assert measured.p == pytest.approx(2 * scipy.stats.t.sf(1, 2))
    assert measure(RATIO, 2, passes=PASSES[:3]) is None


@pytest.mark.parametrize(
    ("values", "margin", "message"),
    [
        (RATIO, 0, "margin 0: that of a ratio is above 0"),
        (RATIO | {"over": {"named": "lstm"}}, 1, "frame passes: no column 'named'"),
        (EXACT | {"column": "parameter"}, 0, "frame table: no column 'parameter' .did you mean"),
    ],
)
def test_what_cannot_be_measured_is_refused(measure, values, margin, message):
    with pytest.raises(ConfigurationError, match=message):
        measure(values, margin)
