"""Collections: sections held out whole, none of their text trained on, keys of meaning."""

import json
from functools import partial

import pytest

from tandem.corpora.collection import (
    Part,
    build_collection,
    held_out_sections,
    languages_of,
    read_parts,
)
from tandem.corpora.register import Dataset
from tandem.corpora.settings import Collection
from tandem.errors import TandemError
from tandem.filtering.filter import parse_filters
from tandem.text.spelling import bare_key

BOOKS = 20
VERSES = 10


def bible(ending):
    """Ten verses in each of twenty books, no two alike."""
    return [
        (str(book), f"The verse {verse} of book {book}.", f"Vers {verse} {book}{ending}!")
        for book in range(BOOKS)
        for verse in range(VERSES)
    ]


def settings(**values):
    return Collection(sources=("bible",), valid=0.1, test=0.1, cleaning={}, **values)


def rows(folder, split, part):
    lines = part.path(folder, split).read_text(encoding="utf-8").split("\n")[:-1]
    return [line.split("\t") for line in lines]


def build(tmp_path, sources=None, unseen=(), described=None, jobs=1, **values):
    sources = sources or {"bible": [("de", bible("de")), ("fr", bible("fr"))]}
    opened = {name: partial(list, languages) for name, languages in sources.items()}
    described = described or settings(**values)
    return tmp_path / "c", build_collection(opened, described, tmp_path / "c", unseen, jobs)


def test_books_are_held_out_whole_and_in_every_language(tmp_path):
    folder, made = build(tmp_path)
    parts = read_parts(folder)
    assert list(parts) == [Part("bible", "en", "de"), Part("bible", "en", "fr")]
    assert made["held_out"]["bible"].keys() == {"test", "valid"}
    for split in ("valid", "test"):
        english = [[row[1] for row in rows(folder, split, part)] for part in parts]
        assert english[0] == english[1]
        assert len(english[0]) == 2 * VERSES
        books = {text.split()[-1].strip(".") for text in english[0]}
        assert books == set(made["held_out"]["bible"][split])
    assert all(sizes == {"train": 160, "valid": 20, "test": 20} for sizes in parts.values())


def test_no_held_out_text_is_trained_on_in_whatever_case_and_punctuation(tmp_path):
    held = build(tmp_path / "first")[1]["held_out"]["bible"]
    first, *_ = held["test"]
    kept = next(str(n) for n in range(BOOKS) if str(n) not in (*held["test"], *held["valid"]))
    repeated = [
        (kept, f"THE VERSE, 3 of book {first}", "anders"),
        (kept, "Other words", f"vers 3 {first}DE"),
        (kept, "Words of a task", "Wort"),
    ]
    sources = {"bible": [("de", bible("de") + repeated)]}
    folder, made = build(tmp_path / "second", sources, ["words of a TASK!"])
    assert made["cleaning"]["removed"]["held out"] == 3
    held = {
        bare_key(text)
        for split in ("valid", "test")
        for row in rows(folder, split, Part("bible", "en", "de"))
        for text in row[1:]
    }
    trained = rows(folder, "train", Part("bible", "en", "de"))
    assert not held & {bare_key(text) for row in trained for text in row[1:]}


def test_translations_of_one_text_have_one_key(tmp_path):
    folder, _ = build(tmp_path)
    german, french = (rows(folder, "train", Part("bible", "en", code)) for code in ("de", "fr"))
    assert [row[0] for row in german] == [row[0] for row in french]
    assert len({row[0] for row in german}) == len(german)


def test_versions_of_english_are_paired_with_each_other(tmp_path):
    kings = [(book, english, f"{english} quoth he") for book, english, _ in bible("")]
    basic = [(book, english, f"{english} he said") for book, english, _ in bible("")]
    sources = {"bible": [("de", bible("de"))], "english": [("en-kjv", kings), ("en-basic", basic)]}
    folder, made = build(tmp_path, sources)
    between = Part("english", "en-basic", "en-kjv")
    parts = read_parts(folder)
    assert between in parts and between.monolingual
    assert not Part("bible", "en", "de").monolingual
    # the same books are held out, and the same verses have the same keys
    assert made["held_out"]["english"] == made["held_out"]["bible"]
    keys = {row[0] for row in rows(folder, "train", Part("bible", "en", "de"))}
    assert {row[0] for row in rows(folder, "train", between)} == keys
    assert all(row[1].endswith("he said") and row[2].endswith("quoth he")
               for row in rows(folder, "train", between))  # fmt: skip


def test_a_pair_that_two_corpora_hold_is_taken_once(tmp_path):
    sources = {"bible": [("de", bible("de"))], "again": [("de", bible("de"))]}
    folder, made = build(tmp_path, sources)
    assert made["cleaning"]["removed"]["duplicate"] == BOOKS * VERSES
    assert read_parts(folder)[Part("again", "en", "de")]["train"] == 0


def test_shares_are_of_all_languages_of_a_corpus(tmp_path):
    # the first language has three books only, and those at the end
    few = [row for row in bible("af") if int(row[0]) >= BOOKS - 3]
    folder, _ = build(tmp_path, {"bible": [("af", few), ("de", bible("de")), ("fr", bible("fr"))]})
    sizes = read_parts(folder)
    for split in ("valid", "test"):
        assert sizes[Part("bible", "en", "de")][split] in (2 * VERSES, 3 * VERSES)


def test_a_large_section_is_not_held_out():
    sizes = {"psalms": 500, **{f"book {number}": 10 for number in range(50)}}
    chosen = held_out_sections(sizes, 100, "1")
    assert "psalms" not in chosen
    assert sum(sizes[name] for name in chosen) == 100
    assert chosen != held_out_sections(sizes, 100, "2")


def test_nothing_left_is_an_error(tmp_path):
    with pytest.raises(TandemError, match="No pair is left to train on"):
        build(tmp_path, {"bible": [("de", [("1", "", "leer")])]})
    assert not (tmp_path / "c").exists()


def test_the_same_text_gives_the_same_bytes_however_many_processes_read_it(tmp_path):
    sources = {
        "bible": [("de", bible("de")), ("en-old", bible("th"))],
        "again": [("de", bible("de")[5:]), ("fr", bible("fr"))],
    }
    one, two = (build(tmp_path / str(jobs), sources, jobs=jobs)[0] for jobs in (1, 2))
    files = sorted(path.relative_to(one) for path in one.rglob("*.*"))
    assert files
    assert all((one / file).read_bytes() == (two / file).read_bytes() for file in files)
    json.loads((one / "collection.json").read_text())


def test_each_language_of_a_corpus_is_taken_once():
    dataset = Dataset(
        name="d", kind="local", path="x", languages=["en", "zh", "zh-Hans", "de"],
        codes={"zh": "zh-Hans"},
    )  # fmt: skip
    assert languages_of(dataset, settings()) == ["zh", "de"]
    assert languages_of(dataset, settings(languages=("de", "xx"))) == ["de"]


def test_a_corpus_may_be_whole_in_a_split(tmp_path):
    words = [("", "book 3", "Buch 3"), ("", "words", "Wörter")]
    sayings = [(str(n), f"Saying {n}", f"Spruch {n}") for n in range(5)]
    repeated = [("", "Saying 1.", "Spruch eins")]
    sources = {
        "bible": [("de", bible("de"))],
        "sayings": [("de", sayings)],
        "words": [("de", words + repeated)],
    }
    whole = {"train": ("words",), "test": ("sayings",)}
    folder, made = build(tmp_path, sources, whole=whole)
    sizes = {part.source: size for part, size in read_parts(folder).items()}
    assert sizes["words"] == {"train": 2, "valid": 0, "test": 0}
    assert sizes["sayings"] == {"train": 0, "valid": 0, "test": 5}
    assert made["whole"] == {"sayings": "test", "words": "train"}
    assert set(made["held_out"]) == {"bible"}
    assert made["cleaning"]["removed"]["held out"] == 1


def test_the_usual_ratio_of_lengths_is_that_of_each_language(tmp_path):
    verses = [(s, left, right[:4]) for s, left, right in bible("de")]
    odd = [("0", "A verse", "Viel zu lange deutsche Sätze zu einem Vers")]
    sources = {"bible": [("zh", verses + odd), ("de", bible("de"))]}
    cleaning = parse_filters({"ratio": {"maximum": 3, "usual": None}})
    described = Collection(sources=("bible",), valid=0.1, test=0.1, cleaning=cleaning)
    _, made = build(tmp_path / "described", sources, described=described)
    assert made["cleaning"]["removed"]["ratio"] == 1
    fixed = described.model_copy(update={"cleaning": parse_filters({"ratio": {"maximum": 3}})})
    _, made = build(tmp_path / "fixed", sources, described=fixed)
    assert made["cleaning"]["removed"]["ratio"] > 100
