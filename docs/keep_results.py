"""Keep the tables, figures and claims of a finished run in docs/results/.

    python docs/keep_results.py "snakemake --cores 2 --configfile workflow/scales/full.yaml"
    python docs/keep_results.py "snakemake --cores 2 filtering" filtering

Copies what results/ holds of them at its top to docs/results/<scale>/, or what a study's folder in
results/ holds to docs/results/<folder>/ (at another scale than the default <folder>-<scale>/),
joins all claims that are there now and registers them as they are (registered.json), puts the
scores of every seed and task into scores.csv, and writes README.md beside: the command, the commit,
the minutes of the calls of Snakemake that made something of it, and the hours of its jobs. What was
not made is not listed. A long run may be kept in parts, from one checkout or several: runs.json has
them.

The command is planned again: where it has anything left to do, the results are not those of this
commit, and nothing is kept. So the trainings are those of the commit, whenever they were done.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import date, datetime
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from tandem.files.io import read_yaml
from tandem.reporting.claim_entries import ClaimEntry, read_claims
from tandem.reporting.registered import register
from tandem.reporting.replications import FILE_END, merge
from tandem.reporting.writer import write_frame
from tandem.studies.configuration import study_homes

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
study_homes([ROOT / "workflow/studies"])  # studies have tests of claims, and scores, of their own
LOG_NAME = "%Y-%m-%dT%H%M%S.%f"
"""How Snakemake names the log of a call: when it began."""
JOINED = "claims.csv"
SCORES = "scores.csv"


def scale_of(command: str) -> str:
    """Return the scale that a command runs, which the last of its configuration files names."""
    files = ["config.yaml", *(word for word in shlex.split(command) if word.endswith(".yaml"))]
    named = [read_yaml(ROOT / file).get("scale") for file in files]
    return str([name for name in named if name is not None][-1])


def git(*words: str) -> str:
    """Return what git says."""
    told = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return told.stdout.strip()


def planned(command: str, *more: str) -> str:
    """Return what Snakemake says that it would do."""
    words = shlex.split(command)
    if words[0] != "snakemake":
        sys.exit(f"{words[0]}: give the command that begins with snakemake")
    run = subprocess.run(
        [*words, "--dry-run", *more], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if run.returncode:
        sys.exit(run.stdout + run.stderr)
    return run.stdout + run.stderr


def forced_plan(command: str) -> str:
    """Return what Snakemake would do for a command from nothing; exit if it has jobs left to do."""
    if "Nothing to be done" not in planned(command):
        sys.exit(f"{command}: it has jobs left to do, so its results are not of this commit")
    return planned(command, "--forceall")


def job_hours(plan: str) -> dict[str, float]:
    """Return the hours of the plan's jobs that record their time, by rule; most take one core.

    Jobs of other commands, or of settings that are gone, do not count.
    """
    hours: dict[str, float] = defaultdict(float)
    for file in re.findall(r"^ +benchmark: (\S+)$", plan, re.MULTILINE):
        path = ROOT / file
        if path.exists():
            rule = path.parts[path.parts.index("benchmarks") + 1]
            with open(path, encoding="utf-8", newline="") as stream:
                rows = csv.DictReader(stream, delimiter="\t")
                hours[rule] += sum(float(row["s"]) for row in rows) / 3600
    return dict(hours)


def outputs(text: str) -> set[str]:
    """Return the files that jobs make, as a plan or a log of Snakemake names them."""
    lines = re.findall(r"^ +output: (.*)$", text, re.MULTILINE)
    return {name for line in lines for name in line.split(", ")}


def minutes(made: Path, plan: str) -> float:
    """Return how long the calls of Snakemake took that made a plan's files in a folder of results.

    Calls that made only what other commands make there, or a corpus, do not count.
    """
    prefix, spent = f"{made.relative_to(ROOT)}/", 0.0
    apart = [f"{prefix}corpora/"]
    if made == RESULTS:
        apart += [f"{prefix}{folder.parent.name}/" for folder in RESULTS.glob("*/logs")]
    files = {name for name in outputs(plan) if name.startswith(prefix)}
    files = {name for name in files if not name.startswith(tuple(apart))}
    for log in (ROOT / ".snakemake/log").glob("*.snakemake.log"):
        text = log.read_text(encoding="utf-8", errors="replace")
        if " steps (" in text and files & outputs(text):
            start = datetime.strptime(log.name.removesuffix(".snakemake.log"), LOG_NAME)
            spent += log.stat().st_mtime - start.timestamp()
    return round(spent / 60, 1)


def without_places(command: str) -> str:
    """Return a command without what is where on this machine."""
    command = re.sub(r"mirror=\S+", "mirror=<folder of official archives>", command)
    return re.sub(r"(?<= )(\.\.)?/\S+\.ya?ml", "<configuration of one's own>", command)


def scores(made: Path) -> Iterator[dict[str, Any]]:
    """Yield every score of the run, of each seed and unit, and of each task of STS."""
    for file in sorted(made.glob("scores/*/*/seed*.json")):
        stored = json.loads(file.read_text(encoding="utf-8"))
        run = {name: stored[name] for name in ("experiment", "task", "seed", "metric")}
        units = [(row["unit"], row["value"]) for row in stored["rows"]]
        tasks = stored["details"].get("tasks", ())
        units += [(f"{t['year']}: {t['task']}", t["r_x100"]) for t in tasks if "r_x100" in t]
        yield from (run | {"unit": unit, "value": value} for unit, value in units)
    from wieting2017.methods.results import by_task
    from wieting2019.methods.points import by_year

    for file in sorted(made.glob("scores/conditions/*.json")):
        yield from by_task(file)
    for file in sorted(made.glob("scores/languages/*/*.json")):
        yield from by_year(file)


def entries_of(claims: Path) -> list[ClaimEntry]:
    """Return the findings that a file has claims of."""
    with open(claims, encoding="utf-8", newline="") as stream:
        kept = [row["claim"] for row in csv.DictReader(stream)]
    files = sorted(ROOT.glob("workflow/studies/*/claims.yaml"))
    every = (entry for file in files for some in read_claims(file).values() for entry in some)
    return [e for e in every if any(re.match(_pattern(e), f"{claim}.") for claim in kept)]


def _pattern(entry: ClaimEntry) -> str:
    """Return how the names of its claims begin; a word in braces stands for others."""
    return re.sub(r"\\{\w+\\}", r"[^.]*", re.escape(f"{entry.paper}.{entry.id}."))


def remember(target: Path, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the runs that the kept files are of; a file is of the run that made it last.

    What was removed, since it is no longer made, is of none.
    """
    file = target / "runs.json"
    runs = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    for earlier in runs:
        still = (name for name in earlier["files"] if (target / name).exists())
        earlier["files"] = [name for name in still if name not in run["files"]]
    runs = [*(earlier for earlier in runs if earlier["files"]), run]
    file.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return runs


def forget(target: Path, command: str, kept: set[str]) -> None:
    """Remove what an earlier run of the same command made, and this one does not make."""
    file = target / "runs.json"
    runs = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    for earlier in runs:
        if earlier["command"] == command:
            for name in set(earlier["files"]) - kept:
                (target / name).unlink(missing_ok=True)


def described(run: dict[str, Any]) -> list[str]:
    """Return the lines that tell of a run; the site has its tables in their places."""
    taken = f" in {run['minutes']:,.0f} minutes" if "minutes" in run else ""
    hours = (f"{rule} {spent:.2f}" for rule, spent in sorted(run["hours"].items()))
    names = sorted(map(Path, run["files"]), key=lambda file: (file.stem, file.suffix))
    shown: dict[str, list[str]] = {"": []}  # pictures of no table stand first
    shown |= {file.stem: [f"[{file}]({file})<!-- include -->", ""] for file in of(names, ".md")}
    for picture in of(names, ".png"):
        tables = [stem for stem in shown if picture.stem.startswith(stem)]
        shown[max(tables, key=len, default="")] += [f"![{picture.stem}]({picture})", ""]
    return [
        f"Made by `{run['command']}` at commit {run['commit']}{taken}. Hours of jobs, most of "
        f"which take one core: {', '.join(hours)}.",
        "",
        *chain.from_iterable(shown.values()),
        f"As CSV: {', '.join(f'[{file}]({file})' for file in of(names, '.csv'))}.",
        "",
    ]


def of(names: Iterable[Path], ending: str) -> list[Path]:
    """Return the names that end so."""
    return [name for name in names if name.suffix == ending]


def main() -> None:
    """Copy the results and describe them."""
    if git("status", "--porcelain", "--untracked-files=no"):
        sys.exit(
            "files of this checkout are changed: the commit would not say what made the results"
        )
    plan = forced_plan(sys.argv[1])
    made = RESULTS.joinpath(*sys.argv[2:])
    # a table that nothing is claimed of has a file without rows
    every = sorted((made / "tables").glob(f"*{FILE_END}"))
    claims = [file for file in every if len(pd.read_csv(file))]
    scale = scale_of(sys.argv[1])
    name = made.name if scale == "default" else f"{made.name}-{scale}"
    target = ROOT / "docs/results" / (scale if made == RESULTS else name)
    target.mkdir(parents=True, exist_ok=True)
    kept = [file for ending in ("csv", "md") for file in made.glob(f"*.{ending}")]
    kept += [*made.glob("*.png"), *(made / "figures").glob("*.png"), *claims]
    kept = sorted(file for file in kept if file.name not in {"README.md", JOINED, SCORES})
    command = without_places(sys.argv[1])
    forget(target, command, {file.name for file in kept})
    for file in kept:
        shutil.copy2(file, target / file.name)
    about = []
    if tested := sorted(target.glob(f"*{FILE_END}")):
        write_frame(target / JOINED, merge(tested))
        about.append(f"[{JOINED}]({JOINED}) joins the claims of all tables")
        register(ROOT / "docs/results/registered.json", entries_of(target / JOINED), date.today())
    if rows := list(scores(made)):
        write_frame(target / SCORES, pd.DataFrame(rows))
        about.append(f"[{SCORES}]({SCORES}) has the scores of each seed")
    run = {
        "command": command,
        "commit": git("rev-parse", "--short", "HEAD"),
        "minutes": minutes(made, plan),
        "hours": job_hours(plan),
        "files": [file.name for file in kept],
    }
    lines = [
        f"# Results at the {scale} scale" + (f": {made.name}" if made != RESULTS else ""),
        "",
        f"{', '.join(about)}.",
        "",
        *(line for one in remember(target, run) for line in described(one)),
    ]
    (target / "README.md").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
