"""Do scores suffer where `tandem train` learns its vocabulary from a sample of the pairs?

    python benchmarks/sample.py
    python benchmarks/sample.py --language fr --pairs 60000 --samples 15000 60000 --epochs 10

The command is run with several numbers of `--sample`, each with the same pairs and seeds. For each:
P@1 of 2,000 further pairs, the mean of both directions; Pearson's r, the mean of the English STS
tasks of 2012 to 2016; the peak memory of the command and its processor time. The mean over the
seeds, and in brackets the least and the greatest value.

The text is that of benchmarks/own_bitext.py, `mul` all languages together with English
(`snakemake results/many/corpora/many` makes it, and the STS tasks). Finished trainings are kept in
--log, with a digest of their settings, text and code, and a second call goes on from there.
"""

from __future__ import annotations

import argparse
import hashlib
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import own_bitext  # first: it sets the number of threads
import trials
from own_bitext import ALL, MOST, ROOT, SCORE, Trial

from tandem import SentenceEncoder
from tandem.files.io import write_lines
from tandem.own_bitext.quality import encoded, retrieval
from tandem.own_bitext.recipes import SAMPLE
from tandem.statistics.correlation import pearson
from tandem.statistics.cosine import cosine_similarity
from tandem.tasks.sts_data import StsPairs, read_index, read_task


@dataclass(frozen=True)
class Job:
    """A `tandem train` whose vocabulary is learned from a sample of its pairs."""

    text: Trial
    sts: Path
    sample: int
    seed: int
    epochs: int

    @property
    def options(self) -> list[str]:
        """Those of the command."""
        return [f"--{name}={getattr(self, name)}" for name in ("sample", "seed", "epochs")]


def main() -> None:
    """Read the options, train and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--language", default=ALL)
    parser.add_argument("--pairs", type=int, default=MOST)
    parser.add_argument("--samples", nargs="+", type=int, default=[SAMPLE, MOST])
    parser.add_argument("--seeds", nargs="+", type=int, default=[1, 2, 3])
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=ROOT / "results/many/corpora")
    parser.add_argument("--log", type=Path, default=ROOT / "results/benchmarks/sample.jsonl")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path, help="Markdown file; default: standard output")
    options = parser.parse_args()
    text = Trial(options.folder / "many", options.language, options.pairs)
    jobs = [
        Job(text, options.folder / "sts", sample, seed, options.epochs)
        for seed in options.seeds
        for sample in options.samples
    ]
    measured = trials.results(jobs, key, work, options.log, options.jobs)
    lines = table(measured)
    if options.out:
        write_lines(options.out, lines)
    else:
        print("\n".join(lines))


def table(measured: dict[Job, dict[str, Any]]) -> Iterator[str]:
    """Yield a row for each sample."""
    yield "| language | pairs | sample | P@1 x 100 | STS, r x 100 | peak, GB | seconds |"
    yield "| --- | ---: | ---: | --- | --- | --- | --- |"
    for sample in dict.fromkeys(job.sample for job in measured):
        entries = [entry for job, entry in measured.items() if job.sample == sample]
        columns = ((SCORE, ".2f"), ("sts", ".2f"), ("gigabytes", ".2f"), ("seconds", ".0f"))
        cells = [entries[0]["language"], f"{entries[0]['pairs']:,}", f"{sample:,}"]
        cells += [spread([entry[name] for entry in entries], form) for name, form in columns]
        yield f"| {' | '.join(cells)} |"


def spread(values: Sequence[float], form: str) -> str:
    """Return the mean of some values, and in brackets the least and the greatest."""
    shown = [format(value, form) for value in (sum(values) / len(values), min(values), max(values))]
    return f"{shown[0]} [{shown[1]}, {shown[2]}]"


def work(job: Job) -> dict[str, Any]:
    """Run the command in a process of its own; return its scores, peak memory and time."""
    pairs, further = own_bitext.read(job.text)
    languages = "en", job.text.language
    with tempfile.TemporaryDirectory() as folder:
        text, model = Path(folder) / "text.tsv", Path(folder) / "model"
        write_lines(text, map("\t".join, pairs))
        command = [sys.executable, "-m", "tandem", "train", text, "--languages", *languages]
        subprocess.run([*command, *job.options, "--out", model, "--quiet"], check=True)
        encoder = SentenceEncoder.load(model)  # it reads its folder when it encodes
        scores = {
            SCORE: retrieval(encoded(encoder, further, languages))[SCORE],
            "sts": similarity(encoder, job.sts),
        }
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "language": job.text.language,
        "pairs": len(pairs),
        "options": job.options,
        "epoch": encoder.metadata["epoch"],
        **scores,
        "gigabytes": used.ru_maxrss * 1024 / 1e9,
        "seconds": used.ru_utime + used.ru_stime,
    }


def similarity(encoder: SentenceEncoder, sts: Path) -> float:
    """Return Pearson's r x 100, the mean of the English tasks before 2017."""
    entries = read_index(sts).tasks.items()
    tasks = [read_task(sts / f"{name}.tsv") for name, entry in entries if entry["year"] < "2017"]
    return 100 * sum(correlation(encoder, task) for task in tasks) / len(tasks)


def correlation(encoder: SentenceEncoder, task: StsPairs) -> float:
    """Return Pearson's r of cosines with the scores of a task."""
    vectors = (encoder.encode(side, "en") for side in (task.first, task.second))
    return pearson(task.gold, cosine_similarity(*vectors))


def key(job: Job) -> str:
    """Return a digest of all that a result depends on."""
    everything = (own_bitext.key(job.text), *job.options)
    return hashlib.sha256(repr(everything).encode()).hexdigest()


if __name__ == "__main__":
    main()
