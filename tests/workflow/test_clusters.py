"""The profiles of PBS, SGE and LSF, with commands that stand for the scheduler's."""

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import pytest
from conftest import TINY, run_snakemake

PROFILES = Path(__file__).parents[2] / "profiles"
PLUGIN = "snakemake_executor_plugin_cluster_generic"
TARGET = "results/corpora/selection.tsv"
NUMBER = {"pbs": "7.server", "sge": "7", "lsf": "7"}
REQUESTS = {
    "pbs": "-V -j oe -o .snakemake/ -l select=1:ncpus=1:mem=2000mb -l walltime=3600",
    "sge": "-terse -cwd -V -S /bin/sh -j y -o .snakemake/ -pe smp 1 -l mem_free=2000M,h_rt=3600",
    "lsf": "-o .snakemake/lsf.%J.log -n 1 -R span[hosts=1] -R rusage[mem=2000] -M 2000 -W 60",
}
"""What a job that says nothing of its own asks for."""
SUBMIT = """\
echo "$*" >>$SPOOL/submitted
for script; do :; done
( {run}; echo $? >$SPOOL/status ) >$SPOOL/output 2>&1 &
"""
COMMANDS = {
    "pbs": {
        "qsub": SUBMIT + "echo 7.server",
        "qstat": '[ "$*" = "-x -f 7.server" ] || exit 1\necho "Job Id: 7.server"\n'
        "if [ -e $SPOOL/status ]; then echo '    job_state = F'\n"
        'echo "    Exit_status = $(cat $SPOOL/status)"; else echo "    job_state = R"; fi',
    },
    "sge": {
        "qsub": SUBMIT + "echo 7",
        "qstat": '[ "$*" = "-j 7" ] && [ ! -e $SPOOL/status ]',
        "qacct": '[ "$*" = "-j 7" ] || exit 1\n'
        'echo "failed       0"; echo "exit_status  $(cat $SPOOL/status)"',
    },
    "lsf": {
        "bsub": SUBMIT + 'echo "Job <7> is submitted to queue <main>."',
        "bjobs": '[ "$*" = "-noheader -o stat 7" ] || exit 1\n'
        "case $(cat $SPOOL/status 2>/dev/null) in '') echo RUN;; 0) echo DONE;; *) echo EXIT; esac",
    },
}
"""What stands for the commands of each scheduler, which has one job at a time, number 7."""


@pytest.fixture
def scheduled(tiny, tmp_path_factory):
    """Return a function that runs the target with a profile; `run` is what a node does."""
    spool = tmp_path_factory.mktemp("scheduler")

    def ran(profile, run='sh "$script"'):
        for name, text in COMMANDS[profile].items():
            command = spool / name
            command.write_text(f"#!/bin/sh\n{text.replace('{run}', run)}\n", encoding="utf-8")
            command.chmod(0o755)
        path = f"{spool}:{os.environ['PATH']}"
        environment = os.environ | {"PATH": path, "SPOOL": str(spool)}
        options = "--profile", f"profiles/{profile}", "--latency-wait", "2"
        often = "--seconds-between-status-checks", "1"
        run = run_snakemake(tiny, *options, *often, TARGET, *TINY, environment=environment)
        assert (spool / "submitted").exists(), run.stdout + run.stderr
        return run, (spool / "submitted").read_text(encoding="utf-8").split("\n")[:-1]

    return ran


needs_plugin = pytest.mark.skipif(
    importlib.util.find_spec(PLUGIN) is None, reason=f"not installed: {PLUGIN.replace('_', '-')}"
)


@needs_plugin
@pytest.mark.parametrize("profile", list(COMMANDS))
def test_a_job_is_submitted_with_what_it_asks_for_and_its_end_is_seen(tiny, scheduled, profile):
    run, submitted = scheduled(profile)
    assert run.returncode == 0, run.stdout + run.stderr
    assert len((tiny / TARGET).read_text(encoding="utf-8").split("\n")) > 2
    requests = [line.rsplit(" ", 1)[0] for line in submitted]
    assert requests == [REQUESTS[profile]]  # the download ran here
    told = run.stdout + run.stderr
    assert re.search(rf"Submitted job \d+ with external jobid '{re.escape(NUMBER[profile])}'", told)


@needs_plugin
@pytest.mark.parametrize("profile", list(COMMANDS))
def test_a_job_that_the_scheduler_kills_is_a_failed_one(tiny, scheduled, profile):
    run, submitted = scheduled(profile, run="sh -c 'exit 137'")
    assert run.returncode != 0 and len(submitted) == 1
    assert "Error in rule build_selection" in run.stdout + run.stderr
    assert not (tiny / TARGET).exists()


ANSWERS = {
    "pbs": [
        ("qstat", 'echo "    job_state = R"', "running"),
        ("qstat", 'echo "    job_state = F"; echo "    Exit_status = 0"', "success"),
        ("qstat", 'echo "    job_state = F"; echo "    Exit_status = 271"', "failed"),
        ("qstat", 'echo "qstat: cannot connect to server" >&2; exit 255', "running"),
        ("qstat", 'echo "qstat: Unknown Job Id 7.server" >&2; exit 153', "failed"),
        ("qstat", 'echo "qstat: 7.server Job has finished, use -x" >&2; exit 35', "failed"),
    ],
    "lsf": [
        ("bjobs", "echo PEND", "running"),
        ("bjobs", "echo DONE", "success"),
        ("bjobs", "echo EXIT", "failed"),
        ("bjobs", 'echo "LSF is down. Please wait ..." >&2; exit 255', "running"),
        ("bjobs", 'echo "Job <7> is not found" >&2; exit 255', "failed"),
    ],
    "sge": [
        ("qstat", "exit 0", "running"),
        ("qstat", 'echo "error: unable to contact qmaster" >&2; exit 1', "running"),
    ],
}


@pytest.mark.parametrize(
    ("profile", "command", "answer", "state"),
    [(profile, *answer) for profile, answers in ANSWERS.items() for answer in answers],
)
def test_a_scheduler_that_does_not_answer_has_failed_no_job(
    tmp_path, profile, command, answer, state
):
    tool = tmp_path / command
    tool.write_text(f"#!/bin/sh\n{answer}\n")
    tool.chmod(0o755)
    done = subprocess.run(
        ["sh", PROFILES / profile / "status.sh", NUMBER[profile]],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == f"{state}\n"
    assert ("job_history_enable" in done.stderr) == (profile == "pbs" and "exit 153" in answer
                                                     or "exit 35" in answer)  # fmt: skip
