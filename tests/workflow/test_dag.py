"""What can be known without running a job: lint, dry runs, refusals."""

import time
from pathlib import Path

import pytest
from conftest import REPOSITORY, run_snakemake

DRY_RUN_S = 20
"""Far above the 3 s that benchmarks hold it to: a test must not fail on a busy machine."""


def test_lint_has_nothing_to_say(tmp_path):
    linted = run_snakemake(tmp_path, "--lint")
    assert linted.returncode == 0, linted.stdout + linted.stderr


@pytest.mark.parametrize("scale", ["default", "paper", "tiny"])
def test_every_scale_plans_everything(tiny, scale):
    (tiny / "data/czeng20-train.gz").touch()  # stands for what is had by registration only
    arguments = [] if scale == "default" else [
        "--configfile", REPOSITORY / f"workflow/scales/{scale}.yaml",
    ]  # fmt: skip
    start = time.monotonic()
    planned = run_snakemake(tiny, "--dry-run", "--cores", "2", *arguments)
    assert planned.returncode == 0, planned.stderr
    assert time.monotonic() - start < DRY_RUN_S
    rules = {
        "fetch_dataset", "build_bitext", "build_sts", "build_selection", "learn_segmentation",
        "segment_text", "train_translator", "translate_shard", "join_backtranslation",
        "train_encoder", "score_sts", "tabulate_table1", "collect_claims", "build_mining_task",
        "encode_mining",
        "search_mining", "score_mining", "score_tracks", "score_retrieval", "measure_speed",
        "export_model", "tabulate_table2", "tabulate_table3", "tabulate_table4",
        "gather_languages", "build_panel",
        "segment_english", "train_languages", "tabulate_table5", "plot_figure1",
    }  # fmt: skip
    assert rules <= {line.split()[0] for line in planned.stdout.split("\n") if line.strip()}


def test_a_dry_run_writes_nothing(tiny):
    before = {path for path in tiny.rglob("*")}
    scale = REPOSITORY / "workflow/scales/tiny.yaml"
    run_snakemake(tiny, "--dry-run", "--cores", "2", "--configfile", scale)
    assert {path for path in tiny.rglob("*") if ".snakemake" not in path.parts} == before


def test_refuses_an_unknown_key_by_its_name(tmp_path):
    refused = run_snakemake(tmp_path, "--dry-run", "--cores", "1", "--config", "table_1=7")
    assert refused.returncode != 0
    assert "'table_1' was unexpected" in refused.stdout + refused.stderr


def test_a_missing_file_of_the_users_is_named(tiny):
    (tiny / "data/tiny.cs").unlink()
    scale = REPOSITORY / "workflow/scales/tiny.yaml"
    refused = run_snakemake(tiny, "--dry-run", "--cores", "1", "--configfile", scale)
    assert refused.returncode != 0
    assert "data/tiny.cs" in refused.stdout + refused.stderr


def test_every_rule_has_what_the_conventions_ask_for():
    for path in sorted(Path(REPOSITORY / "workflow/rules").glob("*.smk")):
        for rule in path.read_text(encoding="utf-8").split("\nrule ")[1:]:
            name = f"{path.name}: {rule.split(':')[0]}"
            parts = ["output:", "params:", "log:", "threads:", "resources:", "conda:", "script:"]
            missing = [part for part in [*parts, '"""', "code=digest("] if part not in rule]
            assert not missing, f"{name} lacks {missing}"
            script = rule.split("script:")[1].split('"')[1].rsplit("/", 1)[1]
            assert f'digest("{script}")' in rule, f"{name}: the digest is of another script"
            assert ("retries: 2" in rule) == rule.startswith("fetch_"), name
