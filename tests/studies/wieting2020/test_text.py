"""The table of the text, from files as jobs leave them."""

from types import SimpleNamespace

import pytest

from tandem.files.io import write_json, write_lines
from wieting2020.tables.text import Text


@pytest.fixture
def files(tmp_path):
    corpus, folder, probing = tmp_path / "en-fr", tmp_path / "styles", tmp_path / "length.txt"
    for place in (corpus, folder):
        place.mkdir()
    write_json(corpus / "splits.json", {"train": 1200, "valid": 5, "test": 7, "seed": 1})
    for split in ("train", "valid", "test"):
        rows = [f"1.1.{n}\t{v}\ttext" for n in range(3) for v in ("en", "en-kjv")]
        write_lines(folder / f"{split}.tsv", rows)
    told = {"accuracy_x100": 81.25, "interval_x100": [79.0, 83.5]}
    write_json(folder / "classifier.json", {"valid": told, "test": told})
    lines = ["tr\t5-8\ta b", "tr\t9-12\ta", "tr\t5-8\tb", "va\t5-8\ta", "te\t9-12\tc"]
    write_lines(probing, lines)
    return {"corpora": [corpus], "styles": [folder], "probing": [probing]}


def test_counts_of_pairs_versions_and_labels(files):
    probe = {"kind": "length", "bitext": "en-fr", "training": 3, "held": 1}
    versions = {"dataset": "x", "versions": ["en", "en-kjv"], "sections": {"test": ["5"]}}
    table = Text(corpora=["en-fr"], probes={"length": probe}, styles=versions)
    report = table.build(SimpleNamespace(files=files))
    rows = [tuple(row) for row in report.frame.itertuples(index=False)]
    assert ("bitext", "en-fr", "train", "", 1200) in rows
    assert ("versions", "en-kjv", "test", "", 3) in rows
    assert ("probing", "length", "train", "5-8", 2) in rows
    assert "| en-fr | 1,200 | 5 | 7 |" in report.markdown
    assert "| length: 9-12 | 1 | 0 | 1 |" in report.markdown
    assert "test 81.2 [79.0, 83.5]" in report.markdown
