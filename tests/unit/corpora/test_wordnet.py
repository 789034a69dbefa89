"""WordNet: words, meanings and examples."""

import pytest
from kinds_of_files import tarred
from reading import read, refused

NOUNS = """\
  1 This software and database is being provided to you, the LICENSEE.
00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which is perceived (living or nonliving)
00001930 03 n 02 physical_thing 0 object 1 002 @ 00001740 n 0000 ~ 00002137 n 0000 | an entity; \
it exists; "he put Objects on an object"; "the objective"
00002137 15 n 01 Rome 0 001 @i 00001930 n 0000 | a city; "Rome
"""
VERBS = """\
00000001 30 v 02 get 0 obtain 0 000 01 + 08 00 | come into; "he got it"; "did he obtain it?"
"""
ADJECTIVES = '00000001 00 s 02 able(p) 0 a_ble 0 000 | can; "able to swim"\n'
ADVERBS = "00000001 02 r 01 so 8 000 | in the same way\n"
FILES = {"noun": NOUNS, "verb": VERBS, "adj": ADJECTIVES, "adv": ADVERBS}


def wordnet(tmp_path, **changes):
    texts = FILES | changes
    files = [(f"package/dict/data.{part}", text.encode()) for part, text in texts.items() if text]
    path = tmp_path / "w.tgz"
    path.write_bytes(tarred([*files, ("package/dict/index.noun", b"")], "w:gz"))
    return read(path, "wordnet", "en", "en-paraphrase", ("en", "en-paraphrase"))


def test_wordnet_pairs_words_meanings_and_examples(tmp_path):
    assert wordnet(tmp_path) == [
        ("entity", "that which is perceived"),
        ("physical thing, object, entity", "an entity; it exists"),
        ("an entity; it exists", "he put Objects on an object"),
        ("an entity; it exists", "the objective"),
        ("Rome, physical thing", "a city"),
        ("a city", "Rome"),
        ("get, obtain", "come into"),
        ("come into", "he got it"),
        ("come into", "did he obtain it?"),
        ("did he obtain it?", "did he get it?"),
        ("able, a ble", "can"),
        ("can", "able to swim"),
        ("able to swim", "a ble to swim"),
        ("so", "in the same way"),
    ]


def test_a_synonym_after_an_article_begins_like_the_word(tmp_path):
    nouns = '00000001 03 n 03 art 0 craft 0 artistry 0 000 | skill; "an Art, of a kind"\n'
    pairs = wordnet(tmp_path, noun=nouns)
    assert pairs[2] == ("an Art, of a kind", "an artistry, of a kind")
    nouns = nouns.replace("03 art 0 craft 0 artistry 0", "02 art 0 craft 0")
    assert wordnet(tmp_path, noun=nouns)[2] == ("get, obtain", "come into")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("1740 03 n 01 entity 0 000 | it", ["data.noun, line 2: no set of synonyms"]),
        ("00001740 03 n 00 entity 0 000 | it", ["line 2", "Fetch it again"]),
        ("00001740 03 n 01 entity 0 000", ["line 2"]),
    ],
)
def test_wordnet_refused(tmp_path, line, words):
    with refused(*words):
        wordnet(tmp_path, noun=f"  1 Licence\n{line}\n")


def test_wordnet_without_a_file_is_refused(tmp_path):
    with refused("w.tgz: 0 members are named data.adv, expected one", "It has: package/dict/data"):
        wordnet(tmp_path, adv="")
