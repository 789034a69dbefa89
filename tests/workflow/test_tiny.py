"""The tiny scale from end to end: fetched, trained, scored, tabulated, without a network."""

import csv
import json
import runpy
import sys

import numpy as np
import pytest
from conftest import REPOSITORY, TINY, hashes, planned, run_snakemake

from tandem.encoders.model import SentenceEncoder
from tandem.encoders.named import find_model
from tandem.tasks.sts_data import sentences
from tandem.text.spelling import bare_key


def test_writes_results_and_nothing_beside_them(finished):
    written = {path.name for path in finished.iterdir() if not path.name.startswith(".")}
    given = {"Snakefile", "config.yaml", "data", "datasets.yaml", "envs", "profiles", "workflow"}
    assert written == given | {"results"}
    assert not [path for path in (finished / "results/checkpoints").rglob("*") if path.is_file()]


def test_makes_table_1(finished):
    with open(finished / "results/table1.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["experiment"] for row in rows[:4]] == [
        "sp.back-translated", "sp.bitext", "sp.bitext-2x", "sp.random",
    ]  # fmt: skip
    assert len(rows) == 12
    counts = {row["experiment"]: (row["pairs"], row["english_sentences"]) for row in rows}
    assert counts["sp.back-translated"] == ("100", "200")
    assert counts["sp.bitext-2x"] == ("200", "200")
    seeds = {row["encoder"]: row["seeds"] for row in rows}
    assert seeds == {"SP": "1 2", "TRIGRAM": "1", "LSTM": "1"}
    assert all(0 < float(row["mean_pearson_x100"]) <= 100 for row in rows)


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_makes_table_2_with_an_empty_column_for_the_track_that_is_missing(finished):
    rows = {row["row"]: row for row in rows_of(finished / "results/table2.csv")}
    assert list(rows) == ["Random TRIGRAM", "SP"]
    assert all(row["es-en-4a_pearson_x100"] == "" for row in rows.values())
    assert all(float(row["en-en_pearson_x100"]) > 0 for row in rows.values())
    found = [float(row["en-es_p_at_1_x100"]) for row in rows.values()]
    assert found[1] > found[0]
    text = (finished / "results/table2.md").read_text(encoding="utf-8")
    assert "- es-en-4a: needs the STS 2017 archives" in text


def test_makes_table_3_from_sentences_that_no_encoder_has_seen(finished):
    rows = rows_of(finished / "results/table3.csv")
    assert {row["task"] for row in rows} == {"es-en"}
    assert len(rows) == 5 * 4
    assert max(float(row["test_f1_x100"]) for row in rows) > 0
    task = finished / "results/mining/es-en"
    hidden = set((task / "held-out.txt").read_text(encoding="utf-8").split("\n")[:-1])
    train = (finished / "results/corpora/en-es/train.en").read_text(encoding="utf-8").split("\n")
    assert len(hidden) > 50
    assert not hidden & set(train)


def test_makes_table_4_for_each_encoder(finished):
    rows = rows_of(finished / "results/table4.csv")
    assert [row["encoder"] for row in rows if row["device"] == "cpu"] == ["SP", "TRIGRAM", "LSTM"]
    assert all(float(row["unseen_per_s"]) > 0 for row in rows)


def test_makes_a_table_of_speeds_in_another_study(finished):
    rows = [r for r in rows_of(finished / "results/many/speed.csv") if r["device"] == "cpu"]
    timed = {row["encoder"]: row for row in rows}
    assert timed.keys() == {"SP", "SP 512, from vectors"}
    assert all(float(row["unseen_per_s"]) > 0 for row in rows)
    assert all(float(row["training_pairs_per_s"]) > 0 for row in rows)
    rows = rows_of(finished / "results/many/speed-and-score.csv")
    for row in (row for row in rows if row["device"] == "cpu"):
        assert row["unseen_per_s"] == timed[row["encoder"]]["unseen_per_s"]
        assert float(row["STS 2012-2016, 12 tasks_pearson_x100"]) <= 100
    assert (finished / "results/many/figures/speed-and-score.png").stat().st_size > 0


def test_claims_of_all_tables_are_joined(finished):
    names = [row["claim"].split(".") for row in rows_of(finished / "results/claims.csv")]
    assert {paper for paper, *_ in names} == {"wieting2019", "yang2019"}
    assert {"table1", "table2", "table4", "table5"} <= {table for _, table, *_ in names}


def test_an_exported_model_says_what_it_is_and_reaches(finished):
    folder = finished / "results/export/sp.en-es"
    assert (folder / "modules.json").is_file()
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "tiny-bitext" in card
    assert "2017.track5.en-en" in card
    assert "retrieval, en-es" in card


@pytest.mark.parametrize(
    "name",
    [
        "table1.md", "claims.csv", "figures/table1.png", "figures/table1.pdf",
        "figures/training.svg", "scores/into-english/bleu.json",
        "corpora/bitext/cleaning.json", "corpora/back-translated/cleaning.json",
        "figure1.pdf", "figure1.svg", "figures/figure1-marked.png", "figures/figure1-verses.pdf",
        "table5.md", "languages/verses/text/panel.json",
        "models/sp.bitext/seed1/model.safetensors", "models/sp.bitext/seed1/history.csv",
        "table2.md", "table3.md", "table4.md", "figures/table2.png", "figures/table3.pdf",
        "figures/table4.svg", "benchmarks/table4.json",
    ],
)  # fmt: skip
def test_makes_what_stands_behind_it(finished, name):
    assert (finished / "results" / name).stat().st_size > 0


def test_makes_figure_1_and_table_5(finished):
    points = rows_of(finished / "results/figure1.csv")
    settings = [(point["panel"], point["marked"]) for point in points]
    assert [settings.count(s) for s in sorted(set(settings))] == [8, 8, 2, 2]
    catalogues = {p["language"] for p in points if p["panel"] == "catalogues"}
    assert catalogues == {"cs", "de", "fr", "el", "ru", "eu", "tr", "uk"}  # Swahili has least text
    starts = {(p["panel"], p["random"]) for p in points}
    assert len(starts) == 2  # the untrained encoder is the same for all of a panel
    assert all(p["seeds"] == "2" for p in points)
    correlations = rows_of(finished / "results/table5.csv")
    over_all = [r for r in correlations if r["panel"] == "catalogues" and r["cluster"] == "all"]
    free = [r for r in over_all if not r["held"]]
    assert {r["response"] for r in free} == {"gain", "sharing"}
    assert all(r["n"] == "8" and r["rho_x100"] and r["p"] for r in free)


def test_every_score_of_every_study_can_be_kept(finished, monkeypatch):
    monkeypatch.setattr(sys, "path", [*sys.path])  # studies are put on it
    scores = runpy.run_path(str(REPOSITORY / "docs/keep_results.py"))["scores"]
    folders = [path.parent for path in sorted((finished / "results").rglob("scores"))]
    assert len(folders) == 7  # of all studies
    for folder in folders:
        rows = list(scores(folder))
        names = {row["experiment"] for row in rows}
        assert {path.parts[-3] for path in folder.glob("scores/*/*/seed*.json")} <= names
        assert {path.stem for path in folder.glob("scores/conditions/*.json")} <= names
        panels = {path.name for path in folder.glob("scores/languages/*")}
        assert panels <= {name.split(".")[0] for name in names}
        assert all(row["metric"] and row["unit"] for row in rows)


def test_verses_are_the_same_in_every_language(finished):
    panel = json.loads(
        (finished / "results/languages/verses/text/panel.json").read_text(encoding="utf-8")
    )
    assert panel["languages"] == ["de", "ru"]
    assert panel["pairs"] == panel["english_sentences_in_all_languages"] == 40


def test_the_size_of_the_batches_changes_no_point(finished, copied):
    sizes = copied / "sizes.yaml"
    panels = "{figure1: {panels: {catalogues: {batches: 3}}}}"
    sizes.write_text(f"studies: {{wieting2019: {{tables: {panels}}}}}\n", encoding="utf-8")
    run = run_snakemake(copied, "results/figure1.csv", "--cores", "1", *TINY, sizes)
    assert run.returncode == 0, run.stdout + run.stderr
    folders = [folder / "results/scores/languages/catalogues" for folder in (finished, copied)]
    counts = [
        [len(json.loads(file.read_text(encoding="utf-8"))["languages"]) for file in sorted(files)]
        for files in (folder.iterdir() for folder in folders)
    ]
    assert counts == [[4, 4], [3, 3, 2]]
    points = [folder / "results/figure1.csv" for folder in (finished, copied)]
    assert points[0].read_bytes() == points[1].read_bytes()


def test_back_translation_is_aligned_and_holds_english_of_the_bitext(finished):
    corpora = finished / "results/corpora"
    english, translated, original = (
        (corpora / name).read_text(encoding="utf-8").split("\n")
        for name in ("back-translated/train.en", "back-translated/train.en-bt", "bitext/train.en")
    )
    assert len(english) == len(translated) > 100
    kept = set(english)
    assert english == [line for line in original if line in kept]
    assert not any(one == other for one, other in zip(english[:-1], translated, strict=False))


def test_vocabularies_hold_nothing_but_the_text_that_is_trained_on(finished):
    folder = finished / "results/vocab/bitext/100-seed1/words"
    known = json.loads((folder / "segmenter/segmentation.json").read_text(encoding="utf-8"))
    ids = np.concatenate([np.load(folder / f"train.{side}.ids.npy") for side in ("en", "cs")])
    assert set(ids.tolist()) == set(range(len(known["vocabulary"])))


def test_goes_on_without_what_cannot_be_reached_and_says_how_to_give_it(finished):
    folder = finished / "results/corpora/downloads/tiny-unreachable-gold"
    assert "mirror" in (folder / "unreachable.txt").read_text(encoding="utf-8")
    index = json.loads((finished / "results/corpora/sts/index.json").read_text(encoding="utf-8"))
    assert any("track6" in task["task"] for task in index["missing"])
    folder = finished / "results/corpora/downloads/tiny-tweets"
    assert "data/absent.data: no such file" in (folder / "unreachable.txt").read_text("utf-8")
    folder = finished / "results/corpora/downloads/tiny-unreachable-package"
    assert "deb/tandem-absent_1.0_all.deb" in (folder / "unreachable.txt").read_text("utf-8")
    collection = json.loads((finished / "results/many/corpora/many/collection.json").read_text())
    assert collection["held_out"].keys() == {"tiny-catalogue", "tiny-verses"}
    rows = rows_of(finished / "results/filtering/datasets.csv")
    assert all(-100 <= float(row["sick_pearson_x100"]) <= 100 for row in rows)
    assert {row["twitter_pearson_x100"] for row in rows} == {""}


def test_scores_name_the_code_that_made_them(finished):
    path = finished / "results/scores/sp.bitext/sts/seed2.json"
    scores = json.loads(path.read_text(encoding="utf-8"))
    known = [scores[key] for key in ("study", "experiment", "seed", "task", "metric")]
    assert known == ["wieting2019", "sp.bitext", 2, "sts", "pearson_x100"]
    assert len(scores["code"]) == 16
    units = [row["unit"] for row in scores["rows"]]
    assert units == ["2012", "2013", "2014", "2015", "2016", "mean", "common"]


def test_a_finished_workflow_has_nothing_to_do(copied):
    assert planned(copied, *TINY) == {}


def test_tables_and_figures_are_made_again_with_the_same_bytes(finished, copied):
    expected = hashes(finished)
    again = ["results/table1.csv", "results/figures/training.png"]
    run = run_snakemake(copied, "--cores", "2", *TINY, "--forcerun", *again)
    assert run.returncode == 0, run.stdout + run.stderr
    assert (run.stdout + run.stderr).count("rule plot:") >= 2
    assert hashes(copied) == expected


def test_report_is_written_with_the_captions_of_the_study(copied):
    written = run_snakemake(copied, "--cores", "1", *TINY, "--report", "results/report.html")
    assert written.returncode == 0, written.stderr
    page = (copied / "results/report.html").read_text(encoding="utf-8")
    assert all(f"table{number}" in page for number in (1, 2, 3, 4))
    caption = copied / "workflow/studies/wieting2019/captions/table1.rst"
    assert caption.read_text(encoding="utf-8").split(".")[0][:40] in page


def test_one_encoder_reads_every_language(finished):
    rows = rows_of(finished / "results/many/languages.csv")
    assert {row["source"] for row in rows} == {"tiny-catalogue", "tiny-verses"}
    assert {row["language"] for row in rows if row["source"] == "tiny-verses"} == {"de", "ru"}
    assert all(0 <= float(row["joint_from_p_at_1_x100"]) <= 100 for row in rows)
    scores = rows_of(finished / "results/many/similarity.csv")
    assert float(scores[0]["sts.mean_pearson_x100"]) > 0


def test_the_model_of_a_study_is_small_says_what_it_is_and_is_found_by_name(finished, monkeypatch):
    folder = finished / "results/many/model"
    card = (folder / "README.md").read_text(encoding="utf-8")
    for part in ("| tiny-verses |", "rounded to int8", "sts, 2012", "- cs\n"):
        assert part in card
    monkeypatch.chdir(finished)
    small, whole = (SentenceEncoder.load(place) for place in (
        find_model("many"), "results/many/models/wide.joint/seed1",
    ))  # fmt: skip
    off = np.abs(small.table - whole.table).max(1)
    assert off.max() > 0
    assert (off <= np.abs(whole.table).max(1) / 250).all()


def test_an_encoder_that_starts_from_another_has_its_vocabulary(finished):
    many = finished / "results/many"
    start, more = (many / f"models/sp.{name}/seed1" for name in ("verses", "messages-de-100-from"))
    vocabularies = [
        (folder / "segmenter/segmentation.json").read_bytes()
        for folder in (start, more, many / "vocab/many/messages-de-100-from-seed1/joint")
    ]
    assert len({*vocabularies}) == 1
    known, began = (json.loads((folder / "encoder.json").read_text("utf-8"))["training"]
                    for folder in (start, more))  # fmt: skip
    assert began["start"]["training"] == known
    assert (start / "model.safetensors").read_bytes() != (more / "model.safetensors").read_bytes()
    rows = rows_of(many / "starts.csv")
    assert [(row["pairs"], row["start"]) for row in rows] == [
        ("30", ""), ("0", "sp.verses"), ("30", "sp.verses"),
    ]  # fmt: skip


def test_no_sentence_that_is_scored_is_among_its_training_text(finished):
    corpora = finished / "results/many/corpora"
    scored = {bare_key(text) for text in sentences(corpora / "sts")}
    held = {
        bare_key(text)
        for split in ("valid", "test")
        for file in (corpora / "many" / split).iterdir()
        for line in file.read_text(encoding="utf-8").split("\n")[:-1]
        for text in line.split("\t")[1:]
    }
    assert len(scored) > 100 and len(held) > 100
    trained = [
        bare_key(text)
        for file in (corpora / "many/train").iterdir()
        for line in file.read_text(encoding="utf-8").split("\n")[:-1]
        for text in line.split("\t")[1:]
    ]
    assert len(trained) > 500
    assert not (scored | held) & set(trained)


def test_sentences_and_documents_of_held_out_books_are_searched(finished):
    un = finished / "results/un"
    searched = [line.split("\t") for line in read_text_lines(un / "searched/de.tsv")]
    documents = {document for document, _, _ in searched}
    assert len(documents) >= 20 and all("." in document for document in documents)
    train = un / "corpora/verses/train/tiny-books.en.de.tsv"
    trained = {text for line in read_text_lines(train) for text in line.split("\t")[1:]}
    assert len(trained) > 200
    assert not trained & {text for _, *pair in searched for text in pair}
    rows = {row["row"]: row for row in rows_of(un / "table1.csv")}
    assert len(rows) == 5
    assert {int(row["english"]) for row in rows.values()} == {len(searched)}
    found = [float(row["forward.1_p_at_n_x100"]) for row in rows.values()]
    assert max(found) > 3 * 100 / len(searched)
    assert len(rows_of(un / "table4.csv")) == 2


def test_translators_are_trained_on_pairs_that_were_mined(finished):
    un = finished / "results/un"
    rows = {row["origin"]: row for row in rows_of(un / "table3.csv")}
    assert list(rows) == ["original", "forward", "backward"]
    for origin, row in rows.items():
        assert len(read_text_lines(un / f"mined/de/{origin}/train.en")) == int(row["pairs"])
        for seed in (un / f"translated/de/{origin}").iterdir():
            assert len(read_text_lines(seed / "translations.txt")) == len(
                read_text_lines(seed / "references.txt")
            )
    methods = {row["method"] for row in rows_of(un / "table6.csv")}
    assert methods == {"cosine", "equation 9", "equation 10", "light classifier"}
    assert (un / "figure5.pdf").stat().st_size > 1000


def test_verses_are_restyled_and_autoencoders_measured(finished):
    bgt = finished / "results/bgt"
    rows = {row["system"]: row for row in rows_of(bgt / "styles.csv")}
    models = {"bgt-without-language.fr", "other", "bgt.fr"}
    assert {"copy", "style", "reference", *models} <= rows.keys()
    assert float(rows["style"]["style_share_x100"]) > float(rows["copy"]["style_share_x100"])
    triples = len(read_text_lines(bgt / "styles/triples.tsv"))
    for manner in ("style", "other"):
        assert len(read_text_lines(bgt / f"restyled/bgt.fr/{manner}/seed1.txt")) == triples
    assert len(rows_of(bgt / "table4.csv")) == 5
    measured = rows_of(bgt / "likelihood.csv")
    assert [row["system"] for row in measured] == ["vae-hidden.vae-fr", "vae-hidden-logit.vae-fr"]
    assert all(float(row["negative_log_likelihood_nats"]) > 0 for row in measured)


def read_text_lines(path):
    return path.read_text(encoding="utf-8").split("\n")[:-1]
