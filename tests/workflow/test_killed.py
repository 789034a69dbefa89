"""Killed runs: the same command continues them to the same bytes, never beside a live run."""

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import time

import pytest
from conftest import REPOSITORY, TINY, hashes, planned, run_snakemake, start_snakemake
from snakemake.cli import parse_args

KILLS = 20
AT_THE_START = 5
"""Every fifth run is killed while Snakemake starts and plans."""
START_S = 4
JOB_S = 2
LAST = 6
"""Jobs that are always left to do, so that no run ends before it is killed."""
KILLED = [
    "results/models/sp.back-translated/seed1", "results/table3.csv",
    "results/figure1.png", "results/many/model",
]  # fmt: skip
"""What these runs make: few jobs, and every rule that trains, translates, mines or gathers."""
LEFT = re.compile(r"total +(\d+)$|(\d+) of (\d+) steps")
"""How Snakemake prints the number of jobs, and how many of them are done."""

WORKFLOW = f'''
include: "{REPOSITORY}/workflow/rules/locks.smk"

rule wait:
    output: "done"
    script: "wait.py"
'''
JOB = f"""
import sys, time
from pathlib import Path

sys.path.insert(0, "{REPOSITORY}/workflow/scripts")
import _adapter

Path("started").touch()
while not Path("go").exists():
    time.sleep(0.05)
Path(snakemake.output[0]).touch()
"""
AGAIN = ["--cores", "1", "--rerun-incomplete", "done"]


def kill(run):
    """Kill a run with all its jobs; return the rest of what it printed."""
    os.killpg(run.pid, signal.SIGKILL)
    said = run.stderr.read()
    run.wait()
    run.stderr.close()
    return said


def wait_until_left(run, jobs):
    """Wait until a run has at most so many jobs to do."""
    for line in run.stderr:
        if (found := LEFT.match(line.strip())) is not None:
            total, done, steps = (int(group or 0) for group in found.groups())
            if total + steps - done <= jobs:
                return
    raise AssertionError(f"the run ended before only {jobs:.0f} jobs were left")


def test_a_run_killed_twenty_times_gives_the_same_bytes_on_another_number_of_cores(finished, tiny):
    rules = planned(tiny, *KILLED, *TINY)
    whole = sum(rules.values())
    assert {"train", "train_languages", "translate_shard", "build_collection"} <= set(rules)
    rng = random.Random(13)
    for number in reversed(range(KILLS)):
        run = start_snakemake(tiny, *KILLED, "--cores", "3", *TINY)
        if number % AT_THE_START:
            wait_until_left(run, LAST + (number + rng.random()) * (whole - LAST) / KILLS)
        time.sleep(rng.uniform(0, JOB_S if number % AT_THE_START else START_S))
        ended = run.poll()
        said = kill(run)
        assert ended is None, said
    last = run_snakemake(tiny, *KILLED, "--cores", "3", *TINY)
    assert last.returncode == 0, last.stdout + last.stderr
    made = hashes(tiny)
    assert len(made) > whole
    assert made == {file: digest for file, digest in hashes(finished).items() if file in made}


@pytest.fixture
def waiting(tmp_path):
    """A folder and a run in it, whose only job waits for a file `go`."""
    (tmp_path / "Snakefile").write_text(WORKFLOW)
    (tmp_path / "wait.py").write_text(JOB)
    run = start_snakemake(tmp_path, *AGAIN)
    while not (tmp_path / "started").exists():
        assert run.poll() is None, run.stderr.read()
        time.sleep(0.05)
    yield tmp_path, run
    with contextlib.suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)
    run.stderr.close()


def refused(folder, why):
    """Run it again; return whether the run was refused for this reason."""
    again = run_snakemake(folder, *AGAIN)
    return again.returncode != 0 and why in again.stderr and "cannot be locked" in again.stderr


def goes_on(folder):
    (folder / "go").touch()
    again = run_snakemake(folder, *AGAIN)
    return again.returncode == 0 and (folder / "done").exists()


def test_no_run_begins_while_another_or_a_job_of_it_lives(waiting):
    folder, run = waiting
    assert refused(folder, "is alive")
    os.kill(run.pid, signal.SIGKILL)
    run.wait()
    assert refused(folder, "is alive")  # now its job
    os.killpg(run.pid, signal.SIGKILL)
    assert goes_on(folder)


def of_another_machine(folder):
    (note,) = folder.glob(".snakemake/locks/*.host")
    note.rename(note.with_name("elsewhere.host"))


def on_a_cluster(folder):
    (mark,) = (path for path in folder.glob(".snakemake/incomplete/*") if path.is_file())
    mark.write_text('{"external_jobid": "17"}')


def of_an_unknown_machine(folder):
    (note,) = folder.glob(".snakemake/locks/*.host")
    note.unlink()


@pytest.mark.parametrize("change", [of_another_machine, on_a_cluster, of_an_unknown_machine])
def test_locks_that_may_not_be_stale_are_left_to_one_command(waiting, change):
    folder, run = waiting
    kill(run)
    change(folder)
    assert refused(folder, "`snakemake --unlock`")
    assert refused(folder, "`snakemake --unlock`")
    assert run_snakemake(folder, "--unlock").returncode == 0
    assert goes_on(folder)


def test_a_job_that_is_killed_is_done_again(waiting):
    folder, run = waiting
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(run.pid)], capture_output=True)
    os.kill(int(listed.stdout.split()[0]), signal.SIGKILL)
    assert run.wait() != 0
    assert goes_on(folder)


def test_the_workflows_profile_is_found_and_changes_none_of_a_machines_resources(tmp_path):
    machine = tmp_path / "config.yaml"
    machine.write_text("executor: slurm\ndefault-resources: {slurm_account: mine}\n")
    with contextlib.chdir(REPOSITORY):
        _, plain = parse_args(["--cores", "8", "results/table1.csv"])
        _, slurm = parse_args(["--profile", "profiles/slurm"])
        _, own = parse_args(["--profile", str(tmp_path)])
    assert all(args.rerun_incomplete and args.keep_going for args in (plain, slurm, own))
    assert [args.executor for args in (plain, slurm, own)] == [None, "slurm", "slurm"]
    assert "runtime" in str(slurm.default_resources)
    assert "slurm_account" in str(own.default_resources)


def test_make_runs_snakemake_with_nothing_of_its_own():
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    printed = subprocess.run(
        ["make", "--dry-run", "table1"], cwd=REPOSITORY, capture_output=True, text=True
    ).stdout
    assert re.search(r"snakemake --cores \S+ table1$", printed, re.MULTILINE)
