import numpy as np
import pytest
from tandem.reporting.table3 import markdown, read_mined, table3
from tandem.reporting.table3_claims import table3_claims

from tandem.io import write_json
from tandem.reporting.claims import Verdict
from tandem.tasks.mining_counts import SourceCounts, write_counts

METHODS = [("cosine", "forward"), ("yang-9", "forward"), ("yang-10", "forward")]
RIGHT = {1: (40, 90, 60), 2: (50, 90, 70)}
"""By seed: of 100 gold pairs, as many as are proposed, those that each method finds."""


@pytest.fixture
def mined(tmp_path):
    files = []
    for seed, right in RIGHT.items():
        methods = []
        for (score, retrieval), count in zip(METHODS, right, strict=True):
            part = {"precision": 1.0 * count, "recall": 1.0 * count, "f1": 1.0 * count,
                    "correct": count, "proposed": 100, "gold": 100}  # fmt: skip
            methods.append({"score": score, "retrieval": retrieval, "threshold": seed / 10,
                            "training": part | {"f1": 95.0}, "test": part})  # fmt: skip
        path = tmp_path / f"seed{seed}" / "mining.json"
        write_json(path, {"experiment": "sp.en-fr", "seed": seed, "mining": "fr-en",
                          "neighbours": 4, "sentences": [300, 310, 320, 330],
                          "methods": methods})  # fmt: skip
        correct = np.array([np.arange(150) < count for count in right], np.int64)
        whole = (np.arange(150) < 100).astype(np.int64)
        counts = SourceCounts(correct, np.stack([whole] * 3), whole)
        write_counts(path.with_suffix(".npz"), counts)
        files.append(path)
    entry = {"name": "sp.en-fr", "encoder": "SP", "pairs": 20000, "dimension": 3}
    return read_mined([entry], reversed(files), 500, 1)


def test_a_row_has_means_over_seeds(mined):
    table = table3(mined).set_index("score")
    assert table.loc["cosine", "test_f1_x100"] == 45.0
    assert table.loc["cosine", "training_f1_x100"] == 95.0
    assert table.loc["cosine", "threshold"] == pytest.approx(0.15)
    assert 30 < table.loc["cosine", "test_f1_low_x100"] < 45
    assert table.loc["yang-9", "seed_count"] == 2


def test_markdown_shows_f1_sizes_and_published_figures(mined):
    text = markdown(mined)
    assert "| cosine, forward | 45.0 [" in text
    assert "| yang-9, forward | **90.0** [" in text
    assert "| fr-en | 300 | 310 | 100 | 320 | 330 | 100 |" in text
    assert "| *yang-9, test part* | *yang2019, Table 6* | 90.0 |" in text


def test_claims_stand_beside_the_published_difference(mined):
    claims = {claim.claim: claim for claim in table3_claims(mined, "tiny")}
    margin = claims["table3.margin-9.sp.fr-en"]
    assert margin.statistic == 45.0
    assert margin.verdict == Verdict.SUPPORTED
    assert margin.published == pytest.approx(89.99 - 86.14)
    assert margin.n == 100
    assert claims["table3.both-sides.sp.fr-en"].published == pytest.approx(90.02 - 89.56)
