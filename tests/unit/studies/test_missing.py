from pathlib import Path

import pytest
from one_study import configured, plans

from tandem.registry import ConfigurationError
from tandem.studies.configuration import load_registers
from tandem.studies.missing import NONE, listing, missing
from tandem.tasks.kinds.sts import Sts


@pytest.fixture
def studied(workspace):
    return next(iter(plans().values())), load_registers(configured(), "nowhere")


def test_files_of_local_corpora_that_a_study_names_are_missing_until_they_are_there(studied):
    plan, datasets = studied
    files = ["films.cs", "films.de", "films.en", "films.fr", "sts.zip", "verses.tsv"]
    assert sorted(missing(plan, datasets)) == files
    Path("films.cs").touch()
    fetched = Path(plan.fetched["scored"][0])  # fetched before, and deleted since
    fetched.parent.mkdir(parents=True)
    fetched.touch()
    assert sorted(missing(plan, datasets)) == ["films.de", "films.en", "films.fr", "verses.tsv"]


def test_the_list_says_what_each_file_is_and_its_licence(studied):
    plan, datasets = studied
    lines = listing([plan], datasets).split("\n")
    assert lines[0].startswith("6 files are missing")
    assert lines[2] == "  films.cs: Subtitles. (licence: CC0-1.0)"
    for path in missing(plan, datasets):
        Path(path).touch()
    assert listing([plan], datasets) == NONE


def test_a_corpus_that_no_study_names_is_not_missed(studied):
    plan, datasets = studied
    spare = datasets["verses"].model_copy(update={"name": "spare", "path": "spare.tsv"})
    assert "spare.tsv" not in missing(plan, datasets | {"spare": spare})


def test_what_a_task_can_do_without_is_optional(workspace, monkeypatch):
    monkeypatch.setattr(Sts, "optional", lambda task: ["verses"])
    plan, datasets = next(iter(plans().values())), load_registers(configured(), "nowhere")
    assert plan.optional == ["verses"]
    line = next(line for line in listing([plan], datasets).split("\n") if "verses.tsv" in line)
    assert line.startswith("  verses.tsv: optional, tables go without it: ")


def test_what_a_task_scores_on_is_registered(workspace, monkeypatch):
    monkeypatch.setattr(Sts, "optional", lambda task: ["vrses"])
    with pytest.raises(ConfigurationError, match=r"tasks\.sts: no register lists 'vrses'"):
        plans()
