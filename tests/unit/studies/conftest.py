import sys

import pytest
from one_study import REGISTER, STUDY, plans


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """A folder with a register and a study, from which plans are loaded."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "register.yaml").write_text(REGISTER)
    home = tmp_path / "studies/first"
    home.mkdir(parents=True)
    (home / "study.yaml").write_text(STUDY)
    return tmp_path


@pytest.fixture
def plan(workspace):
    """The plan of the study as it stands."""
    return plans()["results/first"]
