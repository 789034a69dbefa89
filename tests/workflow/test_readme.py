"""README.md and the page on scales: every command that they print runs, as it stands.

Commands on text of one's own run on a little text; those of make and Snakemake are planned and not
executed, but for the text of `make tiny`; those of pip are the lines that test_install.py tries.
What no test covers where it stands fails.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys
from functools import cache

import printed
import pytest
from conftest import REPOSITORY, TINY, jobs, planned, write_code
from test_install import PRINTED, TORCH
from test_own_bitext import write

README, SCALES = "README.md", "docs/scales.md"
LANGUAGES = {README: {"sh", "python"}, SCALES: {"sh", "yaml"}}
ACTIVATE, ENVIRONMENT, MADE_UP = "source .venv/bin/activate", "make environment", "make tiny"
APART = {"train_translator", "train_languages", "train_conditions", "mine_searched", "compress",
         "restyle"}  # fmt: skip
"""Rules that some targets plan and others do not."""
PLANS = {
    "make table1": {"table1", "plot", "train_translator"},
    "make many": {"many", "plot", "compress"},
    "snakemake --cores 2 filtering": {"filtering", "plot", "train_translator", "train_conditions"},
    "snakemake --cores 2 un": {"un", "plot", "mine_searched"},
    "snakemake --cores 2 bgt": {"bgt", "plot", "restyle"},
    "snakemake --cores 2 pawsx": {"pawsx", "plot"},
    "snakemake --cores 2": {"all", "plot"} | APART,
    "snakemake --cores 2 --configfile workflow/scales/full.yaml": {"all", "plot"} | APART,
    "snakemake --cores 1 missing --configfile workflow/scales/paper.yaml": {"missing"},
    "snakemake --profile profiles/slurm": {"all", "plot"} | APART,
    "snakemake results/table1.csv --cores 8 --configfile more.yaml": {"train_translator"},
}
"""Commands of make and Snakemake, each with all that it plans of the rules below."""
TOLD = {"missing", "table1", "many", "filtering", "un", "bgt", "pawsx", "all", "plot"} | APART
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
    return [one for one in re.findall(r"`([^`]+)`", text) if " " in one and one[:2] != "--"]


def commands(page):
    """Return all commands that a page prints, each with whether it is in a block of sh."""
    blocks = [line for language, text in printed.blocks(page) if language == "sh"
              for line in lines(text)]  # fmt: skip
    return [(one, True) for one in blocks] + [(one, False) for one in spans(page)]


def of_tandem(command):
    """Return whether a command is Tandem's, perhaps behind a pipe."""
    return command.split("| ")[-1].startswith("tandem ")


def is_covered(page, command, in_block):
    """Return whether a test runs or plans a command of a page."""
    if of_tandem(command):
        return page == README and in_block
    return command in {*PLANS, *PRINTED, TORCH, ACTIVATE, ENVIRONMENT, MADE_UP}


def test_the_readme_is_read_in_minutes():
    assert len((REPOSITORY / README).read_text(encoding="utf-8").split()) <= MOST_WORDS


@pytest.mark.parametrize("page", [README, SCALES])
def test_every_block_and_every_command_is_covered_where_it_stands(page):
    assert {language for language, _ in printed.blocks(page)} == LANGUAGES[page]
    assert [one for one in commands(page) if not is_covered(page, *one)] == []


def test_a_command_is_not_covered_where_nothing_runs_it():
    assert is_covered(README, "tandem train a b", True)
    assert not is_covered(README, "tandem train a b", False)
    assert not is_covered(SCALES, "tandem train a b", True)
    assert not is_covered(README, "snakemake --cores 3", True)


def test_its_commands_on_own_text_run_and_its_python_prints(tmp_path):
    write(tmp_path)
    for name in ("news.en", "news.de"):
        (tmp_path / name).write_bytes(gzip.decompress((tmp_path / f"{name}.gz").read_bytes()))
    shown = []
    for language, text in printed.blocks(README):
        if language == "python":
            shown.append(printed.run(language, text, tmp_path))
        elif any(map(of_tandem, lines(text))):
            shown.append(printed.run(language, text, tmp_path))
    encoded, trained, mined = shown
    assert len(encoded.split("\t")) == 192 and len(mined.splitlines()) == 3
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


def call(folder, command, **more):
    """Run a command in the folder; return what it wrote to stdout."""
    inherited = {k: v for k, v in os.environ.items() if k not in INHERITED}
    done = subprocess.run(
        ["bash", "-c", f"set -e\n{ACTIVATE}\n{command}"],
        cwd=folder, env=inherited | more, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@cache
def plan(folder, command):
    """Return the jobs that a command plans in the folder."""
    return jobs(call(folder, command))


@pytest.mark.parametrize("command", PLANS)
def test_its_commands_of_the_workflow_plan_what_they_are_for(folder, command):
    assert command in {one for page in (README, SCALES) for one, _ in commands(page)}
    assert plan(folder, command).keys() & TOLD == PLANS[command]


def test_the_full_scale_trains_more(folder):
    default = "snakemake --cores 2"
    full = f"{default} --configfile workflow/scales/full.yaml"
    assert plan(folder, full)["train"] > plan(folder, default)["train"]


def test_the_environment_is_made_of_the_pins(folder):
    call(folder, ENVIRONMENT)
    recipe = call(folder, ENVIRONMENT, MAKEFLAGS="nB")
    assert "-m venv .venv" in recipe
    assert re.search(r"pip install .*--constraint constraints\.txt .*'\.\[dev\]'", recipe)


def test_make_tiny_plans_the_tiny_scale_on_its_text_and_deletes_nothing(folder, tiny):
    (folder / ".tiny/data").mkdir(parents=True)
    others = [folder / ".tiny/data/bible.db", folder / ".tiny/mine.txt"]
    for other in others:
        other.write_text("mine")
    before = {path.name for path in folder.iterdir()}
    plans = jobs(call(folder, MADE_UP))
    assert plans.pop("all") == 1
    assert plans == planned(tiny, *TINY)
    assert {path.name for path in folder.iterdir()} == before
    assert {other.read_text() for other in others} == {"mine"}
    files = (path for path in (tiny / "data").rglob("*") if path.is_file())
    for path in [tiny / "datasets.yaml", *files]:
        assert (folder / ".tiny" / path.relative_to(tiny)).read_bytes() == path.read_bytes()


def test_make_tiny_writes_its_text_anew_when_its_program_changed(folder):
    for program in (None, folder / "tests/workflow/tiny_corpora.py"):
        if program:
            os.utime(program)
        call(folder, "make .tiny/datasets.yaml")
        assert (folder / ".tiny/data/tiny.en").is_file()
        (folder / ".tiny/data/tiny.en").unlink()
