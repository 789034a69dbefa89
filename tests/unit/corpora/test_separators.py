"""CSV of the wild: which separator, which rows are odd, how many columns are chosen."""

import json

import pytest
from pydantic import ValidationError

from tandem.corpora.files import read_bitext
from tandem.corpora.readers.csv import CsvReader
from tandem.errors import InputError

PAIRS = [("One.", "Eins."), ("Two.", "Zwei.")]
CSV = "x,One.,Eins.\ny,Two.,Zwei.\n"


def read(folder, *texts, name="t.csv", languages=("en", "de"), **choice):
    paths = [folder / f"{number}{name}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return list(read_bitext(*paths, languages=languages, **choice))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("t.tsv", [CSV.replace(",", "\t")]),
        ("t.csv", [CSV, CSV]),
        ("t.jsonl", [json.dumps({"x": "", "en": "One.", "de": "Eins."})]),
    ],
)
def test_one_column_of_a_file_of_both_sides_is_refused(tmp_path, name, texts):
    with pytest.raises(InputError, match="line 1: .*one column is chosen, 2. Give two, such as"):
        read(tmp_path, *texts, name=name, columns=(2,))
    columns = ("en", "de") if name == "t.jsonl" else (2, 3)
    assert read(tmp_path, *texts, name=name, columns=columns)[0] == PAIRS[0]


@pytest.mark.parametrize("blank", ["", "\n\n"])
def test_blank_rows_do_not_hide_what_separates_cells(tmp_path, blank):
    text = f"One, two.;Eins.\n{blank}\nThree.;Drei, vier.\n"
    assert read(tmp_path, text) == [("One, two.", "Eins."), ("Three.", "Drei, vier.")]


@pytest.mark.parametrize("blank", [" ", "\t", '""'])
def test_a_row_of_white_space_is_named(tmp_path, blank):
    with pytest.raises(InputError, match="line 2: a blank line. Remove it"):
        read(tmp_path, f"One, two.;Eins.\n{blank}\nThree.;Drei, vier.\n")


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Hi, you;Hallo du\n", [("Hi, you", "Hallo du")]),
        ("Hi; you,Hallo; du\n", [("Hi; you", "Hallo; du")]),
        ("1,5;2,5\n0,1;0,2\n", [("1,5", "2,5"), ("0,1", "0,2")]),
        ('"Hi, you";"Hallo, du"\n', [("Hi, you", "Hallo, du")]),
        ('"Hi; you","Hallo; du"\n', [("Hi; you", "Hallo; du")]),
        ("Hi, you\n", [("Hi", "you")]),
    ],
)
def test_of_two_separators_it_is_the_one_without_spaces(tmp_path, text, pairs):
    assert read(tmp_path, text) == pairs


def test_sentences_with_a_comma_in_two_files_are_lines(tmp_path):
    texts = "Hi, you\nYes, sir\n", "Hallo, du\nJa, Herr\n"
    assert read(tmp_path, *texts) == [("Hi, you", "Hallo, du"), ("Yes, sir", "Ja, Herr")]


def test_two_tables_follow_each_other(tmp_path):
    rows = [f"{a},{b}\n" for a, b in PAIRS]
    assert read(tmp_path, *rows) == PAIRS
    assert read(tmp_path, *(f"en,de\n{row}" for row in rows), name="t") == PAIRS
    quoted = [f'"{a}","{b}"\n' for a, b in PAIRS]
    assert read(tmp_path, *quoted, name="t") == PAIRS


@pytest.mark.parametrize(
    ("name", "row", "odd"),
    [
        ("t.csv", "One.,Eins.\n", "Two, or so.,Zwei.\n"),
        ("t.csv", "One.;Eins, ja.\n", "Two; or so.;Zwei.\n"),
        ("t.csv.gz", "One.,Eins.\n", "Two.\n"),
        ("t", "en,de\nOne.,Eins.\n", "Two, or so.,Zwei.\n"),
        ("t", "source;target\nOne.;Eins.\n", "Two.\n"),
    ],
)
def test_an_odd_row_is_named(tmp_path, name, row, odd):
    line = 1 + row.count("\n")
    with pytest.raises(InputError, match=f"line {line}: [13] columns?, "):
        read(tmp_path, row + odd + row.splitlines()[-1], name=name)


@pytest.mark.parametrize("first", ["Oh,no\n", "Hi, you\n", "en\n"])
def test_lines_of_other_commas_are_no_table(tmp_path, first):
    texts = f"{first}One.\n", "Hallo\nEins.\n"
    pairs = [(first.strip(), "Hallo"), ("One.", "Eins.")]
    assert read(tmp_path, *texts, name="t") == pairs
    assert read(tmp_path, *texts) == pairs


@pytest.mark.parametrize("delimiter", ["", ";;", "\t\t"])
def test_a_separator_is_one_character(delimiter):
    with pytest.raises(ValidationError, match="delimiter"):
        CsvReader(delimiter=delimiter)
    assert CsvReader().delimiter == ","
