"""What is laid over what: the study's values, the scale's, the configuration's."""

import copy
from pathlib import Path

import pytest
import yaml
from one_study import changed, plans

from tandem.studies.configuration import (
    find,
    laid_over,
)


def test_mappings_are_laid_over_key_by_key_and_all_else_whole():
    values = {"a": {"b": 1, "c": [1, 2]}, "d": {"e": 1}, "f": 1}
    untouched = copy.deepcopy(values)
    result = laid_over(values, {"a": {"c": [3], "g": 4}, "d": None, "f": {"h": 5}})
    assert result == {"a": {"b": 1, "c": [3], "g": 4}, "d": None, "f": {"h": 5}}
    assert values == untouched


@pytest.mark.parametrize(
    ("other", "result"),
    [
        ({"hidden": 4}, {"kind": "lstm", "dimension": 3, "hidden": 4}),
        ({"kind": "lstm", "hidden": 4}, {"kind": "lstm", "dimension": 3, "hidden": 4}),
        ({"kind": "averaging"}, {"kind": "averaging"}),
    ],
)
def test_another_kind_replaces_a_mapping_whole(other, result):
    own = {"x": {"kind": "lstm", "dimension": 3}}
    assert laid_over(own, {"x": other}) == {"x": result}


def test_a_scale_lies_over_the_study_and_the_configuration_over_both(workspace):
    scales = workspace / "studies/first/scales"
    scales.mkdir()
    scale = {"recipes": {"quick": {"epochs": 5, "batch": 7}}, "seeds": [3]}
    (scales / "large.yaml").write_text(yaml.safe_dump(scale))
    (scales / "empty.yaml").touch()

    def found(**values):
        study = plans(**values)["results/first"].study
        return study.recipes["quick"].epochs, study.recipes["quick"].batch, study.seeds

    over = changed("recipes", "quick", "epochs", to=9)
    assert found() == (3, 128, [1, 2])
    assert found(scale="empty") == (3, 128, [1, 2])
    assert found(scale="large") == (5, 7, [3])
    assert found(scale="large", **over) == (9, 7, [3])
    assert found(scale="large", seeds=[4, 5], **over) == (9, 7, [4, 5])


def test_what_a_template_stands_for_is_overridden_by_its_own_name(workspace):
    (workspace / "studies/first/scales").mkdir()
    template = {"each": {"corpus": ["cs", "de"]}, "pairs": 90}
    scale = yaml.safe_dump({"settings": {"{corpus}": template}})
    (workspace / "studies/first/scales/small.yaml").write_text(scale)

    def pairs(**values):
        settings = plans(scale="small", **values)["results/first"].study.settings
        return {name: setting.pairs for name, setting in settings.items()}

    assert pairs() == {"cs": 90, "en": 50, "de": 90, "none": 100}
    assert pairs(**changed("settings", "de", "pairs", to=80))["de"] == 80
    again = {"each": [{"name": "cs", "pairs": 70}, {"name": "none", "pairs": 60}]}
    over = changed("settings", "{name}", to={**again, "pairs": "{pairs}"})
    assert pairs(**over) == {"cs": 70, "en": 50, "de": 90, "none": 60}


def test_files_are_looked_for_here_and_then_beside_the_snakefile(workspace):
    base = workspace / "elsewhere"
    base.mkdir()
    assert find("register.yaml", base) == Path("register.yaml")
    (base / "other.yaml").touch()
    assert find("other.yaml", base) == base / "other.yaml"
    assert find("nothing.yaml", base) == Path("nothing.yaml")


def test_baselines_that_no_package_has_for_a_machine_are_left_out(workspace, caplog, monkeypatch):
    pretrained = {"muse": {"label": "MUSE", "model": "muse"}, "e5": {"label": "E5", "model": "e5"}}
    named = {"scores": {"baselines": ["muse", "e5"]}, "years": {"baselines": ["muse"]}}
    values = {"studies": {"first": {"pretrained": pretrained, "tables": named}}}

    def shown():
        tables = plans(**values)["results/first"].study.tables
        return {name: table.baselines for name, table in tables.items()}

    monkeypatch.setattr("platform.system", lambda: "Linux")
    monkeypatch.setattr("platform.machine", lambda: "x86_64")
    assert shown() == {"scores": ["muse", "e5"], "years": ["muse"]}
    assert not caplog.messages
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    assert shown() == {"scores": ["muse"], "years": ["muse"]}
    text = "the study first shows no E5 in scores: no package has it for this machine"
    assert caplog.messages == [text]
