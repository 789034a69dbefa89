"""Every number that README quotes is in a kept file, where docs/results/quoted.yaml says."""

import csv
import json
import re
from pathlib import Path
from statistics import mean

import pytest

from tandem.files.io import read_yaml

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "docs/results"
TAKE = {"min": min, "max": max, "mean": mean}


def rows_of(path):
    """The rows of a CSV, of the first table of a Markdown file, or of JSON, by column."""
    if path.suffix == ".json":
        rows = json.loads(path.read_text(encoding="utf-8"))
        return [{name: str(value) for name, value in row.items()} for row in rows]
    if path.suffix == ".csv":
        with open(path, encoding="utf-8", newline="") as stream:
            return list(csv.DictReader(stream))
    lines = [line for line in path.read_text(encoding="utf-8").split("\n\n")[0].split("\n") if line]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def looked_up(entry):
    """The number as README should have it."""
    rows = [
        row
        for row in rows_of(RESULTS / entry["file"])
        if all(re.fullmatch(str(v), row[k]) for k, v in entry["where"].items())
    ]
    if entry.get("take") == "count":
        return f"{len(rows):,}"
    cells = [float(re.search(r"-?[\d.]+", r[entry["column"]].replace(",", ""))[0]) for r in rows]
    assert cells and ("take" in entry or len(cells) == 1), entry
    value = TAKE[entry["take"]](cells) if "take" in entry else cells[0]
    return f"{value * entry.get('factor', 1):,.{entry.get('digits', 1)}f}"


def words(text):
    return " ".join(text.split())


QUOTED = read_yaml(RESULTS / "quoted.yaml")
README = words((ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("entry", QUOTED, ids=lambda entry: words(entry["quote"])[:40])
def test_the_number_is_the_one_that_was_kept(entry):
    filled = words(entry["quote"]).replace("{}", "\0")
    for number in entry["numbers"]:
        filled = filled.replace("\0", looked_up(number), 1)
    assert "\0" not in filled
    assert filled in README


def test_no_finding_and_no_minutes_have_a_number_that_is_not_looked_up():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    # the command, its minutes and the finding
    table = ["|".join(line.split("|")[3:6]) for line in text.split("\n") if line.startswith("| [")]
    choice = text.split("\n## When to choose this\n")[1].split("\n## ")[0]
    assert len(table) > 3
    patterns = [re.escape(words(entry["quote"])).replace(r"\{\}", r"[\d.,]*\d") for entry in QUOTED]
    left = words(" ".join([*table, re.sub(r"\]\([^)]*\)", "]", choice)]))
    for pattern in patterns:
        left = re.sub(pattern, "", left)
    left = left.replace("`make table1` | 22 |", "")  # docs/fidelity.md: a run that is not kept
    assert re.findall(r"(?<![\w-])\d[\d.,]*", left) == []
