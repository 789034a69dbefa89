"""The repository's own studies, and the page of all keys."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from one_study import configured

from tandem.studies.configuration import (
    load_configuration,
    load_plans,
    load_registers,
    load_study,
)

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize("scale", ["default", "paper"])
def test_the_repositorys_studies_are_accepted(monkeypatch, scale):
    monkeypatch.chdir(REPOSITORY)
    values = yaml.safe_load(Path("config.yaml").read_text("utf-8"))
    if scale != "default":
        values |= yaml.safe_load(Path(f"workflow/scales/{scale}.yaml").read_text("utf-8"))
    configuration = load_configuration(values)
    found = load_plans(configuration, load_registers(configuration, REPOSITORY), REPOSITORY)
    assert found["results"].name == "wieting2019"


def test_a_study_is_read_without_its_plan(workspace):
    study = load_study(workspace / "studies/first", configured(), ["films", "verses", "scored"])
    assert study.title == "A study"


def test_the_page_of_all_keys_is_what_the_types_say():
    checked = subprocess.run(
        [sys.executable, "docs/reference.py", "--check"], cwd=REPOSITORY, capture_output=True
    )
    assert checked.returncode == 0, checked.stdout.decode() + checked.stderr.decode()
