"""The nearest English sentences of some sentences in several languages, to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import PositiveInt

from tandem.corpora.collection import Part, read_parts
from tandem.errors import TandemError
from tandem.files.io import read_lines
from tandem.reporting.outline import Outline
from tandem.reporting.table import Material, Report, Table

if TYPE_CHECKING:
    import pandas as pd

    from tandem.encoders.model import SentenceEncoder


SHOWN = ["rank", "neighbour", "cosine", "found"]


class Neighbours(Table):
    """Held-out sentences, each with its nearest sentences of the pivot."""

    title: str = "Nearest neighbours"
    """Heading of the table."""
    experiment: str
    """The experiment whose encoder is used, that of the first seed."""
    source: str
    """The corpus of the collection."""
    languages: list[str]
    """The languages of the sentences."""
    sentences: PositiveInt = 10
    """Sentences of each language."""
    k: PositiveInt = 3
    """Neighbours of each sentence."""
    seed: int = 1
    """Seed of the choice of sentences: those with the same English text are drawn together, so that
    languages show much the same ones."""

    def inputs(self, plan: Outline) -> dict[str, list[str]]:
        """Name the encoder and the collection."""
        corpus = plan.setting(self.experiment).corpus
        return {
            "model": plan.models([self.experiment], plan.seeds(self.experiment)[:1]),
            "collection": [plan.path("corpora", corpus)],
        }

    def encodes(self) -> list[str]:
        """Name the encoder."""
        return [self.experiment]

    def figures(self, name: str) -> list[str]:
        """Name no figure: the sentences are the result."""
        return []

    def build(self, material: Material) -> Report:
        """Make a row for each neighbour, the nearest first.

        Columns: language, sentence, translation (of the corpus), rank, neighbour, cosine, and found
        (whether the neighbour is the translation).

        Raises:
            TandemError: a language has too few held-out sentences, or none.
        """
        import pandas as pd

        from tandem.encoders.model import SentenceEncoder

        encoder = SentenceEncoder.load(material.files["model"][0])
        folder = material.files["collection"][0]
        parts = {(p.source, p.right): p for p in read_parts(folder) if not p.monolingual}
        rows: list[dict[str, Any]] = []
        for language in self.languages:
            part = parts.get((self.source, language))
            if part is None:
                problem = f"{folder} has nothing of {self.source} in {language}"
                raise TandemError(f"{problem}. Correct tables.{material.name} in study.yaml")
            rows += self._of(part, encoder, list(read_lines(part.path(folder, "test"))))
        frame = pd.DataFrame(rows)
        return Report(frame, self._markdown(frame))

    def _of(self, part: Part, encoder: SentenceEncoder, lines: list[str]) -> list[dict[str, Any]]:
        """Return the rows of one language."""
        from tandem.corpora.sample import ranks
        from tandem.search.neighbours import search

        if len(lines) < max(self.sentences, self.k):
            raise TandemError(f"{part.source}, {part.right}: only {len(lines)} held-out sentences")
        _, english, texts = zip(*(line.split("\t") for line in lines), strict=True)
        drawn = sorted(ranks(english, self.seed).argsort(kind="stable")[: self.sentences].tolist())
        queries = encoder.encode([texts[row] for row in drawn], part.right)
        near = search(queries, encoder.encode(english, part.left), self.k).forward
        return [
            {
                "language": part.right,
                "sentence": texts[row],
                "translation": english[row],
                "rank": rank,
                "neighbour": english[other],
                "cosine": float(cosine),
                "found": english[other] == english[row],
            }
            for row, others, cosines in zip(drawn, near.indices, near.scores, strict=True)
            for rank, (other, cosine) in enumerate(zip(others, cosines, strict=True), start=1)
        ]

    def _markdown(self, frame: pd.DataFrame) -> str:
        """List the sentences of each language with their neighbours."""
        from tandem.reporting.writer import page

        parts = [
            f"# {self.title}",
            "Held-out sentences, and the English ones that are nearest to each among all held-out "
            "ones of the corpus, with their cosines; the translation, where it is among them, in "
            "bold.",
        ]
        for language, rows in frame.groupby("language", sort=False):
            parts.append(f"## {language}")
            for (sentence, translation), near in rows.groupby(
                ["sentence", "translation"], sort=False
            ):
                lines = [f"{sentence} = {translation}", ""]
                for rank, text, cosine, right in near[SHOWN].itertuples(index=False):
                    lines.append(f"{rank}. {cosine:.2f} " + (f"**{text}**" if right else text))
                parts.append("\n".join(lines))
        return page(*parts)
