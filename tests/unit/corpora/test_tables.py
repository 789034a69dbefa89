"""Which columns of text are its two sides: by position, by name, by choice."""

import gzip
import os
import threading
import time

import pytest

from tandem.corpora.files import corpora, read_bitext
from tandem.corpora.tables import Columns
from tandem.errors import InputError, TandemError, to_install
from tandem.own_bitext.inputs import Source, files_in

LANGUAGES = ("en", "de")
PAIRS = [("One.", "Eins."), ("Two.", "Zwei."), ("Three.", "Drei.")]


def read(folder, *texts, languages=LANGUAGES, **choice):
    paths = [folder / f"t{number}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return list(read_bitext(*paths, languages=languages, **choice))


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("side", [0, 1])
def test_a_tab_in_one_of_two_files_is_text(tmp_path, place, side):
    texts = [[text for text in side] for side in zip(*PAIRS, strict=True)]
    texts[side][place] = "with\ta tab"
    expected = list(zip(*texts, strict=True))
    assert read(tmp_path, *("".join(f"{t}\n" for t in text) for text in texts)) == expected


def test_tabs_in_every_line_of_one_file_are_text(tmp_path):
    assert read(tmp_path, "a\tb\nc\td\n", "e\nf\n") == [("a\tb", "e"), ("c\td", "f")]


def test_two_files_of_pairs_follow_each_other(tmp_path):
    assert read(tmp_path, "a\tb\nc\td\n", "e\tf\n") == [("a", "b"), ("c", "d"), ("e", "f")]


def test_numbers_of_lines_in_both_files_are_no_pairs(tmp_path):
    texts = "1\tOne.\n2\tTwo.\n", "1\tEins.\n2\tZwei.\n"
    assert read(tmp_path, *texts)[0] == ("1\tOne.", "1\tEins.")
    assert read(tmp_path, *texts, columns=["2"]) == PAIRS[:2]


@pytest.mark.parametrize(
    ("head", "choice"),
    [
        (("en", "de"), {}),
        (("English", "German"), {}),
        (("source", "target"), {}),
        (("Fold", "Gold"), {"header": True}),
    ],
)
def test_the_first_lines_of_two_files_may_be_names(tmp_path, head, choice):
    texts = ["".join(f"{text}\n" for text in side) for side in zip(head, *PAIRS, strict=True)]
    assert read(tmp_path, *texts, **choice) == PAIRS
    assert read(tmp_path, *texts, header=False) == [head, *PAIRS]


@pytest.mark.parametrize("columns", [(1, 2), ("1", "2"), ("source", "target")])
def test_columns_are_chosen(tmp_path, columns):
    text = "source\ttarget\tscore\nOne.\tEins.\t0.5\n"
    assert read(tmp_path, text, columns=columns) == PAIRS[:1]
    assert read(tmp_path, text, columns=columns[::-1]) == [PAIRS[0][::-1]]
    assert read(tmp_path, text) == PAIRS[:1]


@pytest.mark.parametrize(
    ("text", "choice", "message"),
    [
        ("One.\tEins.\t0.5\n", {}, r"line 1: 3 columns, not 2.*--columns 1,2"),
        ("x\tOne.\tEins.\n", {}, r"line 1: 3 columns, not 2.*--columns 2,3"),
        ("x\tOne.\tEins.\n", {"columns": (2, 4)},
         "no column 4; it has 3 columns. Choose from 1 to 3"),
        ("One.\tEins.\n", {"columns": ("a", "b")},
         "line 1: no column is called a; it has 2 columns: One., Eins.. Choose by these names, or "
         "where they are text and name nothing, by number, from 1 on: --columns 1,2"),
        ("a\ten\nEins.\tOne.\n", {"columns": ("en", "2")},
         "line 1: en and 2 are one column, and each side has its own. Give two"),
        ('{"en": "One.", "de": "Eins."}\n', {"columns": ("en", "1")}, "en and 1 are one column"),
        ("en\tde\tx\nOne.\tEins.\n", {}, "line 2: 2 columns, and the first line has 3"),
        ("\nOne.\tEins.\n", {}, "line 1: a blank line. Remove it"),
        ("# note\nOne.\tEins.\n", {}, "line 1: 1 column, not 2. Remove comments"),
        ("", {}, "the file is empty"),
        ("en\tde\n", {}, "only names of columns"),
        ("One.\tEins.\rTwo.\tZwei.", {}, "line 1: lines end in carriage returns alone"),
        (b"\xde\x12\x04\x95\0\0", {}, "msgunfmt"),
        ('[{"en": "One."}]', {}, "one JSON list.*jq"),
        ('{"en": "One.", "fr": "Un."}\n', {}, "nothing is named en and de.*There are: en, fr"),
        ('{"en": "One.", "de": 1}\n', {}, "line 1: de is no text but int"),
        ('{"en": "One.", "de": "Eins."}\n{', {}, "line 2: not JSON"),
        ('en,de\n"One, two.",Eins.\n"Two', {}, "line 3: no readable CSV"),
        ('en,de\nOne,Eins\n"Two" 2,Zwei\n', {}, "line 3: no readable CSV.*Close each quote"),
    ],
)
def test_what_cannot_be_told_is_refused(tmp_path, text, choice, message):
    with pytest.raises(InputError, match=f"(?s){message}"):
        read(tmp_path, text, **choice)


@pytest.mark.parametrize("columns", [(0, 1), (1, 2, 3), ("", ""), ("00", 1)])
def test_a_choice_without_sense_is_refused(columns):
    with pytest.raises(TandemError, match="not one or two columns"):
        Columns(tuple(map(str, columns)))


@pytest.mark.parametrize("columns", [("2", "2"), ("2", "02"), ("en", "en")])
def test_one_column_is_not_both_sides(columns):
    with pytest.raises(TandemError, match=f"columns {','.join(columns)}: one column for both"):
        Columns(columns)


def test_marks_inside_files_put_together_are_dropped(tmp_path):
    bom = "\ufeff"
    assert read(tmp_path, f"{bom}One.\n{bom}Two.\n", f"Eins.\n{bom}Zwei.\n") == PAIRS[:2]


def test_cells_in_quotes_may_hold_commas_quotes_and_newlines(tmp_path):
    text = '"One, two.","Eins, ""zwei""."\n\n"Three\nlines",Drei\n'
    assert read(tmp_path, text) == [("One, two.", 'Eins, "zwei".'), ("Three lines", "Drei")]


def test_text_with_commas_and_quotes_is_no_csv(tmp_path):
    texts = '"Yes", he said.\nOne, two.\n', '"Ja", sagte er.\nEins, zwei.\n'
    assert read(tmp_path, *texts) == [('"Yes", he said.', '"Ja", sagte er.'),
                                      ("One, two.", "Eins, zwei.")]  # fmt: skip


@pytest.mark.parametrize("nested", [False, True])
def test_parquet_is_read(tmp_path, nested):
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"de": b, "en": a} for a, b in PAIRS] + [{"de": None, "en": "x"}]
    rows = [{"translation": row} for row in rows] if nested else rows
    parquet.write_table(arrow.Table.from_pylist(rows), tmp_path / "t.parquet")
    assert list(read_bitext(tmp_path / "t.parquet", languages=LANGUAGES)) == [*PAIRS, ("x", "")]
    with pytest.raises(InputError, match="There are: de, en"):
        list(read_bitext(tmp_path / "t.parquet", languages=("en", "fr")))
    (tmp_path / "damaged").write_bytes((tmp_path / "t.parquet").read_bytes()[:-20])
    with pytest.raises(InputError, match="no readable Parquet"):
        list(read_bitext(tmp_path / "damaged", languages=LANGUAGES))


def test_parquet_without_its_library_names_the_extra():
    error = ModuleNotFoundError("No module named 'pyarrow'", name="pyarrow")
    assert "pip install '.[parquet]' in a clone of Tandem" in to_install(error)


def test_pipes_of_one_name_are_two_files(tmp_path):
    pipes = []
    for folder, text in (("p1", "One.\nTwo.\n"), ("p2", "Eins.\nZwei.\n")):
        (tmp_path / folder).mkdir()
        pipes.append(tmp_path / folder / "text")  # also the name of a part of the work
        os.mkfifo(pipes[-1])
        threading.Thread(target=pipes[-1].write_text, args=(text,), daemon=True).start()
    (tmp_path / "work").mkdir()
    sources = [Source(LANGUAGES, corpus) for corpus in corpora(pipes)]
    (source,) = files_in(sources, tmp_path / "work")
    assert list(source.pairs(LANGUAGES)) == PAIRS[:2]
    assert "text" not in os.listdir(tmp_path / "work")


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_is_read_as_a_file_however_slowly_it_comes(tmp_path, packed):
    content = b"Hello\tWelt\n" + b'"One" two\t"Eins" zwei\n' * 3000  # beyond a buffer
    written = gzip.compress(content) if packed else content
    (tmp_path / "file").write_bytes(written)
    os.mkfifo(tmp_path / "pipe")

    def write():
        with open(tmp_path / "pipe", "wb", buffering=0) as pipe:
            for start, end in ((0, 3), (3, 5), (5, 9000), (9000, len(written))):
                pipe.write(written[start:end])
                time.sleep(0.05)

    threading.Thread(target=write, daemon=True).start()
    pairs = list(read_bitext(tmp_path / "pipe", languages=LANGUAGES))
    assert pairs == list(read_bitext(tmp_path / "file", languages=LANGUAGES))
    assert pairs[:2] == [("Hello", "Welt"), ('"One" two', '"Eins" zwei')]


@pytest.mark.parametrize(
    ("text", "message"), [("<tmx version='1.4'>", "TMX cannot"), ("PK\x03\x04", "ARCHIVE cannot")]
)
def test_what_no_pipe_can_give_says_so(tmp_path, text, message):
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_text, args=(text,), daemon=True).start()
    with pytest.raises(InputError, match=f"{message} be read from a pipe"):
        list(read_bitext(tmp_path / "pipe", languages=LANGUAGES))
