"""README.md and the page on scales: every command that they print runs, as it stands.

Commands on text of one's own run on a little text; those of make and Snakemake are planned and not
executed; those of pip are the lines that test_install.py tries. What no rule here covers fails.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys

import printed
import pytest
from conftest import REPOSITORY, write_code
from test_install import PRINTED, TORCH
from test_own_bitext import write

README, SCALES = "README.md", "docs/scales.md"
ACTIVATE = "source .venv/bin/activate"
ENVIRONMENT = "make environment"
"""What makes the environment that these tests run in."""
PLANNED = ("make", "snakemake")
INHERITED = ("SNAKEMAKE_PROFILE", "MAKEFLAGS")
"""What a call of make or Snakemake around the tests would tell the calls in them."""
MOST_WORDS = 1000
PLANNING = f'#!/bin/sh\nexec "{sys.executable}" -m snakemake "$@" --dry-run\n'
PYTHON = f'#!/bin/sh\nexec "{sys.executable}" "$@"\n'


def lines(block):
    """Return the commands in a block of sh, without comments."""
    joined = block.replace("\\\n", " ").split("\n")
    return [line for line in joined if line.strip() and not line.startswith("#")]


def spans(page):
    """Return the commands in the running text of a page: pieces of code that hold a space."""
    text = re.sub(r"^```.*?^```", "", (REPOSITORY / page).read_text("utf-8"), flags=re.M | re.S)
    return [one for one in re.findall(r"`([^`]+)`", text) if " " in one]


def commands(page):
    """Return all commands that a page prints in blocks of sh, and the README in its text."""
    blocks = [line for language, text in printed.blocks(page) if language == "sh"
              for line in lines(text)]  # fmt: skip
    return blocks + (spans(page) if page == README else [])


def test_the_readme_is_read_in_minutes():
    assert len((REPOSITORY / README).read_text(encoding="utf-8").split()) <= MOST_WORDS


@pytest.mark.parametrize("page", [README, SCALES])
def test_every_block_and_every_command_has_a_rule(page):
    assert {language for language, _ in printed.blocks(page)} <= {"sh", "python", "yaml"}
    for command in commands(page):
        covered = command in {*PRINTED, TORCH, ACTIVATE}
        assert covered or command.split()[0] in ("tandem", *PLANNED), command


def test_its_commands_on_own_text_run_and_its_python_prints(tmp_path):
    write(tmp_path)
    for name in ("news.en", "news.de"):
        (tmp_path / name).write_bytes(gzip.decompress((tmp_path / f"{name}.gz").read_bytes()))
    said = {"python": [], "sh": []}
    for language, text in printed.blocks(README):
        if language == "python" or "tandem" in {line.split()[0] for line in lines(text)}:
            said[language].append(printed.run(language, text, tmp_path))
    assert [len(one.splitlines()) for one in said["python"]] == [3]
    assert len((tmp_path / "kept.tsv").read_text().splitlines()) > 1000
    assert len((tmp_path / "mined.tsv").read_text().splitlines()) >= 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The workflow in a folder, with an environment in which Snakemake plans and does not run."""
    folder = tmp_path_factory.mktemp("planned")
    write_code(folder)
    (folder / "tests/workflow").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "tests/workflow/tiny_corpora.py"):
        shutil.copy2(REPOSITORY / name, folder / name)
    programs = folder / ".venv/bin"
    programs.mkdir(parents=True)
    for name, text in (("snakemake", PLANNING), ("python", PYTHON)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    (programs / "activate").write_text(f'PATH="{programs}:$PATH"\n')
    (folder / ".venv/.ready").touch()
    for language, text in printed.blocks(SCALES):
        if language == "yaml":
            (folder / text.split("\n")[0].removeprefix("# ")).write_text(text)
    return folder


def plan(folder, command):
    """Run a command in the folder; return what it said."""
    inherited = {k: v for k, v in os.environ.items() if k not in INHERITED}
    done = subprocess.run(
        ["bash", "-c", f"set -e\n{ACTIVATE}\n{command}"],
        cwd=folder, env=inherited, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "command",
    sorted({one for page in (README, SCALES) for one in commands(page)
            if one.split()[0] in PLANNED} - {"make tiny", ENVIRONMENT}),
)  # fmt: skip
def test_its_commands_of_the_workflow_plan_jobs(folder, command):
    assert "Job stats:" in plan(folder, command)


def test_make_tiny_writes_its_text_where_it_runs_and_deletes_nothing(folder):
    assert "make tiny" in commands(README)
    (folder / ".tiny/data").mkdir(parents=True)
    others = [folder / ".tiny/data/bible.db", folder / ".tiny/mine.txt"]
    for other in others:
        other.write_text("mine")
    before = {path.name for path in folder.iterdir()}
    assert "train_languages" in plan(folder, "make tiny")
    assert {path.name for path in folder.iterdir()} == before
    assert {other.read_text() for other in others} == {"mine"}
