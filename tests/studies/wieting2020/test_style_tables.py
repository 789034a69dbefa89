"""The tables of style transfer and of autoencoders, their claims and figures, from small files."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.files.io import write_json, write_lines
from tandem.reporting.claims import judge
from tandem.reporting.plots import save
from tandem.reporting.scores import Scores
from tandem.reporting.table import TABLES, Material
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter
from tandem.tasks.task import write_items
from wieting2020.methods import likelihood_figures, styles, transfer
from wieting2020.methods.styles import Classifier, Styles

NOUNS = "king house river people word son city hand day land servant field".split()
AROUND = {"en": "and the {} saw {}", "en-kjv": "lo the {} beheld {}"}
NAMES = {"bgt": "BGT", "bgt-without-language": "BGT w/o LangVars"}


class Plan:
    """What the tables ask of a plan."""

    study = SimpleNamespace(tasks={}, epochs=None)

    def __init__(self, root, counts):
        self.root, self.counts = root, counts

    def path(self, *parts):
        return str(self.root.joinpath(*parts))

    def experiments(self, encoders, settings):
        return [f"{encoder}.{setting}" for encoder in encoders for setting in settings]

    def seeds(self, experiment):
        return list(range(1, 1 + self.counts[experiment.split(".")[0]]))

    def models(self, experiments, seeds):
        return [self.path("models", name, f"seed{seed}") for name in experiments for seed in seeds]

    def single_translator(self, experiment):
        return None

    def fewer_epochs(self, experiment):
        return False

    def pretrained(self, experiment):
        return None

    def setting(self, experiment):
        return SimpleNamespace(corpus="verses", selection="loss")

    def whole(self, experiment):
        return experiment

    def segmented(self, experiment, seed):
        return self.path("vocab", "verses", "pieces")

    def sides(self, corpus):
        return ["en", "fr"]

    def material(self, name, table, home):
        files = {key: list(map(Path, paths)) for key, paths in table.inputs(self).items()}
        files["paper"] = [home / "claims.yaml", home / "published.yaml"]
        return Material(name, self, files, Scores([], {}, 200, 1), "tiny")


def verses(count):
    random = np.random.default_rng(1)
    nouns = [random.choice(NOUNS, 2).tolist() for _ in range(count)]
    return {
        f"{n // 10 + 1}.{n % 10 // 5 + 1}.{n % 5 + 1}": {v: text.format(*words)
                                                         for v, text in AROUND.items()}
        for n, words in enumerate(nouns)
    }  # fmt: skip


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """Return a plan with what models wrote: BGT takes the style of most, the other of few."""
    root = tmp_path_factory.mktemp("styles")
    plan = Plan(root, {"bgt": 2, "bgt-without-language": 1, "sp": 3})
    settings = Styles(dataset="x", versions=[*AROUND], sections={"test": ("1",)}, triples=80)
    text = verses(120)
    triples = styles.draw_triples(text, settings)
    (root / "styles").mkdir()
    styles.write_triples(root / "styles/triples.tsv", triples)
    labels, texts = styles._labelled(text.values())
    Classifier.learn(texts, labels, 1).save(root / "styles/classifier.npz")
    told = {"accuracy_x100": 93.75, "interval_x100": [90, 97], "taken_for": dict.fromkeys(AROUND)}
    write_json(root / "styles/classifier.json", {"test": told})
    sources = [
        ("bgt.fr", "style", 5), ("bgt.fr", "other", 3), ("bgt-without-language.fr", "style", 2),
    ]  # fmt: skip
    for name, manner, every in sources:
        for seed in plan.seeds(name):
            file = Path(transfer.path_of(plan, name, seed, manner))
            file.parent.mkdir(parents=True, exist_ok=True)
            write_lines(file, [triple.source if (n + seed) % every == 0 else triple.reference
                               for n, triple in enumerate(triples)])  # fmt: skip
    words = sorted({word for line in texts for word in line.split()})
    kind = Averaging(dimension=16)
    table, composition = initialise(kind, len(words), 1)
    encoder = as_encoder(Segmenter(Words(), words, {"en": None}), table, composition)
    encoder.save(plan.models(["sp.margin-fr"], [1])[0])
    return plan


def parse(kind, **values):
    return TABLES.parse({"kind": kind, "title": "T", **values})


def compared(*names, setting="fr"):
    return [{"label": NAMES.get(name, name), "encoder": name, "setting": setting} for name in names]


def test_styles_are_measured_between_copies_and_true_verses(plan, home, tmp_path, learned):
    models = compared("bgt-without-language", "bgt")
    table = parse("styles", models=models, measured_by="sp.margin-fr")
    triples = styles.read_triples(Path(plan.path("styles/triples.tsv")))
    assert table.encodes() == ["sp.margin-fr"]
    assert table.inputs(plan)["model"] == [plan.path("models/sp.margin-fr/seed1")]
    material = plan.material("styles", table, home)
    report = table.build(material)
    rows = report.frame.set_index("system")
    assert [*rows.index] == [
        "copy", "style", "reference", "bgt-without-language.fr", "other", "bgt.fr",
    ]  # fmt: skip
    assert rows["row"]["other"] == "BGT, style of a third version"
    share = rows["style_share_x100"]
    assert share["copy"] == 0 and share["reference"] == 100
    assert share["bgt.fr"] == pytest.approx(80) and share["bgt-without-language.fr"] == 50
    assert rows["gain_style_share_x100"]["copy"] == pytest.approx(80)
    assert rows["gain_style_p"]["copy"] < 0.01
    assert rows["meaning_cosine_x100"]["copy"] == pytest.approx(100)
    assert rows["meaning_cosine_x100"]["style"] < rows["meaning_cosine_x100"]["bgt.fr"]
    assert (rows["mismatch_cosine_x100"] < rows["meaning_cosine_x100"]["bgt.fr"]).all()
    assert rows["bleu_bleu"]["reference"] == pytest.approx(100)
    assert rows["seed_count"].to_dict()["bgt.fr"] == 2 and rows["seed_count"]["copy"] == 0
    assert np.isnan(rows["gain_bleu_bleu"]["bgt.fr"])
    for part in (
        "tells 93.8% [90.0, 97.0]. The source", "is in 50.0%, which is chance",
        "by sp.margin-fr, which is none", "is the first minus this",
        f"of 80 triples, of {len({t.place for t in triples})} held-out verses, has",
        "| Meaning of another source |",
        "## BGT minus each other row", "| Source, copied |  | 0.0 [0.0, 0.0]",
    ):  # fmt: skip
        assert part in report.markdown
    # of another source none is the best
    [first, *_] = [line.split("|") for line in report.markdown.splitlines() if "Source, c" in line]
    assert ["**" in cell for cell in first[3:7]] == [False, True, False, False]
    claims = {claim.claim: claim for claim in judge(material, report)}
    assert claims["wieting2020.styles.meaning"].verdict == "description"
    other = claims["wieting2020.styles.version.other"]
    assert other.statistic == pytest.approx(80 - 100 * 2 / 3, abs=1)
    assert other.verdict == "supported" and other.seeds == "2 and 2"
    # of a model with one seed the spread over seeds is not known
    assert [*report.frames["gains"]["single"]][-8:] == ["bgt-without-language.fr"] * 4 + [""] * 4
    save(table.plot("figures/styles", report.frame, material), [tmp_path / "figure.png"])
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_fewer_seeds_may_restyle(plan):
    table = parse("styles", models=compared("bgt"), measured_by="sp.margin-fr", seeds=1)
    assert table.inputs(plan)["restyled"] == [
        plan.path("restyled/bgt.fr/other/seed1.txt"), plan.path("restyled/bgt.fr/style/seed1.txt"),
    ]  # fmt: skip


def test_examples_are_drawn_by_a_seed(plan, home):
    printed = [{"source": "a * b", "style": "c", "output": "d"}]
    table = parse("style-examples", experiment="bgt.fr", printed=printed)
    report = table.build(plan.material("table4", table, home))
    frame = report.frame
    assert len(frame) == 20 and set(frame["told"]) <= {*AROUND}
    triples = styles.read_triples(Path(plan.path("styles/triples.tsv")))
    outputs = Path(plan.path("restyled/bgt.fr/style/seed1.txt")).read_text().splitlines()
    places = [triples.index(styles.Triple(*line[:7])) for line in frame.itertuples(index=False)]
    assert len({*places}) == 20
    assert [outputs[place] for place in places] == [*frame["output"]]
    other = parse("style-examples", experiment="bgt.fr", seed=2)
    assert not other.build(plan.material("table4", other, home)).frame.equals(frame)
    assert "20 of 80 triples, drawn by a seed: none is picked" in report.markdown
    first = frame.iloc[0]
    assert f"**{first['place']}, {first['source_version']} to" in report.markdown
    assert f"- Output: {first['output']} ({first['told']})" in report.markdown
    assert f"- True verse: {first['reference']}\n" in report.markdown
    assert "- Source: a \\* b\n- Style: c\n- Output: d\n" in report.markdown
    assert table.figures("table4") == []


def measured(gain, loss):
    """Return what was measured of 60 sentences, of nine tokens each."""
    random = np.random.default_rng(1)
    noise = random.standard_normal(60)
    return {
        "information": 1 + gain + 0.1 * noise, "divergence": 1.2 + gain + 0.1 * noise,
        "negative_log_likelihood": 18 + loss + noise, "tokens": np.full(60, 9),
    }  # fmt: skip


def test_autoencoders_are_compared(home, tmp_path, learned):
    names = ["vae-hidden", "vae-hidden-logit"]
    plan = Plan(tmp_path, dict.fromkeys(names, 2))
    for number, name in enumerate(names):
        folder = tmp_path / f"likelihood/{name}.vae-fr"
        folder.mkdir(parents=True)
        for seed in (1, 2):
            shift = 0.01 * seed
            write_items(folder / f"seed{seed}.npz", measured(number + shift, 0.5 * number + shift))
    models = compared(*names, setting="vae-fr")
    quoted = ["wieting2020.vae.hidden", "wieting2020.vae.hidden-logit"]
    table = parse("likelihood", models=models, quoted=quoted)
    material = plan.material("likelihood", table, home)
    report = table.build(material)
    rows = report.frame.set_index("system")
    first = rows.loc["vae-hidden.vae-fr"]
    assert first["information_nats"] == pytest.approx(measured(0.015, 0)["information"].mean())
    loss = measured(0, 0.015)["negative_log_likelihood"].mean()
    assert first["perplexity_ppl"] == pytest.approx(np.exp(loss / 9), abs=0.001)
    assert first["information_low_nats"] < first["information_nats"]
    for part in ("of 60 sentences", "*LSTM VAE, Hidden+Logit*", "| *2.46* |  | *54* |  |"):
        assert part in report.markdown
    claims = {claim.claim: claim for claim in judge(material, report)}
    information = claims["wieting2020.likelihood.information"]
    assert information.statistic == pytest.approx(1) and information.verdict == "supported"
    assert information.published == pytest.approx(1.57)
    cost = claims["wieting2020.likelihood.cost"]
    assert cost.statistic == pytest.approx(-0.5) and cost.published == pytest.approx(-0.7)
    assert cost.verdict == "supported" and cost.unit == "nats"
    save(table.plot("figures/likelihood", report.frame, material), [tmp_path / "figure.png"])
    assert (tmp_path / "figure.png").stat().st_size > 5000


def test_perplexity_is_of_all_tokens():
    items = {"negative_log_likelihood": np.array([2.0, 6.0]), "tokens": np.array([1, 3])}
    assert likelihood_figures.estimate(items, "perplexity") == pytest.approx(np.exp(2))
    assert likelihood_figures.estimate(items, "negative_log_likelihood") == 4
    drawn = likelihood_figures.draws([items, items], "perplexity", 50, 1)
    assert drawn.shape == (2, 50) and np.allclose(drawn, np.exp(2))
