"""The repository's own studies, the page that lists them, and the page of all keys."""

import json
import re
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


def load(scale):
    """Return the plans of the repository's studies, by the folder of their results."""
    values = yaml.safe_load(Path("config.yaml").read_text("utf-8"))
    if scale != "default":
        values |= yaml.safe_load(Path(f"workflow/scales/{scale}.yaml").read_text("utf-8"))
    configuration = load_configuration(values)
    return load_plans(configuration, load_registers(configuration, REPOSITORY), REPOSITORY)


@pytest.mark.parametrize("scale", ["default", "paper"])
def test_the_repositorys_studies_are_accepted(monkeypatch, scale):
    monkeypatch.chdir(REPOSITORY)
    assert load(scale)["results"].name == "wieting2019"


def test_the_table_of_studies_says_what_the_configuration_says(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    section = Path("docs/tables.md").read_text("utf-8").split("\n## Studies\n")[1]
    rows = [line.split("|")[1:-1] for line in section.split("\n") if line.count("|") == 7][2:]
    listed = {row[0].strip(): [re.findall(r"`([^`]+)`", cell) for cell in row[2:]] for row in rows}
    plans = {plan.name: plan for plan in load("default").values()}
    assert listed.keys() == plans.keys()
    makefile = Path("Makefile").read_text("utf-8")
    for name, plan in plans.items():
        folder, targets, root, files = listed[name]
        assert (folder, root) == ([f"workflow/studies/{name}"], [plan.root])
        assert files == [plan.path("claims.csv"), plan.path("front.html")]
        assert {*files} < {*plan.targets}
        rules = (plan.home / "rules.smk").read_text("utf-8")
        for command, *_, target in map(str.split, targets):
            line = {"snakemake": f"\nrule {target}:\n", "make": f"\n{target}: $("}[command]
            assert line in rules + makefile


def test_what_a_training_starts_from_is_left_out_on_no_machine(monkeypatch):
    monkeypatch.chdir(REPOSITORY)
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    tables = {root: plan.study.tables for root, plan in load("default").items()}
    assert tables["results/pawsx"]["table1"].baselines == ["muse", "e5"]
    assert tables["results/many"]["similarity"].baselines == ["muse", "minilm"]


@pytest.mark.parametrize("scale", ["default", "full", "gpu", "paper"])
def test_no_two_rows_of_losses_are_the_same_training(monkeypatch, scale):
    monkeypatch.chdir(REPOSITORY)
    plan = load(scale)["results/pawsx"]
    study, trainings = plan.study, set()
    table = study.tables["losses"]
    for row in table.rows:
        setting = plan.setting(f"{row.encoder}.{row.setting}")
        recipe = study.recipes[setting.encoders[row.encoder]]
        trainings.add((row.encoder, setting.corpus, setting.objective, recipe.model_dump_json()))
        assert "rate" not in row.label or row.label.endswith(f"rate {recipe.learning_rate:g}")
    assert len(trainings) == len(table.rows)
    fewer = study.labelled["some"].pairs != study.labelled["pawsx"].pairs
    assert table.title.endswith("on fewer pairs") == fewer


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
