"""Figures: same bytes for the same input, every series shown and told apart."""

import pandas as pd
import pytest

from tandem.reporting.plots import learning_curves, save, table1_figure


@pytest.fixture
def table():
    return pd.DataFrame(
        {
            "encoder": ["SP", "SP", "LSTM"],
            "setting": ["en-en", "en-cs", "en-cs"],
            "mean_pearson_x100": [70.0, 72.0, 65.0],
            "mean_low_pearson_x100": [68.0, 71.0, 65.5],  # the last does not hold its estimate
            "mean_high_pearson_x100": [71.0, 74.0, 67.0],
        }
    )


@pytest.fixture
def histories():
    run = pd.DataFrame(
        {"epoch": [1, 2], "loss": [0.4, 0.2], "validation_pearson_x100": [60.0, 62.0]}
    )
    return {"sp.en-en": [run, run], "sp.en-cs": [run], "lstm.en-cs": [run]}


@pytest.mark.parametrize("ending", [".pdf", ".png", ".svg"])
def test_same_input_gives_the_same_bytes(tmp_path, table, settings, ending):
    for name in ("a", "b"):
        save(table1_figure(table, settings), [tmp_path / f"{name}{ending}"])
    first = (tmp_path / f"a{ending}").read_bytes()
    assert first == (tmp_path / f"b{ending}").read_bytes()
    assert len(first) > 1000
    for dated in (b"CreationDate", b"Matplotlib v", b"dc:date"):
        assert dated not in first


def test_table1_figure_shows_every_row_once(table, settings):
    (axes,) = table1_figure(table, settings).axes
    series = {c.get_label(): c.lines[0] for c in axes.containers}
    assert list(series) == ["En-En", "En-Cs"]  # nothing was scored in the untrained setting
    assert list(series["En-Cs"].get_xdata()) == [72.0, 65.0]
    heights = [*series["En-En"].get_ydata(), *series["En-Cs"].get_ydata()]
    assert len(set(heights)) == 3  # no dot hides another
    assert series["En-En"].get_marker() != series["En-Cs"].get_marker()
    assert [t.get_text() for t in axes.get_yticklabels()] == ["SP", "LSTM"]


def test_learning_curves_draw_every_seed_but_no_untrained(histories, experiments, settings):
    figure = learning_curves(histories, experiments, settings)
    assert [panel.get_title() for panel in figure.axes] == ["SP", "LSTM", "", ""]
    assert [len(panel.lines) for panel in figure.axes] == [3, 1, 3, 1]
    styles = {line.get_linestyle() for line in figure.axes[0].lines}
    assert len(styles) == 2
    assert list(figure.axes[2].lines[0].get_ydata()) == [60.0, 62.0]


def test_a_history_of_one_epoch_is_seen(experiments, settings):
    run = pd.DataFrame(
        {"epoch": [0, 1], "loss": [None, 0.4], "validation_pearson_x100": [60.0, 62.0]}
    )
    figure = learning_curves({"sp.en-cs": [run]}, experiments, settings)
    markers = [panel.lines[0].get_marker() for panel in figure.axes]
    assert markers == ["o", "None"]
