"""What the study says of papers: claims that can be read, figures that say where they stand."""

from pathlib import Path

import pytest

from tandem.reporting.claim_entries import read_claims
from tandem.reporting.published import read_published
from wieting2019.tables import table3

HOME = Path(__file__).parents[3] / "workflow/studies/wieting2019"
REGISTER = read_published(HOME / "published.yaml")


@pytest.mark.parametrize("entry", REGISTER.values(), ids=lambda entry: entry.id)
def test_every_published_row_names_its_place_and_holds_figures(entry):
    assert entry.id.startswith(f"{entry.paper}.")
    assert entry.text.startswith(entry.paper) and entry.line > 0 and entry.place
    assert entry.values and all(-100 <= value <= 100 for value in entry.values.values())


def test_rows_as_printed():
    assert REGISTER["wieting2019.marker.overlap"].values == {"rho": 24.9}
    assert REGISTER["yang2019.bucc_f1.test.margin_eq9"].values["ru-en"] == 89.18


def test_all_that_is_quoted_is_there_and_names_its_paper():
    claims = read_claims(HOME / "claims.yaml")
    entries = [entry for table in claims.values() for entry in table]
    for entry in entries:
        quoted = entry.published
        for name in (quoted.of, quoted.minus) if quoted else ():
            assert name is None or name in REGISTER
    assert {entry.paper for entry in entries} == {"wieting2019", "yang2019"}
    assert {row.paper for row in REGISTER.values()} == {"wieting2019", "yang2019"}
    assert set(table3.BESIDE.values()) <= REGISTER.keys()
