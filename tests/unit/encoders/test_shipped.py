"""The model that comes with the package: whole, small, documented, and of use."""

import csv
import re
from copy import copy
from pathlib import Path

import numpy as np
import pytest
import yaml

from tandem.cli import main
from tandem.corpora.register import DICTIONARIES, load_register
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.named import SHIPPED
from tandem.encoders.precision import Precision
from tandem.exporting.card import Card, Score
from tandem.exporting.compact import save_with_card
from tandem.exporting.sentence_transformers import export
from tandem.files.io import read_yaml

ROOT = Path(__file__).parents[3]
FOLDER = SHIPPED / "small"
CARD = (FOLDER / "README.md").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/studies/small.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_BYTES = 8_000_000
ENGLISH = [
    "The government raised taxes on fuel.", "She cooked rice and vegetables for dinner.",
    "Heavy rain flooded the streets of the city.", "The company sold its factory last year.",
    "A doctor examined the sick child.", "The train arrives at the station at noon.",
]  # fmt: skip
TRANSLATED = {
    "de": [
        "Die Regierung erhöhte die Steuern auf Kraftstoff.",
        "Sie kochte Reis und Gemüse zum Abendessen.",
        "Starker Regen überflutete die Straßen der Stadt.",
        "Das Unternehmen verkaufte letztes Jahr seine Fabrik.",
        "Ein Arzt untersuchte das kranke Kind.", "Der Zug kommt mittags am Bahnhof an.",
    ],
    "es": [
        "El gobierno subió los impuestos al combustible.",
        "Ella cocinó arroz y verduras para la cena.",
        "La lluvia inundó toda la ciudad.",
        "La empresa vendió su fábrica el año pasado.", "Un médico examinó al niño enfermo.",
        "El tren llega a la estación al mediodía.",
    ],
    "ru": [
        "Правительство повысило налоги на топливо.", "Она приготовила рис и овощи на ужин.",
        "Сильный дождь затопил улицы города.", "Компания продала свой завод в прошлом году.",
        "Врач осмотрел больного ребёнка.", "Поезд прибывает на станцию в полдень.",
    ],
    "zh": [
        "政府提高了燃料税。", "她做了米饭和蔬菜当晚餐。", "大雨淹没了城市的街道。",
        "公司去年卖掉了工厂。", "医生检查了生病的孩子。", "火车中午到达车站。",
    ],
}  # fmt: skip


@pytest.fixture(scope="module")
def small():
    return SentenceEncoder.load("small")  # which checks the hash of each of its files


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def rows(heading, number=0):
    """The cells of a table below a heading of the card."""
    section = CARD.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    tables = [part for part in section.split("\n\n") if part.strip().startswith("|")]
    lines = [line.strip("| ") for line in tables[number].strip().split("\n")]
    return [re.split(r" *\| *", line) for line in lines[2:]]


def test_it_fits():
    assert sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) < MOST_BYTES


def test_its_pages_say_what_it_is(small):
    assert small.digest() in PAGE
    codes = {*small.languages} - {"en-paraphrase"}  # English with English
    count = len({code.split("-")[0] for code in codes})
    size = sum(file.stat().st_size for file in FOLDER.rglob("*") if file.is_file()) / 1e6
    stated = f"{count} languages ({len(codes)} codes, with variants such as pt-BR), "
    stated += f"{len(small.table):,} pieces of {small.dimension} dimensions as int8, {size:.1f} MB"
    assert stated in " ".join(PAGE.split())
    assert f"a model of {count} languages in {size:.0f} MB" in README


def test_its_card_names_its_languages_and_only_text_that_may_be_passed_on(small):
    header = yaml.safe_load(CARD.split("---\n")[1])
    assert {language.split("-")[0] for language in small.languages} == {*header["language"]}
    register = load_register(DICTIONARIES) | load_register(ROOT / "workflow/datasets.yaml")
    read = {name: licence for name, licence, _ in rows("Training data")}
    assert len(read) > 30 and all(register[name].redistributable for name in read)
    assert {name: register[name].licence for name in read} == read
    whole = read_yaml(ROOT / "workflow/studies/small/study.yaml")["collections"]["free"]["whole"]
    assert not {*whole["valid"], *whole["test"]} & {*read}


def test_its_card_and_notice_name_the_encoder_whose_vectors_its_tokens_started_from():
    assert "vectors of single tokens, from Multilingual USE" in CARD
    ((name, licence, source),) = rows("Training data", 1)
    assert (name, licence) == ("Multilingual USE", "Apache-2.0")
    notice = (FOLDER / "NOTICE.md").read_text(encoding="utf-8")
    assert f"| {name} | {licence} | {source} |" in notice and f"## {name}" in notice


def test_its_card_and_notice_are_made_of_its_text_and_scores_again(small, tmp_path):
    register = load_register(DICTIONARIES) | load_register(ROOT / "workflow/datasets.yaml")
    scores = [
        Score(what, metric, float(score), *map(float, interval.split(" to ")))
        for what, metric, score, interval in rows("Scores")
    ]
    texts = [register[name].origin for name, *_ in rows("Training data")]
    card = Card(re.search("^# (.+)$", CARD, re.MULTILINE)[1], texts, scores)
    alone = copy(small)
    alone.metadata = {
        key: value
        for key, value in small.metadata.items()
        if key not in ("name", "rounded", "corpora", "notices")
    }
    save_with_card(alone, tmp_path / "again", card, Precision.INT8, "small")
    files = [path.relative_to(FOLDER) for path in FOLDER.rglob("*") if path.is_file()]
    for file in files:
        assert (tmp_path / "again" / file).read_bytes() == (FOLDER / file).read_bytes(), file


def test_its_notice_has_the_authors_of_every_corpus_whose_licence_asks_for_them():
    register = load_register(DICTIONARIES) | load_register(ROOT / "workflow/datasets.yaml")
    notice = (FOLDER / "NOTICE.md").read_text(encoding="utf-8")
    for name, licence, _ in rows("Training data"):
        assert register[name].notice or licence.startswith("public domain")
    for part in (
        "WordNet 3.1 Copyright 2011 by Princeton", "Learning Equality", "Home Assistant Authors",
        "Apache License", "Karl Bartel", "James William Breen", "Paul Denisowski", "Piotr Bański",
    ):  # fmt: skip
        assert part in notice
    assert "WordNet 3.0" not in notice


def test_what_is_made_of_it_says_what_it_learned_from(small, tmp_path):
    notice = (FOLDER / "NOTICE.md").read_bytes()
    small.save(tmp_path / "saved")
    assert main(["compress", "small", str(tmp_path / "less"), "--dimensions", "8"]) == 0
    export(small, tmp_path / "exported")
    for name in ("saved", "less", "exported"):
        assert (tmp_path / name / "NOTICE.md").read_bytes() == notice
    text = (tmp_path / "exported/README.md").read_text(encoding="utf-8")
    assert "| kolibri | MIT | Python package kolibri==" in text
    assert "the card of Tandem small (32k-192.free), of which this is made, has scores" in text


def test_its_scores_are_those_that_are_kept():
    with open(ROOT / "docs/results/small/scores.csv", encoding="utf-8") as file:
        kept = {
            f"{row['task']}, {row['unit']}": float(row["value"])
            for row in csv.DictReader(file)
            if row["experiment"] == "32k-192.free"
        }
    stated = {name: float(score) for name, _, score, *_ in rows("Scores")}
    assert len(stated) > 300 and stated.keys() <= kept.keys()
    assert stated == pytest.approx({name: kept[name] for name in stated}, abs=0.0501)


@pytest.mark.parametrize("language", TRANSLATED)
def test_it_finds_translations_of_the_news(small, language):
    translated = unit(small.encode(TRANSLATED[language], language))
    cosines = translated @ unit(small.encode(ENGLISH, "en")).T
    assert [*cosines.argmax(0)] == [*cosines.argmax(1)] == [*range(len(ENGLISH))]


@pytest.mark.parametrize(
    ("column", "least"), [(1, 95.2), (2, 93.5), (3, 96.8)], ids=["de", "ar", "ru"]
)
def test_it_finds_the_verses_of_a_chapter(small, column, least):
    """Genesis 1 in translations in the public domain: the model itself is scored, not its card."""
    lines = Path(__file__).with_name("verses.tsv").read_text(encoding="utf-8").splitlines()
    sides = list(zip(*(line.split("\t") for line in lines), strict=True))
    language = ("en", "de", "ar", "ru")[column]
    cosines = unit(small.encode(sides[0], "en")) @ unit(small.encode(sides[column], language)).T
    hits = [cosines.argmax(axis) == np.arange(len(lines)) for axis in (0, 1)]
    assert len(lines) == 31 and 100 * np.mean(hits) == pytest.approx(least, abs=0.1)
