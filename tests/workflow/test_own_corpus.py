"""The page on a person's own corpus in the workflow: it runs as printed."""

import csv
from pathlib import Path

import numpy as np
import printed
import pytest
from conftest import run_snakemake, write_code

PAGE = "docs/own-corpus.md"
STUDY = "own/studies/ours/study.yaml"


@pytest.fixture
def folder(tmp_path):
    """The workflow with the page's text, and the files that it shows."""
    write_code(tmp_path)
    for language, text in printed.blocks(PAGE):
        if language == "python":
            printed.run(language, text, tmp_path)
        elif language == "yaml":
            (tmp_path / text.split("\n")[0].removeprefix("# ")).write_text(text)
    return tmp_path


def test_its_commands_run_and_do_what_it_says(folder):
    for language, text in printed.blocks(PAGE):
        if language == "sh":
            printed.run(language, text, folder)
    results = folder / "results/ours"
    with open(results / "table.csv", encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["encoder"] for row in rows] == ["SP", "WORD"]
    assert all(float(row["retrieval.en-de_p_at_1_x100"]) > 90 for row in rows)
    assert len(list(results.glob("models/*/seed*"))) == 6
    assert {path.suffix for path in results.glob("figures/table.*")} == {".png", ".pdf", ".svg"}
    lines = (folder / "own/lines.de").read_text().splitlines()
    assert len(np.load(folder / "own/lines.npy")) == len(lines) == 2000
    # both corpora are in the bitext
    sizes = (results / "corpora/ours/cleaning.json").read_text()
    assert '"lines": 2000' in sizes
    assert '"memory": 1125' in sizes


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[en, de]}", "[en, fr]}", "The corpus memory has no language 'fr'. Choose from: en, de"),
        ("[memory, lines]", "[memory, line]", "no register lists 'line' (did you mean 'lines'?)"),
    ],
)
def test_a_dry_run_refuses_what_a_corpus_lacks(folder, old, new, message):
    path = Path(folder / STUDY)
    path.write_text(path.read_text().replace(old, new))
    options = ["--dry-run", "--cores", "1", "--configfile", "own/config.yaml"]
    done = run_snakemake(folder, "results/ours/table.csv", *options)
    assert done.returncode != 0
    assert message in done.stdout + done.stderr
