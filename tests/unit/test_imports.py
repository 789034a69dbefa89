"""What stands where: rooms of the library import downwards, and a study nothing of another."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import grimp
import pytest

ROOT = Path(__file__).parents[2]
STUDIES = sorted(file.parent for file in ROOT.glob("workflow/studies/*/study.yaml"))
SHARED = [ROOT / "workflow" / name for name in ("tandem", "scripts", "rules")]


def test_rooms_import_downwards():
    run = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"],
        capture_output=True, text=True, cwd=ROOT, env=os.environ | {"PYTHONPATH": "workflow"},
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr


def test_no_room_comes_in_by_the_front_door():
    """The package itself offers what is in its rooms: one that imported it would import upwards."""
    graph = grimp.build_graph("tandem", cache_dir=None)
    assert graph.find_modules_that_directly_import("tandem") == set()


@pytest.mark.parametrize("folder", [*SHARED, *STUDIES], ids=lambda folder: folder.name)
def test_a_study_is_imported_by_itself_alone(folder):
    others = "|".join(study.name for study in STUDIES if study != folder)
    statement = re.compile(rf"^\s*(?:from|import) (?:{others})\b.*", re.MULTILINE)
    text = "\n".join(
        file.read_text("utf-8") for file in folder.rglob("*") if file.suffix in (".py", ".smk")
    )
    assert text and statement.findall(text) == []


def test_the_types_of_every_study_are_checked():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["mypy"]
    assert settings["packages"] == ["tandem", *(study.name for study in STUDIES)]
