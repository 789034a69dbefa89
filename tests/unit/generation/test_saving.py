"""Models that write sentences: saved whole, read back, and what they write."""

import shutil

import numpy as np
import pytest
import torch
from operations import Roundings
from small_generative import run, text
from small_runs import TYPES

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder, parts_beside
from tandem.errors import InputError, TandemError
from tandem.files import saved
from tandem.generation import writing
from tandem.generation.networks import reconstruction
from tandem.generation.saving import Generator
from tandem.generation.writing import legible, restyled, text_of, written
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import Segmenter
from tandem.training.run import train_encoder

LONG = {"epochs": 40, "dropout": 0.0, "learning_rate": 0.01}


def train(how, folder):
    words = [f"w{n}" for n in range(TYPES)]
    segmenter = Segmenter(Words(), words, {"en": None, "fr": None})
    pairs = text(400)
    encoder, _ = train_encoder(how, segmenter, [pairs], None, show=False, held_out=text(50))
    encoder.metadata["quality"] = {"thresholds": {"cosine": 0.5}}
    encoder.save(folder)
    return encoder


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A model that has learned to reconstruct, in its folder."""
    folder = tmp_path_factory.mktemp("models") / "bgt"
    train(run(recipe=LONG, annealing=100_000, dropout=0.0), folder)
    return folder


def sentences(count=50):
    rows = text().left
    return [" ".join(f"w{n}" for n in rows.row(place)) for place in range(count)]


def test_the_folder_is_a_model_with_models_in_it(model):
    semantic = SentenceEncoder.load(model)
    english, french = (SentenceEncoder.load(model / "languages" / code) for code in ("en", "fr"))
    vectors = [e.encode(sentences(), "en") for e in (semantic, english, french)]
    assert {v.shape for v in vectors} == {(50, 24)}
    assert not np.allclose(vectors[0], vectors[1])
    assert english.metadata["part"] == "what is peculiar to en"
    # thresholds are of the semantic encoder
    assert ("quality" in semantic.metadata, "quality" in english.metadata) == (True, False)
    assert parts_beside(model) == ["decoders", "languages"]
    assert french.kind == semantic.kind


def test_what_it_has_read_it_writes_again(model):
    """The source in its own manner is mostly the source."""
    again = list(restyled(Generator(model), sentences(), sentences(), "en"))
    words = [(set(a.split()), set(b.split())) for a, b in zip(sentences(), again, strict=True)]
    kept = np.mean([len(a & b) / len(a) for a, b in words])
    assert kept > 0.6
    # and by chance it would be another's
    others = np.mean([len(a & words[(i + 7) % 50][1]) / len(a) for i, (a, _) in enumerate(words)])
    assert kept > 3 * others


def test_style_moves_what_is_written(model):
    generator = Generator(model)
    long = ["w1 w2 w3 w4 w5 w6"] * 30
    short = ["w1"] * 30
    lengths = [
        np.mean([len(t.split()) for t in restyled(generator, sentences(30), styles, "en")])
        for styles in (short, long)
    ]
    assert lengths[0] < lengths[1]


def test_one_beginning_is_the_greedy_choice(model):
    generator, name = Generator(model), reconstruction(0)
    vectors = np.random.default_rng(1).standard_normal((6, 48)).astype(np.float32)
    with Roundings() as roundings:
        greedy = written(generator, name, vectors, beam=1, longest=8)
    assert roundings.of_products == {False}  # exact on a GPU, too
    network = generator.networks.decoders[name]
    inputs, outputs = (generator.tables.tables[f"{name}.{n}"] for n in ("inputs", "outputs"))
    for vector, ids in zip(vectors, greedy, strict=True):
        read = torch.from_numpy(vector).unsqueeze(0)
        row = [TYPES]
        while len(row) <= 8:
            state = network(inputs[torch.tensor([row])], read)[0, -1]
            scores = outputs @ torch.cat([state, read[0]])
            row.append(int(scores.argmax()))
            if row[-1] == TYPES:
                break
        assert [number for number in row[1:] if number != TYPES] == ids


def test_more_beginnings_write_what_is_more_probable(model):
    generator, name = Generator(model), reconstruction(0)
    vectors = np.random.default_rng(2).standard_normal((40, 48)).astype(np.float32)

    def mean(rows):
        network = generator.networks.decoders[name]
        inputs, outputs = (generator.tables.tables[f"{name}.{n}"] for n in ("inputs", "outputs"))
        total = []
        for vector, ids in zip(vectors, rows, strict=True):
            read = torch.from_numpy(vector).unsqueeze(0)
            states = network(inputs[torch.tensor([[TYPES, *ids]])], read)[0]
            joined = torch.cat([states, read.expand(len(states), -1)], 1)
            gains = (joined @ outputs.T).log_softmax(1)
            labels = torch.tensor([*ids, TYPES])
            total.append(gains.gather(1, labels.unsqueeze(1)).mean().item())
        return np.mean(total)

    with torch.inference_mode():
        means = [mean(written(generator, name, vectors, beam)) for beam in (1, 5)]
    assert means[1] > means[0]


def test_a_model_without_decoders_or_variables_says_so(model, tmp_path):
    plain = SentenceEncoder.load(model)
    plain.save(tmp_path / "plain")
    with pytest.raises(InputError, match="without decoders, which writes no sentences"):
        Generator(tmp_path / "plain")
    train(run("bilingual-trans", recipe={"epochs": 1}), tmp_path / "bilingual")
    generator = Generator(tmp_path / "bilingual")
    with pytest.raises(TandemError, match="the model has no language variables"):
        list(restyled(generator, ["w1"], ["w2"], "en"))
    with pytest.raises(TandemError, match="no sentence from its own meaning. Give a model"):
        list(restyled(generator, ["w1"], None, "en"))
    with pytest.raises(TandemError, match="2 sources and 1 styles"):
        list(restyled(Generator(model), ["w1", "w2"], ["w2"]))


def test_without_language_variables_it_writes_from_the_meaning_alone(model, tmp_path):
    how = run("bgt-without-language", recipe=LONG, annealing=100_000, dropout=0.0)
    train(how, tmp_path / "alone")
    generator = Generator(tmp_path / "alone")
    again = list(restyled(generator, sentences(), None, "en"))
    pairs = [(set(a.split()), set(b.split())) for a, b in zip(sentences(), again, strict=True)]
    assert np.mean([len(a & b) / len(a) for a, b in pairs]) > 0.6
    by_hand = written(generator, reconstruction(0), generator.encoder.encode(sentences(5), "en"))
    assert again[:5] == [text_of(generator, ids) for ids in by_hand]
    with pytest.raises(TandemError, match="the model has no language variables"):
        list(restyled(generator, ["w1"], ["w2"], "en"))
    with pytest.raises(TandemError, match="has variables of 'en': give a style for each source"):
        list(restyled(Generator(model), ["w1"], None, "en"))
    train(run("english-vae", recipe={"epochs": 1}), tmp_path / "vae")
    with pytest.raises(TandemError, match="no sentence of 'fr' from its own meaning, only of: en"):
        list(restyled(Generator(tmp_path / "vae"), ["w1"], None, "fr"))


def test_what_is_not_legible_is_not_written_of(model):
    generator = Generator(model)
    sources, styles = ["w1 w2", "", "none of it", "w3"], ["w1", "w1", "w1", "none of it"]
    assert legible(generator, sources).tolist() == [True, False, False, True]
    texts = list(restyled(generator, sources, styles))
    assert texts[1:3] == ["", ""]
    assert texts[::3] == list(restyled(generator, sources[::3], styles[::3]))
    assert list(restyled(generator, [""], ["w1"])) == [""]


def test_a_damaged_decoder_is_refused(model, tmp_path):
    folder = tmp_path / "damaged"
    shutil.copytree(model, folder)
    path = folder / "decoders/decoders.safetensors"
    path.write_bytes(path.read_bytes()[:-4] + b"abcd")
    with pytest.raises(InputError, match="not the file that"):
        Generator(folder)
    # sealed anew, but with other shapes than its settings
    path = folder / "decoders/decoders.json"
    path.write_text(path.read_text().replace('"filter": 32', '"filter": 31'), encoding="utf-8")
    shutil.copy(model / "decoders/decoders.safetensors", folder / "decoders")
    saved.seal(folder / "decoders")
    saved.seal(folder)
    with pytest.raises(InputError, match="not the tensors that its settings describe"):
        Generator(folder)


def test_decoders_beside_another_kind_of_encoder_are_refused(model, tmp_path):
    segmenter = SentenceEncoder.load(model).segmenter
    as_encoder(segmenter, *initialise(Averaging(dimension=24), TYPES, 1)).save(tmp_path / "model")
    shutil.copytree(model / "decoders", tmp_path / "model/decoders")
    saved.seal(tmp_path / "model")
    with pytest.raises(InputError, match="kind averaging, which no decoders belong to"):
        Generator(tmp_path / "model")


def test_little_is_written_at_a_time_where_there_are_many_beginnings(model, monkeypatch):
    generator, counts = Generator(model), []

    def counted(generator, decoder, vectors, *how):
        counts.append(len(vectors))
        return written(generator, decoder, vectors, *how)

    monkeypatch.setattr(writing, "written", counted)
    monkeypatch.setattr(writing, "TOKENS", 300)
    few = list(restyled(generator, sentences(7), sentences(7), "en", 5, 20))
    assert counts == [3, 3, 1]
    monkeypatch.setattr(writing, "TOKENS", 10**6)
    assert few == list(restyled(generator, sentences(7), sentences(7), "en", 5, 20))
    # scores are bounded, too: five beginnings of so many types
    counts.clear()
    monkeypatch.setattr(writing, "SCORES", 4 * 5 * TYPES)
    assert few == list(restyled(generator, sentences(7), sentences(7), "en", 5, 20))
    assert counts == [4, 3]


def test_text_of_pieces_has_its_spaces_and_marks():
    class Pieces:
        vocabulary = ["\u2581he", "\u2581sa", "id", "\u2581,", "\u2581(", "\u2581yes", "\u2581)",
                      "\u2581.", "\u2581\u201c", "\u2581\u201d"]  # fmt: skip
        segmentation = Sentencepiece()

    class Model:
        encoder = type("E", (), {"segmenter": Pieces})

    assert text_of(Model, [0, 1, 2, 3, 4, 5, 6, 7]) == "he said, (yes)."
    assert text_of(Model, [0, 1, 2, 8, 5, 9, 7]) == "he said \u201cyes\u201d."
    assert text_of(Model, []) == ""


def test_text_of_a_marked_language_has_no_marks():
    words = Words(marked=("en", "fr"))
    segmenter = Segmenter(words, ["<en>he", "<fr>il", "<de>", "<en><en>"], {"en": None, "fr": None})
    model = type("Model", (), {"encoder": type("E", (), {"segmenter": segmenter})})
    assert text_of(model, [0, 1, 2, 3]) == "he il <de> <en>"


def test_what_is_written_at_a_time_is_bounded_whatever_is_asked_for():
    assert writing.at_once(writing.BEAM, writing.LONGEST, 64_000) == 64
    for beam in (1, 5, 100):
        for longest in (1, 100, 1000):
            for types in (300, 64_000, 250_000):
                count = writing.at_once(beam, longest, types)
                assert count == 1 or count * beam * longest <= writing.TOKENS
                assert count == 1 or count * beam * types <= 1 << 25
                # --beam 1, which the message for a full GPU names, takes less than any other
                alone = writing.at_once(1, longest, types)
                assert beam == 1 or alone < count * beam
