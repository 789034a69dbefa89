"""Grids, columns and files of tables."""

import numpy as np
import pandas as pd
import pytest

from tandem.reporting import writer
from tandem.reporting.published import Published
from tandem.reporting.scores import Cell


def cell(estimate, spread=1.0, metric="pearson_x100"):
    """Two equal seeds, and draws that put the bounds 0.96 times `spread` away."""
    steps = np.linspace(-1, 1, 201)
    draws = estimate + 0.96 * spread / 1.96 * steps / steps.std(ddof=1)
    return Cell(np.full(2, estimate), np.stack([draws] * 2), 10, (1, 2), metric)


def test_columns_name_a_figure_and_its_bounds():
    found = writer.columns("es-es", "pearson_x100", cell(50.0))
    names = ["es-es_pearson_x100", "es-es_low_pearson_x100", "es-es_high_pearson_x100"]
    assert list(found) == names
    assert list(found.values()) == pytest.approx([50, 49.04, 50.96], abs=1e-4)
    assert set(writer.columns("es-es", "pearson_x100", None).values()) == {None}


def test_the_best_of_each_column_is_in_bold():
    rows = [[cell(50.0), cell(2.0)], [cell(60.0), None], [cell(55.0), cell(2.0)]]
    assert writer.beside([["A", "1"], ["B", "2"], ["C", "3"]], rows) == [
        ["A", "1", "50.0 [49.0, 51.0]", "2.0 [1.0, 3.0]"],
        ["B", "2", "**60.0** [59.0, 61.0]", ""],
        ["C", "3", "55.0 [54.0, 56.0]", "2.0 [1.0, 3.0]"],  # equal ones: none is best
    ]


@pytest.mark.parametrize(
    ("p", "shown"),
    [(0.0341, "0.034"), (0.001, "0.001"), (0.00099, "< 0.001"), (0.0, "< 0.001"),
     (None, ""), (float("nan"), "")],
)  # fmt: skip
def test_a_p_value_is_never_shown_as_nought(p, shown):
    assert writer.p_value(p) == shown


def test_the_lowest_loss_is_the_best():
    rows = [[cell(50.0, metric="loss_x100")], [cell(60.0, metric="loss_x100")]]
    shown = writer.beside([["A"], ["B"]], rows)
    assert shown == [["A", "**50.0** [49.0, 51.0]"], ["B", "60.0 [59.0, 61.0]"]]


def test_published_rows_are_in_italics_and_empty_where_nothing_is_printed():
    entry = Published(
        id="p.x", paper="p", place="Table 1", text="p.txt", line=3, about="X", unit="u",
        values={"a": 1.25, "b": 2},
    )  # fmt: skip
    (row,) = writer.quoted([entry], ["b", "c", "a"])
    assert row == ["*X*", "*p, Table 1*", "*2.0*", "", "*1.2*"]


def test_a_page_joins_its_parts_and_leaves_out_empty_ones():
    grid = writer.grid(["", "n"], [["a", writer.quantity(1234)], ["b", writer.quantity(None)]])
    assert writer.page("# T", "", grid) == (
        "# T\n\n|  | n |\n| --- | ---: |\n| a | 1,234 |\n| b |  |\n"
    )


@pytest.mark.parametrize(
    ("counts", "note"),
    [([2, 2], "over 2 seeds"), ([1], "over 1 seed"), ([3, 1], "over 1 or 3 seeds")],
)
def test_the_note_on_seeds(counts, note):
    assert writer.over_seeds_note(counts) == f"averaged {note}"


def test_csv_has_empty_cells_where_there_is_no_figure(tmp_path):
    frame = pd.DataFrame({"n": [1, 2], "sd_x100": [0.123456, np.nan]})
    writer.write_frame(tmp_path / "t.csv", frame)
    assert (tmp_path / "t.csv").read_bytes() == b"n,sd_x100\n1,0.1235\n2,\n"


def test_a_bar_in_a_cell_is_no_border():
    assert writer.grid(["a|b", "c"], [["1", "2"]]).splitlines()[0] == "| a\\|b | c |"
