import pandas as pd
import pytest
from tandem.reporting.plots_across import table2_figure, table3_figure, table4_figure

from tandem.reporting.plots import save

BOUNDS = ("", "_low", "_high")
TABLE2 = pd.DataFrame(
    {
        "row": ["Random", "SP"],
        **{f"es-es{bound}_pearson_x100": [40.0, 60.0] for bound in BOUNDS},
        **{f"ar-ar{bound}_pearson_x100": [None, None] for bound in BOUNDS},
        **{f"en-es{bound}_p_at_1_x100": [10.0, 20.0] for bound in BOUNDS},
    }
)  # fmt: skip
TABLE3 = pd.DataFrame(
    [
        {"task": task, "encoder": "SP", "score": score, "retrieval": way, "test_f1_x100": 50.0,
         "test_f1_low_x100": 45.0, "test_f1_high_x100": 55.0}
        for task in ("fr-en", "de-en") for score in ("cosine", "ratio")
        for way in ("forward", "max")
    ]
)  # fmt: skip
TABLE4 = pd.DataFrame(
    {"encoder": ["SP", "LSTM"], "device": ["cpu", "cuda"], "best_per_s": [50000.0, 400.0],
     "first_per_s": [9000.0, 300.0], "sentencepiece_per_s": [60000.0, None]}
)  # fmt: skip


def test_table2_draws_measured_columns_only():
    panels = table2_figure(TABLE2).axes
    names = [[label.get_text() for label in panel.get_yticklabels()] for panel in panels]
    assert names == [["es-es"], ["en-es"]]


def test_table3_has_a_panel_for_each_task():
    panels = table3_figure(TABLE3).axes
    assert [panel.get_title() for panel in panels] == ["SP, fr-en", "SP, de-en"]
    assert panels[0].get_ylim()[0] == 0


def test_table4_puts_the_fastest_on_top():
    labels = [label.get_text() for label in table4_figure(TABLE4).axes[0].get_yticklabels()]
    assert labels == ["LSTM (cuda)", "SP (cpu)"]


def test_table4_shows_the_first_pass_of_each_encoder():
    lines = table4_figure(TABLE4).axes[0].get_lines()
    hollow = [line.get_xdata()[0] for line in lines if line.get_markerfacecolor() == "white"]
    assert hollow == [300.0, 9000.0]


def test_table4_marks_the_limit_where_it_was_measured():
    lines = [line.get_xdata() for line in table4_figure(TABLE4).axes[0].get_lines()]
    assert [60000.0, 60000.0] in [list(line) for line in lines]
    without = table4_figure(TABLE4.assign(sentencepiece_per_s=float("nan"))).axes[0]
    assert len(without.get_lines()) == len(lines) - 1


@pytest.mark.parametrize(
    ("draw", "table"), [(table2_figure, TABLE2), (table3_figure, TABLE3), (table4_figure, TABLE4)]
)
def test_equal_tables_give_equal_bytes(tmp_path, draw, table):
    for name in ("one.svg", "two.svg"):
        save(draw(table), [tmp_path / name])
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
