"""No module is so long that one cannot have all of it in mind, and no function."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "workflow"
MODULE, FUNCTION = 300, 50
"""Most lines of each."""
FILES = sorted(file for file in ROOT.rglob("*") if file.suffix in (".py", ".smk"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_modules_and_functions_are_short(file):
    text = file.read_text("utf-8")
    assert text.count("\n") <= MODULE
    if file.suffix == ".py":
        functions = [
            node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)
        ]
        assert [f.name for f in functions if f.end_lineno - f.lineno >= FUNCTION] == []
