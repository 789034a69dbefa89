"""Panels: gathered, cut to one size, on shared English sentences."""

from collections import Counter
from pathlib import Path

import pytest

from tandem.errors import InputError
from tandem.files.io import read_json, read_lines
from tandem.filtering.filter import parse_filters
from wieting2019.methods.panel import (
    build_panel,
    gather,
    panel_languages,
    read_english,
    read_language,
)

CLEANING = parse_filters({"words": {"maximum": 5}, "ratio": {}, "identical": {}, "markup": {}})


def pairs(code: str, *numbers: int) -> list[tuple[str, str]]:
    return [(f"sentence {n}", f"{code} {n}") for n in numbers]


def test_gathers_clean_pairs_with_each_english_sentence_once(tmp_path: Path) -> None:
    texts = [
        *pairs("cs", 1, 2), ("sentence 1", "cs again"), ("same", "Same"), ("a b c d e f", "x" * 9),
    ]  # fmt: skip
    counts = gather([("cs", texts), ("de", pairs("de", 3))], CLEANING, None, 1, tmp_path / "g")
    lines = list(read_lines(tmp_path / "g/cs.tsv"))
    assert lines == ["sentence 1\tcs 1", "sentence 2\tcs 2"]
    assert counts["cs"]["read"] == 5
    assert Counter(counts["cs"]["removed"]) == Counter(identical=1, words=1, duplicate=1)
    assert read_json(tmp_path / "g/cleaning.json")["de"]["kept"] == 1


def test_a_limit_keeps_the_same_sentences_in_every_language(tmp_path: Path) -> None:
    every, half = pairs("cs", *range(200)), pairs("de", *range(199, -1, -2))
    gather([("cs", every), ("de", half)], CLEANING, 30, 1, tmp_path / "g")
    english = {
        code: [line.split("\t")[0] for line in read_lines(tmp_path / f"g/{code}.tsv")]
        for code in ("cs", "de")
    }
    assert len(english["cs"]) == len(english["de"]) == 30
    odd = {sentence for sentence in english["cs"] if int(sentence.split()[1]) % 2}
    assert odd
    assert odd <= set(english["de"])
    gather([("cs", every)], CLEANING, 30, 2, tmp_path / "h")
    assert list(read_lines(tmp_path / "h/cs.tsv")) != list(read_lines(tmp_path / "g/cs.tsv"))


def built(tmp_path: Path, **choice: object) -> Path:
    first = [("cs", pairs("cs", 1, 2, 3)), ("de", pairs("de", 2, 3)), ("mt", pairs("mt", 2))]
    second = [("de", [("sentence 3", "de other"), *pairs("de", 7)])]
    gather(first, CLEANING, None, 1, tmp_path / "a")
    gather(second, CLEANING, None, 1, tmp_path / "b")
    settings = {"number": 2, "least": 1, "pairs": None, "seed": 1} | choice
    gathered = [tmp_path / "a", tmp_path / "b"]
    build_panel(gathered, ["cs", "de", "mt"], **settings, folder=tmp_path / "panel")
    return tmp_path / "panel"


def test_a_panel_holds_the_same_amount_of_text_for_each_language(tmp_path: Path) -> None:
    panel = built(tmp_path)
    assert panel_languages(panel) == ["cs", "de"]
    english = read_english(panel)
    assert set(english[:2]) == {"sentence 2", "sentence 3"}  # those of both languages first
    for code in ("cs", "de"):
        rows, translations = read_language(panel, code)
        sentences = [english[row] for row in rows]
        assert len(sentences) == 3
        assert translations == [s.replace("sentence", code) for s in sentences]
    described = read_json(panel / "panel.json")
    assert described["english_sentences"] == 4
    assert described["english_sentences_in_all_languages"] == 2
    assert described["share_in_another_language"] == pytest.approx(2 / 3, abs=1e-4)
    assert described["available"] == {"cs": 3, "de": 3, "mt": 1}


def test_a_panel_cut_to_what_all_share_is_fully_paired(tmp_path: Path) -> None:
    panel = built(tmp_path, number=None, pairs=2)
    assert read_json(panel / "panel.json")["share_in_another_language"] == 1.0
    assert read_language(panel, "cs")[0].tolist() == read_language(panel, "de")[0].tolist()


def test_a_damaged_panel_is_named(tmp_path: Path) -> None:
    panel = built(tmp_path)
    (panel / "cs.tsv").write_text("0\tjedna\nx\tdva\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2.*not a number"):
        read_language(panel, "cs")
