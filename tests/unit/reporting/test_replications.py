"""Claims of several tables joined, and counted over the corpora that they are made on."""

from dataclasses import replace

import pytest

from tandem.errors import TandemError
from tandem.reporting.claims import Claim, Verdict, write_claims
from tandem.reporting.replications import merge, replicated_verdict
from tandem.reporting.writer import write_frame


def make(name, verdict=Verdict.SUPPORTED, statistic=1.0):
    return Claim(
        name, "s", "p", "here", "t", statistic, None, None, 0.0, 0.02, 1 / 3, "x", None, verdict, 3,
        "1", "tiny",
    )  # fmt: skip


def test_claims_of_several_tables_join_without_changing_a_digit(tmp_path):
    one, two = tmp_path / "table1-claims.csv", tmp_path / "table2-claims.csv"
    write_claims(one, [make("table1.a", statistic=1 / 3)])
    write_claims(two, [make("table2.b"), make("table2.c")])
    joined = merge([two, one])
    assert list(joined["claim"]) == ["table2.b", "table2.c", "table1.a"]
    write_frame(tmp_path / "claims.csv", joined)
    lines = (tmp_path / "claims.csv").read_text().split("\n")
    assert lines[0] == (
        "claim,statement,paper,place,test,statistic,ci_low,ci_high,margin,p,p_holm,unit,published,"
        "verdict,n,seeds,scale"
    )
    assert lines[3] == "table1.a,s,p,here,t,0.3333,,,0.0000,0.0200,0.3333,x,,supported,3,1,tiny"


def test_a_table_without_claims_keeps_its_header(tmp_path):
    write_claims(tmp_path / "none.csv", [])
    write_claims(tmp_path / "some.csv", [make("a")])
    assert len(merge([tmp_path / "none.csv", tmp_path / "some.csv"])) == 1


def test_two_claims_with_one_name_are_refused(tmp_path):
    write_claims(tmp_path / "a.csv", [make("same")])
    write_claims(tmp_path / "b.csv", [make("same")])
    with pytest.raises(TandemError, match="two claims named same"):
        merge([tmp_path / "a.csv", tmp_path / "b.csv"])


def counted(tmp_path, **verdicts):
    """Join the claims of tables with this verdict of one claim each."""
    files = []
    for table, verdict in verdicts.items():
        name = table.replace("_", "-")
        files.append(tmp_path / f"{name}-claims.csv")
        write_claims(files[-1], [make(f"p2019.{name}.better.sp", Verdict(verdict))])
    return merge(files).set_index("claim")


def test_a_claim_on_several_corpora_says_in_how_many_it_replicates(tmp_path):
    found = counted(
        tmp_path, table1="supported", table1_es="undecided", table1_de="supported",
        table1_fr="not comparable", table10="contradicted",
    )  # fmt: skip
    assert len(found) == 6
    row = found.loc["p2019.table1.better.sp.replicates"]
    assert row["statement"] == "Replicates in 2 of 3 corpora: s"
    assert (row["statistic"], row["unit"], row["n"], row["p"]) == ("2", "corpora", "3", "")
    assert row["verdict"] == "undecided"
    assert row["test"] == (
        "supported in 2, contradicted in 0, undecided in 1; the corpora of table1, table1-es, "
        "table1-de"
    )
    assert (row["paper"], row["place"], row["scale"]) == ("p", "here", "tiny")


def test_a_joint_claim_is_counted_where_it_joins_the_same_parts(tmp_path):
    files = []
    for table, parts in {"table1": "ab", "table1-es": "ab", "table1-de": "a"}.items():
        said = f"all of {', '.join(f'p2019.{table}.best.{part}' for part in parts)}; the smallest"
        files.append(tmp_path / f"{table}-claims.csv")
        joint = replace(make(f"p2019.{table}.best.all"), test=said)
        write_claims(files[-1], [joint])
    found = merge(files).set_index("claim").loc["p2019.table1.best.all.replicates"]
    assert found["n"] == "2"
    assert found["test"].endswith("the corpora of table1, table1-es")


def test_one_corpus_or_no_test_makes_no_count(tmp_path):
    assert len(counted(tmp_path, table1="supported", table1_es="not comparable")) == 2
    assert len(counted(tmp_path, table1="description", table1_es="description")) == 2


def test_a_finding_replicates_where_every_corpus_agrees():
    assert replicated_verdict(["supported"] * 3) == "supported"
    assert replicated_verdict(["contradicted"] * 3) == "contradicted"
    assert replicated_verdict(["supported", "contradicted"]) == "undecided"
