"""The keys of records that are chosen: resolved once, and before what is under `translation`."""

import json

import pytest

from tandem.corpora.files import read_bitext
from tandem.errors import InputError

NESTED = {"translation": {"en": "Under", "de": "Unten"}, "a": "Above", "b": "Oben", "n": 1}


def read(folder, *records, **choice):
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return list(read_bitext(path, languages=("en", "de"), **choice))


@pytest.mark.parametrize("columns", [(1, 2), ("en", "de")])
def test_the_first_record_says_which_keys_numbers_are(tmp_path, columns):
    records = {"en": "One.", "de": "Eins."}, {"de": "Zwei.", "en": "Two."}
    assert read(tmp_path, *records, columns=columns) == [("One.", "Eins."), ("Two.", "Zwei.")]
    with pytest.raises(InputError, match="line 2: it has no key de. Give every line"):
        read(tmp_path, records[0], {"fr": "Deux.", "en": "Two."}, columns=columns)


def test_keys_that_follow_from_languages_may_change(tmp_path):
    records = {"en": "One.", "de": "Eins."}, {"de-AT": "Zwei.", "en": "Two."}
    assert read(tmp_path, *records) == [("One.", "Eins."), ("Two.", "Zwei.")]


CHOICES = [
    ((), ("Under", "Unten")),
    (("a", "b"), ("Above", "Oben")),
    (("de", "en"), ("Unten", "Under")),
    ((2, 1), ("Unten", "Under")),
]


@pytest.mark.parametrize(("columns", "pair"), CHOICES)
def test_keys_beside_a_translation_can_be_chosen(tmp_path, columns, pair):
    assert read(tmp_path, NESTED, columns=columns) == [pair]


@pytest.mark.parametrize(("columns", "pair"), CHOICES)
def test_columns_of_parquet_beside_a_translation_can_be_chosen(tmp_path, columns, pair):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist([NESTED]), tmp_path / "t")
    assert list(read_bitext(tmp_path / "t", languages=("en", "de"), columns=columns)) == [pair]
    with pytest.raises(InputError, match="one column is chosen, en"):
        list(read_bitext(tmp_path / "t", languages=("en", "de"), columns=["en"]))
