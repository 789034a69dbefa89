"""Every format: what is read, and what is refused."""

import gzip

import pytest
from reading import make_zip, read, refused

from tandem.errors import TandemError

# ---- line-aligned files


def write_lines(tmp_path, source, target):
    (tmp_path / "my.en").write_bytes(source)
    (tmp_path / "my.cs").write_bytes(target)
    return tmp_path / "my.{language}"


def test_lines_plain_and_gzipped(tmp_path):
    path = write_lines(tmp_path, b"one\ntwo\n", gzip.compress("jedna\ndvě".encode()))
    assert read(path, "lines") == [("one", "jedna"), ("two", "dvě")]
    assert read(path, "lines", "cs", "en") == [("jedna", "one"), ("dvě", "two")]


def test_lines_with_bom_crlf_and_line_separators(tmp_path):
    path = write_lines(tmp_path, b"\xef\xbb\xbfone\r\ntwo\r\n", "a\u2028b\nc\n".encode())
    assert read(path, "lines") == [("one", "a b"), ("two", "c")]


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        (b"a\nb\nc\n", b"a\nb\n", [r"my\.en, line 3", r"my\.cs, which ends after 2 lines"]),
        (b"a\n", b"a\nb\nc\n", [r"my\.cs, line 2", r"my\.en, which ends after 1 lines"]),
        (b"", b"", [r"my\.en", "empty", "Give a file with text"]),
        (b"a\n\xff\n", b"a\nb\n", [r"my\.en, line 2", "UTF-8", "iconv"]),
        (b"a\n", b"\0\n", [r"my\.cs, line 1", "NUL", "Remove it"]),
        (b"x" * 10_000_000, b"a\n", [r"my\.en, line 1", "1,000,000 bytes", "Split"]),
    ],
)
def test_lines_refused(tmp_path, source, target, words):
    path = write_lines(tmp_path, source, target)
    with refused(*words):
        read(path, "lines")


def test_an_absent_language_and_a_pair_of_one_language_are_refused(tmp_path):
    with pytest.raises(TandemError, match="no language 'de'.*en, cs"):
        read(tmp_path, "lines", target="de")
    with pytest.raises(TandemError, match="two languages, not en twice"):
        read(tmp_path, "lines", target="en")
    with pytest.raises(TandemError, match="mine is no bitext"):
        read(tmp_path, None)


# ---- Moses zips


def test_moses_members_are_found_by_their_ending(tmp_path):
    members = {"README": "r", "X.cs-en.en": "one\n", "X.cs-en.cs": "jedna\n", "X.cs-en.ids": "i"}
    assert read(make_zip(tmp_path / "z", members), "moses") == [("one", "jedna")]


def test_moses_codes_of_its_own(tmp_path):
    path = make_zip(tmp_path / "z", {"X.en": "one\n", "X.zh_cn": "一\n"})
    pairs = read(path, "moses", target="zh", languages=("en", "zh"), codes={"zh": "zh_cn"})
    assert pairs == [("one", "一")]


@pytest.mark.parametrize(
    ("members", "words"),
    [
        ({"X.en": "a\n"}, ["0 members end in .cs", "It has: X.en"]),
        ({"X.en": "a\n", "Y.en": "a\n", "X.cs": "a\n"}, ["2 members end in .en"]),
        ({"X.en": "a\nb\n", "X.cs": "a\n"}, ["z!X.en, line 2", "z!X.cs, which ends after 1"]),
        ({"X.en": "", "X.cs": ""}, ["z!X.en: the file is empty"]),
        ({"X.en": b"\xff\n", "X.cs": "a\n"}, ["z!X.en, line 1", "UTF-8"]),
        ({"../X.en": "a\n", "X.cs": "a\n"}, [r"'\.\./X\.en' leaves"]),
    ],
)
def test_moses_refused(tmp_path, members, words):
    path = make_zip(tmp_path / "z", members)
    with refused(*words):
        read(path, "moses")


def test_a_moses_member_spoilt_in_the_zip_is_refused(tmp_path):
    path = make_zip(tmp_path / "z", {"X.en": "honest text\n", "X.cs": "text\n"})
    path.write_bytes(path.read_bytes().replace(b"honest", b"forged"))
    with refused("z!X.en", "damaged", "fetch it again"):
        read(path, "moses")


# ---- TSV


def test_tsv_quotes_mean_nothing_and_empty_lines_part_documents(tmp_path):
    (tmp_path / "t").write_text('id\tcs\ten\n1\t"a\tb"\n\n2\tc\td\textra\n')
    pairs = read(tmp_path / "t", "tsv", columns={"cs": 1, "en": 2}, header=True)
    assert pairs == [('b"', '"a'), ("d", "c")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("a\tb\nc\n", ["t, line 2", "1 columns, expected at least 2", "one tab"]),
        ("", ["t: it has no pairs of 'en' and 'cs'", "Check the file"]),
    ],
)
def test_tsv_refused(tmp_path, content, words):
    (tmp_path / "t").write_text(content)
    with refused(*words):
        read(tmp_path / "t", "tsv", columns={"en": 0, "cs": 1}, header=False)


# ---- TMX

TMX = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header/><body>
<tu><tuv xml:lang="en-US"><seg>Click <bpt i="1">&lt;b></bpt>here<ept i="1">&lt;/b></ept>
 <hi>now</hi></seg></tuv><tuv xml:lang="CS"><seg>Klikni &amp; čekej</seg></tuv></tu>
<tu><tuv xml:lang="en"><seg>alone</seg></tuv><tuv xml:lang="de"><seg>allein</seg></tuv></tu>
<tu><tuv lang="en_GB"><seg>colour</seg></tuv><tuv xml:lang="en"><seg>color</seg></tuv>
<tuv lang="cs"><seg>barva</seg></tuv></tu>
</body></tmx>
"""


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_tmx_languages_and_inline_codes(tmp_path, pack):
    (tmp_path / "t.tmx").write_bytes(pack(TMX.encode()))
    assert read(tmp_path / "t.tmx", "tmx") == [
        ("Click here now", "Klikni & čekej"),
        ("color", "barva"),
    ]
    british = read(tmp_path / "t.tmx", "tmx", "en-GB", "cs", ("en-GB", "cs"))
    assert british == [("colour", "barva")]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (TMX.replace("</seg>", "", 1), [r"t\.tmx, line 5: no readable TMX", "mismatched tag"]),
        ("", [r"t\.tmx, line 1", "no element"]),
        (TMX.replace("cs", "sk").replace("CS", "sk"), ["no unit has en and cs; found en-US, sk"]),
        (
            TMX.replace('"tmx14.dtd"', '"tmx14.dtd" [<!ENTITY a "aaaa">]'),
            [r"t\.tmx: no readable TMX", "EntitiesForbidden", "Mend"],
        ),
    ],
)
def test_tmx_refused(tmp_path, content, words):
    (tmp_path / "t.tmx").write_text(content)
    with refused(*words):
        read(tmp_path / "t.tmx", "tmx")


def test_tmx_truncated_gzip_is_refused(tmp_path):
    units = "".join(f"<tu><tuv><seg>{n * n}</seg></tuv></tu>" for n in range(9000))
    packed = gzip.compress(TMX.replace("<body>", "<body>" + units).encode())
    (tmp_path / "t.tmx").write_bytes(packed[: len(packed) // 2])
    with refused(r"t\.tmx: no readable TMX", "ended before"):
        read(tmp_path / "t.tmx", "tmx")


# ---- PO

PO = """msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

msgid "Open\\n"
"file"
msgstr "Otevřít soubor"

#, fuzzy
msgid "Close"
msgstr "Zavřít?"

msgid "One file"
msgid_plural "%d files"
msgstr[0] "Soubor"

msgid "Untranslated"
msgstr ""

#~ msgid "Old"
#~ msgstr "Starý"
"""


def test_po_takes_finished_entries_only(tmp_path):
    (tmp_path / "cs.po").write_text(PO)
    path = tmp_path / "{language}.po"
    assert read(path, "po", msgid="en") == [("Open file", "Otevřít soubor")]
    assert read(path, "po", "cs", "en", msgid="en") == [("Otevřít soubor", "Open file")]


def test_po_needs_the_language_of_its_msgids(tmp_path):
    with pytest.raises(TandemError, match="one language must be en"):
        read(tmp_path / "{language}.po", "po", "cs", "de", ("cs", "de"), msgid="en")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'msgid "a"\nmsgstr "b"\nnonsense\n', [r"cs\.po: not a PO catalogue", "line 3", "msgfmt"]),
        (b"", [r"cs\.po: it has no pairs of 'en' and 'cs'"]),
        (b'msgid "\xff"\n', [r"cs\.po, line 1", "UTF-8"]),
    ],
)
def test_po_refused(tmp_path, content, words):
    (tmp_path / "cs.po").write_bytes(content)
    with refused(*words):
        read(tmp_path / "cs.po", "po", msgid="en")


# ---- Paraphrases


def test_ppdb_pairs_phrases_with_their_paraphrases(tmp_path):
    line = "[NP] ||| the car ||| the automobile ||| PPDB2.0Score=4.2 ||| 0-0 1-1 ||| Equivalence\n"
    (tmp_path / "ppdb").write_bytes(gzip.compress((line + line).encode()))
    assert read(tmp_path / "ppdb", "ppdb") == [("the car", "the automobile")] * 2
    (tmp_path / "ppdb").write_text(line + "[NP] ||| alone\n")
    with refused(r"ppdb, line 2", "2 fields", "expected at least 3"):
        read(tmp_path / "ppdb", "ppdb")


def test_lines_may_have_their_text_in_a_column(tmp_path):
    path = write_lines(tmp_path, b"Cats\t0\tA cat .\n", b"Cats\t0\tA small cat .\n")
    assert read(path, "lines", column=2) == [("A cat .", "A small cat .")]
    with refused(r"my\.en, line 1", "3 columns, and the text is said to be in 3"):
        read(path, "lines", column=3)
