"""CSV of the wild: which separator, which rows are odd, how many columns are chosen."""

import json

import pytest

from tandem.corpora.files import read_bitext
from tandem.errors import InputError

PAIRS = [("One.", "Eins."), ("Two.", "Zwei.")]
CSV = "x,One.,Eins.\ny,Two.,Zwei.\n"


def read(folder, *texts, name="t.csv", languages=("en", "de"), **choice):
    paths = [folder / f"{number}{name}" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    return list(read_bitext(*paths, languages=languages, **choice))


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("t.tsv", [CSV.replace(",", "\t")]),
        ("t.csv", [CSV, CSV]),
        ("t.jsonl", [json.dumps({"x": "", "en": "One.", "de": "Eins."})]),
    ],
)
def test_one_column_of_a_file_of_both_sides_is_refused(tmp_path, name, texts):
    with pytest.raises(InputError, match="line 1: .*one column is chosen, 2. Give two, such as"):
        read(tmp_path, *texts, name=name, columns=(2,))
    columns = ("en", "de") if name == "t.jsonl" else (2, 3)
    assert read(tmp_path, *texts, name=name, columns=columns)[0] == PAIRS[0]
