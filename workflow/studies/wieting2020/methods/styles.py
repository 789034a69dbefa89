"""Style transfer between versions of a text: verses by version, triples, and what tells versions.

Text is compared as encoders see it, in normalised tokens, so that what a model writes is not told
from a verse by its capitals or spaces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveInt

from tandem.corpora.register import Code
from tandem.corpora.settings import Sections
from tandem.errors import InputError, TandemError
from tandem.files.io import MAX_DOCUMENT_BYTES, read_lines, write_json, write_lines
from tandem.registry import Settings
from tandem.statistics.bootstrap import LEVEL
from tandem.text.tokens import tokens

if TYPE_CHECKING:
    from tandem.corpora.register import Dataset

_TIMES = 1000
"""Resamples of an interval."""
Split = Literal["train", "valid", "test"]
Versions = dict[str, dict[str, str]]
"""Texts by verse, <book>.<chapter>.<verse>, and by version."""


class Styles(Settings):
    """Versions of a text in one language, and what is made of them to measure style transfer."""

    dataset: str
    """The registered corpus, read by verse."""
    versions: list[Code] = Field(min_length=2)
    """Its languages that are the versions."""
    sections: Sections
    """The books that no encoder is trained on."""
    most_words: PositiveInt = 20
    """Words of the longest verse: those that encoders are trained on."""
    training: PositiveInt = 6000
    """Verses, in every version, that the classifier of versions learns from."""
    triples: PositiveInt = 600
    """Triples, equally many for each ordered pair of versions."""
    seed: NonNegativeInt = 1
    """Seed of all that is drawn."""


class Triple(NamedTuple):
    """A verse to restyle.

    Attributes:
        place: which verse it is.
        source: it, in the version of the source.
        style: another verse, in the version of the style.
        reference: the verse itself in the version of the style.
        other: the style's verse in a third version, or of two versions in the source's.
    """

    place: str
    source_version: str
    style_version: str
    source: str
    style: str
    reference: str
    other: str


def same_words(first: str, second: str) -> bool:
    """Whether two texts have the same tokens."""
    return tokens(first) == tokens(second)


def read_versions(dataset: Dataset, path: Path, settings: Styles) -> Versions:
    """Return the verses that every version has, of at most so many words in each."""
    first, *others = settings.versions
    verses: Versions = {}
    for version, placed in dataset.sections(path, first, others):
        for place, left, right in placed:
            verses.setdefault(place, {})[first] = left
            verses[place][version] = right
    return {
        place: texts
        for place, texts in verses.items()
        if len(texts) == len(settings.versions)
        and max(len(text.split()) for text in texts.values()) <= settings.most_words
    }


def split_of(place: str, sections: Sections) -> Split:
    """Return the split of a verse, by its book."""
    book = place.partition(".")[0]
    if book in sections.get("test", ()):
        return "test"
    return "valid" if book in sections.get("valid", ()) else "train"


def draw_triples(verses: Versions, settings: Styles) -> list[Triple]:
    """Draw triples from verses; the source and the true verse never have the same words.

    The style is a verse of another chapter.

    Raises:
        TandemError: there are too few verses.
    """
    random, chosen = np.random.default_rng(settings.seed), []
    places = sorted(verses)
    pairs = list(permutations(settings.versions, 2))
    number = settings.triples // len(pairs)
    for source, style in pairs:
        drawn: list[Triple] = []
        for n in random.permutation(len(places)).tolist():
            texts, place = verses[places[n]], places[n]
            if len(drawn) < number and not same_words(texts[source], texts[style]):
                chapter = place.rpartition(".")[0]
                others = [other for other in places if other.rpartition(".")[0] != chapter]
                if others:
                    other = others[random.integers(len(others))]
                    apart = [v for v in settings.versions if v not in (source, style)]
                    manner, third = verses[other], (apart or [source])[0]
                    drawn.append(Triple(
                        place, source, style, texts[source], manner[style], texts[style],
                        manner[third],
                    ))  # fmt: skip
        if len(drawn) < max(number, 1):
            problem = f"{len(places):,} held-out verses give {len(drawn)} triples {source}-{style}"
            raise TandemError(f"{problem}, not {number}: ask for fewer, or hold more books out")
        chosen += drawn
    return chosen


class Classifier(NamedTuple):
    """A logistic regression on hashed n-grams of characters and of words.

    Attributes:
        versions: what it tells apart.
        coefficients: (versions, features).
        intercepts: (versions,).
    """

    versions: list[str]
    coefficients: np.ndarray
    intercepts: np.ndarray

    @classmethod
    def learn(cls, texts: Sequence[str], versions: Sequence[str], seed: int) -> Classifier:
        """Learn to tell the version of a text."""
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(C=3, max_iter=200, tol=1e-3, random_state=seed)
        model.fit(_features(texts), np.asarray(versions))
        rows, starts = model.coef_, model.intercept_
        if len(rows) == 1:  # of two classes it keeps the difference
            rows, starts = np.vstack([-rows, rows]) / 2, np.append(-starts, starts) / 2
        return cls(list(map(str, model.classes_)), rows.astype(np.float32), starts)

    def probabilities(self, texts: Sequence[str]) -> np.ndarray:
        """Return the probability of each version for each text, (texts, versions)."""
        from scipy.special import softmax

        return softmax(_features(texts) @ self.coefficients.T + self.intercepts, axis=1)

    def told(self, texts: Sequence[str]) -> list[str]:
        """Return the most probable version of each text."""
        return [self.versions[n] for n in self.probabilities(texts).argmax(1)]

    def save(self, path: Path) -> None:
        """Write it as NumPy arrays."""
        with open(path, "wb") as out:
            np.savez_compressed(
                out,
                versions=np.asarray(self.versions),
                coefficients=self.coefficients,
                intercepts=self.intercepts,
            )

    @classmethod
    def load(cls, path: Path) -> Classifier:
        """Read what `save` wrote."""
        with np.load(path, allow_pickle=False) as stored:
            return cls(stored["versions"].tolist(), stored["coefficients"], stored["intercepts"])


def _features(texts: Sequence[str]) -> Any:  # noqa: ANN401  (a sparse array)
    """Hash n-grams: (texts, features), sparse."""
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import HashingVectorizer

    plain = [" ".join(tokens(text)) for text in texts]
    common = {"n_features": 1 << 16, "alternate_sign": False, "lowercase": False}
    words = HashingVectorizer(ngram_range=(1, 2), token_pattern=r"\S+", **common)
    characters = HashingVectorizer(ngram_range=(2, 4), analyzer="char_wb", **common)
    return hstack([words.transform(plain), characters.transform(plain)]).tocsr()


def write_verses(path: Path, verses: Versions) -> int:
    """Write verse, version and text, with tabs between; return how many lines."""
    rows = ((place, v, text) for place, texts in verses.items() for v, text in texts.items())
    return write_lines(path, map("\t".join, rows))


def read_verses(path: Path) -> Versions:
    """Read what `write_verses` wrote."""
    verses: Versions = {}
    for place, version, text in _rows(path, 3):
        verses.setdefault(place, {})[version] = text
    return verses


def write_triples(path: Path, triples: Iterable[Triple]) -> int:
    """Write triples, a line each, with tabs between."""
    return write_lines(path, map("\t".join, triples))


def read_triples(path: Path) -> list[Triple]:
    """Read what `write_triples` wrote."""
    return [Triple(*row) for row in _rows(path, len(Triple._fields))]


def _rows(path: Path, columns: int) -> Iterable[list[str]]:
    for number, line in enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1):
        row = line.split("\t")
        if len(row) != columns:
            problem = f"{len(row)} columns, not {columns}"
            raise InputError(path, number, problem, "Delete the folder and run again")
        yield row


def build(dataset: Dataset, path: Path, settings: Styles, folder: Path) -> dict[str, Any]:
    """Write the splits, triples of the test split, and the classifier; see the rule build_styles.

    Returns what is in classifier.json.
    """
    splits: dict[Split, Versions] = {"train": {}, "valid": {}, "test": {}}
    for place, verse in read_versions(dataset, path, settings).items():
        splits[split_of(place, settings.sections)][place] = verse
    for split, verses in splits.items():
        write_verses(folder / f"{split}.tsv", verses)
    write_triples(folder / "triples.tsv", draw_triples(splits["test"], settings))
    random = np.random.default_rng(settings.seed)
    chosen = random.permutation(sorted(splits["train"]))[: settings.training].tolist()
    labels, texts = _labelled(splits["train"][place] for place in chosen)
    classifier = Classifier.learn(texts, labels, settings.seed)
    classifier.save(folder / "classifier.npz")
    about = {"training": len(texts)} | {
        split: _confusion(classifier, splits[split]) for split in ("valid", "test")
    }
    write_json(folder / "classifier.json", about)
    return about


def _labelled(verses: Iterable[Mapping[str, str]]) -> tuple[list[str], list[str]]:
    """Return the versions and the texts of verses."""
    rows = [row for verse in verses for row in verse.items()]
    return [version for version, _ in rows], [text for _, text in rows]


def _confusion(classifier: Classifier, verses: Versions) -> dict[str, Any]:
    """Return the share of texts whose version is told, and by version what they are taken for.

    Verses that have the same words in two versions are left out. The interval is over verses.
    """
    verses = {
        place: texts
        for place, texts in verses.items()
        if len({tuple(tokens(text)) for text in texts.values()}) == len(texts)
    }
    labels, texts = _labelled(verses.values())
    told = classifier.told(texts)
    right = np.array([a == b for a, b in zip(labels, told, strict=True)], float)
    right = right.reshape(len(verses), -1).mean(1)
    equal = np.full(len(right), 1 / len(right))
    times = np.random.default_rng(1).multinomial(len(right), equal, _TIMES)
    shares = np.quantile(times @ right / len(right), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    counts = {version: Counter[str]() for version in classifier.versions}
    for version, guess in zip(labels, told, strict=True):
        counts[version][guess] += 1
    return {
        "texts": len(texts),
        "accuracy_x100": 100 * float(right.mean()),
        "interval_x100": (100 * shares).tolist(),
        "taken_for": counts,
    }
