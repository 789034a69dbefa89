"""Figures: same bytes for the same input, every series shown and told apart."""

import numpy as np
import pandas as pd
import pytest

from tandem.reporting import plots
from tandem.reporting.plots import Curves, Dots, dot_plot, line_plot, panels_of, save

NAN = float("nan")
DOTS = Dots(
    "r",
    ["SP", "LSTM"],
    {
        "En-En": np.array([[70.0, 68.0, 71.0], [NAN, NAN, NAN]]),
        "En-Cs": np.array([[72.0, 71.0, 74.0], [65.0, 65.5, 67.0]]),  # outside its interval
    },
)


@pytest.mark.parametrize("ending", [".pdf", ".png", ".svg"])
def test_same_input_gives_the_same_bytes(tmp_path, ending):
    for name in ("a", "b"):
        save(dot_plot([DOTS]), [tmp_path / f"{name}{ending}"])
    first = (tmp_path / f"a{ending}").read_bytes()
    assert first == (tmp_path / f"b{ending}").read_bytes()
    assert len(first) > 1000
    for dated in (b"CreationDate", b"Matplotlib v", b"dc:date"):
        assert dated not in first


def test_every_figure_is_drawn_once():
    figure = dot_plot([DOTS])
    (axes,) = figure.axes
    series = {c.get_label(): c.lines[0] for c in axes.containers}
    assert list(series["En-En"].get_xdata()) == [70.0]  # the empty row is left out
    assert list(series["En-Cs"].get_xdata()) == [72.0, 65.0]
    heights = [*series["En-En"].get_ydata(), *series["En-Cs"].get_ydata()]
    assert len(set(heights)) == 3  # no dot hides another
    assert series["En-En"].get_marker() != series["En-Cs"].get_marker()
    assert [t.get_text() for t in axes.get_yticklabels()] == ["SP", "LSTM"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]  # the first row is on top
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["En-En", "En-Cs"]


@pytest.mark.parametrize("columns", [1, 3])
def test_no_label_leaves_the_figure_or_its_column(tmp_path, columns):
    label = "Pearson's r × 100 on the 12 tasks that every machine has, with 95% interval"
    panel = Dots(label, ["row"] * 8, {"a": np.array([[1.0, 0.5, 1.5]] * 8)}, title=label)
    figure = dot_plot([panel] * columns, columns)
    save(figure, [tmp_path / "long.png"])
    figure.draw_without_rendering()
    for axes in figure.axes:
        for text in (axes.xaxis.label, axes.title):
            place, column = text.get_window_extent(), axes.get_window_extent()
            assert text.get_text().replace("\n", " ") == label
            assert 0 <= place.x0 and place.x1 <= figure.bbox.width
            assert columns == 1 or place.width <= 1.15 * column.width


def test_a_series_keeps_its_colour_where_another_is_missing():
    alone = Dots("r", ["SP"], {"En-Cs": np.array([[1.0, 0, 2]])}, title="right")
    left, right = dot_plot([DOTS, alone], columns=2).axes
    assert right.containers[0].lines[0].get_color() == left.containers[1].lines[0].get_color()
    assert right.get_title() == "right"
    assert left.get_xlim() == right.get_xlim()


def test_panels_of_another_quantity_have_an_axis_of_their_own():
    tens = Dots("r", ["SP"], {"En-Cs": np.array([[10.0, NAN, NAN]])})
    hundreds = Dots("loss", ["SP"], {"En-Cs": np.array([[-300.0, NAN, NAN]])})
    first, other, last = dot_plot([tens, hundreds, DOTS], columns=3).axes
    assert first.get_xlim() == last.get_xlim()
    assert other.get_xlim()[1] < 0 < first.get_xlim()[0]


def test_panels_of_another_group_have_an_axis_of_their_own_and_leave_no_empty_one():
    tens = Dots("r", ["SP"], {"En-Cs": np.array([[10.0, NAN, NAN]])}, group="a")
    hundreds = Dots("r", ["SP"], {"En-Cs": np.array([[300.0, NAN, NAN]])}, group="b")
    first, other, last = dot_plot([tens, hundreds, tens], columns=2).axes
    assert first.get_xlim() == last.get_xlim()
    assert other.get_xlim()[0] > 100 > first.get_xlim()[1]
    assert [axes.yaxis.get_tick_params()["labelleft"] for axes in (first, other, last)] == [
        True,
        False,
        True,
    ]


def test_a_limit_is_drawn_and_named_last_on_a_logarithmic_axis():
    bare = np.array([[10.0, NAN, NAN], [1000.0, NAN, NAN]])
    figure = dot_plot([Dots("n", ["a", "b"], {"s": bare}, log=True, limit=(500.0, "most"))])
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    assert [500.0, 500.0] in [list(line.get_xdata()) for line in axes.get_lines()]
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["s", "most"]


@pytest.mark.parametrize(
    ("most", "labels"), [(2400, ["300", "1k"]), (200_000, ["1k", "3k", "10k", "30k", "100k"])]
)
def test_few_labels_on_a_logarithmic_axis_whatever_its_range(most, labels):
    points = np.array([[300.0, 1, 0, 2], [most, 2, 1, 3]])
    figure = line_plot([Curves("pairs", "r", {"s": points})])
    figure.draw_without_rendering()
    (axes,) = figure.axes
    shown = [label.get_text() for label in axes.get_xticklabels(which="both")]
    assert set(labels) <= set(shown)
    assert sum(map(bool, shown)) <= len(labels) + 4  # some lie beyond the ends of the axis


@pytest.mark.parametrize(("count", "grid"), [(1, (1, 1)), (3, (1, 3)), (4, (2, 2)), (5, (2, 3))])
def test_at_most_three_panels_of_curves_stand_beside_each_other(count, grid):
    figure = line_plot([Curves("pairs", "r", {"s": np.ones((1, 4))})] * count)
    assert len(figure.axes) == count
    assert figure.axes[0].get_subplotspec().get_gridspec().get_geometry() == grid


def test_panels_of_a_table_hold_its_measured_columns():
    table = pd.DataFrame(
        {
            "row": ["Random", "SP"],
            **{f"es-es{b}_pearson_x100": [40.0, 60.0] for b in ("", "_low", "_high")},
            **{f"ar-ar{b}_pearson_x100": [None, None] for b in ("", "_low", "_high")},
            **{f"en-es{b}_p_at_1_x100": [10.0, 20.0] for b in ("", "_low", "_high")},
        }
    )
    panels = panels_of(table)
    assert [list(panel.rows) for panel in panels] == [["es-es"], ["en-es"]]
    assert panels[0].xlabel == "Pearson's r × 100, with 95% interval"
    assert panels[1].series["SP"].tolist() == [[20.0, 20.0, 20.0]]


def test_no_two_series_look_alike():
    series = {f"s{n}": np.array([[float(n), n - 0.5, n + 0.5]]) for n in range(9)}
    handles, labels = dot_plot([Dots("r", ["row"], series)]).axes[0].get_legend_handles_labels()
    looks = {(h[0].get_marker(), h[0].get_color(), h[0].get_markerfacecolor()) for h in handles}
    assert len(looks) == len(labels) == 9


def test_a_legend_has_as_many_columns_as_fit():
    assert plots._legend_columns(["SP", "WORD", "TRIGRAM"], 75) == 3
    assert plots._legend_columns(["a" * 38, "b" * 43], 75) == 1
    assert plots._legend_columns(["a" * 30, "b" * 30, "c" * 30, "d" * 30], 75) == 2
