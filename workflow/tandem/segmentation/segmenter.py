"""Segmentation: text to ids, by SentencePiece, words or character trigrams.

wieting2019, section 2 (Encoders) and 3.1: SentencePiece (unigram) pieces, words, and character
trigrams, the latter two limited to the most frequent types of the training data; what the
vocabularies of both languages share has one id, and so one embedding.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from tandem.errors import TandemError
from tandem.files import saved
from tandem.files.io import write_json
from tandem.progress import progress_bar
from tandem.registry import Settings
from tandem.segmentation import ngrams
from tandem.segmentation.lookup import lookup
from tandem.segmentation.pieces import PieceEncoder, load_pieces, piece_scores, train_unigram
from tandem.segmentation.ragged import Ragged, from_rows, save_stream
from tandem.segmentation.scheme import Segmentation, language_of
from tandem.segmentation.trigrams import TrigramEncoder, count_trigrams, spelled

LINES = 20_000
"""Lines in memory, tokenised or segmented at a time."""

Name = Annotated[str, Field(pattern=r"^[\w-]+$")]
"""Of a language: folders are named after it."""
Encode = Callable[[Sequence[str]], Ragged]
Texts = Mapping[str, Callable[[], Iterable[str]]]
"""For each side of a bitext, a function that opens its sentences."""


class Saved(Settings):
    """What segmentation.json holds."""

    scheme: Segmentation
    models: Annotated[dict[Name, str | None], Field(min_length=1)]
    vocabulary: Annotated[list[str], Field(min_length=1)]

    @model_validator(mode="after")
    def _consistent(self) -> Saved:
        if len({*self.vocabulary}) < len(self.vocabulary) or "" in self.vocabulary:
            raise ValueError("a token of the vocabulary is empty, or there twice")
        needed = self.scheme.kind == "sentencepiece"
        if any((name is not None) != needed for name in self.models.values()):
            raise ValueError("SentencePiece, and only that, needs a model for each language")
        return self


class Segmenter:
    """Maps sentences of its languages to ids of one vocabulary.

    Unknown tokens are left out, as in the authors' released code (its `zero-unk`), so a sentence
    may have no ids.

    Attributes:
        scheme: how text becomes ids.
        vocabulary: the token of each id.
        models: the SentencePiece model of each language, None where the scheme has none.
    """

    def __init__(
        self,
        scheme: Segmentation,
        vocabulary: Sequence[str],
        models: Mapping[str, Path | None],
    ) -> None:
        """Take what the class describes."""
        self.scheme = scheme
        self.vocabulary = list(vocabulary)
        self.models = dict(models)
        self._encoders: dict[tuple[Path | None, str], Encode] = {}

    def __len__(self) -> int:
        """Return the size of the vocabulary."""
        return len(self.vocabulary)

    @property
    def languages(self) -> list[str]:
        """The languages it segments."""
        return sorted(self.models)

    @property
    def groups(self) -> list[list[str]]:
        """The languages together whose pieces are the same, and bear no mark of their own."""
        together: dict[tuple[Path | None, str], list[str]] = {}
        for language in self.languages:
            together.setdefault(self._key(language), []).append(language)
        return list(together.values())

    def encoder(self, language: str) -> Encode:
        """Return the function from sentences to ids for a language; it remembers words."""
        language = language_of(language)
        if language not in self.models:
            known = ", ".join(self.languages)
            raise TandemError(f"no segmentation for language {language!r}; this one knows {known}")
        key = self._key(language)
        if key not in self._encoders:
            self._encoders[key] = self._build(language)
        return self._encoders[key]

    def units(self, language: str) -> dict[str, int]:
        """Return the vocabulary's tokens for a language, without its mark, and their ids."""
        mark = self.scheme.token_mark(language)
        return {
            token.removeprefix(mark): index
            for index, token in enumerate(self.vocabulary)
            if token.startswith(mark)
        }

    def _key(self, language: str) -> tuple[Path | None, str]:
        return self.models[language], self.scheme.token_mark(language)

    def _build(self, language: str) -> Encode:
        ids = self.units(language)
        if self.scheme.kind == "trigrams":
            # what other languages have marked is longer
            return TrigramEncoder({gram: i for gram, i in ids.items() if len(gram) == 3})
        if self.scheme.kind == "words-and-ngrams":
            return lookup(partial(ngrams.entries, self.scheme, ids))
        if model := self.models[language]:
            return lookup(PieceEncoder(model, ids))
        return lookup(lambda words: from_rows([ids[w]] if w in ids else [] for w in words))

    def save(self, folder: Path) -> None:
        """Write the vocabulary and copies of the models into an existing folder."""
        names = {}
        for language, model in self.models.items():
            names[language] = None if model is None else model.name
            if model is not None and model.parent.resolve() != folder.resolve():
                shutil.copyfile(model, folder / model.name)
        scheme = self.scheme.model_dump(mode="json")
        write_json(
            folder / "segmentation.json",
            {"scheme": scheme, "models": names, "vocabulary": self.vocabulary},
        )
        saved.seal(folder, ["segmentation.json", *filter(None, names.values())])

    @classmethod
    def load(cls, folder: str | Path) -> Segmenter:
        """Read what `save` wrote; InputError if it is not that."""
        folder = Path(folder)
        saved.check(folder, "segmentation.json")
        found = saved.read(folder / "segmentation.json", Saved.model_validate)
        saved.check(folder, *filter(None, found.models.values()))
        models = {
            language: None if name is None else folder / name
            for language, name in found.models.items()
        }
        segmenter = cls(found.scheme, found.vocabulary, models)
        for language, model in models.items():
            if model is not None:
                load_pieces(model, segmenter.units(language))
        return segmenter


def learn(scheme: Segmentation, texts: Texts, folder: Path) -> Segmenter:
    """Learn a segmentation from training sentences and save it into an existing folder."""
    languages = sorted({language_of(side) for side in texts})
    models: dict[str, Path | None] = dict.fromkeys(languages)
    if scheme.kind == "sentencepiece":
        groups = [[language] for language in languages] if scheme.separate else [languages]
        for group in groups:
            name = "-".join(group) if scheme.separate else "joint"
            sides = [text for side, text in texts.items() if language_of(side) in group]
            sample = chain.from_iterable(islice(lines(), scheme.sample) for lines in sides)
            model = train_unigram(
                spelled(_batches(sample)),
                scheme.size,
                scheme.character_coverage,
                scheme.threads,
                normalization_rule_name="identity",  # the tokens are normalised
                bos_id=-1,
                eos_id=-1,
                max_sentence_length=100_000,
            )
            path = folder / f"{name}.model"
            path.write_bytes(model)
            models.update(dict.fromkeys(group, path))
        vocabulary = _pieces(scheme, models)
    else:
        vocabulary = _most_frequent(scheme, texts)
        if scheme.kind == "words-and-ngrams":
            vocabulary = ngrams.vocabulary(scheme, vocabulary)
    segmenter = Segmenter(scheme, vocabulary, models)
    segmenter.save(folder)
    return segmenter


def segment_lines(
    segmenter: Segmenter, lines: Iterable[str], side: str, stem: str | Path
) -> int:
    """Segment lines into `<stem>.ids.npy` and `<stem>.offsets.npy`; return their number.

    One process: reading lines takes most of the time, and handing them to others takes longer than
    segmenting them. Memory: a batch of lines, and 8 bytes for each line. `side` is a language, or a
    side such as en-bt.
    """
    shown = progress_bar(lines, desc=Path(stem).name, unit="line", unit_scale=True)
    rows = map(segmenter.encoder(side), _batches(shown))
    return save_stream(stem, rows, len(segmenter) - 1)


def _batches(lines: Iterable[str]) -> Iterator[list[str]]:
    stream = iter(lines)
    return iter(lambda: list(islice(stream, LINES)), [])


def _pieces(scheme: Segmentation, models: Mapping[str, Path | None]) -> list[str]:
    """Return every piece of the models, each spelling once, in the order of the models."""
    pieces = (
        scheme.token_mark(language) + piece
        for language, path in models.items()
        for piece in piece_scores(load_pieces(str(path)))
    )
    return list(dict.fromkeys(pieces))


def _most_frequent(scheme: Segmentation, texts: Texts) -> list[str]:
    """Return the most frequent units of all texts together, the most frequent first."""
    counts: Counter[str] = Counter()
    for side, lines in texts.items():
        mark, batches = scheme.token_mark(language_of(side)), _batches(lines())
        if scheme.kind == "trigrams":
            found = count_trigrams(batches)
        else:
            found = _count_words(scheme, chain.from_iterable(map(str.split, spelled(batches))))
        counts.update({mark + unit: count for unit, count in found.items()})
    if not counts:
        raise TandemError("nothing to learn a segmentation from: the training text is empty")
    # equal counts in the order of their spelling, so that the same text gives the same ids
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [unit for unit, _ in ranked[: scheme.size]]


def _count_words(scheme: Segmentation, tokens: Iterable[str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for token, count in Counter(tokens).items():
        for word in ngrams.words_of(scheme, token):
            found[word] += count
    return found
