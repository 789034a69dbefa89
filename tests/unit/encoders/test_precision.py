"""Tables of shorter numbers: what they lose and take, and that folders say which they are."""

import json

import numpy as np
import pytest

from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision, pack, unpack
from tandem.errors import TandemError
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn

TEXTS = {"en": lambda: ["the cat sat", "a dog ran"], "cs": lambda: ["kočka seděla", "pes"]}


def table_of(rows, columns, scale=1.0):
    random = np.random.default_rng(1)
    return random.standard_normal((rows, columns), np.float32) * np.float32(scale)


@pytest.fixture(params=["averaging", "lstm"])
def encoder(request, tmp_path):
    (tmp_path / "segmenter").mkdir()
    segmenter = learn(Words(size=50), TEXTS, tmp_path / "segmenter")
    hidden = {"hidden": 4} if request.param == "lstm" else {}
    kind = ENCODERS.parse({"kind": request.param, "dimension": 8, **hidden})
    return as_encoder(segmenter, *initialise(kind, len(segmenter), seed=1), {"pairs": 0})


def test_int8_is_off_by_half_a_step_of_its_row_at_most():
    table = table_of(50, 40) * np.logspace(-6, 6, 50, dtype=np.float32)[:, None]
    packed = pack(table, Precision.INT8)
    assert (packed["embedding"].dtype, packed["scale"].dtype) == (np.int8, np.float32)
    assert np.array_equal(packed["scale"], np.abs(table).max(1) / np.float32(127))
    assert (np.abs(packed["embedding"]).max(1) == 127).all()
    off = np.abs(unpack(dict(packed)) - table)
    assert (off <= packed["scale"][:, None] * 0.50001).all()
    assert off.max() > 0


def test_int8_rounds_to_nearest():
    table = np.array([[127, 3.4, 3.6, -3.4, -3.6, -127]], np.float32)
    assert pack(table, Precision.INT8)["embedding"].tolist() == [[127, 3, 4, -3, -4, -127]]


def test_rows_of_zeros_stay_and_the_tiniest_numbers_do_not_overflow():
    rows = [[0, 0], [1e-45, -1e-45], [2.5e-43, -2.5e-43], [1, -1]]
    table = np.array(rows, np.float32)
    found = unpack(pack(table, Precision.INT8))
    assert not found[0].any()
    assert np.array_equal(np.sign(found)[2:], np.sign(table)[2:])
    np.testing.assert_allclose(found, table, rtol=0, atol=1e-42)


def test_float16_is_the_nearest_float16():
    table = table_of(20, 8)
    found = unpack(pack(table, Precision.FLOAT16))
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, table.astype(np.float16))


def test_what_float16_cannot_hold_is_refused(encoder, tmp_path):
    encoder.table[3, 2] = 70_000.0
    with pytest.raises(TandemError, match="choose int8"):
        encoder.save(tmp_path / "model", Precision.FLOAT16)
    assert not (tmp_path / "model").exists()
    encoder.save(tmp_path / "model", Precision.INT8)
    assert SentenceEncoder.load(tmp_path / "model").table[3, 2] == pytest.approx(70_000)


@pytest.mark.parametrize("precision", list(Precision))
def test_a_stored_encoder_has_the_rounded_table_and_all_else(encoder, precision, tmp_path):
    encoder.save(tmp_path / "model", precision)
    loaded = SentenceEncoder.load(tmp_path / "model")
    rounded = unpack(pack(encoder.table, precision))
    assert loaded.table.dtype == np.float32
    assert np.array_equal(loaded.table, rounded)
    encoder.table = rounded
    sentences = ["the cat ran", "", "a dog"]
    np.testing.assert_array_equal(loaded.encode(sentences, "en"), encoder.encode(sentences, "en"))
    assert loaded.metadata == {"pairs": 0}
    loaded.save(tmp_path / "again", precision)  # what is rounded stays as it is
    assert np.array_equal(SentenceEncoder.load(tmp_path / "again").table, rounded)


def test_a_folder_says_its_precision_unless_it_is_float32(encoder, tmp_path):
    said = {}
    for precision in Precision:
        encoder.save(tmp_path / precision, precision)
        said[precision] = json.loads((tmp_path / precision / "encoder.json").read_text())
    assert said[Precision.FLOAT32] == {  # byte for byte what folders had before there was a choice
        "encoder": ENCODERS.dump(encoder.kind), "training": {"pairs": 0},
    }  # fmt: skip
    assert [said[p].pop("precision", None) for p in Precision] == [None, "float16", "int8"]
    assert said[Precision.INT8] == said[Precision.FLOAT32]


def test_the_table_takes_half_and_a_quarter_of_the_room(tmp_path):
    (tmp_path / "segmenter").mkdir()
    lines = [f"w{number}" for number in range(2000)]
    segmentation = Words(size=5000)
    segmenter = learn(segmentation, {"en": lambda: lines}, tmp_path / "segmenter")
    kind = ENCODERS.parse({"kind": "averaging", "dimension": 300})
    encoder = as_encoder(segmenter, *initialise(kind, len(segmenter), seed=1))
    sizes = []
    for precision in Precision:
        encoder.save(tmp_path / precision, precision)
        sizes.append((tmp_path / precision / "model.safetensors").stat().st_size)
    assert sizes[1] / sizes[0] == pytest.approx(1 / 2, abs=0.01)
    assert sizes[2] / sizes[0] == pytest.approx(1 / 4, abs=0.01)
