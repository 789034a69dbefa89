"""Text files through translators."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from tqdm import tqdm

from tandem.errors import TandemError
from tandem.io import atomic_path, read_lines
from tandem.translation.translator import LoadedTranslator


def translate_file(
    translator: LoadedTranslator,
    source_path: str | Path,
    text_path: str | Path,
    scores_path: str | Path,
    lines: tuple[int, int],
) -> int:
    """Translate a text file line by line; return how many lines.

    `text_path` gets one translation a line; `scores_path` a tab-separated table with a header and
    the columns log_probability and tokens, row for row beside it. Neither appears unless both are
    complete. `lines` are the first line, from 0, and the one after the last.

    Raises TandemError when the translator gave more or fewer lines than the source has.
    """
    begin, end = lines
    expected, written = end - begin, 0
    results = translator.translate(islice(read_lines(source_path), begin, end))
    bar = tqdm(results, total=expected, unit=" lines", desc="translate")
    with (
        atomic_path(text_path) as text_aside,
        atomic_path(scores_path) as scores_aside,
        open(text_aside, "w", encoding="utf-8", newline="\n") as text,
        open(scores_aside, "w", encoding="utf-8", newline="\n") as scores,
    ):
        scores.write("log_probability\ttokens\n")
        for result in bar:
            text.write(result.text + "\n")
            scores.write(f"{result.log_probability:.6f}\t{result.tokens}\n")
            written += 1
        if written != expected:
            raise TandemError(
                f"{source_path}: {expected} lines became {written} translations, so lines no "
                "longer align. Check that nothing changed the file meanwhile, and translate again"
            )
    return written
