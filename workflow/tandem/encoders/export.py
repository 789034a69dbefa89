"""Averaging encoders as folders that sentence-transformers loads with its own classes alone.

An exported encoder is a `StaticEmbedding`: a tokeniser and a table, whose rows of a text's tokens
are averaged. `SentenceTransformer(folder).encode(sentences)` gives the encoder's own vectors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import yaml

from tandem import saved
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.stock_tokenizer import stock_tokenizer
from tandem.errors import TandemError
from tandem.io import atomic_folder

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


def export_sentence_transformers(
    encoder: SentenceEncoder, folder: str | Path, card: Card
) -> dict[str, Path]:
    """Write an averaging encoder for sentence-transformers, whole or not at all.

    The vectors of the written model are the encoder's own, tokenisation included. Languages that
    have vocabularies of their own (`separate` or `marked` segmentations) each get a folder inside
    `folder`, since one tokeniser cannot serve both. Returns the folder to load for each language.

    Raises:
        TandemError: the encoder is no averaging one.
    """
    if encoder.kind.kind != "averaging":
        raise TandemError(
            f"an encoder of kind {encoder.kind.kind!r} has no counterpart among the classes of "
            "sentence-transformers: export an averaging encoder"
        )
    groups = encoder.segmenter.groups
    names = {
        language: "-".join(group) if len(groups) > 1 else ""
        for group in groups
        for language in group
    }
    with atomic_folder(folder) as temporary:
        for group in groups:
            _write(encoder, group[0], temporary / names[group[0]])
        text = model_card(encoder, card, names)
        (temporary / "README.md").write_text(text, encoding="utf-8", newline="\n")
        saved.seal(temporary)
    return {language: Path(folder) / name for language, name in names.items()}


def _write(encoder: SentenceEncoder, language: str, folder: Path) -> None:
    """Write the model of a language, and of all that are segmented like it."""
    try:  # slow to import
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    except ImportError as error:
        raise TandemError(
            'exporting needs sentence-transformers: pip install "tandem-bitext[export]"'
        ) from error
    tokenizer, rows = stock_tokenizer(encoder.segmenter, language)
    table = encoder.table.detach().cpu()[torch.tensor(rows)]
    model = SentenceTransformer(
        modules=[StaticEmbedding(tokenizer, embedding_weights=table)],
        device="cpu",
        similarity_fn_name="cosine",
    )
    model.save(str(folder), create_model_card=False)


def model_card(encoder: SentenceEncoder, card: Card, folders: Mapping[str, str]) -> str:
    """Return the README.md; `folders` hold each language inside the export ("" for its top)."""
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
