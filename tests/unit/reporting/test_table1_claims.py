"""The findings on Table 1, from experiments whose order is known."""

import dataclasses

import numpy as np
import pytest
from tandem.reporting.results import Role, Setting
from tandem.reporting.table1_claims import table1_claims

SETTINGS = [
    Setting("mono", "En-En", Role.BACK_TRANSLATED),
    Setting("bi", "En-Cs", Role.BITEXT),
    Setting("bi2", "En-Cs, 2n", Role.BITEXT_EQUAL_ENGLISH),
]
SHIFT = {  # mean of each experiment above an arbitrary level
    "sp.mono": 5, "sp.bi": 6, "sp.bi2": 9,
    "trigram.mono": 6, "trigram.bi": 3, "trigram.bi2": 6,
    "lstm.mono": 4, "lstm.bi": 5, "lstm.bi2": 3,
}  # fmt: skip
PARAMETERS = {"SP": 600, "TRIGRAM": 500, "LSTM": 900}


@pytest.fixture
def scores(results):
    """Results and draws in which every experiment is `SHIFT` above the same noise of +-0.4."""
    template = results[0]
    noise = np.linspace(-0.4, 0.4, 101)
    made, draws = [], {}
    for name, shift in SHIFT.items():
        encoder, setting = name.upper().split(".")[0], name.split(".")[1]
        experiment = dataclasses.replace(
            template.experiment,
            name=name, encoder=encoder, setting=setting, parameters=PARAMETERS[encoder],
        )
        made.append(dataclasses.replace(template, experiment=experiment))
        draws[name] = shift + (noise if encoder == "LSTM" else noise[::-1])
    return made, draws


def test_verdicts(scores):
    claims = {c.claim: c.verdict for c in table1_claims(*scores, SETTINGS, "tiny")}
    assert claims == {
        "table1.same-pairs.sp": "supported",  # the exception: bitext is better for SP
        "table1.same-pairs.trigram": "supported",
        "table1.same-pairs.lstm": "contradicted",
        "table1.same-pairs.all": "contradicted",
        "table1.equal-english.sp": "supported",
        "table1.equal-english.trigram": "undecided",
        "table1.equal-english.lstm": "contradicted",
        "table1.equal-english.all": "contradicted",
        "table1.sp-best-equal-pairs.trigram": "supported",
        "table1.sp-best-equal-pairs.lstm": "supported",
        "table1.sp-best-equal-pairs.all": "supported",
        "table1.sp-best-equal-english.trigram": "supported",
        "table1.sp-best-equal-english.lstm": "supported",
        "table1.sp-best-equal-english.all": "supported",
        "table1.fewer-parameters.trigram": "contradicted",
    }


def test_rows_say_where_and_what(scores):
    claims = {c.claim: c for c in table1_claims(*scores, SETTINGS, "tiny")}
    row = claims["table1.same-pairs.sp"]
    assert row.test.startswith("mean STS of sp.bi minus sp.mono")
    assert row.paper == "wieting2019" and "first observation" in row.place
    assert row.scale == "tiny"
    assert claims["table1.fewer-parameters.trigram"].statistic == -100
    assert claims["table1.fewer-parameters.trigram"].ci_low is None


def test_claims_without_the_scores_they_need_are_left_out(scores):
    results, draws = scores
    bitext = [result for result in results if result.experiment.setting == "bi"]
    names = {c.claim for c in table1_claims(bitext, draws, SETTINGS, "tiny")}
    assert names == {
        "table1.sp-best-equal-pairs.trigram",
        "table1.sp-best-equal-pairs.lstm",
        "table1.sp-best-equal-pairs.all",
        "table1.fewer-parameters.trigram",
    }
