"""Names say what they hold: some words say nothing, and are bound nowhere."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "workflow"
EMPTY = {"found", "given", "known", "own", "made", "said", "each", "one"}
FILES = sorted(ROOT.rglob("*.py"))


def bound(tree):
    """Yield each name that is bound, with its line; keys of files, a class's fields, are not."""
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    keys = {node.target for body in bodies for node in body if isinstance(node, ast.AnnAssign)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in keys:
            yield node.id, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_no_name_says_nothing(file):
    tree = ast.parse(file.read_text("utf-8"))
    assert [(name, line) for name, line in bound(tree) if name in EMPTY] == []


def test_a_name_that_says_nothing_is_told():
    code = "for each in rows:\n    found = each\ndef given(one): pass\n"
    names = [name for name, _ in bound(ast.parse(code)) if name in EMPTY]
    assert sorted(names) == ["each", "found", "given", "one"]
