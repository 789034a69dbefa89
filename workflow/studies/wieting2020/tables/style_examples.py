"""Table 4: examples of style transfer, drawn by a seed."""

from __future__ import annotations

from pydantic import NonNegativeInt, PositiveInt

from tandem.files.io import read_lines
from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods import transfer
from wieting2020.methods.styles import Classifier, read_triples


class Printed(Settings):
    """An example as the paper prints it."""

    source: str
    """What gives the meaning."""
    style: str
    """What gives the manner."""
    output: str
    """What the model wrote."""


class StyleExamples(Table):
    """Triples, what the first seed of a model wrote, and the version that it is taken for."""

    title: str
    """Heading of the table."""
    experiment: str
    """The model that restyles."""
    count: PositiveInt = 20
    """Examples, or all triples where there are fewer."""
    seed: NonNegativeInt = 1
    """Seed of their draw; none is picked."""
    printed: list[Printed] = []
    """The paper's examples."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the triples and what the model wrote."""
        seed = plan.seeds(self.experiment)[0]
        return {
            "styles": [plan.path("styles")],
            "restyled": [transfer.path_of(plan, self.experiment, seed)],
        }

    def figures(self, name: str) -> list[str]:
        """Name no figure: the sentences are the result."""
        return []

    def build(self, material: Material) -> Report:
        """Make a line for each example.

        Columns: place, source_version, style_version, source, style, output, reference, and told,
        the version that the classifier takes the output for.
        """
        import numpy as np
        import pandas as pd

        from tandem.reporting.writer import grid, page

        folder = material.files["styles"][0]
        triples = read_triples(folder / "triples.tsv")
        outputs = list(read_lines(material.files["restyled"][0]))
        random = np.random.default_rng(self.seed)
        drawn = sorted(random.permutation(len(triples))[: self.count].tolist())
        told = Classifier.load(folder / "classifier.npz").told([outputs[n] for n in drawn])
        lines = [
            triples[n]._asdict() | {"output": outputs[n], "told": version}
            for n, version in zip(drawn, told, strict=True)
        ]
        shown = ("source", "style", "output", "reference")
        rows = [
            [line["place"], f"{line['source_version']} → {line['style_version']}",
             *(_cell(line[name]) for name in shown), line["told"]]
            for line in lines
        ]  # fmt: skip
        headings = ["Verse", "Versions", "Source", "Style", "Output", "True verse", "Taken for"]
        text = page(
            f"# {self.title}", grid(headings, rows),
            f"{len(drawn)} of {len(triples):,} triples, drawn by a seed: none is picked. The verse "
            "is book.chapter.verse; the true verse is the source's in the version of the style; "
            "the last column is the version that the classifier takes the output for.",
            self._published(),
        )  # fmt: skip
        return Report(pd.DataFrame(lines), text)

    def _published(self) -> str:
        from tandem.reporting.writer import grid

        if not self.printed:
            return ""
        rows = [[f"*{_cell(text)}*" for text in (e.source, e.style, e.output)]
                for e in self.printed]  # fmt: skip
        return "The paper's examples, of subtitles:\n\n" + grid(["Source", "Style", "Output"], rows)


def _cell(text: str) -> str:
    """Return text as a cell of a grid shows it."""
    return text.replace("|", r"\|").replace("*", r"\*")
