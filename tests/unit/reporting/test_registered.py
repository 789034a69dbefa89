"""Claims whose results are kept are what they were, or say what was changed."""

from datetime import date
from pathlib import Path

import pytest

from tandem.files.io import read_yaml
from tandem.reporting.claim_entries import ClaimEntry, read_claims
from tandem.reporting.registered import (
    Registered,
    read_registered,
    register,
    state_of,
    unexplained,
)
from tandem.studies.configuration import load_configuration, study_homes

ROOT = Path(__file__).parents[3]
FILE = ROOT / "docs/results/registered.json"
DAY = date(2026, 11, 1)


@pytest.fixture(scope="module")
def entries():
    """Return the findings of all studies."""
    configuration = load_configuration(read_yaml(ROOT / "config.yaml"))
    homes = study_homes(ROOT / folder for folder in configuration.study_folders)
    files = [home / "claims.yaml" for home in homes if (home / "claims.yaml").exists()]
    return [entry for file in files for some in read_claims(file).values() for entry in some]


def test_no_claim_with_kept_results_was_changed_without_a_word(entries):
    registered = read_registered(FILE)
    assert len(registered) > 80
    assert list(unexplained(registered, entries)) == []


def claim(**changed):
    side = {"experiment": "sp.cs", "task": "sts", "unit": "mean"}
    test = {"kind": "difference", "better": side, "worse": side | {"experiment": "word.cs"}}
    plain = {"id": "table1.x", "part": "{unit}", "paper": "p", "place": "here", "statement": "so",
             "each": [{"unit": "mean"}], "margin": -1, "test": test}  # fmt: skip
    return ClaimEntry.model_validate(plain | changed)


def registered_as(entry):
    """Return a claim as it is registered on DAY."""
    return Registered(**state_of(entry, DAY).model_dump())


LSTM = {"experiment": "lstm.cs", "task": "sts", "unit": "mean"}
OTHER = {"kind": "difference", "better": LSTM, "worse": LSTM | {"experiment": "word.cs"}}


@pytest.mark.parametrize(
    "changed",
    [
        {"margin": -2},
        {"each": [{"unit": "2012"}]},
        {"test": OTHER},
        {"family": "every-task"},
        {"description": True},
    ],
)
def test_a_change_is_told_unless_the_claim_says_so(changed):
    registered = {claim().name: registered_as(claim())}
    assert list(unexplained(registered, [claim()])) == []
    assert list(unexplained(registered, [claim(statement="so, otherwise")])) == []
    [told] = unexplained(registered, [claim(**changed)])
    assert told.startswith("p.table1.x.{unit} is not as it was when it was kept on 2026-11-01")
    assert list(unexplained(registered, [claim(**changed, revised="it was wrong")]))  # no day
    revised = claim(**changed, revised="On 2026-11-02 it was wrong")
    assert list(unexplained(registered, [revised])) == []


def test_every_change_needs_words_of_its_own(tmp_path):
    file, first = tmp_path / "registered.json", "On 2026-11-02 it was wrong."
    register(file, [claim()], DAY)
    register(file, [claim(margin=-2, revised=first)], date(2026, 11, 3))
    registered = read_registered(file)
    assert [state.margin for state in registered["p.table1.x.{unit}"].later] == [-2]
    assert list(unexplained(registered, [claim(margin=-2, revised=first)])) == []
    [told] = unexplained(registered, [claim(margin=-3, revised=first)])
    assert "kept on 2026-11-03" in told
    # what was said stays, and the day is of the new words
    assert list(unexplained(registered, [claim(margin=-3, revised="On 2026-11-04 anew.")]))
    assert list(unexplained(registered, [claim(margin=-3, revised=f"{first} It was again.")]))
    again = f"{first} On 2026-11-04 it was again."
    assert list(unexplained(registered, [claim(margin=-3, revised=again)])) == []


def test_claims_of_one_name_are_each_registered(tmp_path):
    file = tmp_path / "registered.json"
    register(file, [claim(), claim(test=OTHER)], DAY)
    registered = read_registered(file)
    assert [*registered] == ["p.table1.x.{unit}", "p.table1.x.{unit} 2"]
    assert not any(state.later for state in registered.values())
    assert list(unexplained(registered, [claim(), claim(test=OTHER)])) == []
    assert len([*unexplained(registered, [claim(margin=-2), claim(test=OTHER)])]) == 1


def test_a_setting_that_a_test_got_later_is_no_change():
    test = {"kind": "paired-means", "frame": "f", "column": "c", "unit": "u", "by": "seed",
            "better": {"a": "b"}}  # fmt: skip
    now = registered_as(claim(test=test))
    before = now.model_copy(
        update={"test": {key: value for key, value in now.test.items() if key != "within"}}
    )
    assert list(unexplained({claim().name: before}, [claim(test=test)])) == []
    [told] = unexplained({claim().name: before}, [claim(test=test | {"within": "text"})])
    assert "say in `revised`" in told


def test_a_claim_that_is_gone_is_told_unless_it_was_withdrawn():
    registered = registered_as(claim())
    [told] = unexplained({"p.table1.x": registered}, [])
    assert told == "p.table1.x was kept on 2026-11-01 and is gone: mark it as withdrawn"
    withdrawn = registered.model_copy(update={"withdrawn": "it could not fail; undecided"})
    assert list(unexplained({"p.table1.x": withdrawn}, [])) == []


def test_what_is_registered_stays(tmp_path):
    file = tmp_path / "registered.json"
    register(file, [claim()], DAY)
    register(file, [claim(margin=-5), claim(id="table1.y")], date(2026, 12, 1))
    registered = read_registered(file)
    assert registered["p.table1.x.{unit}"].margin == -1
    assert registered["p.table1.y.{unit}"].kept == date(2026, 12, 1)
    assert read_registered(tmp_path / "none.json") == {}
