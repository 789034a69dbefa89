"""The model card of an exported encoder: Markdown under the YAML header that model hubs read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import yaml

from tandem.encoders.model import SentenceEncoder

_TEMPLATE = """---
{header}---

# {name}

Sentence vectors of {dimension} dimensions, the mean of the embeddings of a sentence's {unit}
({size:,} in the vocabulary), learned from parallel text with Tandem. A vector is not normalised;
compare vectors by cosine. A text without known tokens, an empty one for instance, has the zero
vector.

## Usage

```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("path/to/this/folder{folder}")
vectors = model.encode(sentences)
```

{folders}

## Training data

{corpora}

## Scores

{scores}

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


def model_card(encoder: SentenceEncoder, card: Card, folders: Mapping[str, str]) -> str:
    """Return the text of the README.md.

    Args:
        encoder: the encoder that was exported.
        card: what is not stored with it.
        folders: by language, the folder inside the export that holds it ("" for the top).
    """
    header = {
        "license": card.licence,
        "language": sorted({language.split("-")[0] for language in encoder.languages}),
        "library_name": "sentence-transformers",
        "pipeline_tag": "sentence-similarity",
        "tags": ["sentence-transformers", "sentence-similarity", "feature-extraction"],
    }
    scheme = encoder.segmenter.scheme
    values = {"segmentation": f"{scheme.kind}, {scheme.size:,} asked for"}
    for key, value in encoder.metadata.items():
        parts = value.items() if isinstance(value, dict) else [("", value)]
        values |= {" ".join(filter(None, (key, part))): one for part, one in parts}
    folder = folders[encoder.languages[-1]]
    return _TEMPLATE.format(
        header=yaml.safe_dump(header, sort_keys=False, allow_unicode=True),
        name=card.name,
        dimension=encoder.dimension,
        unit=_UNITS[scheme.kind],
        size=len(encoder.segmenter),
        folder=f"/{folder}" if folder else "",
        folders=_table(
            ("language", "folder"), ((name, f"`./{at}`") for name, at in sorted(folders.items()))
        ),
        corpora=_table(("corpus", "licence"), card.corpora),
        scores=_table(
            ("task", "metric", "score"), ((*what, f"{value:.2f}") for *what, value in card.scores)
        ),
        values=_table(("name", "value"), values.items()),
    )


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [columns, ["---"] * len(columns), *rows]
    if len(lines) == 2:
        return "Not stated."
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)
