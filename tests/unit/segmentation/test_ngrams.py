"""Words with their hashed n-grams."""

import zlib

import pytest
from pydantic import ValidationError

from tandem.segmentation.lookup import TokenDictionary
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import Segmenter, learn

SCHEME = Segmentation(
    kind="words-and-ngrams", size=3, oov_buckets=4, ngram_buckets=10, ngrams=(2, 3)
)
TEXTS = {"en": lambda: ["the cat sat", "the cat"], "de": lambda: ["die Katze", "die die"]}


def test_a_word_is_a_mark_its_entry_and_those_of_its_ngrams(tmp_path):
    segmenter = learn(SCHEME, TEXTS, tmp_path)
    assert segmenter.vocabulary[:5] == ["<word>", "die", "cat", "the", "<oov 0>"]
    assert len(segmenter) == 1 + 3 + 4 + 10
    grams = [8 + zlib.crc32(gram.encode()) % 10 for gram in ("ca", "at", "cat")]
    unknown = 4 + zlib.crc32(b"ox") % 4
    rows = segmenter.encoder("en")(["Cat ox", "", "a"])
    assert rows.row(0).tolist() == [0, 2, *grams, 0, unknown, 8 + zlib.crc32(b"ox") % 10]
    assert rows.row(1).tolist() == []
    assert rows.row(2).tolist() == [0, 4 + zlib.crc32(b"a") % 4]  # too short for an n-gram
    both = (each.encoder("de")(["Katze"]) for each in (segmenter, Segmenter.load(tmp_path)))
    assert len({tuple(rows.ids.tolist()) for rows in both}) == 1


def test_compiled_code_and_a_dictionary_agree(tmp_path):
    encode = learn(SCHEME, TEXTS, tmp_path).encoder("en")
    plain = TokenDictionary(encode._convert)
    lines = ["The cat's 3 ﬁsh.", "naïve Καλημέρα", "x"]
    assert encode(lines).ids.tolist() == plain(lines).ids.tolist()


def test_the_shortest_ngram_is_no_longer_than_the_longest():
    with pytest.raises(ValidationError, match="shortest"):
        Segmentation(kind="words-and-ngrams", ngrams=(4, 3))
