"""Corpora for the tiny scale: a text in English and two invented languages, and STS tasks."""

import random
import zipfile
from pathlib import Path

import yaml

NOUNS = "cat dog lamp door river house window garden teacher sailor bridge candle".split()
VERBS = "sees likes opens paints follows finds".split()
ADJECTIVES = "old green quiet bright heavy small".split()
ENDINGS = {"cs": "ka", "es": "os"}
"""Each invented language turns an English word around and adds its ending."""

PAIRS = 500
PAIRS_A_TASK = 24
TASKS = {
    "2012test": ["MSRpar", "MSRvid"],
    "2013": ["headlines"],
    "2014": ["images", "deft-news"],
    "2015": ["headlines"],
    "2016": ["answer-answer"],
    "2017": ["track5.en-en"],
}

REGISTER = {
    "datasets": {
        "tiny-bitext": {
            "kind": "local",
            "path": "data/tiny.{language}",
            "licence": "none",
            "languages": ["en", "cs", "es"],
            "reader": "lines",
        },
        "tiny-sts": {
            "kind": "local",
            "path": "data/sts.zip",
            "licence": "none",
            "languages": ["en"],
        },
        # nothing listens on port 9 of this machine: refused at once
        **{
            f"tiny-unreachable-{part}": {
                "kind": "http",
                "url": f"http://127.0.0.1:9/{part}.zip",
                "version": "1",
                "sha256": None,
                "bytes": None,
                "licence": "none",
                "languages": ["en"],
            }
            for part in ("input", "gold")
        },
    }
}


def write(folder: Path) -> None:
    """Write data/ and datasets.yaml into a folder; the same bytes every time."""
    data = folder / "data"
    data.mkdir(parents=True)
    rng = random.Random(1)
    english = sorted({_sentence(rng) for _ in range(2 * PAIRS)})[:PAIRS]
    rng.shuffle(english)
    for language in ("en", *ENDINGS):
        lines = [_translated(line, language) + "\n" for line in english]
        (data / f"tiny.{language}").write_text("".join(lines), encoding="utf-8")
    with zipfile.ZipFile(data / "sts.zip", "w") as archive:
        rows = list(_sts_rows(rng))
        for number, split in enumerate(("train", "dev", "test")):
            text = "".join(row + "\n" for row in rows[number::3])
            archive.writestr(zipfile.ZipInfo(f"sts-{split}.csv"), text)
    (folder / "datasets.yaml").write_text(yaml.safe_dump(REGISTER), encoding="utf-8")


def _translated(line, language):
    if language == "en":
        return line
    return " ".join(word[::-1] + ENDINGS[language] for word in line.split())


def _sentence(rng):
    return (
        f"the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)} {rng.choice(VERBS)} "
        f"the {rng.choice(ADJECTIVES)} {rng.choice(NOUNS)}"
    )


def _sts_rows(rng):
    """Yield rows of the STS Benchmark: a sentence, the same with some words changed, a score."""
    for year, tasks in TASKS.items():
        for task in tasks:
            for number in range(PAIRS_A_TASK):
                first, other = _sentence(rng).split(), _sentence(rng).split()
                changed = set(rng.sample(range(len(first)), number % 6))
                second = [other[i] if i in changed else word for i, word in enumerate(first)]
                score = f"{5 - len(changed):.3f}"
                cells = ["main", task, year, f"{number:04}", score]
                yield "\t".join([*cells, " ".join(first), " ".join(second)])
