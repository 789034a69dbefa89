import ast
import shutil
from pathlib import Path

import pytest

from tandem.provenance import ROOT, imported, source_digest

LIBRARY = (("tandem", ROOT),)


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


def names(tree, script="script.py"):
    files = imported([tree / script], (("tandem", tree),))
    return {str(p.relative_to(tree)) for p in files}


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
    tree = ast.parse(path.read_bytes())
    tree.body = [node for node in tree.body if "TYPE_CHECKING" not in ast.dump(node)]
    nodes = list(ast.walk(tree))
    seen = [alias.name for n in nodes if isinstance(n, ast.Import) for alias in n.names]
    for node in (n for n in nodes if isinstance(n, ast.ImportFrom)):
        seen += [f"{node.module}.{alias.name}" for alias in node.names]
    stems = [ROOT.joinpath(*name.split(".")[:n]) for name in seen for n in range(1, 9)]
    files = {f for s in stems for f in (s.with_suffix(".py"), s / "__init__.py") if f.is_file()}
    assert files <= imported([path], LIBRARY)


def digest(folder, *more):
    return source_digest(folder / "script.py", *more, packages={"tandem": folder})


def edited(tree, **texts):
    """Return the digest before and after an edit, in copies, since sources are read once."""
    folder = tree / "copy"
    shutil.copytree(tree / "tandem", folder / "tandem")
    shutil.copy(tree / "script.py", folder)
    before = digest(tree)
    for name, text in texts.items():
        (folder / name).write_text(text)
    return before, digest(folder)


@pytest.mark.parametrize("name", ["script.py", "tandem/sub/b.py", "tandem/late.py"])
def test_an_edit_of_what_is_used_changes_the_digest(tree, name):
    before, after = edited(tree, **{name: (tree / name).read_text() + "EDITED = 1\n"})
    assert before != after


def test_an_edit_of_anything_else_does_not(tree):
    before, after = edited(tree, **{"tandem/c.py": "EDITED = 1\n"})
    assert before == after


def test_a_copy_elsewhere_has_the_same_digest(tree):
    before, after = edited(tree)
    assert before == after


BEFORE = """
from typing import Any
class Box:
    size: int = 3
    names = ("a", 'b')
def twice(x):
    y = x * 2
    return y
def nothing(): pass
"""
SAME = {
    "comments": BEFORE.replace("= 3", "= 3  # why").replace("def twice", "# so\ndef twice"),
    "docstring of the module": f'"""What it holds."""\n{BEFORE}',
    "docstring of a class": BEFORE.replace("class Box:", 'class Box:\n    """A box."""\n'),
    "docstring of a function": BEFORE.replace("twice(x):", 'twice(x):\n    """Double.\n\n    """'),
    "docstring in place of pass": BEFORE.replace("pass", '"""Do nothing."""'),
    "line under an attribute": BEFORE.replace("= 3", '= 3\n    """Edge, in metres."""'),
    "line under a variable": BEFORE.replace("    return", '    "Twice."\n    return'),
    "blank lines": BEFORE.replace("\n", "\n\n"),
    "line breaks and quotes": BEFORE.replace("""("a", 'b')""", '(\n"a",\n  "b",\n)'),
    "for type checkers": BEFORE.replace("class", "if TYPE_CHECKING:\n    import tandem.c\nclass"),
}
OTHER = {
    "constant": BEFORE.replace("= 3", "= 4"),
    "type of a constant": BEFORE.replace("= 3", "= 3.0"),
    "operator": BEFORE.replace("* 2", "** 2"),
    "what a loop repeats": BEFORE + "while nothing():\n    twice(1)\ntwice(2)\n",
    "order": BEFORE.replace("""("a", 'b')""", """('b', "a")"""),
    "annotation": BEFORE.replace("size: int", "size: float"),
    "string that is used": BEFORE.replace("y = x * 2", 'y = "a"'),
    "default": BEFORE.replace("twice(x)", "twice(x=None)"),
    "decorator": BEFORE.replace("class Box", "@Any\nclass Box"),
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_what_does_nothing_does_not_count(tree, text):
    (tree / "tandem/a.py").write_text(BEFORE)
    before, after = edited(tree, **{"tandem/a.py": text})
    assert text != BEFORE
    assert before == after


@pytest.mark.parametrize("text", OTHER.values(), ids=OTHER)
def test_what_does_something_counts(tree, text):
    (tree / "tandem/a.py").write_text(BEFORE)
    before, after = edited(tree, **{"tandem/a.py": text})
    assert before != after


@pytest.mark.parametrize("test", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_imports_for_type_checkers_are_not_followed_but_those_beside_are(tree, test):
    (tree / "script.py").write_text(
        f"if {test}:\n    import tandem.c\nelse:\n    import tandem.late\n"
    )
    assert names(tree) == {"tandem/__init__.py", "tandem/late.py"}


def test_a_chosen_kind_counts_with_what_it_imports(tree):
    kind = tree / "tandem/kind.py"
    kind.write_text("from tandem import c\n")
    assert digest(tree) != digest(tree, kind)
    assert "tandem/c.py" in names(tree, "tandem/kind.py")


def test_a_kind_counts_once_by_whatever_path_it_is_named(tree):
    (tree / "link").symlink_to(tree)
    (tree / "tandem/c.py").write_text("x = 1\n")
    by_link = [tree / "link/tandem/c.py", tree / "tandem/sub/../c.py"]
    assert digest(tree, tree / "tandem/c.py") == digest(tree, *by_link)


def test_the_order_of_kinds_does_not_count(tree):
    kinds = [tree / "tandem/c.py", tree / "tandem/a.py"]
    (tree / "tandem/c.py").write_text("x = 1\n")
    assert digest(tree, *kinds) == digest(tree, *kinds[::-1])


def test_a_module_that_does_nothing_may_come_and_go(tree):
    (tree / "tandem/sub/helper.py").write_text('"""Help."""\n')
    before, unchanged = edited(tree)
    shutil.move(tree / "copy", tree / "other")
    (tree / "other/tandem/sub/helper.py").unlink()
    assert before == unchanged == digest(tree / "other")


def test_follows_the_modules_of_a_study_wherever_it_stands(tree, tmp_path_factory):
    above = tmp_path_factory.mktemp("studies")
    (above / "toy/tasks").mkdir(parents=True)
    (above / "toy/tasks/hard.py").write_text("from toy.shared import x\n")
    (above / "toy/shared.py").write_text("x = 1\n")
    (tree / "script.py").write_text("import toy.tasks.hard\n")
    files = imported([tree / "script.py"], (("toy", above),))
    assert files == {above / "toy/shared.py", above / "toy/tasks/hard.py"}


def test_names_the_file_and_the_line_of_a_syntax_error(tree):
    (tree / "tandem/late.py").write_text("x = 1\ny = (\n")
    with pytest.raises(SyntaxError) as error:
        digest(tree)
    assert (error.value.filename, error.value.lineno) == (str(tree / "tandem/late.py"), 2)


def test_every_script_of_the_workflow_imports_the_library(tmp_path):
    scripts = sorted(Path(ROOT / "scripts").glob("[a-z]*.py"))
    assert scripts
    assert not [script.name for script in scripts if not imported([script], LIBRARY)]


def test_what_a_score_is_computed_by_is_followed_where_bootstraps_are_left_out():
    """See `UNUSED` in rules/common.smk."""
    left_out = ROOT / "tandem/statistics/bootstrap.py"
    kind = ROOT / "tandem/tasks/kinds/uniformity.py"
    followed = imported([kind], LIBRARY, [left_out])
    assert ROOT / "tandem/statistics/blocks.py" in followed
    assert left_out not in imported([ROOT / "tandem/statistics/uniformity.py"], LIBRARY)


def test_a_module_that_a_job_does_not_use_is_not_followed(tree, tmp_path_factory):
    changed = tmp_path_factory.mktemp("changed")
    shutil.copytree(tree, changed, dirs_exist_ok=True)
    (changed / "tandem/late.py").write_text("CHANGED = 1\n")
    used, unused = (
        [
            source_digest(root / "script.py", packages={"tandem": root}, without=left_out)
            for root in (tree, changed)
        ]
        for left_out in ([], ["tandem.late"])
    )
    assert used[0] != used[1]
    assert unused[0] == unused[1]
