"""Segmentation: text to ids, by SentencePiece, words or character trigrams.

wieting2019, section 2 (Encoders) and 3.1: SentencePiece (unigram) pieces, words, and character
trigrams, the latter two limited to the most frequent types of the training data; what the
vocabularies of both languages share has one id, hence one embedding. Text is Moses-tokenised and
lower-cased first.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import sentencepiece as spm

from tandem.errors import TandemError
from tandem.io import read_json, write_json
from tandem.segmentation import ragged
from tandem.segmentation.batch_tokenization import BatchTokenizer
from tandem.segmentation.pieces import PieceEncoder
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.tokenization import ChunkTokenizer

Kind = Literal["sentencepiece", "words", "trigrams"]


@dataclass(frozen=True)
class Segmentation:
    """How text becomes ids.

    Attributes:
        kind: sentencepiece, words or trigrams.
        size: SentencePieces to learn, or most frequent types to keep.
        separate: learn one SentencePiece model per language rather than one for all; pieces that
            are spelt alike still share an id.
        marked: languages whose every token is marked, so that it shares no id with another's
            (wieting2019, section 4.2).
        character_coverage: share of characters that SentencePiece models; the rest is unknown.
        sample: lines of each language that SentencePiece learns from at most.
    """

    kind: Kind
    size: int
    separate: bool = False
    marked: tuple[str, ...] = ()
    character_coverage: float = 1.0
    sample: int = 5_000_000


def language_of(side: str) -> str:
    """Return the language of a side of a bitext: `en-bt` (back-translated English) is `en`."""
    return side.removesuffix("-bt")


class Segmenter:
    """Maps sentences of its languages to ids of one vocabulary.

    Unknown tokens are left out, as in the authors' released code (its `zero-unk`), so a sentence
    may have no ids.
    """

    def __init__(
        self, scheme: Segmentation, vocabulary: Sequence[str], models: Mapping[str, Path]
    ) -> None:
        """Build from the vocabulary (token of each id) and SentencePiece model per language."""
        self.scheme = scheme
        self.vocabulary = list(vocabulary)
        self.models = dict(models)
        self._ids = {token: index for index, token in enumerate(self.vocabulary)}
        self._encoders: dict[str, Callable[[Sequence[str]], Ragged]] = {}

    def __len__(self) -> int:
        """Return the size of the vocabulary."""
        return len(self.vocabulary)

    @property
    def languages(self) -> list[str]:
        """The languages it segments."""
        return sorted(self.models)

    def encode(self, sentence: str, language: str) -> list[int]:
        """Return the ids of one sentence.

        Raises:
            TandemError: the segmenter was not learned for the language.
        """
        return self.encoder(language)([sentence]).row(0).tolist()

    def encoder(self, language: str) -> Callable[[Sequence[str]], Ragged]:
        """Return the function from sentences to ids for a language; it remembers words.

        Raises:
            TandemError: as `encode`.
        """
        language = language_of(language)
        if language not in self._encoders:
            if language not in self.models:
                raise TandemError(
                    f"no segmentation for language {language!r}; this one knows "
                    + ", ".join(self.languages)
                )
            self._encoders[language] = self._build(language)
        return self._encoders[language]

    def _build(self, language: str) -> Callable[[Sequence[str]], Ragged]:
        ids, mark = self._ids, token_mark(self.scheme, language)
        if self.scheme.kind == "sentencepiece":
            model = self.models[language]
            return BatchTokenizer(ChunkTokenizer(language), PieceEncoder(model, ids, mark))

        def known(rows: Iterable[Iterable[str]]) -> Ragged:
            return ragged.from_rows([ids[token] for token in row if token in ids] for row in rows)

        if self.scheme.kind == "trigrams":
            tokens = _tokens(self.scheme, language)
            return lambda lines: known(map(tokens, lines))

        return BatchTokenizer(
            ChunkTokenizer(language), lambda words: known([mark + word.lower()] for word in words)
        )

    def save(self, folder: Path) -> None:
        """Write the vocabulary and copies of the models into an existing folder."""
        names = {}
        for language, model in self.models.items():
            names[language] = None if model is None else model.name
            if model is not None and model.parent.resolve() != folder.resolve():
                shutil.copyfile(model, folder / model.name)
        write_json(
            folder / "segmentation.json",
            {"scheme": asdict(self.scheme), "models": names, "vocabulary": self.vocabulary},
        )

    @classmethod
    def load(cls, folder: str | Path) -> Segmenter:
        """Read what `save` wrote."""
        folder = Path(folder)
        saved = read_json(folder / "segmentation.json")
        scheme = dict(saved["scheme"])
        scheme["marked"] = tuple(scheme["marked"])
        models = {
            language: None if name is None else folder / name
            for language, name in saved["models"].items()
        }
        return cls(Segmentation(**scheme), saved["vocabulary"], models)


def learn(
    scheme: Segmentation,
    texts: Mapping[str, Callable[[], Iterable[str]]],
    folder: Path,
    threads: int,
) -> Segmenter:
    """Learn a segmentation and save it into an existing folder.

    Args:
        scheme: what to learn.
        texts: per side of the bitext, a function that opens its training sentences.
        folder: where the models go.
        threads: for SentencePiece's trainer; its result depends on it in the last digits.

    Raises:
        TandemError: no text, or too little for the pieces asked for.
    """
    languages = sorted({language_of(side) for side in texts})
    models: dict[str, Path | None] = dict.fromkeys(languages)
    if scheme.kind == "sentencepiece":
        groups = [[language] for language in languages] if scheme.separate else [languages]
        for group in groups:
            name = "-".join(group) if scheme.separate else "joint"
            sides = {side: text for side, text in texts.items() if language_of(side) in group}
            path = train_sentencepiece(scheme, sides, folder / f"{name}.model", threads)
            models.update(dict.fromkeys(group, path))
        vocabulary = _pieces(scheme, models)
    else:
        vocabulary = _most_frequent(scheme, texts)
    segmenter = Segmenter(scheme, vocabulary, models)
    segmenter.save(folder)
    return segmenter


def train_sentencepiece(
    scheme: Segmentation,
    texts: Mapping[str, Callable[[], Iterable[str]]],
    path: Path,
    threads: int,
) -> Path:
    """Train a unigram model on the tokenised, lower-cased text of the given sides."""
    with open(path, "wb") as writer:
        try:
            spm.SentencePieceTrainer.train(
                sentence_iterator=_training_lines(texts, scheme.sample),
                model_writer=writer,
                model_type="unigram",
                vocab_size=scheme.size,
                hard_vocab_limit=False,
                character_coverage=scheme.character_coverage,
                num_threads=threads,
                bos_id=-1,
                eos_id=-1,
                max_sentence_length=100_000,
                minloglevel=2,
            )
        except (RuntimeError, OSError) as error:
            raise TandemError(
                f"SentencePiece could not learn {scheme.size} pieces ({error}): "
                "give it more text or ask for fewer pieces (segmentations: size)"
            ) from error
    return path


def trigrams(text: str) -> list[str]:
    """Return the overlapping character trigrams of a sentence padded with one space each side."""
    padded = f" {text} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)]


def _pieces(scheme: Segmentation, models: Mapping[str, Path]) -> list[str]:
    """Return every piece of the models, each spelling once, in the order of the models."""
    pieces: dict[str, None] = {}
    for language, path in models.items():
        processor = spm.SentencePieceProcessor(model_file=str(path))
        mark = token_mark(scheme, language)
        for index in range(processor.vocab_size()):
            if not processor.is_unknown(index):
                pieces[mark + processor.id_to_piece(index)] = None
    return list(pieces)


def _most_frequent(
    scheme: Segmentation, texts: Mapping[str, Callable[[], Iterable[str]]]
) -> list[str]:
    """Return the most frequent units of all texts together, the most frequent first."""
    counts: Counter[str] = Counter()
    for side, lines in texts.items():
        tokens = _tokens(scheme, language_of(side))
        for line in lines():
            counts.update(tokens(line))
    if not counts:
        raise TandemError("nothing to learn a segmentation from: the training text is empty")
    # equal counts in the order of their spelling, so that the same text gives the same ids
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [unit for unit, _ in ranked[: scheme.size]]


def _training_lines(texts: Mapping[str, Callable[[], Iterable[str]]], sample: int) -> Iterator[str]:
    for side, lines in texts.items():
        lowercase = _lowercased(language_of(side))
        for number, line in enumerate(lines()):
            if number == sample:
                break
            yield lowercase(line)


def _lowercased(language: str) -> Callable[[str], str]:
    tokenize = ChunkTokenizer(language)
    return lambda line: " ".join(tokenize(line)).lower()


def _tokens(scheme: Segmentation, language: str) -> Callable[[str], list[str]]:
    """Return the function from a sentence to its (marked) words or trigrams."""
    mark, lowercase = token_mark(scheme, language), _lowercased(language)
    if scheme.kind == "words":
        return lambda line: [mark + word for word in lowercase(line).split()]
    return lambda line: [mark + gram for gram in trigrams(lowercase(line))]


def token_mark(scheme: Segmentation, language: str) -> str:
    """Return what the tokens of a language begin with in the vocabulary, if it is marked."""
    return f"<{language}>" if language in scheme.marked else ""
