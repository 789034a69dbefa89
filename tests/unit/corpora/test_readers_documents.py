"""Readers whose sections are documents: the UN Parallel Corpus, and chapters of verses."""

import sqlite3
import zipfile

import pytest
from reading import corpus, make_zip, refused

IDS = "en/1990/a.xml\tcs/1990/a.xml\t1\t1\nen/1990/a.xml\tcs/1990/a.xml\t2\t2 3\n1994/b.xml:1:1\n"


def archive(tmp_path, ids=IDS, english="One.\nTwo.\nThree.\n"):
    members = {"UN.cs-en.en": english, "UN.cs-en.cs": "Jedna.\nDvě.\nTři.\n", "UN.cs-en.ids": ids}
    return make_zip(tmp_path / "un.zip", members | {"README": "read me"})


def sections(path, reader, **options):
    found = corpus(reader, **options).sections(path, "en", ["cs"])
    return [(language, list(placed)) for language, placed in found]


def test_pairs_come_with_the_names_of_their_documents(tmp_path):
    assert sections(archive(tmp_path), "documents") == [
        ("cs", [
            ("en/1990/a.xml", "One.", "Jedna."), ("en/1990/a.xml", "Two.", "Dvě."),
            ("1994/b.xml", "Three.", "Tři."),
        ])
    ]  # fmt: skip
    pairs = list(corpus("documents").pairs(archive(tmp_path), "en", "cs"))
    assert pairs[2] == ("Three.", "Tři.")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ids": IDS.rsplit("\n", 2)[0] + "\n"}, ["en, line 3", "no counterpart in .*ids"]),
        ({"ids": IDS + "more\n"}, ["ids, line 4", "no counterpart in .*en"]),
        ({"ids": IDS.replace("1994/b.xml:1:1", " 7")}, ["ids, line 3", "no name of a document"]),
        ({"english": "One.\nTwo.\n"}, ["cs, line 3", "no counterpart"]),
    ],
)
def test_what_does_not_align_is_refused_with_its_line(tmp_path, changed, words):
    with refused(*words):
        sections(archive(tmp_path, **changed), "documents")


def test_an_archive_without_ids_is_refused(tmp_path):
    path = make_zip(tmp_path / "z", {"a.en": "One.\n", "a.cs": "Jedna.\n"})
    with refused("0 members end in .ids"):
        sections(path, "documents")


def verses(tmp_path, rows):
    database = tmp_path / "bible.db"
    connection = sqlite3.connect(database)
    connection.execute("CREATE TABLE bible (bbName, bNumber, cNumber, vNumber, vText)")
    connection.executemany("INSERT INTO bible VALUES (?, ?, ?, ?, ?)", rows)
    connection.commit()
    connection.close()
    with zipfile.ZipFile(tmp_path / "bible.zip", "w") as written:
        written.write(database, "bible.db")
    return tmp_path / "bible.zip"


def test_chapters_are_sections_as_books_are_with_the_same_verses(tmp_path):
    rows = [
        (letter, book, chapter, verse, f"{letter} {book} {chapter} {verse}")
        for letter in "ec" for book, chapter, verse in (
            (1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2), (2, 1, 1), (10, 1, 1),
        )
    ]  # fmt: skip
    rows[9] = ("c", 1, 2, 2, "(none)")
    path = verses(tmp_path, rows)
    options = {"member": "bible.db", "translations": {"en": "e", "cs": "c"}, "blank": r"\(none\)"}
    chapters, books = (
        sections(path, "verses", by=by, **options)[0][1] for by in ("chapter", "book")
    )
    assert [name for name, _, _ in chapters] == ["1.1", "1.1", "2.1", "10.1"]
    assert [pair[1:] for pair in chapters] == [pair[1:] for pair in books]
    assert [name for name, _, _ in books] == ["1", "1", "2", "10"]
    assert chapters[2] == ("2.1", "e 2 1 1", "c 2 1 1")
