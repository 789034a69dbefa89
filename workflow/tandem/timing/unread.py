"""Text to time encoders on, which they were not trained on and have not read before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from tandem.corpora.collection import read_parts
from tandem.errors import TandemError
from tandem.files.io import read_lines
from tandem.tasks.sts_data import read_index, read_task
from tandem.text import language_of
from tandem.text.spelling import key

PROBE = 256
"""Lines outside the parts, to estimate how many lines an encoder reads in the time of a part."""


def trained_on(corpus: str | Path, language: str) -> Iterator[str]:
    """Yield the sentences of a language in the training split of a bitext or a collection.

    For a collection, also those in versions of the language, such as en-GB.
    """
    corpus = Path(corpus)
    if not (corpus / "collection.json").is_file():
        yield from read_lines(corpus / f"train.{language}")
        return
    for part in read_parts(corpus):
        wanted = [language_of(side) == language for side in (part.left, part.right)]
        if any(wanted):
            for line in read_lines(part.path(corpus, "train")):
                texts = zip(line.split("\t")[1:], wanted, strict=True)
                yield from (text for text, taken in texts if taken)


def sts_sentences(folder: str | Path, language: str) -> Iterator[str]:
    """Yield the sentences that the tasks of an STS folder have in a language."""
    for name, entry in read_index(folder).tasks.items():
        task = read_task(Path(folder) / f"{name}.tsv", entry["languages"])
        for side, texts in zip(task.languages, (task.first, task.second), strict=True):
            if side == language:
                yield from texts


def new_sentences(
    texts: Iterable[Iterable[str]], excluded: Iterable[str], most: int, seed: int
) -> list[str]:
    """Draw sentences that are not excluded, none twice, in random order.

    Sentences that differ in case or white space only count as the same. Where there are fewer
    than `most`, all are taken.

    Raises:
        TandemError: there is none.
    """
    keys, sentences = set(map(key, excluded)), []
    for sentence in chain.from_iterable(texts):
        if (hashed := key(sentence)) not in keys:
            keys.add(hashed)
            sentences.append(sentence)
    if not sentences:
        raise TandemError(
            "no sentence to encode: all are in the text that encoders are trained on. Read another"
        )
    order = np.random.default_rng(seed).permutation(len(sentences))[:most]
    return [sentences[number] for number in order]


def divide(text: Sequence[str], parts: int) -> tuple[Sequence[str], list[Sequence[str]]]:
    """Cut a text into a probe, at most a tenth of it, and as many parts of equal size.

    Raises:
        TandemError: it has too few lines.
    """
    begin = min(PROBE, len(text) // 10)
    size = (len(text) - begin) // parts
    if size < 1 or begin < 1:
        raise TandemError(f"{len(text)} lines make no {parts} parts to read. Give more text")
    return text[:begin], [text[begin + n * size :][:size] for n in range(parts)]
