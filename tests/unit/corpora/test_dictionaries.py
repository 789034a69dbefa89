"""Dictionaries: what is a pair, what is cleaned away, and how many pairs a head word has."""

import gzip

import pytest
from kinds_of_files import packaged, served
from reading import make_zip, read, refused

from tandem.corpora.dictionaries import Entry, balanced, without_brackets
from tandem.errors import TandemError

# ---- All kinds


def test_a_head_word_of_many_senses_has_few_pairs_the_first_of_each_sense_first():
    senses = [[("a", "1"), ("a", "one")], [("a", "2"), ("a", "two")], [], [("a", "3")]]
    entries = [Entry("a", senses), Entry("b", [[("b", "1")]])]
    assert list(balanced(entries, 2)) == [("a", "1"), ("a", "2"), ("b", "1")]
    of_a = [("a", "1"), ("a", "2"), ("a", "3"), ("a", "one"), ("a", "two")]
    assert list(balanced(entries, 9)) == [*of_a, ("b", "1")]


def test_entries_of_one_head_word_that_follow_each_other_are_one():
    entries = [Entry("a", [[("a", n)]]) for n in "1213"]
    assert list(balanced(entries, 2)) == [("a", "1"), ("a", "2")]
    entries.insert(2, Entry("b", []))
    assert list(balanced(entries, 2)) == [("a", "1"), ("a", "2"), ("a", "1"), ("a", "3")]


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("Aal {m} (auf der Speisekarte [x]) [cook.]", "Aal"),
        ("to cross (legs or arms) , twice", "to cross, twice"),
        ("colo(u)r", "colo r"),
        ("a (b (c (d))) e", "a e"),
        ("a (b", "a (b"),
    ],
)
def test_brackets_are_left_out(text, clean):
    assert without_brackets(text) == clean


def test_one_language_must_be_that_of_the_head_words(tmp_path):
    with pytest.raises(TandemError, match="one of the two languages must be zh, that of the head"):
        read(tmp_path / "x", "cedict", "en", "de", ("en", "de"))
    with pytest.raises(TandemError, match="must be zh"):
        read(tmp_path / "x", "cedict", "zh", "zh-Hant", ("zh", "zh-Hant"))


# ---- CC-CEDICT

CEDICT = """# CC-CEDICT
#! version=1
中國 中国 [Zhong1 guo2] /China/
整妝 整妆 [zheng3 zhuang1] /see 整裝[x]/to get ready (to go); lit. to dress/CL:個|个[ge4]/
3P 3P [san1 P] /(slang) threesome/(Tw)/
行 行 [hang2] /row/line/profession/shop/
行 行 [xing2] /to walk/
"""


def cedict(tmp_path, target="zh", **options):
    (tmp_path / "c").write_bytes(gzip.compress(CEDICT.encode()))
    return read(tmp_path / "c", "cedict", "en", target, ("en", target), **options)


def test_cedict_pairs_words_with_the_ways_to_say_their_senses(tmp_path):
    assert cedict(tmp_path) == [
        ("China", "中国"),
        ("to get ready", "整妆"),
        ("to dress", "整妆"),
        ("threesome", "3P"),
        ("row", "行"),
        ("line", "行"),
        ("profession", "行"),
    ]


def test_cedict_has_traditional_characters_too(tmp_path):
    pairs = cedict(tmp_path, "zh-Hant", most=1)[:2]
    assert pairs == [("China", "中國"), ("to get ready", "整妝")]


def test_cedict_in_an_archive(tmp_path):
    path = make_zip(tmp_path / "z", {"d/c.gz": gzip.compress(CEDICT.encode())})
    options = {"languages": ("en", "zh"), "most": 1}
    assert len(read(path, "cedict", "zh", "en", member="d/c.gz", **options)) == 4
    with refused("z: it has no member d/c", "Correct `member`"):
        read(path, "cedict", "zh", "en", member="d/c", **options)


@pytest.mark.parametrize("line", ["中國 中国 guo2 /China/", "中國 [guo2] /China/", "x"])
def test_cedict_refused(tmp_path, line):
    (tmp_path / "c").write_text(f"# a comment\n{line}\n", encoding="utf-8")
    with refused("c, line 2: no entry such as", "Use a file as"):
        read(tmp_path / "c", "cedict", "en", "zh", ("en", "zh"))


# ---- Ding

DING = """# Version :: devel
Aal {m} (auf der Karte) [cook.] | Aal blau; blauer Aal :: Eel (on a menu; or not) | Eel au bleu
Bank {n}; Sitzbank {n} [x] :: bench
Bank {n} <x> (Lederzurichtung) :: flesh; scrapings; fleshings; rest
Köpfe denken ähnlich. /KDÄ/ | (nur das) :: Great minds think alike. /GMTA/ | only that
kaputt (x :: broken
"""


def ding(tmp_path, text=DING):
    path = tmp_path / "d.deb"
    path.write_bytes(packaged([("usr/share/trans/de-en", text.encode())]))
    return read(path, "ding", "de", "en", ("de", "en"), member="usr/share/trans/de-en")


def test_ding_pairs_words_forms_and_phrases_with_theirs(tmp_path):
    assert ding(tmp_path) == [
        ("Aal", "Eel"),
        ("Aal blau", "Eel au bleu"),
        ("blauer Aal", "Eel au bleu"),
        ("Bank", "bench"),
        ("Bank", "flesh"),
        ("Sitzbank", "bench"),
        ("Köpfe denken ähnlich.", "Great minds think alike."),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("Aal", ["line 2: 1 sides between :: of 1 parts"]),
        ("a :: b :: c", ["line 2: 3 sides"]),
        ("a | b :: c", ["line 2: 2 sides between :: of 2 and 1 parts", "or remove the line"]),
    ],
)
def test_ding_refused(tmp_path, line, words):
    with refused("d.deb!usr/share/trans/de-en", *words):
        ding(tmp_path, f"a :: b\n{line}\n")


# ---- dictd

ENTRIES = [
    "00-database-info\nNo entry, but about the dictionary.\n",
    "burn /bɜːn/ //bɝn// <v>\n1. brennen, verbrennen (x)\n   See also: {scorch}\n\n2. bräunen\n",
    "choke //t͡ʃoʊk// <n>\nStarterklappe\ncontrol on a carburetor\n",
    'crude /kɹuːd/ <adj>\n1. roh\n      "Copper occurs in the crude form"\n2. ?\na definition\n',
    "dish <n>\n1. Gericht\nspecific type of food\n2. Teller 2.\nvessel\n 3.\ncontents\n",
    "hi <interj>\n\nhallo; servus; moin. Moin; grüß dich.\n   Synonym: {hello}\n",
    " [n1]  horse /x/,  [n2] hoss /y/\n(noun (common))\n (also verb)\n{x}Pferd\n",
    "kinder\n\n Plural of {kind}: Art\n\n",
    "sick <adj>\n1.\nkrank\n2.\nunwohl\n; elend\n",
    "seventh /x/\n7.\n",
]


def dictd(tmp_path, members, **options):
    path = tmp_path / "words.deb"
    path.write_bytes(packaged(members))
    return read(path, "dictd", "en", "de", ("en", "de"), headwords="en", **options)


def test_dictd_pairs_head_words_with_the_translations_of_their_senses(tmp_path):
    assert dictd(tmp_path, served(*ENTRIES)) == [
        ("burn", "brennen"),
        ("burn", "bräunen"),
        ("burn", "verbrennen"),
        ("choke", "Starterklappe"),
        ("crude", "roh"),
        ("dish", "Gericht"),
        ("dish", "Teller"),
        ("hi", "hallo"),
        ("hi", "servus"),
        ("hi", "grüß dich"),
        ("horse", "Pferd"),
        ("sick", "krank"),
        ("sick", "unwohl"),
    ]


def test_dictd_entries_are_corrected_as_the_register_says(tmp_path):
    members = served("mentô /x/\nlife~boat\u0301\n", "x\ny\n")
    pairs = dictd(tmp_path, members, edits=[["ô", "ő"], ["~", " "], ["\u0301", ""]])
    assert pairs == [("mentő", "life boat"), ("x", "y")]


INDEX, TEXT = served(*ENTRIES)


@pytest.mark.parametrize(
    ("index", "words"),
    [
        (b"burn\tA\n", ["words.index, line 1: no head word, offset and length"]),
        (b"burn\tA\t_\n", ["words.index, line 1"]),
        (b"a\tA\tB\nburn\tA\t//////\n", ["words.index, line 2: an entry beyond"]),
        (b"a\tA\tC\nb\tB\tB\n", ["words.dict.dz: the index names overlapping entries at byte 1"]),
        (b"a\tP//\tB\n", ["words.dict.dz: it ends before the entry at byte 65,535"]),
        (INDEX[1] + b"\xff", ["words.index, line 11", "UTF-8"]),
        (b"00x\tA\tB\n", ["words.deb: it has no pairs of 'en' and 'de'"]),
    ],
)
def test_dictd_refused(tmp_path, index, words):
    with refused(*words):
        dictd(tmp_path, [(INDEX[0], index), TEXT])


def test_dictd_text_that_is_damaged_is_refused(tmp_path):
    with refused("words.dict.dz: truncated or damaged"):
        dictd(tmp_path, [INDEX, (TEXT[0], TEXT[1][:-20])])
    spoilt = gzip.decompress(TEXT[1])[:-2] + b"\xff\n"
    with refused("words.dict.dz: invalid UTF-8 in the entry at byte"):
        dictd(tmp_path, [INDEX, (TEXT[0], gzip.compress(spoilt))])
    with refused(r"words.deb: 0 members end in \.dict\.dz"):
        dictd(tmp_path, [INDEX])
