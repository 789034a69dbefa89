"""Keeping results: which findings, which scale, how many minutes."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
JOB = "localrule score:\n    output: {}\n1 of 1 steps (100%) done\n"


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])
    spec = importlib.util.spec_from_file_location("keep_results", ROOT / "docs/keep_results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    "claims", sorted(ROOT.glob("docs/results/*/claims.csv")), ids=lambda path: path.parent.name
)
def test_every_kept_claim_has_its_finding(tool, claims):
    names = {entry.id.split(".")[0] for entry in tool.entries_of(claims)}
    assert names


def test_the_scale_is_that_of_the_last_configuration(tool):
    assert tool.scale_of("snakemake --cores 2 un") == "default"
    full = "snakemake --cores 2 un --configfile workflow/scales/full.yaml --config mirror=a"
    assert tool.scale_of(full) == "full"


def test_a_command_is_kept_without_places_of_a_machine(tool):
    own = "snakemake --configfile workflow/scales/full.yaml ../a.yaml /b/c.yaml --config mirror=/d"
    assert tool.without_places(own) == (
        "snakemake --configfile workflow/scales/full.yaml <configuration of one's own> "
        "<configuration of one's own> --config mirror=<folder of official archives>"
    )


def test_minutes_are_of_the_calls_that_made_something_for_the_folder(tool, tmp_path, monkeypatch):
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "RESULTS", tmp_path / "results")
    (tmp_path / "results/un/logs").mkdir(parents=True)
    logs = tmp_path / ".snakemake/log"
    logs.mkdir(parents=True)
    start = tool.datetime.strptime("2026-11-27T143741.000000", tool.LOG_NAME)
    outputs = ["results/table1.csv", "results/un/table1.csv", "results/corpora/a"]
    for day, made in enumerate(outputs):
        log = logs / f"2026-11-{27 + day}T143741.000000.snakemake.log"
        log.write_text(JOB.format(made))
        end = start.timestamp() + day * 86400 + 60 * (day + 1)
        os.utime(log, (end, end))
    assert tool.minutes(tmp_path / "results") == 1
    assert tool.minutes(tmp_path / "results/un") == 2
    (logs / "2026-12-01T143741.000000.snakemake.log").write_text("    output: results/un/b\n")
    assert tool.minutes(tmp_path / "results/un") == 2  # no job of it ended


def test_a_file_is_of_the_run_that_made_it_last_and_of_none_once_it_is_gone(tool, tmp_path):
    for name in ("early.csv", "both.csv", "gone.csv", "late.csv"):
        (tmp_path / name).touch()
    tool.remember(tmp_path, {"commit": "a", "files": ["early.csv", "both.csv", "gone.csv"]})
    (tmp_path / "gone.csv").unlink()
    runs = tool.remember(tmp_path, {"commit": "b", "files": ["both.csv", "late.csv"]})
    assert [run["files"] for run in runs] == [["early.csv"], ["both.csv", "late.csv"]]
    (tmp_path / "early.csv").unlink()
    runs = tool.remember(tmp_path, {"commit": "c", "files": ["late.csv"]})
    assert [run["commit"] for run in runs] == ["b", "c"]


def test_what_the_same_command_no_longer_makes_is_removed(tool, tmp_path):
    for name in ("early.csv", "late.csv", "own.csv", "both.csv"):
        (tmp_path / name).touch()
    tool.remember(tmp_path, {"command": "snakemake a", "files": ["early.csv", "both.csv"]})
    tool.remember(tmp_path, {"command": "snakemake b", "files": ["late.csv"]})
    tool.forget(tmp_path, "snakemake a", {"both.csv"})
    left = sorted(path.name for path in tmp_path.glob("*.csv"))
    assert left == ["both.csv", "late.csv", "own.csv"]
