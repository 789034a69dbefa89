"""All claims of a study, and on how many corpora they replicate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.errors import TandemError
from tandem.reporting.claims import JOINT, Verdict

if TYPE_CHECKING:
    import pandas as pd

FILE_END = "-claims.csv"
"""What comes after the table's name in the name of a file of claims."""

DECIDABLE = (Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNDECIDED)
"""Verdicts of tested claims; those without a test are not counted."""


def merge(files: Iterable[str | Path]) -> pd.DataFrame:
    """Join the claim files `<table>-claims.csv` of several tables in the order given.

    At the end comes a row for each claim about a table that others replicate on other corpora:
    `table1-es` and `table1-de` replicate `table1`. Ids must differ.
    """
    import pandas as pd

    # As text: joining must not change a digit
    tables = {
        Path(file).name.removesuffix(FILE_END): pd.read_csv(file, dtype=str, keep_default_na=False)
        for file in files
    }
    joined = pd.concat(tables.values(), ignore_index=True)
    if len(repeated := joined["claim"][joined["claim"].duplicated()]):
        raise TandemError(f"two claims named {repeated.iloc[0]}: rename one in its claims.yaml")
    counts = pd.DataFrame(_replications(tables), columns=joined.columns, dtype=str)
    return pd.concat([joined, counts], ignore_index=True).fillna("")


def replicated_verdict(verdicts: Iterable[str]) -> Verdict:
    """Judge a finding on several corpora: it is supported, or contradicted, if it is in all.

    Both are intersection-union tests (Berger, 1982, "Multiparameter hypothesis testing and
    acceptance sampling"): each corpus has its verdict at 5%, so that of all of them together needs
    no correction.
    """
    distinct = set(verdicts)
    return Verdict(distinct.pop()) if len(distinct) == 1 else Verdict.UNDECIDED


def _replications(tables: Mapping[str, pd.DataFrame]) -> Iterator[dict[str, str]]:
    """Yield the counts of verdicts over corpora, of the claims tested on at least two.

    A joint claim is counted where it joins the same parts.
    """
    claims = {name: rows.set_index("claim") for name, rows in tables.items()}
    for name, rows in tables.items():
        family = [name, *(other for other in tables if other.startswith(f"{name}-"))]
        for _, row in rows.iterrows():
            tested: dict[str, str] = {}
            for table in family:
                there = row[["claim", "test"]].str.replace(f".{name}.", f".{table}.")
                if there["claim"] in claims[table].index:
                    claim = claims[table].loc[there["claim"]]
                    same = not there["claim"].endswith(JOINT) or claim["test"] == there["test"]
                    if same and claim["verdict"] in DECIDABLE:
                        tested[table] = str(claim["verdict"])
            if len(tested) < 2:
                continue
            counts = {verdict: list(tested.values()).count(verdict) for verdict in DECIDABLE}
            summary = ", ".join(f"{verdict} in {count}" for verdict, count in counts.items())
            k, n = str(counts[Verdict.SUPPORTED]), str(len(tested))
            yield {
                **row[["paper", "place", "scale"]],
                "claim": f"{row['claim']}.replicates",
                "statement": f"Replicates in {k} of {n} corpora: {row['statement']}",
                "test": f"{summary}; the corpora of {', '.join(tested)}",
                "statistic": k,
                "unit": "corpora",
                "verdict": replicated_verdict(tested.values()),
                "n": n,
            }
