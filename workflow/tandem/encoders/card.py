"""The model card of an exported encoder: Markdown under the YAML header that model hubs read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tandem.encoders.model import SentenceEncoder

_CITATION = """@inproceedings{wieting-etal-2019-simple,
  title = {Simple and Effective Paraphrastic Similarity from Parallel Translations},
  author = {Wieting, John and Gimpel, Kevin and Neubig, Graham and Berg-Kirkpatrick, Taylor},
  booktitle = {Proceedings of the 57th Annual Meeting of the Association for Computational
               Linguistics},
  year = {2019}
}"""
_KINDS = {
    "sentencepiece": "SentencePieces",
    "words": "words",
    "trigrams": "character trigrams",
}


@dataclass(frozen=True)
class Corpus:
    """A corpus that the encoder learned from, with its licence as its publisher states it."""

    name: str
    licence: str
    description: str = ""


@dataclass(frozen=True)
class Score:
    """One figure of a model card: what was measured, on what, and how it came out."""

    task: str
    metric: str
    value: float


@dataclass(frozen=True)
class Card:
    """What a model card says beyond what the encoder itself knows.

    Attributes:
        name: of the model.
        corpora: what it was trained on.
        scores: what it reaches.
        licence: of the model itself, an identifier that the hub knows (apache-2.0, other, ...).
    """

    name: str
    corpora: Sequence[Corpus] = ()
    scores: Sequence[Score] = ()
    licence: str = "other"


def model_card(encoder: SentenceEncoder, card: Card, folders: Mapping[str, str]) -> str:
    """Return the text of the README.md.

    Args:
        encoder: the encoder that was exported.
        card: what it does not know of itself.
        folders: by language, the folder inside the export that holds it ("" for the top).
    """
    header = {
        "license": card.licence,
        "language": sorted({language.split("-")[0] for language in encoder.languages}),
        "library_name": "sentence-transformers",
        "pipeline_tag": "sentence-similarity",
        "tags": ["sentence-transformers", "sentence-similarity", "feature-extraction"],
    }
    parts = [
        "---\n" + yaml.safe_dump(header, sort_keys=False, allow_unicode=True) + "---",
        f"# {card.name}",
        _summary(encoder),
        "## Usage\n\n" + _usage(encoder, folders),
        "## Training data\n\n" + _corpora(card.corpora),
        "## Scores\n\n" + _scores(card.scores),
        "## Hyperparameters\n\n" + _hyperparameters(encoder),
        f"## Citation\n\nThe method:\n\n```bibtex\n{_CITATION}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def _summary(encoder: SentenceEncoder) -> str:
    unit = _KINDS[encoder.segmenter.scheme.kind]
    return (
        f"Sentence vectors of {encoder.dimension} dimensions, the mean of the embeddings of a "
        f"sentence's {unit} ({len(encoder.segmenter):,} in the vocabulary), learned from parallel "
        "text with Tandem. A vector is not normalised; compare vectors by cosine. A text without "
        "known tokens, an empty one for instance, has the zero vector.\n\n"
        f"Languages: {', '.join(encoder.languages)}."
    )


def _usage(encoder: SentenceEncoder, folders: Mapping[str, str]) -> str:
    language = encoder.languages[-1]
    place = f"path/to/this/folder/{folders[language]}".rstrip("/")
    text = (
        "```python\nfrom sentence_transformers import SentenceTransformer\n\n"
        f'model = SentenceTransformer("{place}")\n'
        f'vectors = model.encode(sentences, prompt_name="{language}")\n```\n\n'
        "The name of the prompt is the language of the sentences, which decides how they are "
        "tokenised. The prompt itself is a sign that leaves no token."
    )
    if len(set(folders.values())) > 1:
        rows = [f"| {language} | `{folder}` |" for language, folder in sorted(folders.items())]
        text += "\n\nEach language has a folder:\n\n" + _table(["language", "folder"], rows)
    return text


def _corpora(corpora: Sequence[Corpus]) -> str:
    if not corpora:
        return "Not stated."
    rows = [f"| {one.name} | {one.description} | {one.licence} |" for one in corpora]
    return _table(["corpus", "what it is", "licence"], rows)


def _scores(scores: Sequence[Score]) -> str:
    if not scores:
        return "None were measured."
    rows = [f"| {score.task} | {score.metric} | {score.value:.2f} |" for score in scores]
    return _table(["task", "metric", "score"], rows)


def _hyperparameters(encoder: SentenceEncoder) -> str:
    scheme = encoder.segmenter.scheme
    values: dict[str, Any] = {
        "segmentation": f"{scheme.kind}, {scheme.size:,} asked for",
        "dimension": encoder.dimension,
    }
    for key, value in encoder.metadata.items():
        values |= value if isinstance(value, dict) else {key: value}
    return _table(["name", "value"], [f"| {key} | {value} |" for key, value in values.items()])


def _table(columns: Sequence[str], rows: Sequence[str]) -> str:
    head = ["| " + " | ".join(columns) + " |", "| " + " | ".join("---" for _ in columns) + " |"]
    return "\n".join([*head, *rows])
