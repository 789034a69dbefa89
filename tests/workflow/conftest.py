"""Running the workflow as a person does: in a process of its own, from any folder."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_corpora

REPOSITORY = Path(__file__).resolve().parents[2]
TINY = ["--configfile", "workflow/scales/tiny.yaml"]


def run_snakemake(folder, *arguments, environment=None):
    """Run Snakemake in a folder that holds the workflow; return the finished process."""
    # a run of its own, whoever runs the tests: no profile but the workflow's, no colours
    inherited = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *map(str, arguments)],
        cwd=folder,
        env=(environment or inherited) | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=1800,
    )


def planned(folder, *arguments):
    """Return the rules that a run would execute, each with how often, by a dry run."""
    run = run_snakemake(folder, "--dry-run", "--cores", "2", *arguments)
    assert run.returncode == 0, run.stdout + run.stderr
    if "Job stats:" not in run.stdout:
        return {}
    table = run.stdout.split("Job stats:")[1].split("\n\n")[0]
    rows = (line.split() for line in table.split("\n")[3:])
    return {name: int(count) for name, count in rows if name not in ("total", "all")}


def write_workflow(folder):
    """Write the workflow and the tiny scale's corpora into a folder."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(REPOSITORY / "workflow", folder / "workflow", ignore=ignored)
    for name in ("envs", "profiles"):
        shutil.copytree(REPOSITORY / name, folder / name)
    for name in ("Snakefile", "config.yaml"):
        shutil.copy2(REPOSITORY / name, folder / name)
    tiny_corpora.write(folder)


@pytest.fixture
def tiny(tmp_path):
    """A folder that holds the workflow and the tiny scale's corpora."""
    write_workflow(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A folder in which the tiny scale has run; tests that change it take `copied`."""
    folder = tmp_path_factory.mktemp("finished")
    write_workflow(folder)
    run = run_snakemake(folder, "--cores", "2", *TINY)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of it with all times of its files, so that a change is all that differs."""
    copy = tmp_path / "copy"
    shutil.copytree(finished, copy, symlinks=True)
    return copy
