"""A panel: the languages to compare, with the same amount of bitext with English for each.

A panel is gathered from corpora (one table of cleaned pairs for each language and corpus), then
built: the languages with most text, cut to one size, on English sentences shared as far as the
corpora allow.

    english.txt   the panel's English sentences, one a line; those in most languages first
    <code>.tsv    number of the English sentence (from 0), tab, its translation
    panel.json    languages, sizes, and how far the English sides are the same
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tandem.errors import InputError
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_json, read_lines, write_json, write_lines
from tandem.filtering.clean import filter_pairs, report
from tandem.filtering.filter import Filter
from tandem.progress import progress_bar
from tandem.text import Pair
from tandem.text.spelling import exact_key
from wieting2019.methods.choice import Keys, choose_languages, share_sentences, shared_share


def gather(
    sources: Iterable[tuple[str, Iterable[Pair]]],
    cleaning: Mapping[str, Filter],
    limit: int | None,
    seed: int,
    folder: str | Path,
) -> dict[str, dict[str, Any]]:
    """Clean the pairs of each language of a corpus: `<code>.tsv`, English, tab, other language.

    An English sentence is kept once for each language, with its first translation. Of more than
    `limit` sentences, those with the lowest hashes are kept, the same ones in every language that
    has them; memory is that of 2 x `limit` sentences. Those left out count as duplicates.

    Returns:
        The counts of `cleaning.json`, by language.
    """
    counts: dict[str, dict[str, Any]] = {}
    with atomic_folder(folder) as result:
        for code, pairs in progress_bar(sources, desc="reading", unit=" languages"):
            removed: Counter[str] = Counter()
            kept = _lowest(filter_pairs(pairs, cleaning, removed), removed, limit, seed)
            write_lines(result / f"{code}.tsv", map("\t".join, kept))
            counts[code] = report(len(kept), removed, cleaning)
        write_json(result / "cleaning.json", counts)
    return counts


def _lowest(
    pairs: Iterable[Pair], removed: Counter[str], limit: int | None, seed: int
) -> list[Pair]:
    """Return the pairs with distinct English sides; with a limit, those with the lowest hashes."""
    kept: dict[int, tuple[int, Pair]] = {}
    bound, count = 1 << 64, 0
    for number, (english, other) in enumerate(pairs):
        count += 1
        place = exact_key(f"{seed}\t{english}")
        if place < bound:
            kept.setdefault(place, (number, (english, other)))
        if limit is not None and len(kept) >= 2 * limit:
            bound = sorted(kept)[limit]
            kept = {place: pair for place, pair in kept.items() if place < bound}
    chosen = sorted(kept)[:limit]
    removed["duplicate"] += count - len(chosen)
    return [pair for _, pair in sorted(kept[place] for place in chosen)]


def build_panel(
    gathered: Sequence[str | Path],
    codes: Sequence[str],
    number: int | None,
    least: int,
    pairs: int | None,
    seed: int,
    folder: str | Path,
) -> dict[str, Any]:
    """Choose languages and sentences, and write the panel; see the head of this module.

    Args:
        gathered: folders that `gather` wrote; where several have a sentence, the first's is taken.
        codes: languages to choose among.
        number: of languages; None for all that have enough text.
        least: fewest English sentences that a language must have.
        pairs: number that each language is cut to; None for the most that all of them have.
        seed: of the choice of sentences.
        folder: where to write.

    Returns:
        The content of `panel.json`.

    Raises:
        TandemError: when too few languages have enough text.
    """
    files = {c: [p for g in gathered if (p := Path(g) / f"{c}.tsv").is_file()] for c in codes}
    keys = {code: _keys(paths) for code, paths in files.items()}
    counts = {code: len(sentences) for code, sentences in keys.items()}
    languages, size = choose_languages(counts, number, least, pairs)
    chosen = share_sentences({code: keys[code] for code in languages}, size, seed)
    rows, everywhere = _number(list(chosen.values()))
    english: dict[int, str] = {}
    described = {
        "languages": list(languages),
        "pairs": size,
        "english_sentences": len(rows),
        "english_sentences_in_all_languages": everywhere,
        "share_in_another_language": round(shared_share(chosen), 4),
        "available": counts,
    }
    with atomic_folder(folder) as result:
        for code, selection in chosen.items():
            wanted = {key: rows[key] for key in selection.tolist()}
            lines, sentences = _taken(files[code], wanted)
            english |= sentences
            write_lines(result / f"{code}.tsv", (f"{row}\t{lines[row]}" for row in sorted(lines)))
        write_lines(result / "english.txt", (english[row] for row in range(len(english))))
        write_json(result / "panel.json", described)
    return described


def _taken(
    paths: Iterable[Path], wanted: Mapping[int, int]
) -> tuple[dict[int, str], dict[int, str]]:
    """Return a language's translations and their English sentences, by number, from its files.

    `wanted` has the number of each English sentence by its key; the first translation is taken.
    """
    lines: dict[int, str] = {}
    english: dict[int, str] = {}
    for key, sentence, translation in _stored(paths):
        if key in wanted and wanted[key] not in lines:
            lines[wanted[key]] = translation
            english[wanted[key]] = sentence
    return lines, english


def panel_languages(folder: str | Path) -> list[str]:
    """Return the languages of a panel, most text first."""
    return list(read_json(Path(folder) / "panel.json")["languages"])


def read_english(folder: str | Path) -> list[str]:
    """Return the English sentences of a panel."""
    return list(read_lines(Path(folder) / "english.txt"))


def read_language(folder: str | Path, code: str) -> tuple[np.ndarray, list[str]]:
    """Return the rows (n,) of a language's English sentences, and their n translations.

    Raises:
        InputError: when a line is not a number, a tab and a text.
    """
    path = Path(folder) / f"{code}.tsv"
    rows, translations = [], []
    for number, line in enumerate(read_lines(path), start=1):
        row, tab, text = line.partition("\t")
        if not tab or not row.isdecimal():
            raise InputError(path, number, "not a number, a tab and a text", "Build it again")
        rows.append(int(row))
        translations.append(text)
    return np.array(rows, dtype=np.int64), translations


def _stored(paths: Iterable[Path]) -> Iterator[tuple[int, str, str]]:
    """Yield, of every gathered pair, the key of the English side, that side, and the other."""
    for path in paths:
        for line in read_lines(path):
            english, _, other = line.partition("\t")
            yield exact_key(english), english, other


def _keys(paths: Iterable[Path]) -> Keys:
    """Return the distinct keys of a language's English sentences."""
    return np.unique(np.fromiter((key for key, _, _ in _stored(paths)), dtype=np.uint64))


def _number(chosen: Sequence[Keys]) -> tuple[dict[int, int], int]:
    """Number the sentences, those in most languages first; also return how many are in all."""
    keys, languages = np.unique(np.concatenate(chosen), return_counts=True)
    order = np.lexsort((keys, -languages))
    rows = {int(key): row for row, key in enumerate(keys[order])}
    return rows, int(np.sum(languages == len(chosen)))
