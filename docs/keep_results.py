"""Keep the tables, figures and claims of a finished run in docs/results/<scale>/.

    python docs/keep_results.py "snakemake --cores 2 --configfile workflow/scales/full.yaml"

Copies what results/ holds of them at its top, and writes README.md beside: the command given, the
commit, and the hours of the trainings. What was not made is not listed. Call it in the checkout
that made the results, before anything else is checked out there.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"


def scale_of(claims: Iterable[Path]) -> str:
    """Return the scale that the claims are of, from the first file that holds any."""
    for file in claims:
        with open(file, encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                return row["scale"]
    sys.exit(f"no claims in {RESULTS / 'tables'}: make some tables first")


def git(*words: str) -> str:
    """Return what git says."""
    told = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return told.stdout.strip()


def job_hours() -> dict[str, float]:
    """Return the hours of the jobs that record their time, by rule; most take one core."""
    hours: dict[str, float] = {}
    for folder in (RESULTS / "benchmarks").iterdir():
        seconds = 0.0
        for file in folder.rglob("*.tsv"):
            with open(file, encoding="utf-8", newline="") as stream:
                seconds += sum(float(row["s"]) for row in csv.DictReader(stream, delimiter="\t"))
        if seconds:
            hours[folder.name] = seconds / 3600
    return hours


def main() -> None:
    """Copy the results and describe them."""
    if git("status", "--porcelain", "--untracked-files=no"):
        sys.exit(
            "files of this checkout are changed: the commit would not say what made the results"
        )
    claims = sorted((RESULTS / "tables").glob("*-claims.csv"))
    target = ROOT / "docs/results" / scale_of(claims)
    target.mkdir(parents=True, exist_ok=True)
    kept = [file for ending in ("csv", "md") for file in RESULTS.glob(f"*.{ending}")]
    kept += [*RESULTS.glob("*.png"), *(RESULTS / "figures").glob("*.png")]
    kept = sorted(file for file in kept if file.name != "README.md")
    if not (RESULTS / "claims.csv").exists():  # of a part of the tables only
        kept += claims
    for file in kept:
        shutil.copy2(file, target / file.name)
    commit = git("rev-parse", "--short", "HEAD")
    hours = (f"{rule} {spent:.2f}" for rule, spent in sorted(job_hours().items()))
    lines = [
        f"# Results at the {target.name} scale",
        "",
        f"Made by `{sys.argv[1]}` at commit {commit}. Hours of jobs, most of which take one core: "
        f"{', '.join(hours)}.",
        "",
        *(f"- [{file.name}]({file.name})" for file in kept),
    ]
    (target / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
