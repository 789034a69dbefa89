"""Table 4: examples of style transfer, drawn by a seed."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import NonNegativeInt, PositiveInt

from tandem.files.io import read_lines
from tandem.registry import Settings
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table
from wieting2020.methods import transfer
from wieting2020.methods.styles import Classifier, read_triples

SHOWN = {"source": "Source", "style": "Style", "output": "Output", "reference": "True verse"}


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

        from tandem.reporting.writer import page

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
        examples = [
            _listed(f"{line['place']}, {line['source_version']} to {line['style_version']}", line)
            for line in lines
        ]
        text = page(
            f"# {self.title}",
            f"{len(drawn)} of {len(triples):,} triples, drawn by a seed: none is picked. Each is "
            "book.chapter.verse, the version of the source and that of the style; the true verse "
            "is the source's in the latter. After the output, the version that the classifier "
            "takes it for.",
            *examples,
            *self._published(),
        )
        return Report(pd.DataFrame(lines), text)

    def _published(self) -> list[str]:
        """Return the paper's examples, under their heading."""
        if not self.printed:
            return []
        quoted = [
            _listed(f"Printed, {number}", example.model_dump())
            for number, example in enumerate(self.printed, start=1)
        ]
        return ["## The paper's examples, of subtitles", *quoted]


def _listed(heading: str, example: Mapping[str, str]) -> str:
    """Return an example as a list: what each text is, the text, what the output is taken for."""
    lines = [f"**{heading}**", ""]
    for key, name in SHOWN.items():
        if key in example:
            text = example[key].replace("*", r"\*").replace("_", r"\_")
            told = f" ({example['told']})" if key == "output" and "told" in example else ""
            lines.append(f"- {name}: {text}{told}")
    return "\n".join(lines)
