"""The scores of pairs that filters choose by, a column for each.

length        tokens of the paraphrase (section 5.5)
cost          negative log-probability of the translation per token, in nats
fluency       cost of the paraphrase by a 3-gram model of references, in nats per token
reference-avg, reference-lstm
              probability of being a reference, by classifiers over the mean of word vectors and
              over an LSTM (5.6.1)
overlap-1, overlap-2, overlap-3, bleu
              n-grams in common, and BLEU, of the reference and the paraphrase (5.7)
cosine        of the reference and the paraphrase, by an encoder that the configuration names, or
              else by AVG trained on the pairs held apart; not in the paper
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.lstm import Lstm
from tandem.encoders.model import SentenceEncoder
from tandem.filtering.kinds.bleu import sentence_bleu
from tandem.filtering.kinds.overlap import ngram_overlap
from tandem.filtering.ngram_model import train as train_ngrams
from tandem.objectives.kinds.margin import Margin
from tandem.segmentation.segmenter import Segmenter
from tandem.statistics.cosine import cosine_similarity
from tandem.text.tokens import tokens
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, train_encoder
from wieting2017.methods import classifier
from wieting2017.methods.texts import Candidate

ORDERS = (1, 2, 3)
CLASSIFIERS = {"reference-avg": Averaging(dimension=100), "reference-lstm": Lstm(dimension=100)}

COSINE = Recipe(epochs=20, batch=100, dropout=0.0, learning_rate=0.016)
"""How the encoder of the cosines is trained, if none is named: as AVG in section 5.2, at the
learning rate that was best for French messages on the development task."""


def score(
    candidates: Sequence[Candidate],
    apart: Sequence[tuple[str, str]],
    segmenter: Segmenter,
    seed: int,
    similar: SentenceEncoder | None = None,
) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the scores of pairs, and the accuracies of the classifiers.

    Args:
        candidates: the pairs.
        apart: references and translations that the language model and the classifiers learn from;
            without any, their columns are missing.
        segmenter: of English, into words.
        seed: of the classifiers.
        similar: the encoder whose cosine is a score; None: one trained on `apart`, if there is any.
    """
    pairs = [(tokens(pair.reference), tokens(pair.paraphrase)) for pair in candidates]
    scores: dict[str, Any] = {"length": [len(paraphrase) for _, paraphrase in pairs]}
    if candidates[0].cost is not None:
        scores["cost"] = [pair.cost for pair in candidates]
    for order in ORDERS:
        scores[f"overlap-{order}"] = [ngram_overlap(*pair, order) for pair in pairs]
    scores["bleu"] = [sentence_bleu(*pair) for pair in pairs]
    if similar is None and apart:
        similar = _cosine_encoder(apart, segmenter, seed)
    if similar is not None:
        sides = (similar.encode([pair.sides[k] for pair in candidates], "en") for k in (0, 1))
        scores["cosine"] = cosine_similarity(*sides)
    about: dict[str, Any] = {}
    if apart:
        model = train_ngrams([tokens(reference) for reference, _ in apart], 3)
        scores["fluency"] = [model.cost(paraphrase) for _, paraphrase in pairs]
        for name, kind in CLASSIFIERS.items():
            trained = classifier.train(segmenter, kind, apart, seed)
            scores[name] = trained.probabilities([pair.paraphrase for pair in candidates])
            about[name] = {
                "accuracy": round(trained.accuracy, 4),
                "majority": round(trained.majority, 4),
                "pairs": len(apart),
            }
    return pd.DataFrame(scores).astype(np.float64).round(6), about


def _cosine_encoder(
    pairs: Sequence[tuple[str, str]], segmenter: Segmenter, seed: int
) -> SentenceEncoder:
    """Train AVG on references and translations, for its cosine."""
    encode = segmenter.encoder("en")
    left, right = (encode([pair[side] for pair in pairs]) for side in (0, 1))
    run = Run(Averaging(), Margin(megabatch=1, anneal=0), COSINE, seed)
    text = [Pairs(left, right, monolingual=True)]
    # on the CPU: as small as the trainings that its scores are for
    return train_encoder(run, segmenter, text, None, device="cpu", show=False)[0]
