"""Running the workflow as a person does: in a process of its own, from any folder."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import tiny_corpora

REPOSITORY = Path(__file__).resolve().parents[2]


def run_snakemake(folder, *arguments, snakefile=REPOSITORY / "Snakefile", environment=None):
    """Run Snakemake with results in a folder; return the finished process."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", snakefile, "--directory", folder]
    # a run of its own, whoever runs the tests: no profile, no colours
    inherited = {k: v for k, v in os.environ.items() if k != "SNAKEMAKE_PROFILE"}
    return subprocess.run(
        [str(part) for part in [*command, *arguments]],
        env=(environment or inherited) | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=1800,
    )


@pytest.fixture
def tiny(tmp_path):
    """A folder that holds the tiny scale's corpora."""
    tiny_corpora.write(tmp_path)
    return tmp_path
