"""The tables that every study may use."""

import pandas as pd
import pytest

from tandem.reporting.table import TABLES

BOTH = {"encoders": ["sp", "lstm"], "settings": ["en-en", "en-cs", "random"]}


def test_experiments_have_a_row_each_and_a_column_for_every_figure(material, scores):
    table = TABLES.parse({"kind": "experiments", "title": "Toy", "tasks": ["sts"], **BOTH})
    made = material("toy")
    assert table.inputs(made.plan)["scores.sts"][0].endswith("sp.en-en/sts")
    assert table.figures("toy") == ["figures/toy"]
    report = table.build(made)
    rows = report.frame.set_index("experiment")
    assert list(rows.index) == ["sp.en-en", "sp.en-cs", "sp.random", "lstm.en-cs"]
    cell = scores.cell("sp.en-cs", "sts", "mean")
    assert rows.loc["sp.en-cs", "sts.mean_pearson_x100"] == cell.estimate
    assert rows.loc["sp.en-cs", "sts.mean_low_pearson_x100"] == cell.interval.low
    assert rows.loc["sp.random", "seed_count"] == 1
    assert "| Encoder | Setting | Pairs | sts, 2012 | sts, 2013 | sts, mean |" in report.markdown
    assert f"| SP | en-cs | 1,000 | **{rows.loc['sp.en-cs', 'sts.2012_pearson_x100']:.1f}**" in (
        report.markdown
    )
    baselined = table.model_copy(update={"encoders": ["sp"], "baselines": ["lstm"]}).build(made)
    assert list(baselined.frame["setting"]) == ["en-en", "en-cs", "random"]  # lstm.en-en: no score
    one = {"encoders": ["sp"], "settings": ["en-cs"], "baselines": ["lstm"]}
    rows = table.model_copy(update=one).build(made).frame
    assert list(zip(rows["experiment"], rows["setting"], strict=True)) == [
        ("sp.en-cs", "en-cs"), ("lstm.en-cs", "pretrained")]  # fmt: skip
    (axes,) = table.plot("figures/toy", report.frame, made).axes
    assert [t.get_text() for t in axes.get_yticklabels()] == ["sts.2012", "sts.2013", "sts.mean"]
    assert len(axes.containers) == 4


@pytest.fixture
def curves(material, tmp_path):
    table = TABLES.parse({"kind": "training", **BOTH})
    run = pd.DataFrame(
        {"epoch": [0, 1, 2], "loss": [None, 0.4, 0.2], "validation_pearson_x100": [50.0, 62, 60]}
    )
    made = material("training")
    models = table.inputs(made.plan)["models"]
    for folder in models:
        path = tmp_path / folder
        path.mkdir(parents=True)
        (run[:2] if "lstm" in folder else run).to_csv(path / "history.csv", index=False)
    made = material("training", models=models)
    return table, table.build(made), made


def test_training_joins_the_histories_of_what_was_trained(curves):
    _, report, _ = curves
    assert list(report.frame.columns) == [
        "experiment", "encoder", "seed", "setting", "epoch", "loss", "validation"
    ]  # fmt: skip
    assert set(report.frame["experiment"]) == {"sp.en-en", "sp.en-cs", "lstm.en-cs"}
    assert len(report.frame) == 2 * (3 + 3 + 2)
    assert "| sp.en-en | 1 | 1 | 62.0 |" in report.markdown


def test_learning_curves_draw_every_seed_of_what_has_two_epochs(curves):
    table, report, made = curves
    figure = table.plot("figures/training", report.frame, made)
    assert [panel.get_title() for panel in figure.axes] == ["SP", ""]
    assert [len(panel.lines) for panel in figure.axes] == [4, 4]
    assert len({line.get_linestyle() for line in figure.axes[0].lines}) == 2
    assert list(figure.axes[1].lines[0].get_ydata()) == [50.0, 62.0, 60.0]
    assert "a line for each seed. One epoch, not drawn: LSTM" in figure.get_supxlabel()
    short = report.frame[report.frame["epoch"] < 2]
    figure = table.plot("figures/training", short, made)
    assert (figure.axes, figure.texts[0].get_text()) == ([], "One epoch, no curve: SP, LSTM")
