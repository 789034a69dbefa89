"""Exported encoders: the installed sentence-transformers gives our vectors from a folder."""

from __future__ import annotations

import functools
import json

import numpy as np
import pytest
import torch
import yaml
from sentence_transformers import SentenceTransformer
from tokenizers.normalizers import Sequence

from tandem.encoders.baselines import load_baseline
from tandem.encoders.card import Card, Corpus, Score
from tandem.encoders.composition import EncoderConfig, initial_embeddings
from tandem.encoders.export import export_sentence_transformers
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.moses_rules import moses_lowercase, signs
from tandem.errors import TandemError
from tandem.segmentation.segmenter import Segmentation, learn
from tandem.segmentation.tokenization import ChunkTokenizer

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
    "e-mail: me@x.org, http://x.org/a_b?c=d&e {name} **bold** `code` <b>tag</b> 50% \u20ac9",
]
LANGUAGES = ["en", "fr", "cs", "de", "zh", "ko"]


def encoder_of(scheme, folder, languages=("en", "fr", "cs"), kind="averaging"):
    folder.mkdir()
    texts = {side: lambda side=side: TEXT[side] * 3 + HARD[3:] for side in languages}
    segmenter = learn(scheme, texts, folder, 1)
    config = EncoderConfig(kind, 8, 4 if kind == "lstm" else None)
    table = initial_embeddings(len(segmenter), 8, torch.Generator().manual_seed(1))
    return SentenceEncoder(config, segmenter, table, metadata={"settings": {"margin": 0.4}})


@functools.cache
def tokenizer(language):
    return ChunkTokenizer(language)


def lowercased(language, line):
    return " ".join(tokenizer(language)(line)).lower()


@pytest.mark.parametrize("default", ["en", "zh"])
def test_the_rules_tokenise_as_moses_does_in_every_language(default):
    normalizer = Sequence(moses_lowercase(LANGUAGES, default))
    sign = signs(LANGUAGES, default)
    for language in LANGUAGES:
        for line in HARD + sum(TEXT.values(), []):
            expected = lowercased(language, line)
            assert normalizer.normalize_str(sign[language] + line) == expected


def test_the_rules_tokenise_random_punctuation_as_moses_does():
    random = np.random.default_rng(0)
    parts = list("aAs15..,,''\"()-:;?!  \u0301\u2116\u03a3é`/漢") + ["Mr", "No", "p.m", "n't", "č"]
    lines = ["".join(random.choice(parts, random.integers(1, 15))) for _ in range(800)]
    normalizer = Sequence(moses_lowercase(LANGUAGES, "en"))
    sign = signs(LANGUAGES, "en")
    for number, line in enumerate(lines):
        language = LANGUAGES[number % len(LANGUAGES)]
        assert normalizer.normalize_str(sign[language] + line) == lowercased(language, line)


def test_languages_with_the_same_rules_share_a_sign():
    sign = signs(["en", "fr", "it", "ar", "tr"], "en")
    assert sign["en"] == ""
    assert sign["ar"] == sign["tr"] != ""  # no prefixes of their own, other apostrophes
    assert len({sign["fr"], sign["it"], sign["ar"]}) == 3  # other prefixes


@pytest.mark.parametrize(
    "scheme",
    [
        Segmentation("sentencepiece", 120),
        Segmentation("sentencepiece", 120, character_coverage=0.98),
        Segmentation("sentencepiece", 100, separate=True),
        Segmentation("sentencepiece", 120, marked=("cs",)),
        Segmentation("words", 60),
        Segmentation("words", 60, marked=("en", "cs")),
        Segmentation("trigrams", 300),
    ],
)
def test_the_library_gives_the_encoders_vectors(scheme, tmp_path):
    encoder = encoder_of(scheme, tmp_path / "segmenter")
    folders = export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    assert sorted(folders) == ["cs", "en", "fr"]
    for language, folder in folders.items():
        model = SentenceTransformer(str(folder), device="cpu")
        lines = HARD + TEXT[language]
        ours = encoder.encode(lines, language)
        theirs = model.encode(lines, prompt_name=language)
        np.testing.assert_allclose(theirs, ours, atol=1e-6)
        assert np.abs(ours).sum(1)[-1] > 0
        assert not theirs[0].any()  # empty text: the zero vector


def test_one_vocabulary_is_one_folder_of_stock_classes(tmp_path):
    encoder = encoder_of(Segmentation("sentencepiece", 120), tmp_path / "segmenter")
    folders = export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    assert set(folders.values()) == {tmp_path / "out"}
    modules = json.loads((tmp_path / "out" / "modules.json").read_text())
    assert [module["type"].split(".")[0] for module in modules] == ["sentence_transformers"]
    assert not list((tmp_path / "out").rglob("*.py"))


def test_the_card_states_corpora_licences_settings_and_scores(tmp_path):
    encoder = encoder_of(Segmentation("words", 60), tmp_path / "segmenter")
    card = Card("my model", [Corpus("books", "CC0-1.0")], [Score("STS", "r x 100", 61.25)], "mit")
    export_sentence_transformers(encoder, tmp_path / "out", card)
    text = (tmp_path / "out" / "README.md").read_text(encoding="utf-8")
    _, header, body = text.split("---\n", 2)
    header = yaml.safe_load(header)
    assert header["license"] == "mit"
    assert header["language"] == ["cs", "en", "fr"]
    for part in ("# my model", "| books |  | CC0-1.0 |", "| STS | r x 100 | 61.25 |"):
        assert part in body
    assert "| margin | 0.4 |" in body


def test_an_lstm_is_refused(tmp_path):
    encoder = encoder_of(Segmentation("words", 60), tmp_path / "segmenter", kind="lstm")
    with pytest.raises(TandemError, match="lstm.*averaging"):
        export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    assert not (tmp_path / "out").exists()


def test_an_export_is_a_baseline_that_knows_its_languages(tmp_path):
    encoder = encoder_of(Segmentation("words", 60), tmp_path / "segmenter")
    export_sentence_transformers(encoder, tmp_path / "out", Card("m"))
    baseline = load_baseline(str(tmp_path / "out"))
    for language, lines in TEXT.items():
        ours = encoder.encode(lines, language)
        np.testing.assert_allclose(baseline.encode(lines, language, 1), ours, atol=1e-6)
