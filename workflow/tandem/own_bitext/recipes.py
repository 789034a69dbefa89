"""Objectives, recipes and segmentations for an amount of text, where no others are asked for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping
from typing import Any

from tandem.encoders.encoder import Encoder
from tandem.objectives.kinds.generative import Generative
from tandem.objectives.kinds.margin import Margin
from tandem.objectives.objective import OBJECTIVES, Objective
from tandem.segmentation.segmentation import SEGMENTATIONS, Segmentation
from tandem.training.recipe import Recipe


def followed(
    pairs: int,
    encoder: Encoder | None = None,
    objective: Objective | None = None,
    **asked: Any,  # noqa: ANN401
) -> tuple[Objective, Recipe]:
    """Return the objective and the recipe for a number of training pairs.

    Args:
        pairs: to train on.
        encoder: the one to train; None: the mean of its embeddings.
        objective: takes the place of the margin loss for so many pairs.
        asked: settings of the recipe that take the place of those for so many pairs.
    """
    if isinstance(objective, Generative):
        return objective, Recipe(**_generative(pairs, objective) | asked)
    names = ("learning_rate", "dropout", "epochs", "patience")
    values = next(v for most, v in _FOLLOWS if pairs <= most)
    recipe: dict[str, Any] = dict(zip(names, values, strict=True))
    much = pairs > _MUCH
    if much:
        recipe["decay"] = "linear"
    if encoder and encoder.weight_shapes():
        recipe |= _LAYERS
    return objective or Margin(**{"megabatch": 16} if much else {}), Recipe(**recipe | asked)


def _generative(pairs: int, objective: Generative) -> dict[str, Any]:
    """Return the recipe of a generative objective for a number of training pairs.

    Of few pairs a pass has few updates, and decoders need hundreds before they say anything.
    """
    updates = max(1, pairs * _LENGTH // objective.tokens)
    return _GENERATIVE | {
        "epochs": max(_LEAST_EPOCHS, math.ceil(_PLANNED / updates)),
        "patience": max(_LEAST_PATIENCE, math.ceil(_PATIENT / updates)),
    }


def small(kind: str, width: int | None = None) -> dict[str, Any]:
    """Return settings with which an encoder or an objective of a kind trains on a CPU.

    Those of the posterior and of generative objectives; others' defaults are for that already.
    """
    width = width or WIDTH
    layers = {"dimension": width, "heads": _HEADS, "filter": 2 * width}
    if kind == "posterior":
        body = {"kind": "transformer", "pooling": "mean", "hidden": width, "layers": 1, **layers}
        return {"body": body, "latent": width}
    if kind == "generative":
        return {**layers, "tokens": 2000, "drawn": 500, "annealing": None, "dropout": 0.0}
    return {}


def grouped(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of a training with those of its recipe and segmentation in their places.

    `{"epochs": 2, "seed": 3}` becomes `{"recipe": {"epochs": 2}, "seed": 3}`.
    """
    result = dict(settings)
    for group, kind in (("recipe", Recipe), ("segmentation", Segmentation)):
        inner = {name: result.pop(name) for name in kind.model_fields.keys() & result.keys()}
        if inner:
            result[group] = {**result.get(group, {}), **inner}
    return result


def sample(segmentation: Mapping[str, Any]) -> int:
    """Return how many training pairs a segmentation is learned from, by its settings."""
    return int(segmentation.get("sample", SAMPLE))


SAMPLE = 250_000
"""Most training pairs that a segmentation is learned from, unless another number is asked for:
SentencePiece takes 1.5 GB for so many, and 10 GB for 2 million (docs/own-bitext.md)."""
WIDTH, _HEADS = 128, 8
"""Width and heads of small transformers."""
_GENERATIVE: dict[str, Any] = {
    "learning_rate": 0.002, "warmup": 250, "decay": "root", "dropout": 0.0,
}  # fmt: skip
"""For generative objectives (docs/generative.md)."""
_LENGTH = 15
"""Tokens of a pair of sentences, those of the longer one, as batches of tokens count them."""
_PLANNED, _PATIENT = 3000, 500
"""Updates of generative objectives: at least as many are planned, and made without a gain before
training ends, which is twice their warm-up."""
_LEAST_EPOCHS, _LEAST_PATIENCE = 20, 3
"""Epochs of much text, and those without a gain."""
_LAYERS = {"learning_rate": 0.0005, "embedding_multiplier": 64.0, "dropout": 0.0}
"""For encoders with parameters besides their embeddings. The rates of averaging encoders make all
their vectors alike; embeddings still need large steps (docs/fidelity.md)."""
_MUCH = 100_000
"""Above this number of pairs, negatives are chosen from smaller mega-batches, which cost
less and lose nothing, and the learning rate falls (the joint encoder's values: docs/fidelity.md).
"""
ALSO_PER_PAIR = 4
"""Most pairs of text that is only trained on for each of one's own (docs/fidelity.md)."""
STARTED = 30_000
"""Most pairs of one's own that start from `small` where nothing else is asked for; of more, what it
is worth is not known (docs/own-bitext.md)."""
_CHARACTERS = 0.9
"""Largest share of the pieces that may be single characters."""
_COVERAGE = 0.9995
"""Share of the text's characters that are kept where there would be more."""
_SIZES: tuple[tuple[float, int], ...] = ((30_000, 4000), (_MUCH, 8000), (math.inf, 64_000))
"""Largest numbers of pairs, each with its number of pieces (docs/own-bitext.md)."""
_FOLLOWS: tuple[tuple[float, tuple[float, float, int, int]], ...] = (
    (3_000, (0.128, 0.7, 60, 20)),
    (30_000, (0.064, 0.5, 30, 5)),
    (_MUCH, (0.032, 0.3, 30, 3)),
    (math.inf, (0.032, 0.0, 6, 3)),
)
"""Learning rate, dropout, epochs and patience, after the largest number of pairs they are for.

Few pairs need large steps, since there are few, and much noise; an epoch of them takes a fraction
of a second, and the P@1 of few held-out pairs often stands still before it rises again. Chosen on
German and Turkish (docs/own-bitext.md).
"""


def segmentation(
    pairs: int, characters: Counter[str], languages: Collection[str], settings: Mapping[str, Any]
) -> Segmentation:
    """Return the segmentation for so many pairs and characters, with the settings asked for.

    Without `kind` among them it is sentencepiece.
    """
    others = {key: value for key, value in settings.items() if key != "kind"}
    kind = settings.get("kind", "sentencepiece")
    suitable: dict[str, Any] = {}
    if kind == "sentencepiece":
        suitable = _pieces(pairs, characters, others.get("size"), len(languages))
    elif kind == "words-and-ngrams" and any(name.startswith("zh") for name in languages):
        suitable = {"ngrams": (1, 4), "chinese_words": True}
    if pairs > SAMPLE:
        suitable["sample"] = SAMPLE
    return SEGMENTATIONS.kind(kind)(**suitable | others)


def _pieces(
    pairs: int, characters: Counter[str], size: int | None, languages: int
) -> dict[str, Any]:
    """Choose the number of pieces, unless there is one, by those of the pairs and the languages.

    It is that for two languages times half of their number, up to that for much text: with 4,000
    pairs of each of four languages with English 8,000 pieces are better than 4,000 or 16,000
    (docs/own-bitext.md).

    Where nearly all pieces would be single characters, as may be in Chinese, the rarest characters
    are left out, as SentencePiece's documentation advises, and the size is raised for the others.
    """
    if size is None:
        size = next(size for most, size in _SIZES if pairs <= most)
        size = min(size * max(2, languages) // 2, _SIZES[-1][1])
    if len(characters) <= _CHARACTERS * size:
        return {"size": size}
    counts = sorted(characters.values(), reverse=True)
    covered, frequent, wanted = 0, 0, _COVERAGE * sum(counts)
    while covered < wanted:
        covered, frequent = covered + counts[frequent], frequent + 1
    size = max(size, math.ceil(frequent / _CHARACTERS))
    return {"size": size, "character_coverage": _COVERAGE}


def in_words(tokens: int, objective: Objective, recipe: Recipe) -> str:
    """Describe a training with so many kinds of tokens."""
    ending = f", or until {recipe.patience} bring nothing" if recipe.patience else ""
    rate = f"{recipe.learning_rate:g}"
    if recipe.embedding_multiplier != 1:
        rate += f" ({recipe.embedding_multiplier:g} times that for embeddings)"
    if recipe.decay != "none":
        rate += f", {recipe.decay} decay"
    batch = f"{recipe.batch} pairs"
    if isinstance(objective, Generative):
        batch = f"{objective.tokens:,} tokens"
        ending += "; validation is minus the loss of a held-out pair, in nats"
    return (
        f"{tokens:,} kinds of tokens, {OBJECTIVES.dump(objective)['kind']} loss, batches of "
        f"{batch}, learning rate {rate}, dropout "
        f"{recipe.dropout:g}, at most {recipe.epochs} epochs{ending}"
    )
