"""What stands where: rooms of the library import downwards, and a study nothing of another."""

import re
import tomllib
from pathlib import Path

import grimp
import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).parents[2]
STUDIES = sorted(file.parent for file in ROOT.glob("workflow/studies/*/study.yaml"))
SHARED = [ROOT / "workflow" / name for name in ("tandem", "scripts", "rules")]


def test_rooms_import_downwards(capsys):
    failed = lint_imports(str(ROOT / "pyproject.toml"), no_cache=True)
    assert not failed, capsys.readouterr().out


def test_no_room_comes_in_by_the_front_door():
    """The package itself offers what is in its rooms: one that imported it would import upwards."""
    assert grimp.build_graph("tandem").find_modules_that_directly_import("tandem") == set()


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
