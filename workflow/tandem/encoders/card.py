"""Model cards: the README.md of a model folder, as hubs show it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import yaml

from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision

_TEMPLATE = """---
{header}---

# {name}

Sentence vectors of {dimension} dimensions, the mean of the embeddings of a sentence's {unit}
({size:,} in the vocabulary), learned from parallel text with Tandem. A vector is not normalised;
compare vectors by cosine. A text without known tokens, an empty one for instance, has the zero
vector.

## Usage

{usage}

## Training data

{corpora}

## Scores

{measured}{scores}

## Hyperparameters

{values}

## Citation

The method: Wieting, Gimpel, Neubig and Berg-Kirkpatrick (2019), "Simple and Effective Paraphrastic
Similarity from Parallel Translations", Proceedings of ACL.
"""
_UNITS = {"sentencepiece": "SentencePieces", "words": "words", "trigrams": "character trigrams"}


@dataclass(frozen=True)
class Card:
    """What a model card says beyond what is stored with the encoder.

    Attributes:
        name: of the model.
        corpora: what it was trained on, (name, licence).
        scores: of the model, (task, metric, value).
        licence: of the model itself, an identifier that the hub knows (apache-2.0, other, ...).
    """

    name: str
    corpora: Sequence[tuple[str, str]] = ()
    scores: Sequence[tuple[str, str, float]] = ()
    licence: str = "other"


def model_card(
    encoder: SentenceEncoder,
    card: Card,
    usage: str,
    library: str = "tandem",
    precision: Precision = Precision.FLOAT32,
) -> str:
    """Return the README.md of an averaging encoder.

    Args:
        encoder: as its scores were measured.
        card: what is said beyond what is stored with the encoder.
        usage: how to use the folder, in Markdown.
        library: that loads the folder.
        precision: of the stored numbers.
    """
    header = {
        "license": card.licence,
        "language": sorted({language.split("-")[0] for language in encoder.languages}),
        "library_name": library,
        "pipeline_tag": "sentence-similarity",
        "tags": [library, "sentence-similarity", "feature-extraction"],
    }
    rounded = f"Measured before the numbers were rounded to {precision} for storage.\n\n"
    scheme = encoder.segmenter.scheme
    values = {"segmentation": f"{scheme.kind}, {scheme.size:,} asked for"}
    for key, value in encoder.metadata.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        values |= {" ".join(filter(None, (key, part))): one for part, one in parts}
    return _TEMPLATE.format(
        header=yaml.safe_dump(header, sort_keys=False, allow_unicode=True),
        name=card.name,
        dimension=encoder.dimension,
        unit=_UNITS[scheme.kind],
        size=len(encoder.segmenter),
        usage=usage,
        corpora=markdown_table(("corpus", "licence"), card.corpora),
        measured="" if precision is Precision.FLOAT32 or not card.scores else rounded,
        scores=markdown_table(
            ("task", "metric", "score"), ((*what, f"{value:.2f}") for *what, value in card.scores)
        ),
        values=markdown_table(("name", "value"), values.items()),
    )


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table, or that there is nothing to say."""
    lines = [columns, ["---"] * len(columns), *rows]
    if len(lines) == 2:
        return "Not stated."
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
