"""What follows the amount of text, and what is asked for instead."""

from collections import Counter

import numpy as np
import pytest

import tandem
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.transformer import Transformer
from tandem.files.atomic import atomic_folder
from tandem.files.io import write_json, write_lines
from tandem.objectives.kinds.generative import Generative
from tandem.objectives.kinds.margin import Margin
from tandem.own_bitext import recipes
from tandem.own_bitext.recipes import followed, in_words
from tandem.own_bitext.vocabulary import segment, shares
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.ragged import load_sides
from tandem.segmentation.segmenter import Segmenter

FEW = Counter("abc")
# 1,500 frequent characters, and twice as many that stand once
MANY = Counter({chr(0x4E00 + n): 9000 if n < 1500 else 1 for n in range(4500)})


def segmentation(pairs, characters, languages=(), **settings):
    return recipes.segmentation(pairs, characters, languages, settings)


def test_more_text_gets_more_pieces():
    sizes = [segmentation(pairs, FEW).size for pairs in (10, 20_000, 90_000, 10**6)]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1]


def test_much_text_is_trained_on_as_the_joint_encoder_is():
    objective, recipe = followed(100_001)
    assert (objective.megabatch, recipe.decay, recipe.dropout) == (16, "linear", 0.0)
    objective, recipe = followed(100_000)
    assert (objective.megabatch, recipe.decay) == (Margin().megabatch, "none")
    objective, recipe = followed(10**6, objective=Margin(megabatch=2), decay="none")
    assert (objective.megabatch, recipe.decay) == (2, "none")


def test_layers_learn_more_slowly_than_their_embeddings():
    plain, layered = followed(9000, Averaging())[1], followed(9000, Transformer())[1]
    assert plain == followed(9000)[1]
    assert layered.learning_rate < plain.learning_rate / 10
    assert layered.learning_rate * layered.embedding_multiplier >= plain.learning_rate / 10
    assert followed(9000, Transformer(), learning_rate=0.1)[1].learning_rate == 0.1


def test_what_the_learning_rate_does_is_said():
    assert "rate 0.032, linear decay, " in in_words(9, *followed(10**6))
    layers = in_words(9, *followed(10, Transformer()))
    assert "rate 0.0005 (64 times that for embeddings), " in layers
    assert "batches of 128 pairs, learning rate 0.128, dropout" in in_words(9, *followed(10))
    writes = in_words(9, *followed(10, objective=Generative(tokens=2000)))
    assert "batches of 2,000 tokens, learning" in writes


def test_decoders_have_hundreds_of_updates_whatever_the_text():
    objective = Generative(tokens=2000)
    for pairs in (300, 3000, 20_000, 1_000_000):
        _, recipe = followed(pairs, objective=objective)
        updates = max(1, pairs * 15 // 2000)
        assert recipe.epochs * updates >= 3000
        assert recipe.patience * updates >= 2 * recipe.warmup
    assert (recipe.epochs, recipe.patience) == (20, 3)
    # larger batches are fewer
    larger = followed(20_000, objective=Generative(tokens=20_000))[1]
    assert larger.epochs > followed(20_000, objective=objective)[1].epochs
    asked = followed(300, objective=objective, epochs=2, patience=1)[1]
    assert (asked.epochs, asked.patience) == (2, 1)
    assert "validation is minus the loss" in in_words(9, objective, asked)


def test_the_divergence_of_a_small_model_follows_its_updates():
    objective = Generative(**recipes.small("generative"))
    assert [objective.weight(step, 40) for step in (10, 40)] == pytest.approx([0.075, 0.3])
    assert objective.weight(3600, 3600) == pytest.approx(0.3)
    asked = Generative(**recipes.small("generative") | {"annealing": 20})
    assert [asked.weight(step, 40) for step in (10, 40)] == [0.5, 1.0]


def test_of_many_characters_the_rarest_are_left_out():
    assert segmentation(10, FEW).character_coverage == 1
    assert segmentation(10, MANY).character_coverage == 0.9995
    assert segmentation(10, MANY, size=6000).character_coverage == 1


def test_there_is_room_for_pieces_of_more_than_a_character():
    assert segmentation(10, MANY).size == segmentation(10, FEW).size
    more = Counter({chr(0x4E00 + n): 5 for n in range(5000)})
    assert 5200 <= segmentation(10, more).size <= 5600


def test_what_is_asked_for_stands():
    assert segmentation(10**7, MANY, size=50).size == 50
    assert segmentation(10**7, MANY, character_coverage=1.0).character_coverage == 1
    words = segmentation(10**7, MANY, kind="words")
    assert (words.kind, words.size) == ("words", 4000)
    _, recipe = followed(100, dropout=0.1)
    assert recipe.dropout == 0.1 and recipe.learning_rate == followed(100)[1].learning_rate


def test_more_characters_than_pieces_are_trained_on(tmp_path):
    draw = np.random.default_rng(1)
    characters = [chr(0x4E00 + n) for n in range(5000)]
    # a few are frequent, as in real text; each of the others stands once
    lines = ["".join(row) for row in draw.choice(characters[:300], (len(characters), 40))]
    texts = (line + character for line, character in zip(lines, characters, strict=True))
    pairs = [(f"{n} is the number of the line here", text) for n, text in enumerate(texts)]
    encoder = tandem.train(pairs, ("en", "zh"), tmp_path / "model", recipe={"epochs": 1})
    assert encoder.segmenter.segmentation.character_coverage == 0.9995


@pytest.mark.parametrize("languages", [("en", "zh"), ("zh-Hant", "en")])
def test_words_of_chinese_are_found_where_they_come_with_ngrams(languages):
    default = segmentation(10, FEW, languages, kind="words-and-ngrams")
    assert default.chinese_words and default.ngrams == (1, 4)
    asked = segmentation(10, FEW, languages, kind="words-and-ngrams", chinese_words=False)
    assert not asked.chinese_words
    for other in (("en", "de"), ()):
        assert not segmentation(10, FEW, other, kind="words-and-ngrams").chinese_words
    assert segmentation(10, FEW, languages).kind == "sentencepiece"


def test_a_vocabulary_is_learned_from_the_first_pairs_of_a_sample(tmp_path, monkeypatch):
    monkeypatch.setattr(recipes, "SAMPLE", 30)
    text = tmp_path / "text"
    (text / "en de").mkdir(parents=True)
    for side in ("en", "de"):
        lines = [f"{side}{n % 10} {side}{n}" for n in range(60)]
        for split in ("train", "valid"):
            write_lines(text / "en de" / f"{split}.{side}", lines)
    write_json(text / "en de" / "splits.json", {"train": 60})
    for sample, most, stored in ((None, 30, 30), (12, 12, 12), (90, 60, 90)):
        asked = {"kind": "words", "size": 500} | ({"sample": sample} if sample else {})
        ids = tmp_path / f"ids-{most}"
        ids.mkdir()
        segment(text, [("en", "de")], asked, None, ids)
        learned = Segmenter.load(ids)
        assert set(learned.vocabulary) == {f"{s}{n}" for n in range(most) for s in ("en", "de")}
        assert learned.segmentation.sample == stored
        assert len(load_sides(ids / "en de", "train", ("en", "de"))[0]) == 60  # all are trained on


def test_more_languages_have_more_pieces_up_to_those_of_much_text():
    for pairs, languages, size in (
        (10, "en de", 4000), (10, "en de fr", 6000), (16_000, "en de tr fr ko", 10_000),
        (60_000, "en de fr", 12_000), (60_000, " ".join("abcdefghijklmnopqrst"), 64_000),
        (200_000, "en de fr", 64_000),
    ):  # fmt: skip
        assert segmentation(pairs, FEW, languages.split()).size == size
    assert segmentation(10, FEW, ("en", "de", "fr"), size=500).size == 500
    assert segmentation(10, FEW, ("en", "de", "fr"), kind="words").size == 4000


@pytest.mark.parametrize(
    ("sizes", "most", "divided"),
    [
        ([60], 30, [30]),
        ([60], 90, [60]),
        ([100, 100], 100, [50, 50]),
        ([1000, 5], 100, [95, 5]),
        ([5, 1000, 40], 100, [5, 55, 40]),
        ([5, 1000, 60], 100, [5, 48, 47]),
        ([5, 6], 100, [5, 6]),
        ([9, 9], 1, [0, 1]),
    ],
)
def test_a_sample_is_shared_equally_by_texts_as_far_as_they_go(sizes, most, divided):
    assert shares(sizes, most) == divided


def test_a_vocabulary_of_more_languages_has_an_equal_part_of_each_text(tmp_path):
    pairs, text, ids = [("en", "de"), ("en", "fr")], tmp_path / "text", tmp_path / "ids"
    for languages, start, size in ((pairs[0], 0, 60), (pairs[1], 100, 8)):
        folder = text / " ".join(languages)
        folder.mkdir(parents=True)
        for side in languages:
            for split in ("train", "valid"):
                write_lines(folder / f"{split}.{side}", [f"{side}{start + n}" for n in range(size)])
        write_json(folder / "splits.json", {"train": size})
    with atomic_folder(ids) as folder:
        segment(text, pairs, {"kind": "words", "size": 500, "sample": 30}, None, folder)
    large, small = range(22), range(100, 108)
    words = {*(f"en{n}" for n in (*large, *small)), *(f"de{n}" for n in large)}
    assert set(Segmenter.load(ids).vocabulary) == words | {f"fr{n}" for n in small}
    assert len(load_sides(ids / "en de", "train", pairs[0])[0]) == 60


def test_ordinary_text_is_learned_from_as_a_whole():
    assert segmentation(250_000, FEW).sample == Sentencepiece().sample
    assert segmentation(250_001, FEW).sample == 250_000
    assert segmentation(250_001, FEW, sample=10).sample == 10
    assert segmentation(10**7, FEW, kind="trigrams").sample == 250_000
