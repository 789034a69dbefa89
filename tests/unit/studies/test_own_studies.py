"""The repository's own studies, and the page of all keys."""

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
from one_study import configured

from tandem.files.io import read_yaml
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


@pytest.fixture(scope="module")
def schema():
    text = (REPOSITORY / "workflow/schemas/study.schema.json").read_text("utf-8")
    jsonschema.Draft202012Validator.check_schema(json.loads(text))
    return jsonschema.Draft202012Validator(json.loads(text))


@pytest.mark.parametrize("study", ["many", "wieting2017", "wieting2019", "yang2019"])
def test_the_schema_accepts_every_study(schema, study):
    faults = schema.iter_errors(read_yaml(REPOSITORY / f"workflow/studies/{study}/study.yaml"))
    assert [(fault.json_path, fault.message) for fault in faults] == []


@pytest.mark.parametrize(
    "change",
    [
        {"heading": "x"},
        {"recipes": {"sp": {"epoch": 1}}},
        {"objectives": {"margin": {"kind": "margin", "margins": 0.4}}},
        {"objectives": {"margin": {"margin": 0.4}}},
        {"objectives": {"margin": {"kind": "additive-margin", "anneal": 3}}},
        {"bitexts": {"b": {"sources": ["x"], "languages": ["en", "de"], "valid": 1, "test": 1,
                           "cleaning": {"words": {"least": 2}}}}},
        {"settings": {"{x}": {"each": [{"x": "a"}], "corpora": "{x}"}}},
    ],
)  # fmt: skip
def test_the_schema_refuses_what_has_no_such_key(schema, change):
    assert schema.is_valid({"title": "x"})
    assert not schema.is_valid({"title": "x"} | change)


@pytest.mark.parametrize("kind", ["averaging", "margin", "rnn", "markup", "ratio"])
def test_a_kind_is_defined_once(schema, kind):
    assert json.dumps(schema.schema).count(json.dumps({"kind": {"const": kind}})[1:-1]) == 1


def test_the_page_of_all_keys_is_what_the_types_say():
    checked = subprocess.run(
        [sys.executable, "docs/reference.py", "--check"], cwd=REPOSITORY, capture_output=True
    )
    assert checked.returncode == 0, checked.stdout.decode() + checked.stderr.decode()
