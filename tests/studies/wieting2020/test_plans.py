"""What the study plans to score, at every scale."""

from pathlib import Path

import pytest
import tiny_corpora

from tandem.corpora.register import load_register
from tandem.studies.configuration import load_configuration, load_study
from tandem.studies.plan import Plan


@pytest.mark.parametrize("scale", ["default", "full", "gpu", "paper", "tiny"])
def test_untrained_encoders_and_those_of_the_other_language_are_probed(home, scale):
    corpora = dict(tiny_corpora.REGISTER["datasets"])
    for register in ("datasets.yaml", "opensubtitles.yaml"):
        corpora |= load_register(home.parents[1] / register)
    study = load_study(home, load_configuration({"scale": scale, "registers": []}), corpora)
    plan, table = Plan("wieting2020", home, study), study.tables["table3"]
    probed = {Path(folder).parts[-2] for folder in table.inputs(plan)["scores.probing"]}
    languages = {"fr"} if scale == "tiny" else {"fr", "es", "ar", "tr", "ja"}
    assert {f"bgt.untrained-en-{code}" for code in languages} <= probed
    named = {"fr": "french"} if scale == "tiny" else {"fr": "french", "es": "spanish"}
    for code, name in named.items():
        assert {f"bgt-english.{code}", f"bgt-{name}.{code}"} <= probed
    # no figure of theirs is hidden
    assert not any(row.units for row in table.rows)
    read = study.tables["table2"].inputs(plan)["scores.sts"]
    beside = {Path(folder).parts[-2] for folder in read}
    assert {"bgt-english.fr", "bgt-french.fr", "bgt.untrained-en-fr"} <= beside
