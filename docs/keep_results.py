"""Keep the tables, figures and claims of a finished run in docs/results/.

    python docs/keep_results.py "snakemake --cores 2 --configfile workflow/scales/full.yaml"
    python docs/keep_results.py "snakemake --cores 2 filtering" filtering

Copies what results/ holds of them at its top to docs/results/<scale>/, or what a study's folder in
results/ holds to docs/results/<folder>/ (at another scale than the default <folder>-<scale>/),
joins all claims that are there now, registers them as they are (registered.json), and writes
README.md beside: the command given, the commit, and the hours of the trainings. What was not made
is not listed. A long run may be kept in parts, from one checkout or several: runs.json has them.
Call it in the checkout that made the results, before anything else is checked out there.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable
from datetime import date
from itertools import chain
from pathlib import Path
from typing import Any

from tandem.reporting.claim_entries import ClaimEntry, read_claims
from tandem.reporting.registered import register
from tandem.reporting.replications import FILE_END, merge
from tandem.reporting.writer import write_frame

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"
JOINED = "claims.csv"


def scale_of(claims: Iterable[Path], made: Path) -> str:
    """Return the scale that the claims are of, from the first file that holds any."""
    for file in claims:
        with open(file, encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                return row["scale"]
    sys.exit(f"no claims in {made / 'tables'}: make some tables first")


def git(*words: str) -> str:
    """Return what git says."""
    told = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return told.stdout.strip()


def job_hours(made: Path) -> dict[str, float]:
    """Return the hours of the jobs that record their time, by rule; most take one core."""
    hours: dict[str, float] = {}
    for folder in (made / "benchmarks").iterdir():
        seconds = 0.0
        for file in folder.rglob("*.tsv"):
            with open(file, encoding="utf-8", newline="") as stream:
                seconds += sum(float(row["s"]) for row in csv.DictReader(stream, delimiter="\t"))
        if seconds:
            hours[folder.name] = seconds / 3600
    return hours


def entries_of(claims: Path) -> list[ClaimEntry]:
    """Return the findings that a file has claims of."""
    with open(claims, encoding="utf-8", newline="") as stream:
        kept = [row["claim"] for row in csv.DictReader(stream)]
    files = sorted(ROOT.glob("workflow/studies/*/claims.yaml"))
    every = (entry for file in files for some in read_claims(file).values() for entry in some)
    return [e for e in every if any(f"{c}.".startswith(f"{e.paper}.{e.id}.") for c in kept)]


def remember(target: Path, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the runs that the kept files are of; a file is of the run that made it last."""
    file = target / "runs.json"
    runs = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    for earlier in runs:
        earlier["files"] = [name for name in earlier["files"] if name not in run["files"]]
    runs = [*(earlier for earlier in runs if earlier["files"]), run]
    file.write_text(json.dumps(runs, indent=1) + "\n", encoding="utf-8")
    return runs


def described(run: dict[str, Any]) -> list[str]:
    """Return the lines that tell of a run; the site has its tables in their places."""
    hours = (f"{rule} {spent:.2f}" for rule, spent in sorted(run["hours"].items()))
    names = sorted(map(Path, run["files"]), key=lambda file: (file.stem, file.suffix))
    shown: dict[str, list[str]] = {"": []}  # pictures of no table stand first
    shown |= {file.stem: [f"[{file}]({file})<!-- include -->", ""] for file in of(names, ".md")}
    for picture in of(names, ".png"):
        tables = [stem for stem in shown if picture.stem.startswith(stem)]
        shown[max(tables, key=len, default="")] += [f"![{picture.stem}]({picture})", ""]
    return [
        f"Made by `{run['command']}` at commit {run['commit']}. Hours of jobs, most of which take "
        f"one core: {', '.join(hours)}.",
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
    made = RESULTS.joinpath(*sys.argv[2:])
    claims = sorted((made / "tables").glob(f"*{FILE_END}"))
    scale = scale_of(claims, made)
    name = made.name if scale == "default" else f"{made.name}-{scale}"
    target = ROOT / "docs/results" / (scale if made == RESULTS else name)
    target.mkdir(parents=True, exist_ok=True)
    kept = [file for ending in ("csv", "md") for file in made.glob(f"*.{ending}")]
    kept += [*made.glob("*.png"), *(made / "figures").glob("*.png"), *claims]
    kept = sorted(file for file in kept if file.name not in {"README.md", JOINED})
    for file in kept:
        shutil.copy2(file, target / file.name)
    write_frame(target / JOINED, merge(sorted(target.glob(f"*{FILE_END}"))))
    register(ROOT / "docs/results/registered.json", entries_of(target / JOINED), date.today())
    run = {
        "command": sys.argv[1],
        "commit": git("rev-parse", "--short", "HEAD"),
        "hours": job_hours(made),
        "files": [file.name for file in kept],
    }
    lines = [
        f"# Results at the {scale} scale" + (f": {made.name}" if made != RESULTS else ""),
        "",
        f"[{JOINED}]({JOINED}) joins the claims of all tables.",
        "",
        *(line for one in remember(target, run) for line in described(one)),
    ]
    (target / "README.md").write_text("\n".join(lines[:-1]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
