"""Segmentation by SentencePiece, words and trigrams."""

import json
import subprocess
import sys

import numpy as np
import pytest
import sentencepiece as spm

from tandem.errors import TandemError
from tandem.files import saved
from tandem.registry import ConfigurationError
from tandem.segmentation import ragged, segmentation
from tandem.segmentation.segmentation import SEGMENTATIONS, side_language
from tandem.segmentation.segmenter import Segmenter, learn, segment_lines
from tandem.segmentation.trigrams import count_trigrams, spelled

ENGLISH = ["The cat sat.", "A dog sat on the mat.", "The mat was red."] * 30
CZECH = ["Kočka seděla.", "Pes seděl na rohoži.", "Rohož byla red."] * 30
TEXTS = {"en": lambda: ENGLISH, "cs": lambda: CZECH}


def learned(folder, texts=TEXTS, **segmentation):
    folder.mkdir(exist_ok=True)
    return learn(SEGMENTATIONS.parse({"kind": "sentencepiece"} | segmentation), texts, folder)


def ids_of(segmenter, sentence, language):
    return segmenter.encoder(language)([sentence]).row(0).tolist()


def units(segmenter, sentence, language):
    return [segmenter.vocabulary[index] for index in ids_of(segmenter, sentence, language)]


def test_trigrams_cross_words_and_are_padded_once():
    assert count_trigrams([["A  BC"]]) == dict.fromkeys([" a ", "a b", " bc", "bc "], 1)
    assert count_trigrams([["aaa", "", "\U00020000"], ["aa"]]) == {
        " aa": 2, "aaa": 1, "aa ": 2, " \U00020000 ": 1,
    }  # fmt: skip


def test_trigrams_are_found_in_any_batch(tmp_path):
    segmenter = learned(tmp_path, kind="trigrams", size=1000)
    lines = ["The cat.", "", "Ω", "The Ω rat?", "a"]
    for line, text in zip(lines, spelled([lines]), strict=True):
        grams = [f" {text} "[i : i + 3] for i in range(len(text))]
        known = [gram for gram in grams if gram in segmenter.vocabulary]
        assert units(segmenter, line, "en") == known
    together = segmenter.encoder("cs")(lines)
    alone = [ids_of(segmenter, line, "cs") for line in lines]
    assert [together.row(i).tolist() for i in range(len(lines))] == alone


def test_words_are_tokenised_lower_cased_and_shared_between_languages(tmp_path):
    segmenter = learned(tmp_path, kind="words", size=100)
    assert units(segmenter, "The RED cat sat.", "en") == ["the", "red", "cat", "sat", "."]
    assert ids_of(segmenter, "red", "en") == ids_of(segmenter, "red", "cs")


def test_only_the_most_frequent_words_are_kept_and_others_left_out(tmp_path):
    segmenter = learned(tmp_path, {"en": lambda: ["b a b c", "b a"]}, kind="words", size=2)
    assert segmenter.vocabulary == ["b", "a"]
    assert ids_of(segmenter, "c a unheard", "en") == [1]


def test_pieces_are_those_of_sentencepiece_on_the_whole_tokenised_line(tmp_path):
    segmenter = learned(tmp_path, kind="sentencepiece", size=60)
    model = spm.SentencePieceProcessor(model_file=str(tmp_path / "joint.model"))
    for sentence, tokenised in [
        ("The cat sat on the red mat.", "the cat sat on the red mat ."),
        ("Pes seděl.", "pes seděl ."),
    ]:
        expected = model.encode(tokenised, out_type=str)
        language = "cs" if "Pes" in sentence else "en"
        assert units(segmenter, sentence, language) == expected
    assert len(segmenter) == model.vocab_size() - 1  # all but <unk>
    assert ids_of(segmenter, "Ω", "en") in ([], ids_of(segmenter, "", "en") + [0])


def test_separate_models_share_the_ids_of_like_pieces(tmp_path):
    segmenter = learned(tmp_path, kind="sentencepiece", size=50, separate=True)
    assert sorted(p.name for p in tmp_path.glob("*.model")) == ["cs.model", "en.model"]
    assert len(set(segmenter.vocabulary)) == len(segmenter.vocabulary)
    shared = set(ids_of(segmenter, ENGLISH[0], "en")) & set(ids_of(segmenter, CZECH[0], "cs"))
    assert shared  # at least the full stop


@pytest.mark.parametrize("kind", ["words", "trigrams", "sentencepiece"])
def test_a_marked_language_shares_no_id(tmp_path, kind):
    separate = {"separate": True} if kind == "sentencepiece" else {}
    segmenter = learned(tmp_path, kind=kind, size=60, marked=("cs",), **separate)
    english = {i for line in ENGLISH for i in ids_of(segmenter, line, "en")}
    czech = {i for line in CZECH for i in ids_of(segmenter, line, "cs")}
    assert english
    assert czech
    assert not english & czech


@pytest.mark.parametrize("kind", ["words", "trigrams", "sentencepiece"])
def test_a_saved_segmenter_gives_the_same_ids(tmp_path, kind):
    segmenter = learned(tmp_path / "one", kind=kind, size=60)
    (tmp_path / "two").mkdir()
    segmenter.save(tmp_path / "two")
    loaded = Segmenter.load(tmp_path / "two")
    assert loaded.segmentation == segmenter.segmentation
    for line in ENGLISH[:3]:
        assert ids_of(loaded, line, "en") == ids_of(segmenter, line, "en")


def test_back_translated_english_is_english(tmp_path):
    assert side_language("en-bt") == "en"
    segmenter = learned(tmp_path, {"en": lambda: ENGLISH, "en-bt": lambda: CZECH}, kind="words",
                        size=50)  # fmt: skip
    assert segmenter.languages == ["en"]
    assert ids_of(segmenter, "the cat", "en-bt") == ids_of(segmenter, "the cat", "en")


def test_an_unknown_language_is_refused_by_name(tmp_path):
    segmenter = learned(tmp_path, kind="words", size=50)
    with pytest.raises(TandemError, match="'fr'.*cs, en"):
        ids_of(segmenter, "le chat", "fr")


@pytest.mark.parametrize("kind", ["words", "sentencepiece"])
def test_nothing_to_learn_from_is_refused(tmp_path, kind):
    with pytest.raises(TandemError, match="text"):
        learned(tmp_path, {"en": lambda: []}, kind=kind, size=50)


def test_lines_are_segmented_in_chunks(tmp_path, monkeypatch):
    segmenter = learned(tmp_path / "s", kind="words", size=50)
    monkeypatch.setattr(segmentation, "LINES", 32)
    rows = segment_lines(segmenter, [*ENGLISH, ""], "en", tmp_path / "ids")
    found, expected = ragged.load(tmp_path / "ids"), segmenter.encoder("en")([*ENGLISH, ""])
    assert rows == len(found) == len(ENGLISH) + 1
    np.testing.assert_array_equal(found.ids, expected.ids)
    np.testing.assert_array_equal(found.offsets, expected.offsets)


def test_a_character_outside_the_pieces_is_left_out_and_divides_a_word(tmp_path):
    segmenter = learned(tmp_path, kind="sentencepiece", size=60)
    assert ids_of(segmenter, "caΩt", "en") == ids_of(segmenter, "ca t", "en")


def test_the_settings_load_nothing_heavy():
    code = (
        "import sys; from tandem.segmentation.segmentation import SEGMENTATIONS as kinds\n"
        "for name in kinds.modules(): kinds.kind(name)\n"
        "print(*sys.modules)"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert "tandem.segmentation.kinds.words_and_ngrams" in loaded
    assert not {"numba", "sentencepiece", "tokenizers", "torch", "numpy"} & set(loaded)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [({"kind": "syllables"}, "syllables"), ({"size": 0}, "size"), ({"sizes": 9}, "sizes"),
     ({"oov_buckets": 9}, "oov_buckets")],
)  # fmt: skip
def test_wrong_settings_are_refused(wrong, said):
    with pytest.raises(ConfigurationError, match=said):
        SEGMENTATIONS.parse({"kind": "sentencepiece"} | wrong)


def test_a_model_that_was_written_with_the_settings_of_all_kinds_is_read(tmp_path):
    segmenter = learned(tmp_path, kind="words", size=60)
    path = tmp_path / "segmentation.json"
    stored = json.loads(path.read_text())
    stored["scheme"] |= {"separate": False, "oov_buckets": 10_000, "chinese_words": False}
    path.write_text(json.dumps(stored))
    saved.seal(tmp_path)
    assert Segmenter.load(tmp_path).segmentation == segmenter.segmentation
