"""Exported encoders: the installed sentence-transformers gives our vectors from a folder."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
import torch
import yaml
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer

from tandem.encoders.baselines import load_baseline
from tandem.encoders.composition import as_encoder, initialise
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision
from tandem.errors import TandemError
from tandem.exporting.card import Card, Score, model_card
from tandem.exporting.sentence_transformers import export_sentence_transformers
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.kinds.trigrams import Trigrams
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import learn

TEXT = {
    "en": ["The dogs' owner, Mr. Smith, isn't here.", "It costs 5,300.50 (or 6,000)... maybe."],
    "fr": ["L'ami d'Élise, M. Petit, n'est pas ici.", "«Qu'y a-t-il ?» dit-il; c'est l'été."],
    "cs": ["Pes pana Nováka, č. 5, tu není.", "Stojí to 5300 Kč, tj. hodně... snad."],
}
HARD = [
    "",
    " ",
    "\u2603 \U0001f600",
    "a'b'c'd 'tis rock 'n' roll 'x' '' ''' .'.'. 5's 3.1.1. e.g. U.S.A. St. x.",
    ",5 5, ,,5 a,,5 1,2,3 .5 ...5 a..b .. . 'a.' No. 5 No. five Mr.' x.'",
    "\u039f\u0394\u039f\u03a3 \u03a3 \u0130stanbul \u01c5 \ufb01n \u00bd",
    "x\u0301 \t\x01tab\u00a0nbsp\u2028line",
    "漢字とかな 한국어 カタカナ。 a漢b",
    "परमेश्\u200dवर ने कहा। แมวนั่งอยู่ \u200c\u0301 \u2581 so\u00adft",
    "\u2764\ufe0f \U0001f468\u200d\U0001f469",
    "e-mail: me@x.org, http://x.org/a_b?c=d&e {name} **bold** `code` <b>tag</b> 50% \u20ac9",
]


def encoder_of(segmentation, folder, languages=("en", "fr", "cs"), kind="averaging"):
    folder.mkdir()
    texts = {side: lambda side=side: TEXT[side] * 3 + HARD[3:] for side in languages}
    segmenter = learn(segmentation, texts, folder)
    encoder = ENCODERS.parse({"kind": kind, "dimension": 8})
    metadata = {"objective": {"margin": 0.4}}
    return as_encoder(segmenter, *initialise(encoder, len(segmenter), 1), metadata)


@pytest.mark.parametrize(
    "segmentation",
    [
        Sentencepiece(size=120),
        Sentencepiece(size=120, character_coverage=0.98),
        Sentencepiece(size=120, separate=True),
        Sentencepiece(size=120, marked=("cs",)),
        Words(size=60),
        Words(size=60, marked=("en", "cs")),
        Trigrams(size=300),
    ],
)
def test_the_library_gives_the_encoders_vectors(segmentation, tmp_path):
    encoder = encoder_of(segmentation, tmp_path / "segmenter")
    folders = export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    assert sorted(folders) == ["cs", "en", "fr"]
    for language, folder in folders.items():
        model = SentenceTransformer(str(folder), device="cpu")
        lines = HARD + TEXT[language]
        ours = encoder.encode(lines, language)
        theirs = model.encode(lines)
        np.testing.assert_allclose(theirs, ours, atol=1e-6)
        assert np.abs(ours).sum(1)[-1] > 0
        assert not theirs[0].any()  # empty text: the zero vector


def test_float16_gives_the_vectors_of_the_rounded_table(tmp_path):
    encoder = encoder_of(Sentencepiece(size=120), tmp_path / "segmenter")
    export_sentence_transformers(encoder, tmp_path / "out", Card("m"), Precision.FLOAT16)
    model = SentenceTransformer(str(tmp_path / "out"), device="cpu")
    (weights,) = model.state_dict().values()
    assert weights.dtype == torch.float16
    lines = HARD + TEXT["en"]
    found = model.encode(lines)
    exact = encoder.encode(lines, "en")
    half = encoder.table.astype(np.float16).astype(np.float32)
    rounded = SentenceEncoder(encoder.segmenter, encoder.kind, half).encode(lines, "en")
    assert found.dtype == np.float16
    # the sum and the mean are rounded to float16, each by half of its last digit
    np.testing.assert_allclose(found, rounded, rtol=2**-10, atol=1e-6)
    assert np.abs(rounded - exact).max() > 1e-5


def test_int8_has_no_counterpart(tmp_path):
    encoder = encoder_of(Words(size=60), tmp_path / "segmenter")
    with pytest.raises(TandemError, match="choose float16"):
        export_sentence_transformers(encoder, tmp_path / "out", Card("m"), Precision.INT8)
    assert not (tmp_path / "out").exists()


def test_one_vocabulary_is_one_folder_of_stock_classes(tmp_path):
    encoder = encoder_of(Sentencepiece(size=120), tmp_path / "segmenter")
    folders = export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    assert set(folders.values()) == {tmp_path / "out"}
    modules = json.loads((tmp_path / "out" / "modules.json").read_text())
    assert [module["type"].split(".")[0] for module in modules] == ["sentence_transformers"]
    assert not list((tmp_path / "out").rglob("*.py"))


@pytest.mark.parametrize("kind", ["sentencepiece", "words"])
def test_model2vec_gives_the_encoders_vectors(kind, tmp_path):
    encoder = encoder_of(SEGMENTATIONS.parse({"kind": kind, "size": 120}), tmp_path / "segmenter")
    export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    lines = TEXT["en"] + HARD + [" ".join(TEXT["en"]) * 200]
    found = StaticModel.from_pretrained(tmp_path / "out").encode(lines, max_length=None)
    np.testing.assert_allclose(found, encoder.encode(lines, "en"), rtol=0, atol=1e-6)


def test_the_card_has_what_training_measured(tmp_path):
    encoder = encoder_of(Words(size=60), tmp_path / "segmenter")
    encoder.metadata |= {
        "languages": ["en", "fr"],
        "quality": {
            "retrieval": {"p_at_1_x100": 95.5, "low": 94.25, "high": 96.0, "pairs": 500},
            "thresholds": {"cosine": 0.25, "ratio": 1.0625},
        },
        "text": {"cleaning": {"read": 3}},
        "start": {"sha256": "ab12", "training": {"pairs": 9}},
    }
    export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    row = "| retrieval among 500 held-out pairs, en-fr | P@1 x 100 | 95.5 | 94.2 to 96.0 |"
    assert row in text
    assert "`pip install .` in a clone" in text and "tandem-bitext" not in text
    assert "a cosine of 0.250 or more" in text
    assert "from another model (SHA-256 ab12): its text and its licences count, too." in text
    assert "{" not in text.split("## Hyperparameters")[1]


def test_the_card_states_corpora_licences_settings_and_scores(tmp_path):
    encoder = encoder_of(Words(size=60), tmp_path / "segmenter")
    card = Card(
        "my model", [("books", "CC0-1.0")], [Score("STS", "r x 100", 61.25, 60, 62.5)], "mit"
    )
    export_sentence_transformers(encoder, tmp_path / "out", card)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    _, header, body = text.split("---\n", 2)
    header = yaml.safe_load(header)
    assert header["license"] == "mit"
    assert header["language"] == ["cs", "en", "fr"]
    for part in ("# my model", "| books | CC0-1.0 |", "| STS | r x 100 | 61.2 | 60.0 to 62.5 |"):
        assert part in body
    assert "| objective margin | 0.4 |" in body


@pytest.mark.parametrize(
    "metadata",
    [
        {"quality": 5}, {"quality": {"retrieval": {"pairs": "many"}}, "languages": 5},
        {"quality": {"thresholds": {"cosine": None}}}, {"identification": {"accuracy_x100": 3}},
        {"start": {"sha256": "a)\n\n# Public domain", "training": {"name": "b\n---\n"}}},
        {"corpora": [{"name": "x\ud800\n# Public domain"}], "notices": [None]},
        {"seed\n# Public domain": "3\n# Public domain"},
    ],
)  # fmt: skip
def test_metadata_of_anybody_make_no_headings(metadata, tmp_path):
    encoder = encoder_of(Words(size=60), tmp_path / "segmenter")
    encoder.metadata = metadata
    text = model_card(encoder, Card("m\n# Public domain"), "usage")
    assert "\n# m # Public domain\n" in text and "\n# Public" not in text
    assert text.count("---\n") == 2
    encoder.metadata["corpora"] = [{"name": "x\ud800\n# Public domain"}]
    encoder.save(tmp_path / "copy")
    assert "\n# Public" not in (tmp_path / "copy/NOTICE.md").read_text(encoding="utf-8")


def test_without_sentence_transformers_it_says_what_to_install(tmp_path, monkeypatch):
    encoder = encoder_of(Words(size=60), tmp_path / "segmenter")
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(TandemError, match=r"pip install '\.\[export\]' in a clone"):
        export_sentence_transformers(encoder, tmp_path / "export", Card("x"))
    assert not (tmp_path / "export").exists()


def test_an_lstm_is_refused(tmp_path):
    encoder = encoder_of(Words(size=60), tmp_path / "segmenter", kind="lstm")
    with pytest.raises(TandemError, match="lstm.*averaging"):
        export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    assert not (tmp_path / "out").exists()


def test_an_export_is_a_baseline_that_knows_its_languages(tmp_path):
    encoder = encoder_of(Words(size=60), tmp_path / "segmenter")
    export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    baseline = load_baseline(str(tmp_path / "out"))
    for language, lines in TEXT.items():
        ours = encoder.encode(lines, language)
        np.testing.assert_allclose(baseline.encode(lines, language, 1), ours, atol=1e-6)
