"""Folders of transformers and sentence-transformers: the vectors of their libraries, or refusal."""

import json

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import modules
from small_pretrained import SENTENCES, save_folder

import tandem
from tandem.cli import main
from tandem.encoders.named import load_model
from tandem.encoders.pretrained import load_pretrained
from tandem.errors import InputError

LONG = " ".join(["the"] * 60)


def change(folder, edit):
    """Change the tensors of a folder: `edit` takes and returns them by name."""
    path = folder / "model.safetensors"
    save_file(edit(load_file(path)), path, metadata={"format": "pt"})


def without(*words):
    return lambda tensors: {
        name: value for name, value in tensors.items() if not any(word in name for word in words)
    }


@pytest.mark.parametrize("kind", ["bert", "xlm-roberta", "distilbert"])
def test_weights_that_a_file_lacks_are_named(tmp_path, kind, capfd):
    save_folder(tmp_path / "hub", kind)
    change(tmp_path / "hub", without("layer.1."))
    with pytest.raises(InputError, match=r"hub/model.safetensors: it lacks .*layer\.1\..* more"):
        load_pretrained(str(tmp_path / "hub"))
    (tmp_path / "pairs.tsv").write_text("a\ta\n")
    command = ["identify", str(tmp_path / "hub"), str(tmp_path / "pairs.tsv"),
               "--languages", "en", "en", "--at-least", "0.5"]  # fmt: skip
    assert main(command) == 1
    written = capfd.readouterr()
    assert not written.out and "Fetch the model again" in written.err


def test_embeddings_and_shapes_are_checked_too(tmp_path):
    for name, edit in {
        "embeddings": without("word_embeddings"),
        "shapes": lambda tensors: (
            tensors
            | {k: v[:3].clone() for k, v in tensors.items() if "0.intermediate.dense.weight" in k}
        ),
    }.items():
        save_folder(tmp_path / name, "bert")
        change(tmp_path / name, edit)
        lacking = {"embeddings": "word_embeddings", "shapes": "intermediate.dense.weight"}[name]
        with pytest.raises(InputError, match=rf"it lacks \S*{lacking}"):
            load_pretrained(str(tmp_path / name))


def test_what_is_not_needed_may_be_absent_or_there(tmp_path, capfd):
    save_folder(tmp_path / "hub", "bert")
    expected = load_pretrained(str(tmp_path / "hub")).encode(SENTENCES)
    change(tmp_path / "hub", without("pooler"))
    change(tmp_path / "hub", lambda tensors: tensors | {"cls.bias": torch.zeros(2)})
    capfd.readouterr()
    loaded = load_pretrained(str(tmp_path / "hub"))
    np.testing.assert_array_equal(loaded.encode(SENTENCES), expected)
    assert capfd.readouterr().err == ""
    with pytest.raises(InputError, match="it lacks pooler.dense.bias, pooler.dense.weight"):
        load_pretrained(str(tmp_path / "hub"), "pooler")


def listed(folder, kind="bert", pooling="cls", *others, prompts=None, longest=None):
    """Save a folder of sentence-transformers; return its model."""
    save_folder(folder / "hub", kind)
    transformer = modules.Transformer(str(folder / "hub"), max_seq_length=longest)
    parts = [transformer, modules.Pooling(16, pooling_mode=pooling), *others]
    more = {"prompts": prompts, "default_prompt_name": next(iter(prompts))} if prompts else {}
    model = SentenceTransformer(modules=parts, device="cpu", **more)
    model.save(str(folder / "listed"), create_model_card=False)
    return model


@pytest.mark.parametrize(
    ("pooling", "others", "prompts", "longest"),
    [
        ("cls", [], None, None),
        ("mean", [], {"query": "query:"}, None),
        ("mean", [], None, 5),
        ("cls", [modules.Dense(16, 16)], None, None),
        ("mean", [modules.Normalize()], None, None),
    ],
)
def test_vectors_are_those_that_the_modules_give(tmp_path, pooling, others, prompts, longest):
    model = listed(tmp_path, "bert", pooling, *others, prompts=prompts, longest=longest)
    sentences = [*SENTENCES, LONG]
    vectors = load_model(tmp_path / "listed").encode(sentences)
    if others and isinstance(others[-1], modules.Normalize):
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    np.testing.assert_allclose(vectors, model.encode(sentences), atol=1e-5)


def test_earlier_settings_of_pooling_and_case_are_read(tmp_path):
    listed(tmp_path)
    flags = {"word_embedding_dimension": 16, "pooling_mode_cls_token": True,
             "pooling_mode_mean_tokens": False}  # fmt: skip
    (tmp_path / "listed/1_Pooling/config.json").write_text(json.dumps(flags))
    settings = {"max_seq_length": 4, "do_lower_case": True}
    (tmp_path / "listed/sentence_bert_config.json").write_text(json.dumps(settings))
    model = SentenceTransformer(str(tmp_path / "listed"), device="cpu")
    sentences = ["The CAR is red", "a sheep"]
    vectors = load_model(tmp_path / "listed").encode(sentences)
    np.testing.assert_allclose(vectors, model.encode(sentences), atol=1e-5)


@pytest.mark.parametrize(
    ("pooling", "others", "problem"),
    [
        ("max", [], "1_Pooling/config.json: the pooling is max"),
        (("cls", "mean"), [], "the pooling is cls and mean"),
        ("mean", [modules.Dense(16, 16)], "16 to 16 numbers with Tanh after the pooling mean"),
        ("cls", [modules.Dense(16, 8)], "16 to 8 numbers with Tanh after the pooling first"),
        ("cls", [modules.Dense(16, 16, activation_function=torch.nn.ReLU())], "with ReLU"),
        ("mean", [modules.Normalize(), modules.Dense(16, 16)], "Pooling, Normalize, Dense"),
    ],
)
def test_modules_that_no_model_of_ours_has_are_named(tmp_path, pooling, others, problem):
    width = 32 if isinstance(pooling, tuple) else 16
    assert width == 16 or not others
    listed(tmp_path, "bert", pooling, *others)
    with pytest.raises(InputError, match=problem):
        load_model(tmp_path / "listed")


def test_a_list_that_is_none_is_refused(tmp_path):
    listed(tmp_path)
    entries = json.loads((tmp_path / "listed/modules.json").read_text())
    entries[1]["path"] = "../.."
    for content in ("{", "[]", '[{"path": ""}]', json.dumps(entries)):
        (tmp_path / "listed/modules.json").write_text(content)
        with pytest.raises(InputError, match=r"listed/modules\.json"):
            load_model(tmp_path / "listed")


@pytest.mark.parametrize(
    ("kind", "pooling"),
    [("bert", "mean"), ("bert", "first"), ("bert", "pooler"), ("xlm-roberta", "pooler"),
     ("distilbert", "first")],
)  # fmt: skip
def test_an_export_is_loaded_again_with_equal_vectors(tmp_path, kind, pooling, capfd):
    save_folder(tmp_path / "hub", kind)
    encoder = load_pretrained(str(tmp_path / "hub"), pooling, prefix="query:")
    capfd.readouterr()
    tandem.export(encoder, tmp_path / "exported")
    assert "REPORT" not in capfd.readouterr().err
    again = load_model(tmp_path / "exported")
    np.testing.assert_array_equal(again.encode([*SENTENCES, LONG]),
                                  encoder.encode([*SENTENCES, LONG]))  # fmt: skip
    tandem.export(encoder, tmp_path / "second")
    both = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("exported", "second")]
    assert both[0] == both[1]


def test_an_average_is_loaded_again_with_equal_vectors(tmp_path):
    small = load_model(tandem.encoders.named.SHIPPED / "small")
    tandem.export(small, tmp_path / "exported")
    again = load_model(tmp_path / "exported")
    sentences = ["The dog bites the man, isn't it?", "", "☃ 漢字", "x y z " * 900]
    np.testing.assert_array_equal(again.encode(sentences, "de"), small.encode(sentences, "en"))
    change(tmp_path / "exported", lambda tensors: {k: v[:9].clone() for k, v in tensors.items()})
    with pytest.raises(InputError, match="embedding.weight is"):
        load_model(tmp_path / "exported")
