"""Table 2 from files: paired figures, empty columns that say why, claims on what was measured."""

import numpy as np
import pytest
from tandem.reporting.table2 import Row, Track
from tandem.reporting.table2_claims import table2_claims
from tandem.tasks.pair_scores import PairScores, write_pairs

from tandem.io import write_json
from tandem.reporting import table2
from tandem.reporting.claims import Verdict
from tandem.tasks import sts
from tandem.tasks.hits import write_hits
from tandem.tasks.sts import Index

EN, AR, CROSS = "2017.track5.en-en", "2017.track1.ar-ar", "2017.track4a.es-en"
TRACKS = [Track("ar-ar", AR, "es"), Track("es-en-4a", CROSS, "es"), Track("en-en", EN, "es")]
ROWS = [
    Row("Random TRIGRAM", {"es": "trigram.random"}, "TRIGRAM", 0, 300, 200000),
    Row("Random SP", {"es": "sp.random"}, "SP", 0, 300, 20000),
    Row("SP", {"es": "sp.en-es"}, "SP", 1000, 300, 20000),
    Row("SP 1024", {"es": "wide.en-es"}, "SP 1024", 1000, 1024, 20000),
    Row("Other", {"*": "baseline.other"}),
]
NOISE = {"trigram.random": 1.5, "sp.random": 6.0, "sp.en-es": 0.8, "wide.en-es": 0.2,
         "baseline.other": 1.0}  # fmt: skip
INDEX = Index(
    {EN: {"year": "2017"}, CROSS: {"year": "2017"}},
    [{"task": "track1.ar-ar", "year": "2017", "of": 250, "why": "needs the STS 2017 archives"}],
)


def scored(noise, seed):
    gold = np.random.default_rng(0).uniform(0, 5, (2, 80))
    cosine = gold + noise * np.random.default_rng([seed, int(10 * noise)]).normal(size=(2, 80))
    return PairScores((CROSS, EN), (2017, 2017), tuple(gold), tuple(cosine))


@pytest.fixture
def cells(tmp_path):
    tracks, retrieval = [], []
    for name, noise in NOISE.items():
        for seed in (1,) if name == "baseline.other" else (1, 2):
            folder = tmp_path / name / f"seed{seed}"
            pairs = scored(noise, seed)
            summary = sts.summarise(pairs, resamples=20, seed=1)
            write_json(folder / "sts2017.json", summary | {"experiment": name, "seed": seed})
            write_pairs(folder / "sts2017.npz", pairs)
            hits = np.arange(100) % 10 > noise
            write_json(folder / "retrieval.json", {"experiment": name})
            write_hits(folder / "retrieval.npz", {"en-es": hits, "es-en": hits})
            tracks.append(folder / "sts2017.json")
            retrieval.append(folder / "retrieval.json")
    return (
        table2.track_cells(ROWS, TRACKS, tracks, 200, 1),
        table2.retrieval_cells(ROWS, retrieval, 200, 1),
    )


def test_a_row_has_the_mean_over_seeds_and_an_empty_cell_where_a_track_is_missing(cells):
    table = table2.table2(ROWS, TRACKS, *cells).set_index("row")
    assert table["ar-ar_pearson_x100"].isna().all()
    pairs = [scored(0.8, seed) for seed in (1, 2)]
    r = [np.corrcoef(one.gold[0], one.cosine[0])[0, 1] for one in pairs]
    assert table.loc["SP", "es-en-4a_pearson_x100"] == pytest.approx(100 * np.mean(r))
    assert table.loc["SP", "es-en-4a_low_pearson_x100"] < 100 * np.mean(r)
    assert table.loc["SP", "en-es_p_at_1_x100"] == 90.0
    assert table.loc["SP", "seed_count"] == 2
    assert table.loc["Other", "seed_count"] == 1


def test_markdown_says_which_column_is_empty_why_and_what_to_do(cells):
    text = table2.markdown(ROWS, TRACKS, *cells, INDEX)
    assert "- ar-ar: needs the STS 2017 archives" in text
    assert "`mirror`" in text and "kind: local" in text
    assert "en-en scores that of es" in text
    complete = table2.markdown(ROWS, TRACKS[1:], *cells, INDEX)
    assert "Every track was at hand." in complete


def test_claims_follow_from_what_was_measured(cells):
    claims = {claim.claim: claim for claim in table2_claims(ROWS, TRACKS, *cells, "tiny")}
    wider = claims["table2.dimension-sts.sp-1024-sp.all"]
    assert wider.verdict == Verdict.SUPPORTED
    assert claims["table2.dimension-sts.sp-1024-sp.en-en"].n == 80
    assert claims["table2.random-behind-sts.random-sp.es-en-4a"].verdict == Verdict.SUPPORTED
    assert claims["table2.random-behind-retrieval.random-sp.en-es"].statistic == 60.0
    assert claims["table2.random-trigram.random-sp.en-en"].verdict == Verdict.SUPPORTED
    # nothing of the missing track, of the encoder that others made, or of columns within a language
    assert not [name for name in claims if "ar-ar" in name or "other" in name]
    assert "table2.random-behind-sts.random-sp.en-en" not in claims


def test_a_row_of_ours_takes_its_numbers_from_what_it_learned_from():
    learned = {"sp.en-es": {"encoder": "SP", "dimension": 3, "vocabulary": 9, "pairs": 5}}
    rows = table2.rows_of(
        [{"label": "SP", "experiments": {"es": "sp.en-es"}}], learned,
        [{"name": "muse", "label": "USE"}],
    )  # fmt: skip
    assert rows[0] == Row("SP", {"es": "sp.en-es"}, "SP", 5, 3, 9)
    assert rows[1].experiment("es") == rows[1].experiment("ar") == "baseline.muse"
