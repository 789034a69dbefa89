"""Keep the tables, figures and claims of a finished run in docs/results/<scale>/.

    python docs/keep_results.py "snakemake --cores 2 --configfile workflow/scales/full.yaml"

Copies what results/ holds of them at its top, and writes README.md beside: the command given, the
commit, and the processor hours of the trainings. What was not made is not listed.
"""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "results"


def scale_of(claims: Path) -> str:
    """Return the scale that a file of claims is of."""
    with open(claims, encoding="utf-8", newline="") as stream:
        return next(csv.DictReader(stream))["scale"]


def processor_hours() -> dict[str, float]:
    """Return the processor hours of the jobs that record them, by rule."""
    hours: dict[str, float] = {}
    for folder in (RESULTS / "benchmarks").iterdir():
        seconds = 0.0
        for file in folder.rglob("*.tsv"):
            with open(file, encoding="utf-8", newline="") as stream:
                seconds += sum(float(r["cpu_time"]) for r in csv.DictReader(stream, delimiter="\t"))
        if seconds:
            hours[folder.name] = seconds / 3600
    return hours


def main() -> None:
    """Copy the results and describe them."""
    claims = sorted((RESULTS / "tables").glob("*-claims.csv"))
    target = ROOT / "docs/results" / scale_of(claims[0])
    target.mkdir(parents=True, exist_ok=True)
    kept = [file for ending in ("csv", "md") for file in RESULTS.glob(f"*.{ending}")]
    kept += [*RESULTS.glob("*.png"), *(RESULTS / "figures").glob("*.png")]
    kept = sorted(file for file in kept if file.name != "README.md")
    if not (RESULTS / "claims.csv").exists():  # of a part of the tables only
        kept += claims
    for file in kept:
        shutil.copy2(file, target / file.name)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    hours = (f"{rule} {spent:.2f}" for rule, spent in sorted(processor_hours().items()))
    lines = [
        f"# Results at the {target.name} scale",
        "",
        f"Made by `{sys.argv[1]}` at commit {commit}. Processor hours: {', '.join(hours)}.",
        "",
        *(f"- [{file.name}]({file.name})" for file in kept),
    ]
    (target / "README.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
