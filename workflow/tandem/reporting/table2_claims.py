"""The findings of wieting2019 on Table 2, as claims on our scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tandem.reporting.cells import Cell, cell_claim
from tandem.reporting.claims import Claim, Finding, joint_claim
from tandem.reporting.table2 import Cells, Row, Track, directions

PAPER = "wieting2019"
SECTION = 'section "Monolingual and Cross-Lingual Similarity"'
TRIGRAM = "TRIGRAM"
"""Heading of the encoder that the paper singles out among the random ones."""

PEARSON, PRECISION = "pearson_x100", "p_at_1_x100"


def table2_claims(
    rows: Sequence[Row], tracks: Sequence[Track], similar: Cells, found: Cells, scale: str
) -> list[Claim]:
    """Test the paper's findings on every column that was measured.

    Args:
        rows: of the table.
        tracks: its columns.
        similar: from `track_cells`.
        found: from `retrieval_cells`.
        scale: name of the scale.
    """
    ours = [row for row in rows if row.pairs is not None]
    trained = [row for row in ours if row.pairs]
    random = [row for row in ours if not row.pairs]
    pairs = {track.label: track.task.rsplit(".", 1)[1].split("-") for track in tracks}
    mono = [label for label, (one, other) in pairs.items() if one == other]
    cross = [label for label in pairs if label not in mono]
    ways = directions(found)
    return [
        *_larger(trained, list(pairs), similar, "sts", PEARSON, scale),
        *_larger(trained, ways, found, "retrieval", PRECISION, scale),
        *_random_behind(trained, random, cross, similar, "sts", PEARSON, scale),
        *_random_behind(trained, random, ways, found, "retrieval", PRECISION, scale),
        *_random_trigram(random, mono, similar, scale),
    ]


def _larger(
    rows: Sequence[Row], columns: Sequence[str], cells: Cells, kind: str, unit: str, scale: str
) -> Iterator[Claim]:
    """More pairs, more dimensions and more pieces each do better, the other two held equal."""
    for field, noun in (
        ("pairs", "more sentence pairs"),
        ("dimension", "more dimensions"),
        ("vocabulary", "a larger vocabulary"),
    ):
        for large, small in _steps(rows, field):
            statement = f"{large.label} does better than {small.label}: {noun} help"
            finding = Finding(statement, PAPER, f"{SECTION}, first observation")
            name = f"table2.{field}-{kind}.{_slug(large)}-{_slug(small)}"
            yield from _columns(name, finding, (large, small), columns, cells, unit, scale)


def _steps(rows: Sequence[Row], field: str) -> Iterator[tuple[Row, Row]]:
    """Yield neighbouring rows (larger, smaller) that differ in one number alone."""
    others = [name for name in ("pairs", "dimension", "vocabulary") if name != field]
    groups: dict[tuple, list[Row]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in others), []).append(row)
    for group in groups.values():
        ordered = sorted(group, key=lambda row: getattr(row, field))
        for small, large in zip(ordered, ordered[1:], strict=False):
            if getattr(small, field) != getattr(large, field):
                yield large, small


def _random_behind(
    trained: Sequence[Row],
    random: Sequence[Row],
    columns: Sequence[str],
    cells: Cells,
    kind: str,
    unit: str,
    scale: str,
) -> Iterator[Claim]:
    """Random encoders lag behind across languages: the first trained row against each."""
    for row in random if trained else ():
        statement = f"Across languages, {trained[0].label} does better than {row.label}"
        finding = Finding(statement, PAPER, f"{SECTION}, second observation")
        name = f"table2.random-behind-{kind}.{_slug(row)}"
        yield from _columns(name, finding, (trained[0], row), columns, cells, unit, scale)


def _random_trigram(
    random: Sequence[Row], columns: Sequence[str], cells: Cells, scale: str
) -> Iterator[Claim]:
    """Of the random encoders TRIGRAM is the strongest within one language."""
    best = next((row for row in random if TRIGRAM in row.encoder.upper()), None)
    for row in random if best else ():
        if row is not best:
            statement = f"Within a language, {best.label} does better than {row.label}"
            finding = Finding(statement, PAPER, f"{SECTION}, second observation")
            name = f"table2.random-trigram.{_slug(row)}"
            yield from _columns(name, finding, (best, row), columns, cells, PEARSON, scale)


def _columns(
    name: str,
    finding: Finding,
    rows: tuple[Row, Row],
    columns: Sequence[str],
    cells: Cells,
    unit: str,
    scale: str,
) -> Iterator[Claim]:
    """One claim for each column that has both rows, and one that all hold."""
    parts = []
    for column in columns:
        pair = tuple(cells.get((row.label, column)) for row in rows)
        if _both(pair):
            test = f"{column}: {rows[0].label} minus {rows[1].label}"
            parts.append(cell_claim(f"{name}.{column}", finding, pair, test, unit, scale))
    yield from parts
    if len(parts) > 1:
        yield joint_claim(f"{name}.all", finding, parts)


def _both(pair: tuple[Cell | None, ...]) -> bool:
    """Whether both cells were measured and differ in origin."""
    return None not in pair and pair[0] is not pair[1]


def _slug(row: Row) -> str:
    """A row's label as a part of a claim's id."""
    return "-".join("".join(c if c.isalnum() else " " for c in row.label.lower()).split())
