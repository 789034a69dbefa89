"""Model folders from anybody: each one ends in an error that names a file, or gives its vectors."""

import json
import os
import random
import re
import resource
import shutil
import struct
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision
from tandem.errors import InputError
from tandem.files import saved
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import learn

DRAWN = random.Random(3)
WORDS = ["".join(DRAWN.choices("abcdefgh", k=DRAWN.randint(2, 6))) for _ in range(60)]
LINES = [" ".join(DRAWN.choices(WORDS, k=6)) for _ in range(80)]
TEXTS = {"en": lambda: LINES, "cs": lambda: [line[::-1] for line in LINES]}
AVERAGING = {"kind": "averaging", "dimension": 8}
LSTM = {"kind": "lstm", "dimension": 8, "hidden": 4}


def made(folder, segmentation, kind, precision=Precision.FLOAT32):
    (folder / "segmenter").mkdir(parents=True)
    segmenter = learn(
        SEGMENTATIONS.parse({"kind": segmentation, "size": 60}), TEXTS, folder / "segmenter"
    )
    table, composition = initialise(ENCODERS.parse(kind), len(segmenter), seed=1)
    as_encoder(segmenter, table, composition, {"pairs": 7}).save(folder / "model", precision)
    return folder / "model"


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """The good models that the hostile ones are made of."""
    root = tmp_path_factory.mktemp("good")
    return {
        "words": made(root / "words", "words", AVERAGING),
        "pieces": made(root / "pieces", "sentencepiece", LSTM),
        "float16": made(root / "float16", "words", AVERAGING, Precision.FLOAT16),
        "int8": made(root / "int8", "words", AVERAGING, Precision.INT8),
    }


@pytest.fixture
def copy(models, tmp_path):
    """Copies a good model to a place of its own."""

    def copied(name):
        return Path(shutil.copytree(models[name], tmp_path / "model"))

    return copied


# What is done to a folder: small functions that return one


def raw(name, content):
    return lambda folder: (folder / name).write_bytes(content)


def cut(name, share):
    def change(folder):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: int(len(content) * share)])

    return change


def gone(name):
    return lambda folder: (folder / name).unlink()


def text(name, *keys, value):
    """Set, or with ... delete, what stands under these keys of a JSON file."""

    def change(folder):
        whole = found = json.loads((folder / name).read_text())
        for key in keys[:-1]:
            found = found[key]
        if value is ...:
            del found[keys[-1]]
        else:
            found[keys[-1]] = value(found.get(keys[-1])) if callable(value) else value
        (folder / name).write_text(json.dumps(whole))

    return change


def described(*keys, value):
    return text("encoder.json", *keys, value=value)


def segmented(*keys, value):
    return text("segmenter/segmentation.json", *keys, value=value)


def tensors(change):
    def changed(folder):
        found = {k: v.clone() for k, v in load_file(folder / "model.safetensors").items()}
        change(found)
        save_file(found, folder / "model.safetensors")

    return changed


def table(change):
    return tensors(lambda found: found.update(embedding=change(found["embedding"]).contiguous()))


def number(value, name="embedding"):
    def change(found):
        found[name].view(-1)[5] = value

    return tensors(change)


def renamed(found):
    found["composition.weights.weight_hh"] = found.pop("composition.weights.weight_hh_l0")


def narrower(found):
    found["composition.weights.bias_hh_l0"] = found["composition.weights.bias_hh_l0"][1:].clone()


def header(content):
    return raw("model.safetensors", struct.pack("<Q", len(content)) + content + bytes(64))


def linked(name, to=None):
    """Put a symbolic link in the place of a file, to a copy of it outside."""

    def change(folder):
        aside = folder.parent / "outside"
        (folder / name).rename(aside)
        (folder / name).symlink_to(to or aside)

    return change


def replaced(name, make):
    def change(folder):
        (folder / name).unlink()
        make(folder / name)

    return change


def other_pieces(folder):
    (folder / "aside").mkdir()
    lines = [line.translate(str.maketrans("abcd", "wxyz")) for line in LINES]
    learn(Sentencepiece(size=40), {"en": lambda: lines}, folder / "aside")
    (folder / "aside/joint.model").replace(folder / "segmenter/joint.model")
    shutil.rmtree(folder / "aside")


def score_not_a_number(folder):
    path = folder / "segmenter/joint.model"
    content = path.read_bytes()
    # of the second piece: a field of its own, number 2, of four bytes
    place = content.index(b"\x15", content.index(b"\x15") + 5) + 1
    path.write_bytes(content[:place] + struct.pack("<f", float("nan")) + content[place + 4 :])


def piece_in_no_encoding(folder):
    path = folder / "segmenter/joint.model"
    content = path.read_bytes()
    place = content.index("▁".encode())  # the first piece with one
    path.write_bytes(content[:place] + b"\xff" + content[place + 1 :])


def sealed(change):
    """Change the text of the seal."""
    return lambda folder: (folder / saved.SEAL).write_text(change(sums(folder)), "utf-8")


def sums(folder):
    return (folder / saved.SEAL).read_text() if (folder / saved.SEAL).exists() else ""


DEEP = b"[" * 100_000 + b"]" * 100_000
SEGMENTATION, MODEL = "segmenter/segmentation.json", "segmenter/joint.model"
ZEROS = "0" * 64

WORDS_FOLDERS = {
    "no description": gone("encoder.json"),
    "description: empty": raw("encoder.json", b""),
    "description: no JSON": raw("encoder.json", b"{'encoder'"),
    "description: a list": raw("encoder.json", b"[1]"),
    "description: no UTF-8": raw("encoder.json", b'{"encoder": "\xff"}'),
    "description: deep": raw("encoder.json", DEEP),
    "description: digits": raw("encoder.json", b'{"encoder": ' + b"9" * 6000 + b"}"),
    "description: large": lambda folder: os.truncate(folder / "encoder.json", 1 << 27),
    "description: a key more": described("code", value="import os"),
    "description: no encoder": described("encoder", value=...),
    "description: no training": described("training", value=...),
    "training: a list": described("training", value=[1]),
    "thresholds: none": described("training", "quality", value={"thresholds": None}),
    "threshold: a word": described("training", "quality", value={"thresholds": {"cosine": "x"}}),
    "threshold: a list": described("training", "quality", value={"thresholds": {"ratio": [1]}}),
    "threshold: true": described("training", "quality", value={"thresholds": {"ratio": True}}),
    "threshold: infinite": raw(
        "encoder.json",
        json.dumps({"encoder": AVERAGING, "training": {"quality": {"thresholds": {"cosine": 9}}}})
        .replace("9", "1e999")
        .encode(),
    ),
    "threshold: of a joint model": described(
        "training", "quality", value={"de-en": {"thresholds": {"cosine": None}}}
    ),
    "threshold: of paraphrases": described("training", "identification", value={"threshold": "x"}),
    "encoder: a name": described("encoder", value="averaging"),
    "encoder: a key more": described("encoder", "bias", value=1),
    "kind: unknown": described("encoder", "kind", value="oracle"),
    "kind: none": described("encoder", "kind", value=...),
    "kind: a path": described("encoder", "kind", value="../../evil"),
    "kind: a list": described("encoder", "kind", value=["averaging"]),
    "kind: a translator": described("encoder", "kind", value="rnn"),
    "kind: another": described("encoder", value=LSTM),
    "dimension: none": described("encoder", "dimension", value=None),
    "dimension: default": described("encoder", "dimension", value=...),
    "dimension: zero": described("encoder", "dimension", value=0),
    "dimension: negative": described("encoder", "dimension", value=-8),
    "dimension: half": described("encoder", "dimension", value=4.5),
    "dimension: a word": described("encoder", "dimension", value="wide"),
    "dimension: a billion": described("encoder", "dimension", value=10**9),
    "dimension: 31 digits": described("encoder", "dimension", value=10**30),
    "precision: unknown": described("precision", value="int4"),
    "precision: none": described("precision", value=None),
    "precision: float16": described("precision", value="float16"),
    "precision: int8": described("precision", value="int8"),
    "no tensors": gone("model.safetensors"),
    "tensors: empty": raw("model.safetensors", b""),
    "tensors: noise": raw("model.safetensors", bytes(range(256)) * 8),
    "tensors: cut": cut("model.safetensors", 0.7),
    "tensors: header cut": cut("model.safetensors", 0.01),
    "tensors: header of exabytes": raw("model.safetensors", struct.pack("<Q", 1 << 60) + b"{}"),
    "tensors: past the end": header(
        b'{"embedding":{"dtype":"F32","shape":[2,8],"data_offsets":[0,64000]}}'
    ),
    "tensors: a shape that overflows": header(
        b'{"embedding":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,64]}}'
    ),
    "tensors: a pickle": replaced("model.safetensors", lambda path: torch.save({"a": 1}, path)),
    "tensors: no table": tensors(lambda found: found.update(other=found.pop("embedding"))),
    "tensors: one more": tensors(lambda found: found.update(more=torch.ones(2))),
    "table: a row less": table(lambda found: found[1:]),
    "table: a row more": table(lambda found: torch.cat([found, found[:1]])),
    "table: a column less": table(lambda found: found[:, 1:]),
    "table: transposed": table(lambda found: found.T),
    "table: flat": table(lambda found: found.flatten()),
    "table: one axis more": table(lambda found: found[None]),
    "table: float64": table(lambda found: found.double()),
    "table: float16": table(lambda found: found.half()),
    "table: whole numbers": table(lambda found: found.int()),
    "table: NaN": number(float("nan")),
    "table: infinite": number(float("inf")),
    "table: minus infinite": number(-float("inf")),
    "table: beyond reason": number(3e38),
    "no segmentation": gone(SEGMENTATION),
    "segmentation: no JSON": raw(SEGMENTATION, b"{"),
    "segmentation: deep": raw(SEGMENTATION, DEEP),
    "segmentation: a key more": segmented("code", value=1),
    "scheme: none": segmented("scheme", value=...),
    "scheme: unknown kind": segmented("scheme", "kind", value="bytes"),
    "scheme: a key more": segmented("scheme", "load", value="x"),
    "scheme: size zero": segmented("scheme", "size", value=0),
    "scheme: marks are numbers": segmented("scheme", "marked", value=[1]),
    "scheme: pieces without a model": segmented("scheme", "kind", value="sentencepiece"),
    "vocabulary: none": segmented("vocabulary", value=...),
    "vocabulary: empty": segmented("vocabulary", value=[]),
    "vocabulary: a string": segmented("vocabulary", value="abc"),
    "vocabulary: numbers": segmented("vocabulary", value=lambda v: list(range(len(v)))),
    "vocabulary: one less": segmented("vocabulary", value=lambda v: v[1:]),
    "vocabulary: one more": segmented("vocabulary", value=lambda v: [*v, "unheard"]),
    "vocabulary: one twice": segmented("vocabulary", value=lambda v: [*v[:-1], v[0]]),
    "vocabulary: an empty token": segmented("vocabulary", value=lambda v: [*v[:-1], ""]),
    "vocabulary: half a character": segmented("vocabulary", value=lambda v: [*v[:-1], "\ud800"]),
    "models: none": segmented("models", value={}),
    "models: a list": segmented("models", value=["en"]),
    "models: one for words": segmented("models", "en", value="segmentation.json"),
    "language: empty": segmented("models", "", value=None),
    "language: above": segmented("models", "..", value=None),
    "language: a path": segmented("models", "../../en", value=None),
    "language: a line break": segmented("models", "en\n", value=None),
    "link to the tensors": linked("model.safetensors"),
    "link to the description": linked("encoder.json", "/dev/zero"),
    "link to the segmenter": linked("segmenter"),
    "a pipe": replaced("encoder.json", os.mkfifo),
    "a folder": replaced("encoder.json", os.mkdir),
}
PIECES_FOLDERS = {
    "hidden: a billion": described("encoder", "hidden", value=10**9),
    "hidden: 31 digits": described("encoder", "hidden", value=10**30),
    "hidden: default": described("encoder", "hidden", value=...),
    "kind: another": described("encoder", value=AVERAGING),
    "weights: renamed": tensors(renamed),
    "weights: narrower": tensors(narrower),
    "weights: NaN": number(float("nan"), "composition.weights.weight_ih_l0"),
    "weights: missing": tensors(lambda found: found.pop("composition.weights.bias_ih_l0")),
    "no model": gone(MODEL),
    "model: empty": raw(MODEL, b""),
    "model: noise": raw(MODEL, bytes(range(256)) * 8),
    "model: cut": cut(MODEL, 0.5),
    "model: other pieces": other_pieces,
    "model: score NaN": score_not_a_number,
    "model: a piece that is no UTF-8": piece_in_no_encoding,
    "model: null": segmented("models", "en", value=None),
    "model: another file": segmented("models", "en", value="segmentation.json"),
    "model: above": segmented("models", "en", value="../encoder.json"),
    "model: elsewhere": segmented("models", "en", value="/etc/passwd"),
    "model: not there": segmented("models", "en", value="en.model"),
    "model: a NUL": segmented("models", "en", value="joint\0.model"),
    "model: a number": segmented("models", "en", value=7),
    "scheme: a language marked": segmented("scheme", "marked", value=["cs"]),
    "scheme: words with a model": segmented("scheme", "kind", value="words"),
    "scheme: coverage NaN": segmented("scheme", "character_coverage", value=float("nan")),
    "vocabulary: in capitals": segmented("vocabulary", value=lambda v: [t.upper() for t in v]),
    "vocabulary: a piece less": segmented("vocabulary", value=lambda v: [*v[:-1], "unheard"]),
    "link to the model": linked(MODEL),
    "link to anything": linked(MODEL, "/etc/passwd"),
}
FLOAT16_FOLDERS = {
    "precision: not said": described("precision", value=...),
    "table: float32": table(lambda found: found.float()),
    "table: infinite": number(float("inf")),
    "table: NaN": number(float("nan")),
    "a scale": tensors(lambda found: found.update(scale=torch.ones(len(found["embedding"])))),
}
INT8_FOLDERS = {
    "precision: not said": described("precision", value=...),
    "precision: float16": described("precision", value="float16"),
    "table: float32": table(lambda found: found.float()),
    "table: a row less": table(lambda found: found[1:]),
    "scale: none": tensors(lambda found: found.pop("scale")),
    "scale: a number less": tensors(lambda found: found.update(scale=found["scale"][1:].clone())),
    "scale: one for all": tensors(lambda found: found.update(scale=torch.ones(()))),
    "scale: float16": tensors(lambda found: found.update(scale=found["scale"].half())),
    "scale: NaN": number(float("nan"), "scale"),
    "scale: infinite": number(float("inf"), "scale"),
    "scale: beyond reason": number(3e38, "scale"),
}
SEALS = {
    "seal: none": gone(saved.SEAL),
    "seal: empty": sealed(lambda text: ""),
    "seal: a line less": sealed(lambda text: text.split("\n", 1)[1]),
    "seal: cut": sealed(lambda text: text[:-9]),
    "seal: a page": sealed(lambda text: "<html>404</html>\n"),
    "seal: above": sealed(lambda text: f"{text}{ZEROS}  ../outside\n"),
    "seal: elsewhere": sealed(lambda text: f"{text}{ZEROS}  /etc/passwd\n"),
    "seal: a device": sealed(lambda text: f"{text}{ZEROS}  /dev/zero\n"),
    "seal: a NUL": sealed(lambda text: f"{text}{ZEROS}  a\0b\n"),
    "seal: a name too long": sealed(lambda text: f"{text}{ZEROS}  {'x' * 5000}\n"),
    "seal: other sums": sealed(lambda text: re.sub(r"(?m)^\w{64}", ZEROS, text)),
    "seal: a pipe": replaced(saved.SEAL, os.mkfifo),
    "not sealed again: description": described("training", "pairs", value=8),
    "not sealed again: table": table(lambda found: found.flip(0)),
    "not sealed again: words": segmented("vocabulary", value=lambda v: v[::-1]),
}
CASES = [
    *(("words", name, change, True) for name, change in WORDS_FOLDERS.items()),
    *(("pieces", name, change, True) for name, change in PIECES_FOLDERS.items()),
    *(("float16", name, change, True) for name, change in FLOAT16_FOLDERS.items()),
    *(("int8", name, change, True) for name, change in INT8_FOLDERS.items()),
    *(("words", name, change, False) for name, change in SEALS.items()),
]


def reseal(folder):
    """Make the seals fit what the folder holds now, as its maker could."""
    segmenter = folder / "segmenter"
    saved.seal(segmenter, [p.name for p in segmenter.iterdir() if p.is_file()])
    saved.seal(folder)


def used(folder):
    """Load a model and use it in both languages."""
    encoder = SentenceEncoder.load(folder)
    return np.concatenate([encoder.encode([*LINES[:9], "", "xyz"], name) for name in ("en", "cs")])


@pytest.mark.parametrize(
    ("base", "change", "again"), [case[:1] + case[2:] for case in CASES],
    ids=[f"{base}, {name}" for base, name, _, _ in CASES],
)  # fmt: skip
def test_a_hostile_folder_is_refused_by_the_name_of_a_file(copy, base, change, again):
    folder = copy(base)
    change(folder)
    if again:
        reseal(folder)
    peak, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.monotonic()
    with pytest.raises(InputError) as caught:
        used(folder)
    assert time.monotonic() - start < 5
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - peak < 256 * 1024
    assert caught.value.path.startswith(str(folder))
    assert "tandem train" in str(caught.value) and len(str(caught.value)) < 1500


@pytest.mark.parametrize("name", ["words", "pieces"])
def test_files_beside_a_model_change_nothing(copy, models, name):
    folder = copy(name)
    (folder / "README.md").write_text("notes")
    (folder / ".snakemake_timestamp").touch()
    (folder.parent / "link").symlink_to(folder)
    np.testing.assert_array_equal(used(folder.parent / "link"), used(models[name]))


@pytest.mark.parametrize("name", ["words", "pieces", "int8"])
def test_every_flipped_bit_is_found(copy, name):
    folder = copy(name)
    (folder / "history.csv").write_text("epoch,loss\n")
    saved.seal(folder)
    used(folder)
    draw, tried = random.Random(13), 0
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole = path.read_bytes()
        every = range(8 * len(whole))
        for bit in draw.sample(every, min(len(every), 150)):
            damaged = bytearray(whole)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            with pytest.raises(InputError) as caught:
                SentenceEncoder.load(folder)
            assert str(folder) in caught.value.path
            tried += 1
        path.write_bytes(whole)
    used(folder)
    assert tried > 600


def test_the_seal_is_what_sha256sum_reads(models):
    assert os.system(f"cd {models['pieces']} && sha256sum --check --quiet {saved.SEAL}") == 0
