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


PLAN = """\
    output: results/table1.csv, results/table1.md
    output: results/un/table1.csv
    output: results/corpora/a
"""


@pytest.fixture
def logged(tool, tmp_path, monkeypatch):
    """A function that adds the log of a call which made a file, and took so many minutes."""
    monkeypatch.setattr(tool, "ROOT", tmp_path)
    monkeypatch.setattr(tool, "RESULTS", tmp_path / "results")
    (tmp_path / "results/un/logs").mkdir(parents=True)
    logs = tmp_path / ".snakemake/log"
    logs.mkdir(parents=True)

    def add(made, spent, text=JOB):
        start = tool.datetime(2026, 11, 27, spent)
        log = logs / f"{start.strftime(tool.LOG_NAME)}.snakemake.log"
        log.write_text(text.format(made))
        os.utime(log, 2 * (start.timestamp() + 60 * spent,))

    return add


def test_minutes_are_of_the_calls_that_made_something_for_the_folder(tool, tmp_path, logged):
    for spent, made in enumerate(["table1.csv", "un/table1.csv", "corpora/a"], 1):
        logged(f"results/{made}", spent)
    assert tool.minutes(tmp_path / "results", PLAN) == 1
    assert tool.minutes(tmp_path / "results/un", PLAN) == 2
    logged("results/un/table1.csv", 8, "    output: {}\n")  # no job of it ended
    assert tool.minutes(tmp_path / "results/un", PLAN) == 2


def test_minutes_are_of_the_calls_that_made_what_the_command_makes(tool, tmp_path, logged):
    logged("results/table1.md, results/table1.csv", 1)
    logged("results/table1.md.of-another-command", 4)
    logged("results/models/of-settings-that-are-gone/seed1", 8)
    assert tool.minutes(tmp_path / "results", PLAN) == 1


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
