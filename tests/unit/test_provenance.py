import ast
from pathlib import Path

import pytest

from tandem.provenance import ROOT, source_digest, source_files


@pytest.fixture
def tree(tmp_path):
    """A package in which script -> a -> b (inside a function), and c stands alone."""
    files = {
        "tandem/__init__.py": "",
        "tandem/a.py": "from tandem.sub.b import thing\n",
        "tandem/sub/__init__.py": "from . import helper\n",
        "tandem/sub/helper.py": "",
        "tandem/sub/b.py": "def thing():\n    import tandem.late\n",
        "tandem/late.py": "",
        "tandem/c.py": "",
        "script.py": "import json\nfrom tandem import a\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def names(tree):
    return {str(p.relative_to(tree)) for p in source_files(tree / "script.py", root=tree)}


def test_finds_indirect_imports_packages_and_imports_inside_functions(tree):
    assert names(tree) == {
        "tandem/__init__.py",
        "tandem/a.py",
        "tandem/sub/__init__.py",
        "tandem/sub/helper.py",
        "tandem/sub/b.py",
        "tandem/late.py",
    }


def test_survives_a_circle_of_imports(tree):
    (tree / "tandem/late.py").write_text("import tandem.a\n")
    assert "tandem/late.py" in names(tree)


@pytest.mark.parametrize(
    "statement",
    [
        "from tandem import (\n    a as first,\n    c,\n)",
        "import json, tandem.c as other",
        "if True:\n\timport tandem.c",
        "from tandem.c import anything  # why",
    ],
)
def test_reads_every_form_of_import(tree, statement):
    (tree / "script.py").write_text(f"{statement}\n")
    assert "tandem/c.py" in names(tree)


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.name)
def test_misses_no_import_that_the_parser_sees(path):
    nodes = list(ast.walk(ast.parse(path.read_bytes())))
    seen = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    for node in (n for n in nodes if isinstance(n, ast.ImportFrom)):
        seen += [f"{node.module}.{alias.name}" for alias in node.names]
    stems = [ROOT.joinpath(*name.split(".")[:n]) for name in seen for n in range(1, 9)]
    files = {f for s in stems for f in (s.with_suffix(".py"), s / "__init__.py") if f.is_file()}
    assert files <= set(source_files(path))


def edited(tree, name):
    """Return the digest before and after an edit, in copies, since sources are read once."""
    before = source_digest(tree / "script.py", root=tree)
    copy = tree / "copy"
    for path in [tree / "script.py", *(tree / "tandem").rglob("*.py")]:
        target = copy / path.relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes() + (b"# edited\n" if path == tree / name else b""))
    return before, source_digest(copy / "script.py", root=copy)


@pytest.mark.parametrize("name", ["script.py", "tandem/sub/b.py", "tandem/late.py"])
def test_an_edit_of_what_is_used_changes_the_digest(tree, name):
    before, after = edited(tree, name)
    assert before != after


def test_an_edit_of_anything_else_does_not(tree):
    before, after = edited(tree, "tandem/c.py")
    assert before == after


def test_every_script_of_the_workflow_imports_the_library(tmp_path):
    scripts = sorted(Path(ROOT / "scripts").glob("[a-z]*.py"))
    assert scripts
    assert not [script.name for script in scripts if not source_files(script)]
