"""Table 2: similarity across languages, and retrieval beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from tandem.tasks.sts_data import read_index

if TYPE_CHECKING:
    from tandem.reporting.scores import Cell

NUMBERS = ("pairs", "dimension", "vocabulary")
"""Numbers that describe a row's encoder; claims compare rows that differ in one of them."""


class EncoderRow(Settings):
    """A row: an encoder, trained or left untrained for each language beside English."""

    label: str
    """Heading of the row."""
    encoder: str
    """Name of the encoder."""
    training: str
    """Name of the training, which gives the setting of each language."""


class Track(Settings):
    """A column: an STS task, and whose encoder is scored on it."""

    label: str
    """Heading of the column."""
    task: str
    """STS task, as <year>.<task>."""
    language: str
    """The language whose encoder is scored."""


@dataclass(frozen=True)
class Line:
    """A row: its experiments by language, and its NUMBERS (None for pretrained baselines).

    `pairs` are the fewest that one of them is trained on, `most_pairs` the most.
    """

    label: str
    experiments: dict[str, str]
    about: dict[str, int | None]
    most_pairs: int | None = None

    @property
    def slug(self) -> str:
        """The label, spelt as a part of a claim's id."""
        letters = "".join(c if c.isalnum() else " " for c in self.label.lower())
        return "-".join(letters.split())


@dataclass(frozen=True)
class Column:
    """A column: a task, its unit, and the language whose encoder is scored (None: all)."""

    label: str
    task: str
    unit: str
    language: str | None


class Table2(Table):
    """Encoders by tracks of STS 2017 and by directions of retrieval."""

    languages: list[str]
    """Each row is an encoder for each of them, beside English."""
    trainings: dict[str, dict[str, str]]
    """Named groups of settings, one setting for each language; rows refer to them by name."""
    rows: list[EncoderRow]
    """Tandem's encoders."""
    tracks: list[Track]
    """Columns."""
    baselines: list[str] = []
    """Pretrained baselines, further rows."""
    similarity: str = "sts2017"
    """Task of the tracks."""
    retrieval: str = "retrieval"
    """Task of the directions."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name scores, the STS folder."""
        names = sorted({n for line in self._lines(plan) for n in line.experiments.values()})
        return {
            "scores.similarity": plan.scores(names, self.similarity),
            "scores.retrieval": plan.scores(names, self.retrieval),
            "sts": [plan.path("corpora", "sts")],
        }

    def build(self, material: Material) -> Report:
        """Make one line per row.

        Columns: row, experiments, pairs (the fewest of them), dimension, vocabulary, seed_count;
        for each track `<label>_pearson_x100` and the bounds of its 95% interval; for each direction
        of retrieval `<from>-<to>_p_at_1_x100` and likewise.
        """
        import pandas as pd

        from tandem.reporting.writer import columns

        lines = self._lines(material.plan)
        heads = self._columns(lines, material)
        rows = []
        for line in lines:
            cells = [self._cell(line, column, material) for column in heads]
            names = " ".join(dict.fromkeys(line.experiments.values()))
            row: dict[str, Any] = {"row": line.label, "experiments": names, **line.about}
            row |= {"seed_count": max((len(c.seeds) for c in cells if c), default=0)}
            for column, cell in zip(heads, cells, strict=True):
                row |= columns(column.label, material.scores.metric(column.task), cell)
            rows.append(row)
        frame = pd.DataFrame(rows).astype(dict.fromkeys(NUMBERS, "Int64"))
        frame = frame.astype({name: float for name in frame.columns if name.endswith("x100")})
        compared = pd.DataFrame(self._compared(lines, heads, material), columns=COMPARED)
        return Report(frame, self._markdown(lines, heads, material), {"comparisons": compared})

    def _lines(self, plan: Outline) -> list[Line]:
        """Return the rows: Tandem's encoders, then pretrained baselines."""
        lines = []
        for row in self.rows:
            settings = self.trainings[row.training]
            names = {language: f"{row.encoder}.{settings[language]}" for language in self.languages}
            trained = [plan.described(name) for name in names.values()]
            pairs = sorted(described["pairs"] for described in trained)
            about = {number: trained[0][number] for number in NUMBERS} | {"pairs": pairs[0]}
            lines.append(Line(row.label, names, about, pairs[-1]))
        settings = next(iter(self.trainings.values()))  # for their corpora
        for name in self.baselines:
            names = {language: f"{name}.{settings[language]}" for language in self.languages}
            label = plan.described(min(names.values()))["encoder"]
            lines.append(Line(label, names, dict.fromkeys(NUMBERS)))
        return lines

    def _columns(self, lines: Sequence[Line], material: Material) -> list[Column]:
        """Return the tracks, scored or not, then the directions that were scored."""
        tracks = [Column(t.label, self.similarity, t.task, t.language) for t in self.tracks]
        names = [name for line in lines for name in line.experiments.values()]
        ways = [way for name in names for way in material.scores.units(name, self.retrieval)]
        return tracks + [Column(way, self.retrieval, way, None) for way in dict.fromkeys(ways)]

    def _experiment(self, line: Line, column: Column, material: Material) -> str | None:
        """Return the experiment behind a cell, None where none was scored."""
        experiments = line.experiments
        names = [experiments[column.language]] if column.language else experiments.values()
        units = {name: material.scores.units(name, column.task) for name in names}
        return next((name for name in names if column.unit in units[name]), None)

    def _cell(self, line: Line, column: Column, material: Material) -> Cell | None:
        """Return a cell, None where it was not scored."""
        name = self._experiment(line, column, material)
        return material.scores.cell(name, column.task, column.unit) if name else None

    def _compared(
        self, lines: Sequence[Line], heads: Sequence[Column], material: Material
    ) -> Iterator[tuple]:
        """Yield the comparisons that claims make, a line for each column of the table."""
        ours = [line for line in lines if line.about["pairs"] is not None]
        baselines = [line for line in lines if line.about["pairs"] is None]
        trained = [line for line in ours if line.about["pairs"]]
        random = [line for line in ours if not line.about["pairs"]]
        trigram = [line for line in random if "TRIGRAM" in line.label.upper()]
        comparisons = [(number, *step) for number in NUMBERS for step in _steps(trained, number)]
        comparisons += [("random-behind", line, other) for line in trained[:1] for other in random]
        comparisons += [("random-trigram", line, other) for line in trigram[:1] for other in random]
        comparisons += [("random-competitive", row, other) for row in random for other in baselines]
        # no claim is tested on the task that chose the recipes
        heads = [column for column in heads if column.unit != _selection(material)]
        for finding, better, worse in comparisons:
            for column in heads:
                source, target = column.unit.rsplit(".", 1)[-1].split("-")
                where = "within" if source == target else "across"
                names = [self._experiment(line, column, material) for line in (better, worse)]
                if better is worse or None in names or names[0] == names[1]:
                    continue
                yield (
                    finding, "sts" if column.language else "retrieval", where, better.label,
                    worse.label, better.slug, worse.slug, column.label, *names, column.task,
                    column.unit,
                )  # fmt: skip

    def _markdown(self, lines: Sequence[Line], heads: Sequence[Column], material: Material) -> str:
        """Lay the table out as the paper does, retrieval beneath, and explain empty columns."""
        from tandem.reporting.writer import beside, grid, page, quantity

        first = [[line.label, *(quantity(n) for n in line.about.values())] for line in lines]
        for line, row in zip(lines, first, strict=True):
            if line.most_pairs != line.about["pairs"]:
                row[1] += f" to {quantity(line.most_pairs)}"
        halves, sizes = {}, set()
        for task in (self.similarity, self.retrieval):
            shown = [column for column in heads if column.task == task]
            cells = [[self._cell(line, column, material) for column in shown] for line in lines]
            names = ["", "Pairs", "Dim.", "Vocab. at most", *(column.label for column in shown)]
            halves[task] = grid(names, beside(first, cells))
            sizes = {cell.items for row in cells for cell in row if cell}
        who = self._who_scores(_selection(material))
        return page(
            "# Table 2: similarity across languages",
            "Pearson's r x 100 with human scores on the tracks of STS 2017, averaged over seeds; "
            "in brackets, the 95% interval over sentence pairs and seeds. Best of each column in "
            f"bold. Each row is an encoder for each language beside English{who}.",
            halves[self.similarity],
            self._empty(material),
            "## Retrieval",
            f"P@1 x 100 on {' or '.join(f'{n:,}' for n in sorted(sizes))} held-out sentences of "
            "each bitext: how often the nearest sentence of the other language is the translation.",
            halves[self.retrieval],
            "The text of wieting2019 that Tandem quotes from does not print the cells of its "
            "Table 2.",
        )

    def _who_scores(self, selection: str) -> str:
        """Say which language's encoder a track scores, where its name leaves it open."""
        return "".join(
            f"; {track.label} scores that of {track.language}"
            + (", enters no claim, and chose the recipes" if track.task == selection else "")
            for track in self.tracks
            if track.language not in track.label.split("-")
        )

    def _empty(self, material: Material) -> str:
        """Say which columns are empty and how to fill them."""
        missing = read_index(material.files["sts"][0]).missing
        why = {f"{entry['year']}.{entry['task']}": entry["why"] for entry in missing}
        absent = [f"- {t.label}: {why[t.task]}" for t in self.tracks if t.task in why]
        if not absent:
            return "Every track was at hand."
        return "Empty columns, and why:\n\n" + "\n".join(absent) + (
            "\n\nTo fill them, set `mirror` in the configuration to a folder that holds the "
            "archives as `<host>/<path>`, or register your own copies as `kind: local` and name "
            "them under `sts`; then delete `results/corpora/downloads/` of the two archives and "
            "run again."
        )


COMPARED = [
    "finding", "half", "where", "better_label", "worse_label", "better_slug", "worse_slug",
    "column", "better", "worse", "task", "unit",
]  # fmt: skip
"""Columns of the frame `comparisons`: `better` and `worse` are experiments."""


def _selection(material: Material) -> str:
    """Return the task that chose the recipes; empty where none did."""
    sts = material.plan.study.sts
    return sts.selection if sts else ""


def _steps(lines: Sequence[Line], number: str) -> Iterator[tuple[Line, Line]]:
    """Yield neighbouring rows (larger, smaller) that differ in this number alone."""
    groups: dict[tuple, list[Line]] = {}
    for line in lines:
        others = tuple(line.about[name] for name in NUMBERS if name != number)
        groups.setdefault(others, []).append(line)
    for group in groups.values():
        for small, large in pairwise(sorted(group, key=lambda line: line.about[number] or 0)):
            if small.about[number] != large.about[number]:
                yield large, small
