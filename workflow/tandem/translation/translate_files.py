"""Text files through translators, and text joined to its back-translation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

from tandem.errors import TandemError
from tandem.files.atomic import atomic_path
from tandem.files.io import read_lines
from tandem.filtering.clean import refusal
from tandem.filtering.filter import Filter
from tandem.progress import progress_bar
from tandem.text.spelling import collapse
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
    bar = progress_bar(results, total=expected, unit=" lines", desc="translate")
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


def join_translations(
    folder: Path, stems: Iterable[Path], sides: tuple[Path, Path], cleaning: Mapping[str, Filter]
) -> dict[str, int]:
    """Write text beside its back-translation, and its scores; return the counts of pairs.

    Pairs that a filter of `cleaning` refuses are left out.

    Args:
        folder: where the text is, under the name of the first side.
        stems: of what `translate_file` wrote, <stem>.txt and <stem>.tsv, in the order of the text.
        sides: the files to write; the scores go to the second with .scores.tsv.
        cleaning: filters by name.
    """
    counts = Counter[str]()
    left, right = sides
    scores = right.with_name(f"{right.name}.scores.tsv")
    original = read_lines(folder / left.name)
    with open(left, "wb") as text, open(right, "wb") as translated, open(scores, "wb") as table:
        for number, stem in enumerate(stems):
            rows = read_lines(f"{stem}.tsv")
            header = next(rows)
            if number == 0:
                table.write(f"{header}\n".encode())
            for line, row in zip(read_lines(f"{stem}.txt"), rows, strict=True):
                first = next(original)
                refused = refusal(collapse(first), collapse(line), cleaning)
                counts[refused or "kept"] += 1
                if refused is None:
                    for out, value in ((text, first), (translated, line), (table, row)):
                        out.write(f"{value}\n".encode())
    return dict(counts)
