"""Learning curves from the histories of tiny models."""

import pandas as pd
import pytest

from tandem.reporting.table import TABLES

VALUES = {"encoders": ["sp", "lstm"], "settings": ["back-translated", "bitext", "random"]}


@pytest.fixture
def curves(made, plan):
    run = pd.DataFrame(
        {"epoch": [0, 1, 2], "loss": [None, 0.4, 0.2], "validation_pearson_x100": [50.0, 62, 60]}
    )
    table = TABLES.parse({"kind": "training", **VALUES})
    for folder in table.inputs(plan)["models"]:
        path = plan.root / folder
        path.mkdir(parents=True)
        (run[:2] if "lstm" in folder else run).to_csv(path / "history.csv", index=False)
    return made("training", VALUES)


def test_the_histories_of_what_was_trained_are_joined(curves):
    _, _, report = curves
    assert list(report.frame.columns) == [
        "experiment", "encoder", "seed", "setting", "epoch", "loss", "validation"
    ]  # fmt: skip
    assert list(report.frame["experiment"].unique()) == [
        f"{encoder}.{setting}" for encoder in ("sp", "lstm")
        for setting in ("back-translated", "bitext")
    ]  # fmt: skip
    assert len(report.frame) == 2 * (3 + 3 + 2 + 2)
    assert "| sp.back-translated | 1 | 1 | 62.0 |" in report.markdown


def test_learning_curves_draw_every_seed_of_what_has_two_epochs(curves):
    table, material, report = curves
    figure = table.plot("figures/training", report.frame, material)
    assert [panel.get_title() for panel in figure.axes] == ["SP", ""]
    assert [len(panel.lines) for panel in figure.axes] == [4, 4]
    assert len({line.get_linestyle() for line in figure.axes[0].lines}) == 2
    assert list(figure.axes[1].lines[0].get_ydata()) == [50.0, 62.0, 60.0]
    assert "a line for each seed. One epoch, not drawn: LSTM" in figure.get_supxlabel()
    short = report.frame[report.frame["epoch"] < 2]
    figure = table.plot("figures/training", short, material)
    assert (figure.axes, figure.texts[0].get_text()) == ([], "One epoch, no curve: SP, LSTM")
