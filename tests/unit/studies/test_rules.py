"""Names in the .smk files: Snakemake runs them all in one namespace, where the last one wins."""

import re
import symtable
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from snakemake.parser import parse
from snakemake.sourcecache import LocalSourceFile

REPOSITORY = Path(__file__).resolve().parents[3]
OPENED = SimpleNamespace(sourcecache=SimpleNamespace(open=lambda file: open(file.path)))
"""What Snakemake's parser asks of a workflow."""


def names(path):
    """Return what a file binds for all, its rules too, as Snakemake's Python code has them."""
    code, _ = parse(LocalSourceFile(str(path)), OPENED, {})
    symbols = symtable.symtable(code, str(path), "exec").get_symbols()
    return {s.get_name() for s in symbols if s.is_assigned() or s.is_imported()}


def clashes(folder):
    """Return each name that two files bind, and each of a study's that does not begin as it does.

    `folder` holds Snakefile, rules/ and studies/.
    """
    studies = sorted(folder.glob("workflow/studies/*/*.smk"))
    shared = [folder / "Snakefile", *sorted(folder.glob("workflow/rules/*.smk"))]
    places = defaultdict(list)
    for path in filter(Path.is_file, [*shared, *studies]):
        for name in names(path):
            places[name].append(path)
    for name, paths in places.items():
        if len(paths) > 1:
            yield name, [str(path.relative_to(folder)) for path in paths]
        elif paths[0] in studies and not name.startswith(("__rule_", paths[0].parent.name)):
            yield name, [str(paths[0].relative_to(folder))]


def test_no_name_is_bound_twice_and_each_of_a_studys_begins_with_its_own():
    assert "digest" in names(REPOSITORY / "workflow/rules/common.smk")
    assert "wieting2019" in names(REPOSITORY / "workflow/studies/wieting2019/rules.smk")
    assert list(clashes(REPOSITORY)) == []


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("first_plan = 1", "first_plan = 2", "first_plan"),
        ("def first_files(w):\n    return []", "import os as first_files", "first_files"),
        ("for first in (1, 2):\n    pass", "with open('x') as first:\n    pass", "first"),
        ("rule words:\n    output: 'a'", "rule words:\n    output: 'b'", "__rule_words"),
    ],
    ids=["assigned", "defined", "in blocks", "rules"],
)
def test_two_files_that_bind_a_name_are_told(tmp_path, first, second, name):
    for study, text in (("first", first), ("firstborn", second)):
        path = tmp_path / f"workflow/studies/{study}/rules.smk"
        path.parent.mkdir(parents=True)
        path.write_text(text + "\n")
    places = [f"workflow/studies/{study}/rules.smk" for study in ("first", "firstborn")]
    assert (name, places) in list(clashes(tmp_path))


def test_a_name_of_a_study_that_another_could_take_is_told(tmp_path):
    path = tmp_path / "workflow/studies/first/rules.smk"
    path.parent.mkdir(parents=True)
    path.write_text("def first(w):\n    inner = 1\n    return inner\n\n\nPLAN = [x for x in ()]\n")
    assert list(clashes(tmp_path)) == [("PLAN", ["workflow/studies/first/rules.smk"])]


def test_a_rule_that_trains_asks_for_the_threads_that_it_is_told_to_take():
    training = {}
    for path in (REPOSITORY / "workflow").rglob("*.smk"):
        for block in re.split(r"^rule ", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            if re.search(r"^        run=", block, re.MULTILINE):
                training[block.partition(":")[0]] = "\n    threads:" in block
    assert training == dict.fromkeys(["train", "train_languages", "train_conditions"], True)
