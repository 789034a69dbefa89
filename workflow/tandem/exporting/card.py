"""Model cards: the README.md of a model folder, as hubs show it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import yaml

from tandem.corpora.origins import Origin, inline, lineage, origins_in, stored
from tandem.encoders.measured import parts
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision
from tandem.text import language_of

_TEMPLATE = """---
{header}---

# {name}

Sentence vectors of {dimension} dimensions, {intro} A vector is not normalised;
compare vectors by cosine.

## Usage

{usage}

## Training data

{corpora}{start}

## Scores

{measured}{scores}{thresholds}

## Limits

{limits} Text unlike the training data, long documents, and languages with little of that data are
represented worse.{lowest}

## Hyperparameters

{values}{citation}
"""
_AVERAGING = {
    "intro": """the mean of the embeddings of a sentence's {unit}
({size:,} in the vocabulary), learned from parallel text with Tandem. A text without known tokens,
an empty one for instance, has the zero vector.""",
    "limits": """The order of words does not count: "the dog bites the man" and "the man bites the
dog" have one vector. Negations, numbers and names weigh no more than other words.""",
    "citation": """

## Citation

The method: Wieting, Gimpel, Neubig and Berg-Kirkpatrick (2019), "Simple and Effective Paraphrastic
Similarity from Parallel Translations", Proceedings of ACL.""",
}
_LAYERS = {
    "intro": """pooled from the states of layers over a sentence's {unit}
({size:,} in the vocabulary), trained with Tandem.""",
    "limits": "Of long texts the beginning is read.",
    "citation": "",
}
"""What a card says of averaging encoders, and of those with layers."""

INSTALL = "`pip install .` in a clone of its repository; no package index has it yet"
"""How a reader of a card gets Tandem."""

NAME, ROUNDED = "name", "rounded"
"""What the metadata of a model with a card have of it: its heading, and how it was rounded."""
_ELSEWHERE = {NAME, ROUNDED, "corpora", "notices"}
"""What a card says of the metadata in other places than among the settings."""
_LOWEST = 5
"""Scores of a kind that are listed as the lowest, where a metric has three times as many."""


class Score(NamedTuple):
    """A figure of `what` in a metric, with its 95% interval over the items that are scored."""

    what: str
    metric: str
    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Card:
    """What a model card adds to what is stored with the encoder.

    `corpora` are what it was trained on beside those that its metadata have, (name, licence) or
    more of an `Origin`; `licence` is that of the model itself, an identifier that the hub knows
    (apache-2.0, other, ...).
    """

    name: str
    corpora: Sequence[tuple[str, ...]] = ()
    scores: Sequence[Score] = ()
    licence: str = "other"


def model_card(
    encoder: SentenceEncoder,
    card: Card,
    usage: str,
    library: str = "tandem",
    precision: Precision = Precision.FLOAT32,
) -> str:
    """Return the README.md of an encoder, whose scores were measured before rounding.

    `usage` says in Markdown how to use the folder that `library` loads; `precision` is that of the
    stored numbers.
    """
    header = {
        "license": card.licence,
        "language": sorted({language_of(code) for code in encoder.languages}),
        "library_name": library,
        "pipeline_tag": "sentence-similarity",
        "tags": [library, "sentence-similarity", "feature-extraction"],
    }
    scores = [*card.scores, *_retrieval_scores(encoder.metadata)]
    # what is loaded again was rounded before
    coarse = precision if precision is not Precision.FLOAT32 else encoder.metadata.get(ROUNDED)
    rounded = f"Measured before the numbers were rounded to {inline(coarse)} for storage.\n\n"
    rows = [(*s[:2], f"{s.value:.1f}", f"{s.low:.1f} to {s.high:.1f}") for s in scores]
    segmentation = encoder.segmenter.segmentation
    values = {"segmentation": f"{segmentation.kind}, {segmentation.size:,} asked for"}
    for key, value in encoder.metadata.items():
        if key in _ELSEWHERE:
            continue
        entries = value.items() if isinstance(value, dict) else [("", value)]
        plain = {part: entry for part, entry in entries if not isinstance(entry, dict)}
        values |= {" ".join(filter(None, (key, part))): entry for part, entry in plain.items()}
    texts = _AVERAGING if encoder.kind.kind == "averaging" else _LAYERS
    sizes = {"unit": segmentation.unit, "size": len(encoder.segmenter)}
    return _TEMPLATE.format(
        **texts | {"intro": texts["intro"].format(**sizes)},
        header=yaml.safe_dump(header, sort_keys=False, allow_unicode=True),
        name=inline(card.name),
        dimension=encoder.dimension,
        usage=usage,
        corpora=_corpora(encoder.metadata, card),
        start=_start(encoder.metadata),
        measured=rounded if coarse and scores else "",
        scores=_scores(rows, encoder.metadata.get(NAME)),
        thresholds=_thresholds(encoder.metadata),
        lowest=_lowest(scores),
        values=markdown_table(("name", "value"), values.items()),
    )


def with_corpora(metadata: Mapping[str, Any], card: Card) -> dict[str, Any]:
    """Return metadata that have the corpora of a card, too."""
    origins = [*origins_in(metadata), *(Origin(*row) for row in card.corpora)]
    return {**metadata, **stored(origins)}


def _corpora(metadata: Mapping[str, Any], card: Card) -> str:
    """Return the table of what a model was trained on, as far as that is stated."""
    table = _table_of(origins_in(with_corpora(metadata, card)))
    if "text" in metadata and not card.corpora:
        return f"{table}\n\nThe licence of what else it was trained on is not stated."
    return table


def _table_of(origins: Iterable[Origin]) -> str:
    """Return a table of corpora; where no source is stated it has no such column."""
    rows = list(dict.fromkeys(origin[:3] for origin in origins))
    width = 3 if any(source for *_, source in rows) else 2
    return markdown_table(("corpus", "licence", "source")[:width], [row[:width] for row in rows])


def _scores(rows: Sequence[Sequence[object]], name: object) -> str:
    """Return the table of scores; a copy of a model with a card has no other than that has."""
    if not rows and name:
        return f"Not measured again: the card of {inline(name)}, of which this is made, has scores."
    return markdown_table(("task", "metric", "score", "95% interval"), rows)


def _retrieval_scores(metadata: Mapping[str, Any]) -> list[Score]:
    """Return what training measured on pairs that it held out."""
    scores = []
    for name, quality in parts(metadata, "quality").items():
        retrieval = quality.get("retrieval")
        if not (figures := numbers(retrieval, "pairs", "p_at_1_x100", "low", "high")):
            continue
        # those of a calibration, which came after training; a model of an earlier version may have
        # none
        languages = name.split() or quality.get("languages") or metadata.get("languages") or ()
        what = f"retrieval among {figures[0]:,} held-out pairs"
        what += f", {'-'.join(map(str, languages))}" if isinstance(languages, list) else ""
        scores.append(Score(what, "P@1 x 100", *figures[1:]))
    return scores


def numbers(values: object, *keys: str) -> list[float]:
    """Return the numbers of some keys, all of them; none where anybody's metadata lack one."""
    row = [values.get(key) for key in keys] if isinstance(values, Mapping) else []
    figures = [value for value in row if isinstance(value, int | float)]
    return figures if len(figures) == len(keys) else []


def _start(metadata: Mapping[str, Any]) -> str:
    """Return what is to be said of the models that training started from, if there is one."""
    text = ""
    for model in lineage(metadata):
        if not isinstance(start := model.get("start"), Mapping):
            continue
        training, digest = start.get("training"), start.get("sha256")
        before: Mapping[str, Any] = training if isinstance(training, Mapping) else {}
        which = f", {inline(before[NAME])}" if NAME in before else ""
        which += f" (SHA-256 {inline(digest)})" if digest else ""
        text += f"\n\nTraining started from another model{which}: its text and its licences count, "
        text += "too."
        if origins := origins_in(before):
            text += f"\n\n{_table_of(origins)}"
    return text


def _thresholds(metadata: Mapping[str, Any]) -> str:
    kinds = {
        "cosine": "a cosine",
        "ratio": "a ratio margin (Artetxe and Schwenk, 2019; 4 neighbours)",
    }
    lines = ""
    for name, quality in parts(metadata, "quality").items():
        limits, where = quality.get("thresholds"), "-".join(name.split())
        figures = {kind: numbers(limits, kind) for kind in kinds}
        shown = [f"{kinds[kind]} of {limit:.3f} or more" for kind, row in figures.items()
                 for limit in row]  # fmt: skip
        if shown:
            where = f" of {where}" if where else ""
            lines += f"\n\n95% of translations{where} have {', and '.join(shown)}."
    told = metadata.get("identification")
    accuracy = told.get("accuracy_x100") if isinstance(told, Mapping) else None
    measured = numbers(accuracy, "estimate", "low", "high"), numbers(told, "threshold", "pairs")
    if all(measured):
        (estimate, low, high), (threshold, pairs) = measured
        lines += (
            f"\n\nPairs with a cosine of {threshold:.3f} or more are told to say the same: "
            f"right for {estimate:.1f}% of {pairs:,} held-out pairs (95% "
            f"interval {low:.1f} to {high:.1f})."
        )
    return lines


def _lowest(scores: Sequence[Score]) -> str:
    """Return the lowest scores of each metric that has many."""
    by_metric: dict[str, list[Score]] = {}
    for score in scores:
        by_metric.setdefault(score.metric, []).append(score)
    text = ""
    for metric, group in by_metric.items():
        if len(group) >= 3 * _LOWEST:
            lowest = sorted(group, key=lambda score: score.value)[:_LOWEST]
            listed = "; ".join(f"{score.what} {score.value:.1f}" for score in lowest)
            text += f"\n\nLowest of {len(group)} figures in {metric}: {listed}."
    return text


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown, or "Not stated." if it has no row."""
    lines = [columns, ["---"] * len(columns), *rows]
    if len(lines) == 2:
        return "Not stated."
    return "\n".join("| " + " | ".join(map(inline, line)) + " |" for line in lines)
