"""Verdicts, and claims from a file."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from tandem.errors import InputError, TandemError
from tandem.reporting import claims
from tandem.reporting.claim_test import Measured
from tandem.reporting.claims import Verdict
from tandem.reporting.table import Report
from tandem.statistics.inference import difference, over_seeds
from tandem.studies.plan import Plan
from tandem.studies.study import Study

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
BOTH = {"sp": "long", "lstm": "short", "word": "long"}
STUDY = {
    "title": "Toy",
    "epochs": 10,
    "encoders": {
        name: {"label": name, "segmentation": "w", "architecture": {"kind": "averaging"}}
        for name in BOTH
    },
    "pretrained": {"muse": {"label": "Multilingual USE", "model": "muse"}},
    "recipes": {"long": {"epochs": 10}, "short": {"epochs": 10}},
    "settings": {
        name: {"label": name, "corpus": "c", "encoders": BOTH, "objective": "o", "pairs": 9}
        | {"trained": name != "random"}
        for name in ("en-cs", "en-en", "random")
    },
    "tasks": {"sts": {"kind": "sts", "years": [2012, 2013]}},
}


def judged(
    material, tmp_path, text, published="[]", frames=None, name="table1", short=10, study=STUDY
):
    (tmp_path / "claims.yaml").write_text(text)
    (tmp_path / "published.yaml").write_text(published)
    paper = [tmp_path / "claims.yaml", tmp_path / "published.yaml"]
    study = Study.model_validate(study | {"recipes": {"long": {}, "short": {"epochs": short}}})
    made = replace(material(name, paper=paper), plan=Plan("toy", tmp_path, study))
    return {claim.claim: claim for claim in claims.judge(made, Report(SIZES, "", frames or {}))}


@pytest.mark.parametrize(
    ("statistic", "p_holm", "margin", "verdict"),
    [
        (1.0, 0.049, 0, "supported"),
        (-1.0, 0.049, 0, "contradicted"),
        (1.0, 0.05, 0, "undecided"),
        (-1.0, 0.3, 0, "undecided"),
        (-0.5, 0.01, -1, "supported"),  # not worse by a point
        (-1.5, 0.01, -1, "contradicted"),
        (1.5, 0.01, 2, "contradicted"),
        (1.5, None, 0, "undecided"),  # one seed
    ],
)
def test_a_verdict_needs_a_corrected_p_and_a_side_of_the_margin(statistic, p_holm, margin, verdict):
    measured = Measured("t", statistic, -2, 2, p_holm, "x")
    assert claims.single_verdict(measured, statistic > margin, p_holm) == verdict


def test_an_exact_quantity_is_a_description_whatever_it_is():
    for number in (1, 0, -1):
        measured = Measured("t", number, None, None, None, "x")
        assert claims.single_verdict(measured, number > 0, None) == "description"


@pytest.mark.parametrize(
    ("parts", "verdict"),
    [
        (["supported", "supported"], "supported"),
        (["supported", "undecided"], "undecided"),
        (["supported", "undecided", "contradicted"], "contradicted"),
        (["supported", "not comparable"], "not comparable"),
        (["contradicted", "not comparable"], "contradicted"),
        (["description", "description"], "description"),
    ],
)
def test_joint_verdict(parts, verdict):
    assert claims.joint_verdict(map(Verdict, parts)) == verdict


def test_a_difference_by_hand(material, scores, tmp_path):
    found = judged(material, tmp_path, FIRST)
    claim = found["p2019.table1.better.sp"]
    better, worse = (scores.cell(f"{name}.en-cs", "sts", "mean") for name in ("sp", "lstm"))
    expected = difference(better, worse)
    assert claim.statistic == pytest.approx(better.estimate - worse.estimate)
    assert claim.ci_low == pytest.approx(expected.interval.low)
    assert claim.ci_high == pytest.approx(expected.interval.high)
    assert (claim.p, claim.margin) == (pytest.approx(expected.p(0)), 0)
    assert (claim.n, claim.seeds, claim.unit) == (110, "2 and 2", "pearson_x100")
    assert claim.test == (
        "sts mean of sp.en-cs minus lstm.en-cs; t test over 110 paired items, and seeds"
    )
    assert claim.statement == "sp is better on bitext than lstm"
    assert (claim.paper, claim.place, claim.scale) == ("p2019", "Table 1", "tiny")
    assert (claim.verdict, found["p2019.table1.better.lstm"].verdict) == (
        "supported", "contradicted"
    )  # fmt: skip


def test_p_values_are_corrected_for_the_tests_of_the_table(material, tmp_path):
    found = judged(material, tmp_path, FIRST)
    p = [found[f"p2019.table1.better.{name}"].p for name in ("sp", "lstm")]
    assert p[0] == pytest.approx(p[1]) and 0 < p[0] < 0.02
    # two tests: the joint claim does not count
    held = [claim.p_holm for claim in found.values() if claim.p_holm is not None]
    assert held == pytest.approx([2 * p[0]] * 2)
    assert len(found) == 3


def test_a_family_is_corrected_by_itself(material, tmp_path):
    alone = judged(material, tmp_path, FIRST)
    more = FIRST.partition("table1:\n")[2].replace("table1.better", "table1.others")
    more = more.replace("unit: mean", 'unit: "2012"') + "    family: others\n"
    both = judged(material, tmp_path, FIRST + more)
    assert len(both) == 2 * len(alone)
    assert {name: both[name] for name in alone} == alone
    others = [both[f"p2019.table1.others.{name}"] for name in ("sp", "lstm")]
    assert [claim.p_holm for claim in others] == pytest.approx([2 * claim.p for claim in others])
    together = judged(material, tmp_path, FIRST + more.replace("    family: others\n", ""))
    assert together["p2019.table1.better.sp"].p_holm > alone["p2019.table1.better.sp"].p_holm


def test_what_could_hardly_fail_is_described_and_not_corrected_for(material, tmp_path):
    described = FIRST.rstrip() + "\n    description: true\n"
    found = judged(material, tmp_path, described)
    claim = found["p2019.table1.better.sp"]
    assert (claim.verdict, claim.p, claim.p_holm, claim.margin) == ("description", *[None] * 3)
    assert claim.ci_low < claim.statistic < claim.ci_high
    assert found["p2019.table1.better.all"].verdict == "description"


def test_two_figures_of_the_same_models_are_subtracted_seed_by_seed(material, scores, tmp_path):
    years = FIRST.replace("{other}.", "{name}.").replace("unit: mean", "unit: '2012'", 1)
    claim = judged(material, tmp_path, years)["p2019.table1.better.sp"]
    cells = [scores.cell("sp.en-cs", "sts", unit) for unit in ("2012", "mean")]
    expected = over_seeds(cells[0] - cells[1])
    assert (claim.ci_low, claim.p) == pytest.approx((expected.interval.low, expected.p(0)))
    assert claim.ci_low != pytest.approx(difference(*cells).interval.low)


def test_one_seed_decides_nothing_unless_there_are_none_to_draw(material, scored, tmp_path):
    one = FIRST.replace("{other}.en-cs", "sp.random")
    found = judged(material, tmp_path, one)["p2019.table1.better.sp"]
    assert (found.verdict, found.p, found.p_holm) == ("undecided", None, None)
    assert found.statistic > 0 and found.ci_low > 0  # over items alone
    assert found.test.endswith("; sp.random has one seed: its spread is not known")
    scored("muse.en-cs", 0, 4.0)
    found = judged(material, tmp_path, FIRST.replace("{other}.", "muse."))["p2019.table1.better.sp"]
    assert (found.verdict, found.seeds) == ("supported", "2 and 1")
    assert "one seed" not in found.test


@pytest.mark.parametrize(
    ("kind", "turns", "verdict"),
    [("rnn", (), "undecided"), ("rnn", ("bt2",), "supported"), ("released", (), "supported")],
)
def test_one_translator_decides_nothing(material, scored, tmp_path, kind, turns, verdict):
    texts = {name: {"bitext": "c", "translator": "t", "pairs": 9} for name in ("bt", "bt2")}
    settings = STUDY["settings"]
    study = STUDY | {
        "translators": {"t": {"kind": kind, "bitext": "c", "source": "cs", "target": "en"}
                        | ({"model": "m"} if kind == "released" else {})},
        "backtranslations": texts,
        "settings": settings | {"en-en": settings["en-en"] | {"corpus": "bt", "turns": turns}},
    }  # fmt: skip
    text = FIRST.replace("{other}.en-cs", "sp.en-en")
    claim = judged(material, tmp_path, text, study=study)["p2019.table1.better.sp"]
    assert (claim.verdict, claim.p is None) == (verdict, verdict == "undecided")
    only = "; sp.en-en has one translator: its spread is not known"
    assert claim.test.endswith(only) == (verdict == "undecided")


def test_fewer_epochs_than_the_papers_are_not_comparable(material, tmp_path):
    found = judged(material, tmp_path, FIRST, short=3)
    claim = found["p2019.table1.better.sp"]
    assert (claim.verdict, claim.p, claim.p_holm) == ("not comparable", None, None)
    assert claim.ci_low > 0  # it is still measured
    assert claim.test.endswith("; fewer epochs than the paper's 10: lstm.en-cs (3)")
    assert found["p2019.table1.better.all"].verdict == "not comparable"


def test_the_joint_claim_takes_the_smallest_and_leaves_out_what_was_not_scored(material, tmp_path):
    found = judged(material, tmp_path, FIRST)
    # nothing was scored of word.en-cs
    assert list(found) == [f"p2019.table1.better.{part}" for part in ("sp", "lstm", "all")]
    joint = found["p2019.table1.better.all"]
    assert joint.statistic == found["p2019.table1.better.lstm"].statistic
    assert (joint.p, joint.p_holm) == (None, None)
    assert (joint.ci_low, joint.verdict) == (None, "contradicted")
    assert joint.statement == "bitext is better everywhere"
    assert joint.test.startswith("all of p2019.table1.better.sp, p2019.table1.better.lstm;")
    assert joint.test.endswith("; the smallest; other parts have no scores")


def test_a_joint_claim_is_not_supported_where_a_part_was_not_scored(material, tmp_path):
    part = judged(material, tmp_path, FIRST)["p2019.table1.better.sp"]
    parts = [part, replace(part, claim="other")]
    assert claims._joint("p.t", "everywhere", parts, lacking=False).verdict == "supported"
    assert claims._joint("p.t", "everywhere", parts, lacking=True).verdict == "undecided"


def test_one_part_alone_makes_no_joint_claim(material, tmp_path):
    text = FIRST.replace("      - {name: lstm, other: sp}\n", "")
    assert list(judged(material, tmp_path, text)) == ["p2019.table1.better.sp"]


def test_entries_of_one_id_are_parts_of_one_finding(material, tmp_path):
    second = FIRST.partition("\n")[2].replace("unit: mean", "unit: '2013'")
    found = judged(material, tmp_path, FIRST + second.replace('part: "{name}"', 'part: "{name}2"'))
    assert list(found)[-1] == "p2019.table1.better.all" and len(found) == 5


def test_one_test_is_one_claim(material, tmp_path):
    second = FIRST.partition("\n")[2].replace("table1.better", "table1.same")
    message = "p2019.table1.better.sp and p2019.table1.same.sp are the same test; keep one"
    with pytest.raises(InputError, match=f"claims.yaml: {message}"):
        judged(material, tmp_path, FIRST + second)


def test_only_the_claims_of_the_table_are_judged(material, tmp_path):
    assert judged(material, tmp_path, FIRST, name="table2") == {}


def test_a_study_without_claims_has_none(material):
    assert claims.judge(material(), Report(SIZES, "")) == []


FRAME = """\
table1:
  - id: table1.smaller
    part: "{name}"
    paper: p2019
    place: Table 1
    statement: sp is smaller than {name} ({parameters})
    each: {frame: table, without: {name: [sp]}}
    test:
      kind: paired-means
      frame: runs
      column: parameters
      unit: parameters
      by: run
      better: {name: "{name}"}
      worse: {name: sp}
    published: {of: p2019.a, minus: p2019.b, value: "{name}"}
"""
RUNS = {
    "runs": pd.DataFrame({
        "name": ["sp", "lstm", "word"] * 2,
        "run": [1, 1, 1, 2, 2, 2],
        "parameters": [600, 1900, 500, 600, 1940, 700],
    })
}  # fmt: skip
PUBLISHED = """
- {id: p2019.a, paper: p2019, place: T, text: p, line: 1, about: a, unit: x, values: {lstm: 5.02}}
- {id: p2019.b, paper: p2019, place: T, text: p, line: 1, about: b, unit: x, values: {lstm: 3.01}}
"""


def test_a_claim_reads_a_frame_and_quotes_the_published_difference(material, tmp_path):
    found = judged(material, tmp_path, FRAME, PUBLISHED, RUNS)
    claim = found["p2019.table1.smaller.lstm"]
    assert (claim.statistic, claim.n, claim.seeds) == (1320, 2, "")
    assert (claim.published, claim.unit) == (2.01, "parameters")
    assert claim.statement == "sp is smaller than lstm (1900)"
    same = found["p2019.table1.smaller.word"]
    assert (same.statistic, same.verdict, same.published) == (0, "undecided", None)


def test_the_joint_claim_has_the_unit_and_the_margin_of_the_smallest(material, tmp_path):
    sizes = FRAME.replace("table1.smaller", "table1.better").replace('{name}"', '{name}-size"', 1)
    text = sizes + "    margin: 5\n" + FIRST.partition("\n")[2]
    found = judged(material, tmp_path, text, PUBLISHED, RUNS)
    assert next(iter(found.values())).unit == "parameters"
    smallest, joint = (found[f"p2019.table1.better.{part}"] for part in ("lstm", "all"))
    assert (smallest.unit, smallest.margin) == ("pearson_x100", 0)
    assert joint.statistic == smallest.statistic < 0
    assert (joint.unit, joint.margin) == (smallest.unit, smallest.margin)


def test_seeds_and_items_are_in_the_error_of_paired_means(material, tmp_path):
    random = np.random.default_rng(1)
    items = random.normal(size=300)
    lines = [
        {"name": name, "text": text, "seed": seed, "score": level + 0.1 * text + seed * spread,
         "draws": level + weight * items}
        for name, level, spread, weight in (("lstm", 3, 0.5, 1.5), ("sp", 1, 0, 1.0))
        for text in (1, 2, 3) for seed in (1, 2)
    ]  # fmt: skip
    frames = {"runs": pd.DataFrame(lines)}

    def measured(*more):
        text = FRAME.replace("column: parameters", "column: score").replace("by: run", "by: text")
        text = text.replace("without: {name: [sp]}", "where: {name: [lstm]}")
        text = text.replace("      by: text\n", "".join(["      by: text\n", *more]))
        [claim] = judged(material, tmp_path, text, PUBLISHED, frames).values()
        return claim

    # the texts gain the same, but the seeds of each do not
    within, both = "      within: seed\n", "      draws: draws\n"
    claim = measured(within)
    assert claim.statistic == pytest.approx(2.75) and "over text and seed" in claim.test
    half = scipy.stats.t.ppf(0.975, 2) * np.sqrt(0.125 / 2 / 3)
    assert claim.ci_high - claim.statistic == pytest.approx(half)
    wider = measured(within, both)
    assert wider.ci_high - wider.ci_low > 2 * scipy.stats.norm.ppf(0.975) * 0.5 * items.std()
    assert wider.test.endswith("over text and seed and items")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("place:", "page:", "table1.0: unknown key 'page'"),
        ("kind: difference", "kind: differences", "no claim test 'differences' .did you mean"),
        ("unit: mean}\n      worse", "units: mean}\n      worse", "test.*unknown key 'units'"),
        ("    paper: p2019\n", "", "table1.0.paper: not given"),
    ],
)
def test_a_faulty_file_is_refused_by_its_key(material, tmp_path, old, new, message):
    with pytest.raises(InputError, match=message):
        judged(material, tmp_path, FIRST.replace(old, new))


def test_braces_without_a_value_are_refused(material, tmp_path):
    message = "claim table1.better: no 'much' to put in braces; there are corpus, name"
    with pytest.raises(InputError, match=message):
        judged(material, tmp_path, FIRST.replace("is better on", "is {much} better on"))


def test_an_unknown_frame_or_figure_is_refused(material, tmp_path):
    for frame in ("table", "runs"):
        text = FRAME.replace(f"frame: {frame}", "frame: tables")
        with pytest.raises(InputError, match="no frame 'tables'.*there are table"):
            judged(material, tmp_path, text, PUBLISHED, RUNS)
    with pytest.raises(TandemError, match="quotes p2019.a, which published.yaml does not hold"):
        judged(material, tmp_path, FRAME, frames=RUNS)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("{name}.en-cs", "{name}.en-sc", "better.sp: no setting 'en-sc' .did you mean 'en-cs'"),
        ("{name: lstm, o", "{name: lstn, o", "has no 'lstn' .did you mean 'lstm'"),
        ("{other}.en-cs", "sp", "no setting ''; there are en-cs, en-en, random"),
        ("task: sts", "task: stss", "no task 'stss' .did you mean 'sts'"),
        ("column: parameters", "column: parameter", "frame runs: no column 'parameter' .did you"),
        ("better: {name: ", "better: {named: ", "frame runs: no column 'named' .did you mean"),
        ("without: {name", "without: {named", "smaller: frame table: no column 'named'"),
    ],
)
def test_a_name_that_is_not_there_is_refused_with_the_claim(material, tmp_path, old, new, message):
    text = FIRST + FRAME.partition("\n")[2]
    with pytest.raises(InputError, match=f"claims.yaml: claim .*{message}"):
        judged(material, tmp_path, text.replace(old, new), PUBLISHED, RUNS)


def test_a_claim_without_scores_is_left_out_and_the_log_names_it(material, tmp_path, caplog):
    caplog.set_level("INFO")
    assert "p2019.table1.better.word" not in judged(material, tmp_path, FIRST)
    assert caplog.messages == [
        "claim p2019.table1.better.word is left out: a side of it has no scores"
    ]
