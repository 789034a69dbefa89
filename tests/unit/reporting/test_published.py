"""The register of published figures is whole and says where each stands."""

from collections import Counter

import pytest
import yaml
from tandem.reporting.table1 import BESIDE

from tandem.reporting.published import REGISTER, published


def test_no_entry_hides_another():
    ids = [entry["id"] for entry in yaml.safe_load(REGISTER.read_text(encoding="utf-8"))]
    assert [name for name, count in Counter(ids).items() if count > 1] == []
    assert len(published()) == len(ids)


@pytest.mark.parametrize("entry", published().values(), ids=lambda entry: entry.id)
def test_every_entry_names_its_place_and_holds_figures(entry):
    assert entry.id.startswith(f"{entry.paper}.")
    assert entry.text.startswith(entry.paper) and entry.line > 0 and entry.place
    assert entry.values and all(-100 <= value <= 100 for value in entry.values.values())


def test_years_of_a_published_row_average_to_its_mean():
    rows = [entry.values for key, entry in published().items() if key in BESIDE]
    whole = [values for values in rows if "mean" in values]
    assert len(whole) == 2
    for values in whole:
        years = [value for name, value in values.items() if name.startswith("sts")]
        assert sum(years) / 5 == pytest.approx(values["mean"], abs=0.051)


def test_rows_as_printed():
    assert published()["wieting2020.sts.sp"].values["sts2013"] == 60.3
    assert published()["wieting2019.marker.overlap"].values == {"rho": 24.9}
    assert published()["yang2019.bucc_f1.test.bert"].values["ru-en"] == 93.38
