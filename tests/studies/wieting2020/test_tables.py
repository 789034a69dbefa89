"""Every table of the study, its claims and its figures, from scores of encoders that differ."""

from pathlib import Path

import pytest

from tandem.files.io import read_yaml
from tandem.registry import ConfigurationError
from tandem.reporting.claim_entries import read_claims
from tandem.reporting.claims import judge
from tandem.reporting.plots import save
from tandem.reporting.published import read_published
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.tasks.task import TASKS, write_scores

VALUES = read_yaml(Path(__file__).with_name("tables.yaml"))
NOISE = {"bgt": 0.5, "bgt-without-language": 1.0, "bgt-without-prior": 2.0, "bilingual-trans": 3.0,
         "english-trans": 4.0, "sp": 5.0, "bilstm": 6.0, "english-vae": 8.0, "english-ae": 9.0,
         "untrained": 15.0, "minilm": 5.0, "bgt-english": 12.0, "bgt-french": 12.0}  # fmt: skip
SURFACE = ("length", "punctuation-number", "punctuation-first", "version")


@pytest.fixture(scope="module")
def written(words, sts, probing_set, home, plan_of, tmp_path_factory):
    """Return a plan with the scores of all that the tables read, of three seeds."""
    for registry in (TASKS, TABLES):
        registry.add_study(home)
    tasks = {name: TASKS.parse(entry) for name, entry in VALUES["tasks"].items()}
    plan = plan_of(tmp_path_factory.mktemp("scores"), tasks)
    tables = [TABLES.parse(entry) for entry in VALUES["tables"].values()]
    wanted = {folder for table in tables for key, paths in table.inputs(plan).items()
              for folder in paths if key.startswith("scores")}  # fmt: skip
    for folder in sorted(wanted):
        experiment, task = Path(folder).parts[-2:]
        encoder = experiment.split(".")[0]
        Path(folder).mkdir(parents=True)
        for seed in (1, 2, 3):
            untrained = experiment.split(".")[1].startswith("untrained")
            noise = NOISE["untrained" if untrained else encoder]
            scorer = words(noise, seed)
            if task == "probing":
                items = {}
                for key in tasks["probing"].inputs(plan, experiment):
                    told = {"bgt-english": SURFACE, "bgt-french": ("gender",)}.get(encoder, ())
                    chosen = words(0.1, seed) if key.split("__")[0] in told else scorer
                    if not key.startswith("tree-depth"):
                        items |= tasks["probing"].score(chosen, {key: probing_set})
            else:
                items = tasks[task].score(scorer, {"sts": sts})
            origin = {"experiment": experiment, "task": task, "seed": seed}
            write_scores(f"{folder}/seed{seed}", tasks[task], items, origin)
    return plan


@pytest.fixture
def built(written, home, learned):
    """Return a function: a table by its name, with what it is made from and its report."""

    def build(name, **changed):
        table = TABLES.parse(VALUES["tables"][name] | changed)
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(written).items()}
        files["paper"] = [home / "claims.yaml", home / "published.yaml"]
        read = {f for key, folders in files.items() if key.startswith("scores")
                for folder in folders for f in folder.glob("seed*.json")}  # fmt: skip
        scores = Scores(sorted(read), written.study.tasks, 200, 1)
        material = Material(name, written, files, scores, "tiny")
        return table, material, table.build(material)

    return build


@pytest.mark.parametrize("name", VALUES["tables"])
def test_tables_their_claims_and_figures(built, tmp_path, name):
    table, material, report = built(name)
    assert len(report.frame) and report.markdown.startswith("# ")
    claims = {claim.claim: claim for claim in judge(material, report)}
    assert claims and all(
        claim.claim.startswith(f"wieting2020.{name}.") for claim in claims.values()
    )
    for figure in table.figures(name):
        path = tmp_path / "figure.png"
        save(table.plot(figure, report.frame, material), [path])
        assert path.stat().st_size > 5000


def test_models_come_in_order_and_the_last_is_compared(built):
    _, material, report = built("figure3")
    rows = report.frame.set_index("row")
    assert rows.loc["BGT", "STS avg._pearson_x100"] > rows.loc["SP", "STS avg._pearson_x100"]
    assert rows.loc["Untrained", "STS avg._p"] < 0.01 and rows["STS avg._p"].isna()["BGT"]
    lines = {line.split(" | ")[0]: line for line in report.markdown.splitlines()}
    assert "†" in lines["| Untrained"] and "†" not in lines["| BGT"]
    assert "| *BERT (CLS)* | *wieting2020, Figure 3* | *33.2* |" in report.markdown
    claims = {claim.claim: claim for claim in judge(material, report)}
    order = claims["wieting2020.figure3.order.bgt.bilingual-trans"]
    assert order.statistic > 0 and order.published == 1.7 and order.verdict == "supported"
    assert claims["wieting2020.figure3.hard-negatives.bgt.sp"].published == 16.8
    assert "wieting2020.figure3.order.all" in claims


def test_figures_of_several_settings(built):
    _, material, report = built("figure4")
    assert material.scores.cell("bgt.tr", "sts2017", "2017.track6.tr-en")
    cells = report.frames["cells"]
    settings = set(cells.loc[cells["encoder"] != "sp", "setting"])
    assert settings == {"es", "ar", "tr"}
    claims = {claim.claim: claim for claim in judge(material, report)}
    assert claims["wieting2020.figure4.cross-lingual.bilingual-trans.en-tr"].published == 15.8
    gain = claims["wieting2020.figure4.gain.en-es"]
    # the folder's tracks have the same pairs, so that both gains are the same
    assert gain.statistic == pytest.approx(0, abs=1e-9) or gain.ci_low < 0 < gain.ci_high


def test_language_variables(built):
    _, material, report = built("table2")
    claims = {claim.claim: claim for claim in judge(material, report)}
    assert claims["wieting2020.table2.nearer"].statistic > 0
    rows = report.frame.set_index("row")["STS avg._pearson_x100"]
    expected = rows["Semantic encoder"] + rows["Random encoder"]
    expected -= 2 * rows["English language encoder"]
    assert claims["wieting2020.table2.nearer"].statistic == pytest.approx(expected)
    assert claims["wieting2020.table2.semantic.2012"].published == 24.5
    # beside it, one that has not read the language
    assert rows.notna()["French language encoder"]


def test_probes_beside_chance_and_what_was_not_scored(built):
    _, material, report = built("table3")
    rows = report.frame.set_index("row")
    assert rows.loc["fr: fr language encoder"].notna()["Gend._accuracy_x100"]
    # an encoder of the other language, and one that is untrained, tell something too
    for row in ("fr: fr language encoder", "fr: en language encoder", "fr: untrained"):
        assert rows.loc[row].notna()[["Word_accuracy_x100", "Gend._accuracy_x100"]].all()
    assert rows["Depth_accuracy_x100"].isna().all()  # the corpus was not there
    [line] = [text for text in report.markdown.splitlines() if "Most frequent label" in text]
    assert line.count("|") == 11 and line.split("|")[4].strip() == ""
    claims = {claim.claim: claim for claim in judge(material, report)}
    assert claims["wieting2020.table3.surface.fr.length"].statistic > 0
    assert claims["wieting2020.table3.content.fr.word-content"].statistic > 0
    assert claims["wieting2020.table3.gender.fr"].published == 3.9
    for name in ("own-gender", "own-version"):
        control = claims[f"wieting2020.table3.{name}.fr"]
        assert control.statistic > 0 and "set on 2026-11-30, after kept results" in control.place
    assert "bgt-english.fr" in claims["wieting2020.table3.own-gender.fr"].test
    assert not any("tree-depth" in name for name in claims)


def test_an_untrained_encoder_is_summed_with_the_training_that_begins_with_it(built):
    """The seeds of both draw the same parameters, so that seeds are no more than there are."""
    _, material, report = built("table2")
    claims = {claim.claim: claim for claim in judge(material, report)}
    nearer = claims["wieting2020.table2.nearer"]
    seeds = len(material.plan.seeds("bgt.fr"))
    assert material.plan.seeds("bgt.untrained-en-fr") == material.plan.seeds("bgt.fr")
    assert nearer.seeds == str(seeds)


def test_splits_have_their_sizes_beside_the_papers(built):
    _, material, report = built("table6")
    rows = report.frame.set_index("split")
    assert rows.loc["all", "pairs"] == 1000 and rows["swer_bound"].isna()["negation"]
    assert rows.loc["hard-plus", "swer_bound"] == rows.loc["top20-3-5", "swer_bound"]
    [line] = [text for text in report.markdown.splitlines() if text.startswith("| All ")]
    assert line.endswith("| *13,023* | *75.3* | *74.1* |")
    claims = {claim.claim: claim for claim in judge(material, report)}
    assert claims["wieting2020.table6.hard.bottom20-0-2"].published == 8.7
    assert "wieting2020.table6.easy.all" in claims


def test_a_row_without_a_setting_is_refused(built):
    with pytest.raises(ConfigurationError, match="SP: give `setting`"):
        built("figure3", rows=[{"label": "SP", "encoder": "sp"}])


def test_published_rows_name_their_place(home):
    register = read_published(home / "published.yaml")
    for entry in register.values():
        assert entry.id.startswith("wieting2020.") and entry.line > 0 and entry.values
    assert register["wieting2020.figure3.bgt"].values["Hard-"] == 46.6
    assert register["wieting2020.table3.es.language"].values == {"Gend.": 54.7}
    claims = read_claims(home / "claims.yaml")
    assert set(claims) == {
        *VALUES["tables"], "styles", "likelihood", "table5", "figure5", "table7"
    }  # fmt: skip
    for name, entries in claims.items():
        for entry in entries:
            assert entry.paper == "wieting2020" and entry.place and entry.id.startswith(name)


def test_every_table_has_its_captions(home):
    names = {path.stem for path in (home / "captions").glob("*.rst")}
    assert {*VALUES["tables"]} | {f"{name}-figure" for name in VALUES["tables"]} <= names
