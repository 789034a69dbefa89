"""The Slurm profile on a real controller: one node, started for this test."""

import json

import pytest
import slurm_cluster
from conftest import TINY, run_snakemake


@pytest.mark.slurm
@pytest.mark.skipif(slurm_cluster.why_not() is not None, reason=str(slurm_cluster.why_not()))
def test_trains_and_scores_through_slurm(tiny, tmp_path_factory):
    target = "results/scores/sp.random/sts"
    with slurm_cluster.cluster(tmp_path_factory.mktemp("slurm")) as environment:
        run = run_snakemake(
            tiny,
            "--profile", "profiles/slurm",
            *TINY,
            # this cluster keeps no accounts
            "--slurm-status-command", "squeue",
            "--slurm-init-seconds-before-status-checks", "2",
            "--seconds-between-status-checks", "2",
            "--latency-wait", "5",
            target,
            environment=environment,
        )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    scores = json.loads((tiny / target / "seed1.json").read_text(encoding="utf-8"))
    assert scores["experiment"] == "sp.random"
    assert "SLURM jobid" in run.stdout + run.stderr
