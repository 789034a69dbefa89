"""The findings on mining, as claims on our scores: those of yang2019, which prints its figures."""

from __future__ import annotations

from collections.abc import Sequence

from tandem.reporting.cells import cell_claim
from tandem.reporting.claims import Claim, Finding, joint_claim
from tandem.reporting.published import published
from tandem.reporting.table3 import Method, Mined

PAPER = "yang2019"
UNIT = "f1_x100"
FORWARD = "forward"


def table3_claims(mined: Sequence[Mined], scale: str) -> list[Claim]:
    """Test the findings for every experiment that has the methods they need.

    Args:
        mined: from `read_mined`.
        scale: name of the scale.
    """
    claims = []
    for encoder in dict.fromkeys(one.encoder for one in mined):
        rows = [one for one in mined if one.encoder == encoder]
        name = encoder.lower().replace(" ", "-")
        for equation, key in ((9, "margin_eq9"), (10, "margin_eq10")):
            statement = f"{encoder}: the margin of equation {equation} beats the cosine"
            finding = Finding(statement, PAPER, "section 6.1 and Table 6")
            pair = ((f"yang-{equation}", FORWARD), ("cosine", FORWARD))
            rows_read = (f"train.{key}", "train.cosine")
            claims += _compare(
                f"table3.margin-{equation}.{name}", finding, rows, pair, rows_read, scale
            )
        finding = Finding(
            f"{encoder}: the margin of equation 9 beats that of equation 10", PAPER, "Table 6"
        )
        pair = (("yang-9", FORWARD), ("yang-10", FORWARD))
        rows_read = ("test.margin_eq9", "test.margin_eq10")
        claims += _compare(f"table3.both-sides.{name}", finding, rows, pair, rows_read, scale)
    return claims


def _compare(
    name: str,
    finding: Finding,
    mined: Sequence[Mined],
    methods: tuple[Method, Method],
    rows_read: tuple[str, str],
    scale: str,
) -> list[Claim]:
    """One claim for each task that has both methods, and one that all hold."""
    printed = [published()[f"yang2019.bucc_f1.{row}"].values for row in rows_read]
    parts = []
    for one in mined:
        if not set(methods) <= set(one.f1):
            continue
        figures = [values.get(one.task) for values in printed]
        difference = None if None in figures else round(figures[0] - figures[1], 2)
        better, worse = (", ".join(method) for method in methods)
        test = f"F1 on the test part of {one.task}: {better}, minus {worse}"
        cells = tuple(one.f1[method] for method in methods)
        parts.append(
            cell_claim(f"{name}.{one.task}", finding, cells, test, UNIT, scale, difference)
        )
    return [*parts, joint_claim(f"{name}.all", finding, parts)] if len(parts) > 1 else parts
