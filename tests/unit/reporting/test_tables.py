"""The tables that every study may use."""

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
    figure = table.plot("figures/toy", report.frame, made)
    (axes,), (legend,) = figure.axes, figure.legends
    assert [t.get_text() for t in axes.get_yticklabels()] == ["sts.2012", "sts.2013", "sts.mean"]
    assert len(axes.containers) == 4
    series = ["SP, en-en", "SP, en-cs", "SP, random", "LSTM, en-cs"]
    assert [text.get_text() for text in legend.get_texts()] == series
