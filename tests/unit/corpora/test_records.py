"""Texts inside JSON documents: verses in lists of chapters, narrations in two languages."""

import gzip
import json

import pytest
from kinds_of_files import tarred
from reading import corpus, make_zip, read, refused

from tandem.corpora.readers import READERS
from tandem.registry import ConfigurationError

VERSE = r"(\d+)\.verses\.(\d+)\.translation"
CHAPTERS = {
    "en": [["[All] praise", "The Guide"], ["A book", "No doubt", "It guides", "All of it"]],
    "tr": [["Hamd", "Kılavuz"], ["Kitap", "Birlikte", "Birlikte", "Hepsi"]],
}
ORIGINAL = [["حَمْد", "ٱلْهادِي"], ["كِتاب", "رَيْب", "هُدًى", ""]]


def chapters(key, texts):
    return [{"id": 7, "verses": [{"id": 1, key: text} for text in verses]} for verses in texts]


@pytest.fixture
def verses(tmp_path):
    documents = {f"d/q_{code}.json": chapters("translation", CHAPTERS[code]) for code in CHAPTERS}
    documents |= {"d/q.json": chapters("text", ORIGINAL), "d/q_other.json": "no document"}
    files = [(name, json.dumps(document).encode()) for name, document in documents.items()]
    (tmp_path / "q.tgz").write_bytes(tarred(files, "w:gz"))
    return tmp_path / "q.tgz"


def reader(**changes):
    texts = {"en": VERSE, "tr": VERSE, "ar": r"(\d+)\.verses\.(\d+)\.text"}
    edits = {"en": [[r"[\[\]]", ""]], "ar": [["[\u064b-\u065f]", ""], ["ٱ", "ا"]]}
    members = r"d/q(_(?P<language>[a-z]{2}))?\.json"
    return {"members": members, "texts": texts, "edits": edits, **changes}


def test_documents_of_each_language_are_joined_on_what_is_captured(verses):
    dataset = corpus("records", ["en", "tr", "ar"], **reader())
    pairs = {code: list(placed) for code, placed in dataset.sections(verses, "en", ["tr", "ar"])}
    # the verses that Turkish gives together are left out
    assert pairs["tr"] == [
        ("0", "All praise", "Hamd"), ("0", "The Guide", "Kılavuz"), ("1", "A book", "Kitap"),
        ("1", "All of it", "Hepsi"),
    ]  # fmt: skip
    assert pairs["ar"] == [
        ("0", "All praise", "حمد"), ("0", "The Guide", "الهادي"), ("1", "A book", "كتاب"),
        ("1", "No doubt", "ريب"), ("1", "It guides", "هدى"),
    ]  # fmt: skip


NARRATIONS = {
    "chapters": [{"id": 1, "arabic": "كتاب", "english": "Book"}],
    "hadiths": [
        {"arabic": 'حدثنا علي، عن عمر، قال "نعم"', "english": {"narrator": "Ali", "text": "Yes"}},
        {"arabic": "بهذا الإسناد نحوه", "english": {"text": "The same chain of narrators"}},
        {"arabic": "عن علي،", "english": {"text": "Nothing is left of the Arabic"}},
    ],
}


def narrations(tmp_path, document=NARRATIONS, **changes):
    content = document if isinstance(document, bytes) else json.dumps(document).encode()
    path = make_zip(tmp_path / "n.whl", {"n/data.json.gz": gzip.compress(content)})
    settings = {
        "members": r"n/data\.json\.gz",
        "texts": {"ar": r"hadiths\.(\d+)\.arabic", "en": r"hadiths\.(\d+)\.english\.text"},
        "edits": {"ar": [['^([^"،]*،)*\\s*(حدثنا|عن)\\s[^"،]*(،|(?="))', ""]]},
        "damage": {"en": "same chain"},
    } | changes
    return read(path, "records", "en", "ar", ("en", "ar"), **settings)


def test_one_document_of_both_languages_without_what_one_lacks(tmp_path):
    assert narrations(tmp_path) == [("Yes", 'قال "نعم"')]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        (b'{"hadiths":\n [', ["data.json.gz, line 2: not JSON"]),
        ({"hadiths": [{"arabic": 5}]}, ["data.json.gz: the value of 'hadiths.0.arabic' is no"]),
        ({"hadiths": [{"arabic": "a\0"}]}, ["data.json.gz", "NUL"]),
        ({"hadiths": []}, ["n.whl: it has no pairs of 'en' and 'ar'"]),
        (b" " * (17 << 20), ["data.json.gz: it has over 16,777,216 bytes"]),
    ],
)
def test_records_refused(tmp_path, document, words):
    with refused(*words):
        narrations(tmp_path, document)


def test_a_pattern_of_texts_needs_a_group():
    settings = {"kind": "records", "members": "x", "texts": {"en": "text", "cs": "(x)"}}
    with pytest.raises(ConfigurationError, match="that of en has no group, which says what"):
        READERS.parse(settings)
