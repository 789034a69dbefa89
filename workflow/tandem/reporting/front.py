"""The first page of a report, as HTML: what a study found, by verdict, and pictures of it."""

from __future__ import annotations

import base64
import csv
import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

from tandem.reporting.claims import Verdict

Claim = dict[str, str]

_STYLE = """<style>
.prose { max-width: 60rem !important }
.h-screen:has(.prose) { align-items: flex-start !important }
</style>"""
"""The report's own page is too narrow for pictures; and it is centred, so that the top of a page
higher than the window could not be reached."""

_CELL_END = re.compile(r" (?<!\\)\| ")


def front_page(
    title: str,
    claims: str | Path,
    pictures: Iterable[tuple[str, str | Path]],
    tables: Iterable[str | Path] = (),
) -> str:
    """Return a page with a study's number of claims by verdict, its claims.csv, and its pictures.

    These are headings with PNG files, which become parts of the page. A study without claims opens
    on its tables, Markdown files.
    """
    rows = _read(Path(claims))
    shown = _tested(rows) if rows else [_table(Path(file)) for file in tables]
    return "\n".join([
        _STYLE,
        f"<h2>{escape(title)}: what was found</h2>",
        *shown,
        *(_picture(heading, Path(file)) for heading, file in pictures),
    ]) + "\n"  # fmt: skip


def _tested(rows: list[Claim]) -> list[str]:
    """Return the parts of a page that say how claims fared."""
    scales = ", ".join(sorted({claim["scale"] for claim in rows}))
    listed = (_listed(verdict, [c for c in rows if c["verdict"] == verdict]) for verdict in Verdict)
    head = f"<p>{len(rows)} claims, tested on the scores of this run (scale: {escape(scales)}).</p>"
    return [head, _counts(rows), *listed]


def _table(file: Path) -> str:
    """Return the tables of a file, each under its heading, as its Markdown has them."""
    parts: list[str] = []
    rows: list[list[str]] = []
    for line in [*file.read_text(encoding="utf-8").split("\n"), ""]:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in _CELL_END.split(line[2:-2])])
            continue
        if rows:  # a table ends
            parts.append(_html(row for row in rows if not set("".join(row)) <= set("-: ")))
            rows = []
        if line.startswith("#"):
            parts.append(f"<h3>{escape(line.lstrip('# '))}</h3>")
    return "".join(parts)


def count(results: str | Path) -> int:
    """Return how many claims the studies in a folder of results have tested so far."""
    return sum(len(_read(file)) for file in Path(results).rglob("claims.csv"))


def _read(file: Path) -> list[Claim]:
    with open(file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _counts(claims: list[Claim]) -> str:
    """Return a table: a row for each paper or study, a column for each verdict."""
    rows = [["", *Verdict]]
    for paper in dict.fromkeys(claim["paper"] for claim in claims):
        verdicts = [claim["verdict"] for claim in claims if claim["paper"] == paper]
        rows.append([paper, *(str(verdicts.count(verdict)) for verdict in Verdict)])
    return _html(rows)


def _bold(text: str) -> str:
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)


def _html(rows: Iterable[list[str]]) -> str:
    cells = ("".join(f"<td>{_bold(escape(cell))}</td>" for cell in row) for row in rows)
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in cells) + "</table>"


def _listed(verdict: Verdict, claims: list[Claim]) -> str:
    """Return the claims that have a verdict, folded; nothing where there are none."""
    if not claims:
        return ""
    items = "".join(f"<li>{_line(claim)}</li>" for claim in claims)
    return f"<details><summary>{verdict} ({len(claims)})</summary><ul>{items}</ul></details>"


def _line(claim: Claim) -> str:
    """Return a statement with what was measured."""
    line = claim["statement"]
    if claim["statistic"]:
        line += f": {float(claim['statistic']):.2f}"
        if claim["ci_low"] and claim["ci_high"]:
            line += f" [{float(claim['ci_low']):.2f}, {float(claim['ci_high']):.2f}]"
    return escape(line)


def _picture(heading: str, path: Path) -> str:
    data = base64.b64encode(path.read_bytes()).decode("ascii")
    image = f'<img alt="{escape(path.stem)}" src="data:image/png;base64,{data}">'
    return f"<h3>{escape(heading)}</h3><p>{image}</p>"
