"""Running the workflow as a person does: in a process of its own, from any folder."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_corpora

REPOSITORY = Path(__file__).resolve().parents[2]
TINY = ["--configfile", "workflow/scales/tiny.yaml"]
UNTIMED = ("logs", "benchmarks")
"""Folders whose files tell times."""
TIMES = ("table4", "speed", "speed-and-score", "pair-speed")
"""The tables, figures and claims that are made of times."""
TIMED = {f"results/bgt/table{number}.{end}" for number in (5, 7) for end in ("csv", "md")}
"""Tables that have times beside what can be repeated."""
PROMPT = ["--max-jobs-per-timespan", "1000/1s"]
"""A run on a cluster then ends within a second; by the workflow's profile, within ten."""


def calling_snakemake(folder, *arguments, environment=None):
    """Return the arguments with which subprocess calls Snakemake in a folder."""
    # a run of its own, whoever runs the tests: no profile but the workflow's, no colours
    inherited = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
    return {
        "args": [sys.executable, "-m", "snakemake", *map(str, arguments)],
        "cwd": folder,
        "env": (environment or inherited) | {"OMP_NUM_THREADS": "1"},
        "text": True,
    }


def run_snakemake(folder, *arguments, environment=None):
    """Run Snakemake; return the finished process."""
    call = calling_snakemake(folder, *PROMPT, *arguments, environment=environment)
    return subprocess.run(**call, capture_output=True, timeout=3600)


def start_snakemake(folder, *arguments):
    """Start Snakemake in a process group of its own; its messages are to be read from `stderr`."""
    call = calling_snakemake(folder, *arguments)
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    return subprocess.Popen(**call, **streams, start_new_session=True)


def planned(folder, *arguments):
    """Return the rules that a run would execute, each with how often, by a dry run."""
    run = run_snakemake(folder, "--dry-run", "--cores", "2", *arguments)
    assert run.returncode == 0, run.stdout + run.stderr
    return {name: count for name, count in jobs(run.stdout).items() if name != "all"}


def jobs(told):
    """Return the rules in what Snakemake told of a plan, each with how often."""
    if "Job stats:" not in told:
        return {}
    table = told.split("Job stats:")[1].split("\n\n")[0]
    rows = (line.split() for line in table.split("\n")[3:])
    return {name: int(count) for name, count in rows if name != "total"}


def write_code(folder):
    """Write the workflow into a folder, with what is compiled of it: that takes 10 seconds."""
    # of a process beside this one: a compiled file is written under another name first
    unfinished = shutil.ignore_patterns("*.pyc.*", "*.tmp.*")
    shutil.copytree(REPOSITORY / "workflow", folder / "workflow", ignore=unfinished)
    for name in ("envs", "profiles"):
        shutil.copytree(REPOSITORY / name, folder / name)
    for name in ("Snakefile", "config.yaml"):
        shutil.copy2(REPOSITORY / name, folder / name)


def write_workflow(folder):
    """Write the workflow and the tiny scale's corpora into a folder."""
    write_code(folder)
    tiny_corpora.write(folder)


def copy_of(folder, place):
    """Copy a folder into another, with all times of its files."""
    return shutil.copytree(folder, place / "copy", symlinks=True)


def untimed(path):
    """Return what is in a file, without the claims that are made of times."""
    lines = path.read_bytes().splitlines(keepends=True)
    timed = [f".{name}.".encode() for name in TIMES]
    return b"".join(line for line in lines if not any(name in line for name in timed))


def hashes(folder):
    """Return the digest of every result but logs, benchmarks and times."""
    files = [p for p in sorted((folder / "results").rglob("*")) if p.is_file()]
    return {
        str(path.relative_to(folder)): hashlib.sha256(untimed(path)).hexdigest()
        for path in files
        # results/logs, or results/<study>/logs
        if not {*UNTIMED} & {*path.relative_to(folder).parts[1:3]}
        and path.name[0] != "."
        and not path.stem.startswith(TIMES)
        and str(path.relative_to(folder)) not in TIMED
    }


@pytest.fixture
def tiny(tmp_path):
    """A folder that holds the workflow and the tiny scale's corpora."""
    write_workflow(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def shared(tmp_path_factory, worker_id):
    """A folder that all processes of a run of the tests share."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def finished(shared):
    """A folder in which the tiny scale has run, once for all processes of the tests.

    Others copy it meanwhile: tests that run anything in it take `copied`.
    """
    folder, told = shared / "finished", shared / "finished.txt"
    with open(shared / "finished.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            write_workflow(folder)
            run = run_snakemake(folder, "--cores", "2", *TINY)
            told.write_text(f"{run.returncode}\n{run.stdout}{run.stderr}")
    assert told.read_text().startswith("0\n"), told.read_text()
    return folder


@pytest.fixture
def copied(finished, tmp_path):
    """A copy of it with all times of its files, so that a change is all that differs."""
    return copy_of(finished, tmp_path)
