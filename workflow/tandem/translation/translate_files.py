"""Translators from folders, and text files through translators."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tqdm import tqdm

from tandem.errors import InputError, TandemError
from tandem.io import atomic_path, count_lines, read_json, read_lines
from tandem.translation.base import Translation, Translator
from tandem.translation.marian import MarianTranslator
from tandem.translation.rnn import RnnTranslator

KINDS = {"rnn": RnnTranslator, "marian": MarianTranslator}
SCORE_COLUMNS = ("log_probability", "tokens")


def load_translator(folder: str | Path, threads: int = 1) -> Translator:
    """Load the translator of a folder, whichever kind its translator.json names.

    Raises:
        TandemError: when the folder holds no translator, or one of an unknown kind.
    """
    path = Path(folder) / "translator.json"
    if not path.is_file():
        raise TandemError(f"{path}: no such file. Name a folder that a translator was trained into")
    kind = read_json(path).get("kind")
    if kind not in KINDS:
        raise InputError(
            path, None, f"unknown kind {kind!r}", f"Known kinds: {', '.join(sorted(KINDS))}"
        )
    return KINDS[kind].load(folder, threads=threads)


def translate_file(
    translator: Translator,
    source_path: str | Path,
    text_path: str | Path,
    scores_path: str | Path,
    progress: bool = True,
) -> int:
    """Translate a text file line by line; return how many lines.

    `text_path` gets one translation a line; `scores_path` a tab-separated table with a header and
    the columns log_probability and tokens, row for row beside it. Neither appears unless both are
    complete.

    Raises:
        TandemError: when the translator gave more or fewer lines than the source has.
    """
    expected = count_lines(source_path)
    lines = read_lines(source_path)
    written = 0
    with atomic_path(text_path) as text_aside, atomic_path(scores_path) as scores_aside:
        with (
            open(text_aside, "w", encoding="utf-8", newline="\n") as text,
            open(scores_aside, "w", encoding="utf-8", newline="\n") as scores,
        ):
            scores.write("\t".join(SCORE_COLUMNS) + "\n")
            for result in _watched(translator.translate(lines), expected, progress):
                if "\n" in result.text:
                    raise TandemError(
                        f"{source_path}, line {written + 1}: its translation holds a line break"
                    )
                text.write(result.text + "\n")
                scores.write(f"{result.log_probability:.6f}\t{result.tokens}\n")
                written += 1
        if written != expected:
            raise TandemError(
                f"{source_path}: {expected} lines became {written} translations, so lines no "
                "longer align. Check that nothing changed the file meanwhile, and translate again"
            )
    return written


def _watched(
    translations: Iterator[Translation], total: int, progress: bool
) -> Iterator[Translation]:
    """Show a progress bar over translations."""
    return tqdm(translations, total=total, unit=" lines", desc="translate", disable=not progress)
