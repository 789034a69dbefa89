"""Encoders for languages: what is shared with English, and the same scores from any batch."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.errors import TandemError
from tandem.files.io import write_json, write_lines
from tandem.filtering.filter import parse_filters
from tandem.objectives.kinds.margin import Margin
from tandem.registry import ConfigurationError
from tandem.segmentation.segmenter import Segmenter
from tandem.studies.study import Study
from tandem.tasks.task import TASKS
from tandem.training.recipe import Recipe
from tandem.training.run import Run
from wieting2019.methods import runs
from wieting2019.methods.english import learn_english
from wieting2019.methods.panel import build_panel, gather
from wieting2019.methods.settings import LanguageEncoders, Panel

WORDS = "cat dog lamp door river house window garden sees likes opens paints old green".split()
RECIPE = Recipe(epochs=2, batch=8, learning_rate=0.01)
RUNS = [
    Run(Averaging(dimension=8), Margin(megabatch=2, anneal=2), RECIPE, seed) for seed in (1, 2)
]
ENCODER = {"kind": "averaging", "dimension": 8}
FOREIGN = {"cs": ("a", "ka"), "de": ("a", "en"), "ru": ("\u0430", "")}


def sentence(rng: random.Random) -> str:
    return " ".join(rng.choice(WORDS) for _ in range(5))


def translate(text: str, code: str) -> str:
    first, ending = FOREIGN[code]
    shift = ord(first) - ord("a")
    words = ("".join(chr(ord(c) + shift) for c in word[::-1]) for word in text.split())
    return " ".join(word + ending for word in words)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A panel of three languages, its English segmentation, and three STS tasks."""
    folder, rng = tmp_path_factory.mktemp("study"), random.Random(1)
    english = sorted({sentence(rng) for _ in range(60)})
    texts = [(code, [(text, translate(text, code)) for text in english]) for code in FOREIGN]
    cleaning = parse_filters({"words": {"maximum": 10}, "ratio": {}})
    gather(texts, cleaning, None, 1, folder / "gathered")
    build_panel([folder / "gathered"], list(FOREIGN), None, 1, 40, 1, folder / "panel")
    learn_english(folder / "panel", 60, 1.0, folder / "english")
    entries = []
    for name in ("2012.a", "2013.b"):
        rows = [f"{n % 6}\t{sentence(rng)}\t{sentence(rng)}" for n in range(12)]
        write_lines(folder / f"sts/{name}.tsv", rows)
        year = int(name.split(".")[0])
        entries.append({"file": f"{name}.tsv", "year": year, "languages": ["en", "en"]})
    write_json(folder / "sts/index.json", {"tasks": entries, "missing": []})
    return {name: folder / name for name in ("panel", "english", "sts")}


def load(study: dict[str, Path]) -> runs.English:
    task = TASKS.parse({"kind": "sts", "years": [2012, 2013]})
    return runs.load_english(study["panel"], study["english"], study["sts"], task)


def test_a_mean_that_is_not_there_is_refused(study: dict[str, Path]) -> None:
    english = replace(load(study), unit="common")
    with pytest.raises(TandemError, match="STS has no mean 'common': there are 2012, 2013, mean"):
        english.start(Averaging(dimension=8), 1)


def run(study: dict[str, Path], *codes: str) -> list[dict]:
    return runs.train_languages(load(study), study["panel"], codes, RUNS, [False, True])


@pytest.fixture(scope="module")
def whole(study: dict[str, Path]) -> list[dict]:
    return run(study, "cs", "de", "ru")


def segmented(study: dict[str, Path], code: str) -> tuple[runs.English, runs.SegmentedLanguage]:
    english = load(study)
    return english, runs.load_language(study["panel"], code, english.segmenter.segmentation)


def test_english_has_the_same_ids_and_vectors_beside_every_language(study: dict[str, Path]) -> None:
    tables, texts = [], []
    for code in ("cs", "ru"):
        english, language = segmented(study, code)
        own = english.segmenter.vocabulary
        for marked in (False, True):
            pairs, vocabulary = runs.bitext(english, language, marked)
            assert vocabulary[: len(own)] == own
            table, _ = initialise(Averaging(dimension=8), len(vocabulary), seed=4)
            tables.append(table[: len(own)])
            texts.append(pairs.left.ids)
    assert all(torch.equal(table, tables[0]) for table in tables)
    assert all(np.array_equal(ids, texts[0]) for ids in texts)
    assert not torch.equal(tables[0], initialise(Averaging(dimension=8), len(tables[0]), seed=5)[0])


def test_only_without_marks_do_languages_share_parameters(study: dict[str, Path]) -> None:
    english, language = segmented(study, "cs")
    count = len(english.segmenter.vocabulary)
    plain, vocabulary = runs.bitext(english, language, marked=False)
    assert (plain.right.ids < count).any()
    shared = {vocabulary[i] for i in plain.right.ids if i < count}
    assert shared <= set(english.segmenter.vocabulary) & set(language.pieces)
    marked, vocabulary = runs.bitext(english, language, marked=True)
    assert (marked.right.ids >= count).all()
    assert all(piece.startswith("<cs>") for piece in vocabulary[count:])
    assert np.array_equal(marked.right.offsets, plain.right.offsets)


def test_untrained_encoders_score_the_same_for_every_language(
    study: dict[str, Path], whole: list[dict]
) -> None:
    starts = {(r["seed"], r["random"]) for entry in whole for r in entry["runs"]}
    assert sorted(seed for seed, _ in starts) == [1, 2]
    # the encoder of all pieces, scored by its own segmenter
    english, language = segmented(study, "cs")
    _, vocabulary = runs.bitext(english, language, marked=False)
    segmenter = Segmenter(english.segmenter.segmentation, vocabulary, english.segmenter.models)
    start = as_encoder(segmenter, *initialise(Averaging(dimension=8), len(vocabulary), 2))
    items = english.task.score(start, english.data)
    assert (2, round(english.task.estimate(items, "mean"), 4)) in starts


def test_every_language_marker_and_seed_is_scored(whole: list[dict]) -> None:
    assert sorted(entry["language"] for entry in whole) == ["cs", "de", "ru"]
    for entry in whole:
        assert [(r["marked"], r["seed"]) for r in entry["runs"]] == [
            (False, 1), (False, 2), (True, 1), (True, 2),
        ]  # fmt: skip
        for r in entry["runs"]:
            assert r["score"] == pytest.approx(np.mean(list(r["score_years"].values())), abs=1e-3)
            assert len(r["loss"]) == RECIPE.epochs
            assert r["score"] != r["random"]
    overlaps = {entry["language"]: entry["overlap"]["types"] for entry in whole}
    assert overlaps["ru"] < overlaps["cs"]


def test_batches_change_no_score(study: dict[str, Path], whole: list[dict]) -> None:
    assert run(study, "ru") + run(study, "cs", "de") == [whole[2], *whole[:2]]
    assert run(study) == []


def test_a_panel_has_only_languages_that_sources_and_register_have() -> None:
    panel = Panel(sources=["a", "b"], pieces=60, languages=None)
    held = {"a": ("en", "cs"), "b": ("de", "xx"), "c": ("fr",)}
    assert panel.codes(["cs", "de", "fr"], held) == ["cs", "de"]
    chosen = panel.model_copy(update={"languages": ["de"]})
    assert chosen.codes(["cs", "de", "fr"], held) == ["de"]
    with pytest.raises(ConfigurationError, match="languages fr, xx: not in .*none of a, b"):
        panel.model_copy(update={"languages": ["fr", "xx"]}).codes(["cs", "de", "fr"], held)
    with pytest.raises(ConfigurationError, match="no register lists b"):
        panel.codes(["cs"], {"a": ("cs",)})


def test_a_panel_trains_what_the_study_names() -> None:
    study = Study(
        title="A",
        encoders={"sp": {"label": "SP", "segmentation": "p", "architecture": ENCODER}},
        objectives={"margin": {"kind": "margin", "margin": 0.3}},
        recipes={"sp": {"epochs": 4, "batch": 16}},
    )
    run = LanguageEncoders().run(study)
    assert run["encoder"]["dimension"] == 8
    assert (run["objective"]["margin"], run["recipe"]["epochs"]) == (0.3, 4)
    wrong = "the recipe of a training: no recipes entry 'spp' .*'sp'"
    with pytest.raises(ConfigurationError, match=wrong):
        LanguageEncoders(recipe="spp").run(study)
