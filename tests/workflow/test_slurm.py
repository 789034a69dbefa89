"""The Slurm profile on a real controller: one node, started for this test."""

import json
import re

import pytest
import slurm_cluster
from conftest import TINY, run_snakemake

ASKING = {
    "train", "train_translator", "translate_shard", "score_translator", "score", "measure_speed",
    "mine_searched", "translate_test", "time_epochs", "restyle", "measure_likelihood",
    "time_comparisons",
}  # fmt: skip
"""The rules whose jobs compute on a GPU."""


@pytest.mark.parametrize("profile", ["gpu", "slurm"])
def test_one_line_of_a_profile_lets_jobs_ask_for_a_gpu(tiny, profile):
    def gpus():
        """Return the GPUs that jobs of each rule ask for."""
        options = "--dry-run", "--cores", "2", "--profile", f"profiles/{profile}", *TINY
        run = run_snakemake(tiny, *options)
        assert run.returncode == 0, run.stdout + run.stderr
        jobs = re.findall(r"rule (\w+):\n((?:    .*\n)*?)    resources: .*?gpu=(\d)", run.stdout)
        # an encoder that stays as the seed draws it, or is a part of another, computes nothing
        drawn = re.compile(
            r"experiment=(\S*[.-](random|untrained)[\w-]*|bgt-(english|french)\.\S+),"
        )
        assert {n for name, text, n in jobs if name == "train" and drawn.search(text)} == {"0"}
        others = [(name, n) for name, text, n in jobs if name != "train" or not drawn.search(text)]
        return {number: {name for name, n in others if n == number} for number in ("0", "1")}

    file = tiny / "profiles" / profile / "config.yaml"
    text = file.read_text(encoding="utf-8")
    line = re.search("^(# )?config: {device: cuda}$", text, re.MULTILINE)[0]
    file.write_text(text.replace(line, ""), encoding="utf-8")
    assert gpus() == {"0": ASKING, "1": set()}
    file.write_text(text.replace(line, line.removeprefix("# ")), encoding="utf-8")
    assert gpus() == {"0": set(), "1": ASKING}


def test_the_commented_lines_of_the_profile_are_settings_that_snakemake_takes(tiny):
    file = tiny / "profiles/slurm/config.yaml"
    text = file.read_text(encoding="utf-8")
    taken = re.sub(r"^# (?=[a-z-]+: |set-|  [a-z_]+: \{runtime)", "", text, flags=re.MULTILINE)
    # two blocks of set-resources: the first, of GPUs' partitions, is one of its own
    first, second = taken.split("set-resources:\n")[0], taken.split("set-resources:\n")[2]
    file.write_text(f"{first}set-resources:\n{second}", "utf-8")
    options = "results/scores/sp.random/sts", "--dry-run", "--profile", "profiles/slurm", *TINY
    run = run_snakemake(tiny, *options)
    assert run.returncode == 0, run.stdout + run.stderr
    assert re.search(r"rule score:\n(?:    .*\n)*?    resources: .*runtime=10\b", run.stdout)


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
