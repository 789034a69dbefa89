"""Semantic textual similarity: the SemEval tasks of 2012-2016 and the tracks of 2017, and others.

The STS Benchmark is a selection from those tasks; its three splits together hold each of the tasks
it draws on in full, so that regrouping its rows by year and file gives the tasks back. STS
Companion has the others, but for two that were never distributed freely.

Left out: the training halves of 2012's tasks ("2012train"), since a year's figure in the papers
averages its test sets. Kept as published: pairs that occur twice in a task, or in two years.

Two tasks stand apart from the years: the relatedness of SICK (SemEval 2014, task 1) and the tweets
of PIT-2015 (SemEval 2015, task 1). Of both, the test part.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tandem.corpora.archives import open_archive
from tandem.errors import InputError
from tandem.files.atomic import atomic_folder
from tandem.files.io import MAX_DOCUMENT_BYTES, read_lines, write_json, write_lines
from tandem.text.spelling import collapse

Tasks = dict[str, list[str]]
"""By task, lines of score (0 to 5), sentence 1, sentence 2."""

PUBLISHED = {
    "2012.MSRpar": 750, "2012.MSRvid": 750, "2012.SMTeuroparl": 459, "2012.OnWN": 750,
    "2012.SMTnews": 399, "2013.headlines": 750, "2013.OnWN": 561, "2013.FNWN": 189,
    "2013.SMT": 750, "2014.deft-forum": 450, "2014.deft-news": 300, "2014.headlines": 750,
    "2014.images": 750, "2014.OnWN": 750, "2014.tweet-news": 750, "2015.answers-forums": 375,
    "2015.answers-students": 750, "2015.belief": 375, "2015.headlines": 750, "2015.images": 750,
    "2016.answer-answer": 254, "2016.headlines": 249, "2016.plagiarism": 230,
    "2016.postediting": 244, "2016.question-question": 209, "2017.track5.en-en": 250,
}  # fmt: skip
"""Scored pairs of each English task, as the SemEval reports of 2012 to 2017 give them."""

CROSS_LINGUAL = {
    "2017.track1.ar-ar": ("ar", "ar"),
    "2017.track2.ar-en": ("en", "ar"),
    "2017.track3.es-es": ("es", "es"),
    "2017.track4a.es-en": ("es", "en"),
    "2017.track4b.es-en": ("en", "es"),
    "2017.track6.tr-en": ("en", "tr"),
}
"""The other tracks of 2017, and the language of each column: not always the order in the name."""

APART = {"2014.SICK": 4927, "2015.twitter": 972}
"""Tasks that count in no year's mean, and their scored pairs."""
TRACK_PAIRS = 250
TASK_FILE = r"\A([0-9]{4}\.[A-Za-z0-9][A-Za-z0-9._-]{0,99})\.tsv\Z"
"""Name of a task's file: year and task come out of archives, and must not make a path."""
_SIZES = PUBLISHED | dict.fromkeys(CROSS_LINGUAL, TRACK_PAIRS)
_TWEETS = 7
"""Columns of PIT-2015: topic, its name, both sentences, label, both sentences with tags."""
_NOT_FREE = {
    "2013.SMT": "distributed by the LDC only",
    "2015.answers-students": "in neither STS Benchmark nor STS Companion",
}
# members, and the first of the columns that both archives have: the Benchmark's begin with a genre
_BENCHMARK = ("sts-train.csv", "sts-dev.csv", "sts-test.csv"), 1
_COMPANION = ("sts-other.csv", "sts-mt.csv"), 0


def build_sts(
    folder: str | Path,
    benchmark: str | Path,
    companion: str | Path | None = None,
    sts2017_input: str | Path | None = None,
    sts2017_gold: str | Path | None = None,
    sick: str | Path | None = None,
    twitter: str | Path | None = None,
) -> dict[str, Any]:
    """Write one TSV per task (score, sentence 1, sentence 2) and `index.json`.

    `benchmark` is the wheel or the archive of the STS Benchmark, `companion` that of STS Companion;
    STS 2017 has one archive of sentences and one of gold scores. `sick` is SICK.txt, or the
    annotated test part by itself, `twitter` the test.data of PIT-2015.

    Returns:
        The content of `index.json`: `tasks`, each {task, year, file, languages, pairs, of,
        complete, source}, ordered by year and name, and `missing`, each {task, year, of, why}.

    Raises:
        InputError: when an archive does not hold what it should.
    """
    by_source = {"STS Benchmark": _regrouped(benchmark, *_BENCHMARK)}
    if companion is not None:
        by_source["STS Companion"] = others = _regrouped(companion, *_COMPANION)
        if twice := sorted(set(others) & set(by_source["STS Benchmark"])):
            problem = f"the task {twice[0]} is in STS Benchmark already"
            raise InputError(companion, None, problem, "Is this the STS Companion archive?")
    if sts2017_input is not None and sts2017_gold is not None:
        by_source["STS 2017"] = _tracks(sts2017_input, sts2017_gold)
    if sick is not None:
        by_source["SICK"] = {"2014.SICK": _sick(sick)}
    if twitter is not None:
        by_source["PIT-2015"] = {"2015.twitter": _tweets(twitter)}
    source_of = {name: source for source, tasks in by_source.items() for name in tasks}
    absent = sorted(set(_SIZES) - set(source_of))
    missing = [_described(name) | {"why": _why(name, companion)} for name in absent]
    index: dict[str, Any] = {"tasks": [], "missing": missing}
    with atomic_folder(folder) as result:
        for name, source in sorted(source_of.items()):
            if not re.match(TASK_FILE, f"{name}.tsv"):
                remedy = "A task is named <year>.<task>, in letters, digits, points and hyphens"
                raise InputError(source, None, f"a task named {name[:80]!r}", remedy)
            pairs = write_lines(result / f"{name}.tsv", by_source[source][name])
            entry = _described(name) | {"file": f"{name}.tsv", "pairs": pairs, "source": source}
            entry["languages"] = list(CROSS_LINGUAL.get(name, ("en", "en")))
            index["tasks"].append(entry | {"complete": pairs == entry["of"]})
        write_json(result / "index.json", index)
    return index


def build_task(path: str | Path, benchmark: str | Path, name: str) -> int:
    """Write a task of the STS Benchmark, or refuse an archive without it; count its pairs."""
    tasks = _regrouped(benchmark, *_BENCHMARK)
    if name not in tasks:
        remedy = "Choose a task that it has, such as 2017.track5.en-en (sts: selection)"
        raise InputError(benchmark, None, f"it has no pairs of {name}", remedy)
    return write_lines(path, tasks[name])


def _described(name: str) -> dict[str, Any]:
    year, _, task = name.partition(".")
    return {"task": task, "year": year, "of": (_SIZES | APART).get(name)}


def _why(name: str, companion: str | Path | None) -> str:
    """Return why a task is absent."""
    if name in _NOT_FREE:
        return _NOT_FREE[name]
    if companion is not None and name not in CROSS_LINGUAL:
        return "absent from the archives given"
    archive = "STS 2017 archives" if name in CROSS_LINGUAL else "STS Companion archive"
    return f"needs the {archive}: reach their site, or set `mirror`"


def _regrouped(path: str | Path, names: Sequence[str], first: int) -> Tasks:
    """Return the tasks of some members of an archive, but for 2012's training halves.

    From the column `first` on: file, year, id, score, sentence 1, sentence 2, and others.
    """
    tasks: Tasks = defaultdict(list)
    for name in names:
        for place, number, cells in _table(path, name):
            if len(cells) < first + 6:
                problem = f"{len(cells)} columns, expected at least {first + 6}"
                raise InputError(place, number, problem, "Fetch the archive again")
            file, year, _, score, left, right = cells[first : first + 6]
            if year != "2012train":
                # "2012test", and the tasks that came as a surprise in 2012: "surprise.OnWN"
                task = f"{year.removesuffix('test')}.{file.removeprefix('surprise.')}"
                tasks[task].append(_line(gold_score(place, number, score), left, right))
    return tasks


def _line(score: float, left: str, right: str) -> str:
    return f"{score!r}\t{collapse(left)}\t{collapse(right)}"


def gold_score(place: str | Path, number: int, text: str) -> float:
    """Read a human score, from 0 (unrelated) to 5 (same meaning), or refuse it."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.0 <= value <= 5.0:
        raise InputError(place, number, f"the score {text!r} is not from 0 to 5", "Fetch it again")
    return value


def _tracks(sentences: str | Path, gold: str | Path) -> Tasks:
    """Return STS 2017's tracks but track 5, which the STS Benchmark holds in full.

    Track 6 has 500 pairs of sentences and 250 scores, those of the first 250.
    """
    tasks: Tasks = defaultdict(list)
    for name in CROSS_LINGUAL:
        track = name.removeprefix("2017.")
        scores = [gold_score(p, n, cells[0]) for p, n, cells in _table(gold, f"STS.gs.{track}.txt")]
        rows = list(_table(sentences, f"STS.input.{track}.txt"))
        if len(scores) != TRACK_PAIRS or len(rows) < len(scores):
            problem = f"{track}: {len(scores)} scores for {len(rows)} pairs"
            raise InputError(gold, None, problem, "Use the sentences and gold of one release")
        for score, (place, number, cells) in zip(scores, rows[:TRACK_PAIRS], strict=True):
            if len(cells) != 2:
                problem = f"{len(cells)} columns, expected 2"
                raise InputError(place, number, problem, "Fetch the archive again")
            tasks[name].append(_line(score, *cells))
    return tasks


def _sick(path: str | Path) -> list[str]:
    """Return the lines of SICK's test part; columns are told by their names in the first line."""
    rows = enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1)
    names = next(rows, (0, ""))[1].split("\t")
    wanted = ("relatedness_score", "sentence_A", "sentence_B")
    if lacking := [name for name in wanted if name not in names]:
        problem = f"no column {lacking[0]} in its first line"
        raise InputError(path, 1, problem, "Is this SICK.txt, or SICK_test_annotated.txt?")
    lines = []
    for number, line in rows:
        if not line:
            continue
        cells = line.split("\t")
        if len(cells) != len(names):
            problem = f"{len(cells)} columns, expected {len(names)}"
            raise InputError(path, number, problem, "Fetch the file again")
        row = dict(zip(names, cells, strict=True))
        if row.get("SemEval_set", "TEST") == "TEST":
            score, *pair = (row[name] for name in wanted)
            lines.append(_line(gold_score(path, number, score), *pair))
    return lines


def _tweets(path: str | Path) -> list[str]:
    """Return the lines of PIT-2015's test part, whose labels are from 0 to 5."""
    lines = []
    for number, line in enumerate(read_lines(path, MAX_DOCUMENT_BYTES), start=1):
        cells = line.split("\t")
        if len(cells) != _TWEETS:
            problem = f"{len(cells)} columns, expected {_TWEETS}"
            raise InputError(path, number, problem, "Is this test.data of PIT-2015?")
        _, _, left, right, score, *_ = cells
        lines.append(_line(gold_score(path, number, score), left, right))
    return lines


def _table(path: str | Path, name: str) -> Iterator[tuple[str, int, list[str]]]:
    """Yield (place, line number, cells) of a member; tabs separate, quotes mean nothing."""
    with open_archive(path) as archive:
        member = next((n for n in archive.names if n.rsplit("/", 1)[-1] == name), None)
        if member is None:
            raise InputError(path, None, f"it has no member {name}", "Is this the right archive?")
        lines = archive.lines(member, MAX_DOCUMENT_BYTES)
        for number, line in enumerate(lines, start=1):
            if line:
                yield archive.place(member), number, line.split("\t")
