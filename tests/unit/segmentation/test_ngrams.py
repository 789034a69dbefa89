"""Words with their hashed n-grams."""

import zlib

import pytest
from pydantic import ValidationError

from tandem.segmentation.kinds.words import Words
from tandem.segmentation.kinds.words_and_ngrams import WordsAndNgrams
from tandem.segmentation.lookup import TokenDictionary
from tandem.segmentation.segmenter import Segmenter, learn

SEGMENTATION = WordsAndNgrams(size=3, oov_buckets=4, ngram_buckets=10, ngrams=(2, 3)
)
TEXTS = {"en": lambda: ["the cat sat", "the cat"], "de": lambda: ["die Katze", "die die"]}


def test_a_word_is_a_mark_its_entry_and_those_of_its_ngrams(tmp_path):
    segmenter = learn(SEGMENTATION, TEXTS, tmp_path)
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
    encode = learn(SEGMENTATION, TEXTS, tmp_path).encoder("en")
    plain = TokenDictionary(encode._convert)
    lines = ["The cat's 3 ﬁsh.", "naïve Καλημέρα", "x"]
    assert encode(lines).ids.tolist() == plain(lines).ids.tolist()


def test_the_shortest_ngram_is_no_longer_than_the_longest():
    with pytest.raises(ValidationError, match="shortest"):
        WordsAndNgrams(ngrams=(4, 3))


def test_chinese_is_divided_into_words_where_that_is_asked_for(tmp_path):
    chinese = "神爱世人，甚至将他的独生子赐给他们。"
    texts = {"en": lambda: ["God loves the world"], "zh": lambda: [chinese]}
    changes = {"size": 50, "ngrams": (1, 4), "chinese_words": True}
    segmentation = SEGMENTATION.model_copy(update=changes)
    segmenter = learn(segmentation, texts, tmp_path)
    assert {"loves", "神爱世人", "甚至", "将", "他", "独生子", "他们"} <= {*segmenter.vocabulary}
    ids = {token: number for number, token in enumerate(segmenter.vocabulary)}
    encode = Segmenter.load(tmp_path).encoder("zh")
    found = encode(["他们，甚至将他"]).row(0).tolist()
    starts = [place for place, entry in enumerate(found) if entry == 0]
    assert [found[place + 1] for place in starts] == [
        ids[word] for word in ("他们", ",", "甚至", "将", "他")
    ]
    whole = learn(segmentation.model_copy(update={"chinese_words": False}), texts, tmp_path)
    assert "甚至将他的独生子赐给他们" in whole.vocabulary


def test_only_words_and_ngrams_divide_chinese():
    with pytest.raises(ValidationError, match="chinese_words"):
        Words(chinese_words=True)
