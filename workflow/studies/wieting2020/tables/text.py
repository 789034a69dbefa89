"""The text: pairs of each bitext, held-out sentences of each probing set, versions of a verse."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.files.io import read_json, read_lines
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods.probing_text import ProbingText
from wieting2020.methods.styles import Styles

if TYPE_CHECKING:
    import pandas as pd

PARTS = {"tr": "train", "va": "valid", "te": "test"}
Row = tuple[str, str, str, str, int]


class Text(Table):
    """How much text there is, and what is made of what is held out: counts, by part and label."""

    corpora: list[str]
    """The bitexts that are counted."""
    probes: dict[str, ProbingText]
    """The probing sets, by name."""
    styles: Styles
    """The versions of a text between which style is transferred."""

    def sources(self) -> list[str]:
        """Name the corpus of the versions."""
        return [self.styles.dataset]

    def figures(self, name: str) -> list[str]:
        """Name no figure."""
        return []

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the bitexts, the probing sets and the folder of the versions."""
        return {
            "corpora": [plan.path("corpora", name) for name in self.corpora],
            "probing": [plan.path("probing", f"{name}.txt") for name in self.probes],
            "styles": [plan.path("styles")],
        }

    def build(self, material: Material) -> Report:
        """Make a row for each text, part and label.

        Columns: kind (bitext, probing, versions), text, part (train, valid, test), label, count (of
        pairs or sentences).
        """
        import pandas as pd

        from tandem.reporting.writer import grid, page

        columns = ["kind", "text", "part", "label", "count"]
        frame = pd.DataFrame(self._rows(material), columns=columns)
        about = read_json(material.files["styles"][0] / "classifier.json")
        accuracy = "; ".join(
            f"{split} {about[split]['accuracy_x100']:.1f} "
            f"[{about[split]['interval_x100'][0]:.1f}, {about[split]['interval_x100'][1]:.1f}]"
            for split in ("valid", "test")
        )
        parts = [
            f"## {heading}\n\n" + grid(["", *PARTS.values()], _wide(frame, kind))
            for kind, heading in (
                ("bitext", "Pairs"), ("versions", "Verses"), ("probing", "Probing sets"),
            )
        ]  # fmt: skip
        return Report(
            frame,
            page(
                "# Text", *parts,
                "A classifier of character and word n-grams tells the version of this share of "
                "verses of held-out books whose versions differ, in percent, with 95% intervals "
                f"over verses: {accuracy}.",
            ),
        )  # fmt: skip

    def _rows(self, material: Material) -> Iterator[Row]:
        for folder in material.files["corpora"]:
            splits = read_json(folder / "splits.json")
            yield from (("bitext", folder.name, s, "", splits[s]) for s in PARTS.values())
        for split in PARTS.values():
            file = material.files["styles"][0] / f"{split}.tsv"
            yield from (("versions", name, split, "", n) for name, n in _counts(file, 1).items())
        for file in material.files["probing"]:
            for (part, label), count in _probing(file).items():
                yield "probing", file.stem, PARTS[part], label, count


def _counts(file: Path, column: int) -> Counter[str]:
    return Counter(line.split("\t")[column] for line in read_lines(file))


def _probing(file: Path) -> dict[tuple[str, str], int]:
    """Count the lines of a probing set by part and label."""
    counts = Counter(tuple(line.split("\t")[:2]) for line in read_lines(file))
    return {(part, label): counts[part, label] for part, label in sorted(counts)}


def _wide(frame: pd.DataFrame, kind: str) -> list[list[str]]:
    """Return a line for each text, and for each of its labels if they are few."""
    rows = frame[frame["kind"] == kind]
    lines = []
    for name, counts in rows.groupby("text", sort=False):
        labels = list(dict.fromkeys(counts["label"]))
        groups = [(str(name), counts)]
        if 1 < len(labels) <= 12:
            groups += [(f"{name}: {x}", counts[counts["label"] == x]) for x in labels]
        for heading, group in groups:
            sums = group.groupby("part")["count"].sum()
            lines.append([heading, *(f"{sums.get(part, 0):,}" for part in PARTS.values())])
    return lines
