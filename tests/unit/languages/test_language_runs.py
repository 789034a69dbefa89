"""Encoders for languages: what is shared with English, and the same scores from any batch."""

import random
from pathlib import Path

import numpy as np
import pytest
import torch

from tandem.corpora.clean import Cleaning
from tandem.encoders.composition import EncoderConfig
from tandem.io import atomic_folder, write_json, write_lines
from tandem.languages import runs
from tandem.languages.batch import Study, load_english, run_batch
from tandem.languages.panel import build_panel, gather, read_english, read_language
from tandem.segmentation.segmenter import learn
from tandem.training.loop import initialise

WORDS = "cat dog lamp door river house window garden sees likes opens paints old green".split()
TRAINING = {
    "epochs": 2, "batch": 8, "megabatch": 2, "anneal": 2, "margin": 0.4, "dropout": 0.3,
    "scramble": 0.0, "learning_rate": 0.01, "threads": 1,
}  # fmt: skip
STUDY = Study(60, 1.0, 8, TRAINING, (1, 2), True, (2012, 2013), "2017.track5.en-en")
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
    gather(texts, Cleaning(1, 10, 3.0, 0.5), None, 1, folder / "gathered")
    build_panel([folder / "gathered"], list(FOREIGN), None, 1, 40, 1, folder / "panel")
    with atomic_folder(folder / "english") as result:
        text = read_english(folder / "panel")
        learn(runs.scheme(60, 1.0), {"en": lambda: text}, result)
    entries = []
    for name in ("2012.a", "2013.b", STUDY.selection):
        rows = [f"{n % 6}\t{sentence(rng)}\t{sentence(rng)}" for n in range(12)]
        write_lines(folder / f"sts/{name}.tsv", rows)
        year = int(name.split(".")[0])
        entries.append({"file": f"{name}.tsv", "year": year, "languages": ["en", "en"]})
    write_json(folder / "sts/index.json", {"tasks": entries, "missing": []})
    return {name: folder / name for name in ("panel", "english", "sts")}


def run(study: dict[str, Path], batch: slice, workers: int, scratch: Path) -> list[dict]:
    folders = (study[name] for name in ("panel", "english", "sts"))
    return run_batch(STUDY, *folders, batch, workers, scratch, "code")


@pytest.fixture(scope="module")
def whole(study: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    return run(study, slice(0, 5), 1, tmp_path_factory.mktemp("whole") / "scratch")


def segmented(study: dict[str, Path], code: str) -> tuple[runs.English, runs.SegmentedLanguage]:
    english = load_english(STUDY, study["panel"], study["english"], study["sts"])
    text = read_language(study["panel"], code)
    how = runs.scheme(60, 1.0)
    return english, runs.segment_language(code, text.rows, text.translations, how)


def test_english_has_the_same_ids_and_vectors_beside_every_language(study: dict[str, Path]) -> None:
    tables, texts = [], []
    for code in ("cs", "ru"):
        english, language = segmented(study, code)
        for marked in (False, True):
            pairs, vocabulary = runs.bitext(english, language, marked)
            assert vocabulary[: len(english.pieces)] == list(english.pieces)
            table, _ = initialise(EncoderConfig("averaging", 8), len(vocabulary), seed=4)
            tables.append(table[: len(english.pieces)])
            texts.append(pairs.left.ids)
    assert all(torch.equal(table, tables[0]) for table in tables)
    assert all(np.array_equal(ids, texts[0]) for ids in texts)
    assert not torch.equal(
        tables[0], initialise(EncoderConfig("averaging", 8), len(tables[0]), seed=5)[0]
    )


def test_only_without_marks_do_languages_share_parameters(study: dict[str, Path]) -> None:
    english, language = segmented(study, "cs")
    count = len(english.pieces)
    plain, vocabulary = runs.bitext(english, language, marked=False)
    assert (plain.right.ids < count).any()
    shared = {vocabulary[i] for i in plain.right.ids if i < count}
    assert shared <= set(english.pieces) & set(language.pieces)
    marked, vocabulary = runs.bitext(english, language, marked=True)
    assert (marked.right.ids >= count).all()
    assert all(piece.startswith("<cs>") for piece in vocabulary[count:])
    assert np.array_equal(marked.right.offsets, plain.right.offsets)


def test_untrained_encoders_score_the_same_for_every_language(whole: list[dict]) -> None:
    starts = {(r["seed"], r["random"]) for entry in whole for r in entry["runs"]}
    assert sorted(seed for seed, _ in starts) == [1, 2]


def test_every_language_marker_and_seed_is_scored(whole: list[dict]) -> None:
    assert sorted(entry["language"] for entry in whole) == ["cs", "de", "ru"]
    for entry in whole:
        assert [(r["marked"], r["seed"]) for r in entry["runs"]] == [
            (False, 1), (False, 2), (True, 1), (True, 2),
        ]  # fmt: skip
        for r in entry["runs"]:
            assert r["score"] == pytest.approx(np.mean(list(r["score_years"].values())), abs=1e-3)
            assert len(r["selection"]) == 3
            assert r["selection"][r["epoch"]] == max(r["selection"][1:])
            assert r["score"] != r["random"]
    overlaps = {entry["language"]: entry["overlap"]["types"] for entry in whole}
    assert overlaps["ru"] < overlaps["cs"]


def test_batches_and_processes_change_no_score(
    study: dict[str, Path], whole: list[dict], tmp_path: Path
) -> None:
    parts = run(study, slice(0, 1), 1, tmp_path / "a") + run(study, slice(1, 3), 2, tmp_path / "b")
    assert parts == whole
    assert run(study, slice(3, 6), 1, tmp_path / "c") == []


def test_a_stopped_batch_goes_on_and_foreign_scores_are_left_alone(
    study: dict[str, Path], whole: list[dict], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train, done = runs.train, []

    def stop_after_two(*arguments: object) -> dict:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(arguments[2])
        return train(*arguments)

    monkeypatch.setattr(runs, "train", stop_after_two)
    with pytest.raises(KeyboardInterrupt):
        run(study, slice(0, 1), 1, tmp_path / "scratch")
    monkeypatch.setattr(runs, "train", lambda *a: done.append(a[2]) or train(*a))
    assert run(study, slice(0, 1), 1, tmp_path / "scratch") == whole[:1]
    assert len(done) == len(set(done)) == 4
    assert not (tmp_path / "scratch").exists()
