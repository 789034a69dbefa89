"""Probing sets made of held-out text (section 5.2), as SentEval lays them out.

A line is tr, va or te, a label, a sentence and, which SentEval's own files lack, its meaning, with
tabs between. Sentences that mean the same, such as a verse in several versions, are in one of the
three parts.
"""

from __future__ import annotations

import re
import string
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np
from pydantic import NonNegativeInt, PositiveInt

from tandem.corpora.register import Code
from tandem.errors import TandemError
from tandem.registry import Settings
from wieting2020.methods.held_out import Sentence

PARTS = ("tr", "va", "te")
MARKS = frozenset(string.punctuation)
"""Punctuation marks (note 13): those of ASCII."""
MOST_MARKS = 11
"""As many marks or more have one label (note 14)."""
LEAST = 10
"""A label with fewer sentences is left out."""
BINS = 6
"""Bins of sentence length (Conneau et al., 2018)."""
ARTICLES = {
    "fr": {"le": "la", "la": "le", "un": "une", "une": "un"},
    "es": {"el": "la", "la": "el", "los": "las", "las": "los"},
}
"""By language: articles, and their counterparts of the other gender."""

Kind = Literal[
    "punctuation-number", "punctuation-first", "length", "word-content", "article-gender", "version"
]


class ProbingText(Settings):
    """A probing set that is made of held-out text."""

    kind: Kind
    """What is to be told of a sentence: how many punctuation marks it has, 1 to 10 or more; the
    first of them; its length in words, in six bins; which of some words it has; whether its
    articles are of the right gender; which version of the text it is from."""
    bitext: str
    """The bitext whose held-out sentences it is made of."""
    side: Code = "en"
    """Language of the sentences."""
    sources: tuple[str, ...] | None = None
    """The corpora of the bitext that sentences are taken from; null: all. Short messages beside
    long verses would let a probe tell one from the other."""
    training: PositiveInt
    """Most sentences of the training part; the paper has 100,000."""
    held: PositiveInt
    """Most sentences of the validation part, and of the test part; the paper has 10,000."""
    most: PositiveInt | None = None
    """Most sentences with one label, in all parts together; null: no limit. The paper limits the
    number of marks to 20,000."""
    lengths: tuple[PositiveInt, PositiveInt] = (5, 28)
    """Of length, the fewest and the most words; the bins between are equally wide."""
    ranks: tuple[NonNegativeInt, PositiveInt] = (2000, 3000)
    """Of word content, the words: those of these ranks by frequency, from the first to before the
    second."""
    seed: NonNegativeInt = 1
    """Seed of all that is drawn."""


class Item(NamedTuple):
    """A sentence with its label; what means the same is in one part."""

    text: str
    label: str
    meaning: str


def items_of(settings: ProbingText, sentences: Sequence[Sentence]) -> list[Item]:
    """Label the sentences that have a label."""
    if settings.kind == "article-gender":
        return list(_gendered(sentences, ARTICLES[settings.side], settings.seed))
    if settings.kind == "word-content":
        return list(_with_words(sentences, settings.ranks))
    label: Mapping[str, Callable[[str], str | None]] = {
        "punctuation-number": number_of_marks,
        "punctuation-first": first_mark,
        "length": lambda text: length_bin(text, settings.lengths),
    }
    labelled = ((s.text, label[settings.kind](s.text), s.meaning) for s in sentences)
    return [Item(text, name, meaning) for text, name, meaning in labelled if name is not None]


def number_of_marks(text: str) -> str | None:
    """Return the number of punctuation marks as a label; None where there are none."""
    count = sum(character in MARKS for character in text)
    return f"{MOST_MARKS}+" if count >= MOST_MARKS else str(count) if count else None


def first_mark(text: str) -> str | None:
    """Return the first punctuation mark."""
    return next((character for character in text if character in MARKS), None)


def length_bin(text: str, lengths: tuple[int, int]) -> str | None:
    """Return the bin of the number of words, such as 5-8; None for a sentence beyond the bins."""
    fewest, most = lengths
    width, words = (most - fewest + 1) // BINS, len(text.split())
    number = (words - fewest) // width
    start = fewest + number * width
    return f"{start}-{start + width - 1}" if 0 <= number < BINS else None


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.lower())


def _with_words(sentences: Sequence[Sentence], ranks: tuple[int, int]) -> Iterator[Item]:
    """Yield the sentences that have exactly one of the words, once, with that word."""
    counts = Counter(word for sentence in sentences for word in _words(sentence.text))
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    chosen = set(ordered[slice(*ranks)])
    for sentence in sentences:
        present = [word for word in _words(sentence.text) if word in chosen]
        if len(present) == 1:
            yield Item(sentence.text, present[0], sentence.meaning)


def switched(text: str, articles: Mapping[str, str]) -> str:
    """Return a text with each article replaced by its counterpart; case is kept."""

    def other(match: re.Match[str]) -> str:
        article = articles[match[0].lower()]
        return article.capitalize() if match[0][0].isupper() else article

    return re.sub(rf"(?<![\w'’-])(?:{'|'.join(articles)})(?![\w'’-])", other, text, flags=re.I)


def _gendered(
    sentences: Sequence[Sentence], articles: Mapping[str, str], seed: int
) -> Iterator[Item]:
    """Yield the sentences with an article, half of them, drawn by the seed, with all switched."""
    changed = [(sentence, switched(sentence.text, articles)) for sentence in sentences]
    changed = [(sentence, other) for sentence, other in changed if other != sentence.text]
    wrong = np.random.default_rng(seed).permutation(np.arange(len(changed)) % 2 == 1)
    for (sentence, other), is_wrong in zip(changed, wrong.tolist(), strict=True):
        if is_wrong:
            yield Item(other, "incorrect", sentence.meaning)
        else:
            yield Item(sentence.text, "correct", sentence.meaning)


BALANCED = frozenset({"length", "word-content", "article-gender", "version"})
"""Kinds whose labels have equally many sentences in a part."""


def lines_of(settings: ProbingText, items: Iterable[Item]) -> Iterator[str]:
    """Yield the lines of a set: of each part at most as many as asked.

    Meanings are dealt to the parts in proportion to their sizes, in an order drawn by the seed.
    Labels with fewer than `LEAST` sentences are left out; of word content, those words too without
    which balanced parts are larger, so that its parts have the same labels.

    Raises:
        TandemError: a part has no sentences, or the training part has one label.
    """
    items = list(items)
    counts = Counter(item.label for item in items)
    items = [item for item in items if counts[item.label] >= LEAST]
    random = np.random.default_rng(settings.seed)
    names = sorted({item.meaning for item in items})
    sizes = np.array([settings.training, settings.held, settings.held])
    ends = np.round(np.cumsum(sizes) / sizes.sum() * len(names))
    numbers = np.searchsorted(ends, random.permutation(len(names)), side="right").tolist()
    places = dict(zip(names, numbers, strict=True))
    order = random.permutation(len(items)).tolist()
    if settings.kind == "word-content":
        kept = _frequent(Counter((places[item.meaning], item.label) for item in items), sizes)
        order = [n for n in order if items[n].label in kept]
    for place, (part, size) in enumerate(zip(PARTS, sizes.tolist(), strict=True)):
        there = [items[n] for n in order if places[items[n].meaning] == place]
        limit = settings.most and max(1, round(settings.most * size / int(sizes.sum())))
        taken = _taken(there, size, limit, settings.kind in BALANCED)
        if len({item.label for item in taken}) < 2:
            raise TandemError(
                f"{settings.kind}: {len(there):,} held-out sentences for the part {part} are too "
                "few. Ask for other ranks or lengths, or hold more text out"
            )
        yield from (f"{part}\t{item.label}\t{item.text}\t{item.meaning}" for item in taken)


def _frequent(counts: Mapping[tuple[int, str], int], sizes: np.ndarray) -> set[str]:
    """Return the labels of which balanced parts have most sentences.

    `counts` are those of sentences by part and label. The label that is scarcest in any part, in
    proportion to its size, bounds all others.
    """
    labels = sorted({label for _, label in counts})
    share = {label: min(counts.get((place, label), 0) / size for place, size in enumerate(sizes))
             for label in labels}  # fmt: skip
    ordered = sorted(labels, key=lambda label: -share[label])
    best = max(range(len(ordered)), key=lambda n: (n + 1) * share[ordered[n]], default=0)
    return {*ordered[: best + 1]}


def _taken(items: list[Item], size: int, limit: int | None, balanced: bool) -> list[Item]:
    """Return the first items, at most so many, and of each label at most `limit`."""
    by_label: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        by_label[item.label].append(item)
    if balanced and by_label:
        fewest = min(size // len(by_label), *map(len, by_label.values()), len(items))
        limit = min(limit or fewest, fewest)
    kept = {id(item) for group in by_label.values() for item in group[:limit]}
    return [item for item in items if id(item) in kept][:size]
