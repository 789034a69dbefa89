"""The reader of published figures refuses what it cannot trust."""

import pytest

from tandem.errors import InputError
from tandem.reporting.published import read_published

ENTRY = """
- id: p2019.table.row
  paper: p2019
  place: Table 1
  text: p2019.txt
  line: 12
  about: ours
  unit: pearson_x100
  values: {a: 1.5}
"""


def write(tmp_path, text):
    path = tmp_path / "published.yaml"
    path.write_text(text)
    return path


def test_rows_by_id(tmp_path):
    found = read_published(write(tmp_path, ENTRY))
    assert found["p2019.table.row"].values == {"a": 1.5}


def test_two_rows_of_one_id_are_refused(tmp_path):
    with pytest.raises(InputError, match="two entries named p2019.table.row"):
        read_published(write(tmp_path, ENTRY + ENTRY))


def test_an_unknown_key_is_refused_by_name(tmp_path):
    with pytest.raises(InputError, match="0.*unknown key 'pages'"):
        read_published(write(tmp_path, ENTRY + "  pages: 3\n"))
