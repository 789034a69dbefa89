"""Folders of recurrent translators from anybody, and checkpoints that were damaged."""

import io
import json
import random
import shutil

import pytest
import sentencepiece as spm
import torch
from rnn_example import BITEXT, SHORT, save_always
from safetensors.torch import load_file, save_file

from tandem.errors import InputError
from tandem.files import saved
from tandem.translation.rnn_training import Aligned, train_network
from tandem.translation.translator import load_translator


def tensors(change):
    def changed(folder):
        found = load_file(folder / "model.safetensors")
        change(found)
        save_file(found, folder / "model.safetensors")

    return changed


def file(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def setting(**changes):
    def change(folder):
        found = json.loads((folder / "translator.json").read_text())
        (folder / "translator.json").write_text(json.dumps(found | changes))

    return change


OTHER_MARKS = io.BytesIO()
spm.SentencePieceTrainer.train(
    sentence_iterator=iter([*BITEXT.sources, *BITEXT.targets]), model_writer=OTHER_MARKS,
    vocab_size=60, hard_vocab_limit=False, minloglevel=2,
)  # fmt: skip
HOSTILE = {
    "no settings": ("translator.json", lambda folder: (folder / "translator.json").unlink()),
    "no pieces": ("sp.model", lambda folder: (folder / "sp.model").unlink()),
    "no weights": ("model.safetensors", lambda folder: (folder / "model.safetensors").unlink()),
    "settings cut": ("translator.json", file("translator.json", b'{"kind":')),
    "settings deep": ("translator.json", file("translator.json", b"[" * 99_999)),
    "settings a number": ("translator.json", file("translator.json", b"1")),
    "a key misspelt": (r"'epoch' \(did you mean 'epochs'", setting(epoch=1)),
    "an unknown kind": ("no translator 'oracle'; there are released, rnn", setting(kind="oracle")),
    "an odd dimension": ("dimension", setting(dimension=33)),
    "another dimension": ("model.safetensors", setting(dimension=64)),
    "a dimension of a million": ("model.safetensors", setting(dimension=10**6)),
    "a dimension of billions": ("settings describe", setting(dimension=10**9)),
    "a dimension of 31 digits": ("settings describe", setting(dimension=10**30)),
    "pieces of noise": (r"sp\.model: not a readable", file("sp.model", b"nothing")),
    "pieces with other marks": (r"sp\.model: .*padding", file("sp.model", OTHER_MARKS.getvalue())),
    "weights of noise": ("model.safetensors: not the", file("model.safetensors", b"nothing")),
    "a weight too many": ("model.safetensors", tensors(lambda t: t.update(x=torch.ones(1)))),
    "a weight missing": ("model.safetensors", tensors(lambda t: t.pop("bias"))),
    "a weight of NaN": ("bias is no", tensors(lambda t: t["bias"].fill_(float("nan")))),
    "a weight of float64": ("bias is no", tensors(lambda t: t.update(bias=t["bias"].double()))),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_folders_are_refused(folder, tmp_path, name):
    said, change = HOSTILE[name]
    shutil.copytree(folder, tmp_path / "t")
    change(tmp_path / "t")
    saved.seal(tmp_path / "t")
    with pytest.raises(InputError, match=said):
        load_translator(tmp_path / "t")


def test_every_flipped_bit_is_found(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "t")
    draw = random.Random(7)
    for path in sorted(copy.iterdir()):
        whole = path.read_bytes()
        for bit in draw.sample(range(8 * len(whole)), 60):
            damaged = bytearray(whole)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            with pytest.raises(InputError):
                load_translator(copy)
        path.write_bytes(whole)
    load_translator(copy)


@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_a_damaged_checkpoint_is_told_and_left(tmp_path, monkeypatch, capsys, share):
    save_always(monkeypatch)
    pairs, place = Aligned([[5, 6]], [[7, 8]]), tmp_path / "checkpoint"
    whole = train_network(SHORT, 60, pairs, pairs, place)
    state = place / "state.safetensors"
    state.write_bytes(state.read_bytes()[: int(share * state.stat().st_size)])
    again = train_network(SHORT, 60, pairs, pairs, place)
    assert "state.safetensors: damaged or missing: the run starts" in capsys.readouterr().err
    assert again.progress == whole.progress
    train_network(SHORT, 60, pairs, pairs, place)
    assert "damaged" not in capsys.readouterr().err
