"""The conda environments, the constraints and pyproject.toml name the same versions."""

import ast
import re
import sys
import tomllib

import pytest
import yaml
from conftest import REPOSITORY

from tandem.provenance import source_files

PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def pins(requirements):
    """Return name to version; the name without extras, in lower case."""
    found = {}
    for requirement in requirements:
        match = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[a-z,]+\])?==([^\s;]+)", requirement)
        assert match, f"not pinned exactly: {requirement}"
        found[match[1].lower()] = match[2]
    return found


DIRECT = pins(PROJECT["dependencies"])
DEVELOPMENT = pins(PROJECT["optional-dependencies"]["dev"])
CONSTRAINTS = pins(
    line
    for line in (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").split("\n")
    if line and not line.startswith("#")
)


@pytest.mark.parametrize("path", sorted((REPOSITORY / "envs").glob("*.yaml")), ids=lambda p: p.name)
def test_a_conda_environment_has_the_pins_of_pyproject(path):
    dependencies = yaml.safe_load(path.read_text(encoding="utf-8"))["dependencies"]
    from_pip = pins(next(entry for entry in dependencies if isinstance(entry, dict))["pip"])
    assert from_pip
    assert from_pip == {name: DIRECT.get(name) for name in from_pip}
    python = next(str(entry) for entry in dependencies if str(entry).startswith("python="))
    assert PROJECT["requires-python"] == f">={python.removeprefix('python=')}"
    assert f"pip={CONSTRAINTS['pip']}" in dependencies


def test_constraints_hold_the_pins_of_pyproject():
    direct = DIRECT | DEVELOPMENT
    assert direct == {name: CONSTRAINTS.get(name) for name in direct}


DISTRIBUTIONS = {"yaml": "pyyaml", "faiss": "faiss-cpu"}
"""Distributions whose name is not that of their module, nor differs from it by a dash alone."""


def imported(*paths):
    """Return the distributions that Python files import, themselves and through the library."""
    names = set()
    for path in [*paths, *source_files(*paths)]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    names -= {*sys.stdlib_module_names, "_adapter", "tandem"}
    return {DISTRIBUTIONS.get(name, name.replace("_", "-")) for name in names}


def test_a_conda_environment_holds_all_that_its_rules_import():
    for path in sorted(REPOSITORY.glob("workflow/rules/*.smk")):
        for rule in path.read_text(encoding="utf-8").split("\nrule ")[1:]:
            name = re.search(r"envs/([a-z]+\.yaml)", rule)[1]
            script = REPOSITORY / "workflow/scripts" / re.search(r"scripts/(\w+\.py)", rule)[1]
            content = yaml.safe_load((REPOSITORY / "envs" / name).read_text(encoding="utf-8"))
            needed = imported(script, script.parent / "_adapter.py")
            missing = needed - set(pins(content["dependencies"][-1]["pip"]))
            assert not missing, f"envs/{name} lacks {missing}, which {script.name} imports"


def test_pyproject_names_all_that_the_library_imports():
    for path in sorted(REPOSITORY.glob("workflow/tandem/**/*.py")):
        assert imported(path) <= set(DIRECT), path


def test_every_environment_is_used_and_every_used_one_exists():
    rules = "".join(p.read_text(encoding="utf-8") for p in REPOSITORY.glob("workflow/rules/*.smk"))
    used = set(re.findall(r'"\.\./\.\./envs/([a-z]+\.yaml)"', rules))
    assert used == {path.name for path in (REPOSITORY / "envs").glob("*.yaml")}
