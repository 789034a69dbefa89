"""Table 1 from tiny score files."""

import json

import numpy as np
import pandas as pd
import pytest
from tandem.reporting.results import draw_means
from tandem.reporting.table1 import markdown, table1

from tandem.tasks.sts import Index

INDEX = Index(
    tasks={"2012.a": {"of": 40}, "2012.b": {"of": 50}, "2013.c": {"of": None}},
    missing=[
        {"year": "2012", "task": "d", "of": 1459, "why": "not distributed"},
        {"year": "2017", "task": "e", "of": 250, "why": "never named here"},
    ],
)


@pytest.fixture
def table(results, settings):
    return table1(results, draw_means(results, 60, 9), settings)


def test_rows_and_columns(table, results):
    # By encoder, then in the order of the settings, whatever the order of the experiments
    assert list(table["experiment"]) == ["sp.en-en", "sp.en-cs", "sp.random", "lstm.en-cs"]
    assert list(table.columns) == [
        "experiment", "encoder", "setting", "pairs", "english_sentences", "parameters",
        "sts2012_pearson_x100", "sts2013_pearson_x100", "mean_pearson_x100",
        "mean_low_pearson_x100", "mean_high_pearson_x100", "sd_over_seeds_pearson_x100",
        "seed_count", "seeds",
    ]  # fmt: skip
    row = table.set_index("experiment").loc["sp.en-cs"]
    one, two = results[0].seeds
    assert row["sts2012_pearson_x100"] == pytest.approx((one.years[2012] + two.years[2012]) / 2)
    assert row["mean_pearson_x100"] == pytest.approx((one.mean + two.mean) / 2, abs=1e-3)
    sd = abs(one.mean - two.mean) / np.sqrt(2)
    assert row["sd_over_seeds_pearson_x100"] == pytest.approx(sd)
    assert (row["pairs"], row["english_sentences"], row["parameters"]) == (1000, 1000, 600)
    assert (row["seed_count"], row["seeds"]) == (2, "1 2")
    assert row["mean_low_pearson_x100"] < row["mean_pearson_x100"] < row["mean_high_pearson_x100"]
    assert np.isnan(table.set_index("experiment").loc["sp.random", "sd_over_seeds_pearson_x100"])


def test_one_seed_has_the_interval_of_its_score_file(results, settings, score_files):
    stored = json.loads(score_files[-1].read_text())
    again = table1(results, draw_means(results, 50, 9), settings).set_index("experiment")
    row = again.loc["sp.random"]
    assert row["mean_low_pearson_x100"] == pytest.approx(stored["mean_of_years_low"], abs=1e-3)
    assert row["mean_high_pearson_x100"] == pytest.approx(stored["mean_of_years_high"], abs=1e-3)


GOLDEN = """\
# Table 1: back-translated text and bitext

Pearson's r x 100 with human scores: mean of the years, each the mean of its tasks (averaged over \
1 or 2 seeds). In brackets, the 95% interval by bootstrap over sentence pairs and seeds. Best of \
each column in bold.

| Encoder | En-En (1,000 pairs, 2,000 English sentences) | En-Cs (1,000 pairs, 1,000 English \
sentences) | untrained |
| --- | ---: | ---: | ---: |
| SP | 71.2 [70.1, 72.3] | **82.0** [80.0, 84.0] | 31.0 [20.0, 42.0] |
| LSTM |  | 55.5 [50.0, 60.0] |  |

## Every year

| Encoder | Trained on | Parameters | 2012 | 2016 | Mean | Seeds |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| SP | En-En | 600 | 70.0 | 72.4 | 71.2 | 2 |
| SP | En-Cs | 600 | 81.0 | 83.0 | 82.0 | 2 |
| SP | untrained | 600 | 30.0 | 32.0 | 31.0 | 1 |
| LSTM | En-Cs | 1,900 | 50.0 | 61.0 | 55.5 | 2 |
| *SP* | *wieting2020, Figure 3* |  | *68.4* | *76.8* | *71.9* |  |
| *BILSTM* | *wieting2020, Figure 3* |  | *67.9* | *75.9* | *70.6* |  |
| *randomly initialised Transformer* | *wieting2020, Table 2* |  | *51.4* | *49.7* |  |  |

Published figures, for orientation only: other training text, and every task of each year. \
SP: wieting2020, Figure 3 (wieting2020-bgt.txt, line 456); \
BILSTM: wieting2020, Figure 3 (wieting2020-bgt.txt, line 458); \
randomly initialised Transformer: wieting2020, Table 2 (wieting2020-bgt.txt, line 519). \
The text of wieting2019 that Tandem quotes from does not print the cells of its Table 1.

## What each year averages

- 2012, 2 of 3 tasks: a (40 of 40 pairs), b (40 of 50 pairs). \
Not scored: d (1,459 pairs: not distributed).
- 2013, 1 of 1 tasks: c (30 pairs).
"""


def test_markdown_is_laid_out_as_the_paper_does(settings):
    rows = [
        ("SP", "en-en", 1000, 2000, 600, 70.0, 72.4, 71.2, 70.1, 72.3, 2),
        ("SP", "en-cs", 1000, 1000, 600, 81.0, 83.0, 82.0, 80.0, 84.0, 2),
        ("SP", "random", 0, 0, 600, 30.0, 32.0, 31.0, 20.0, 42.0, 1),
        ("LSTM", "en-cs", 1000, 1000, 1900, 50.0, 61.0, 55.5, 50.0, 60.0, 2),
    ]
    columns = ["encoder", "setting", "pairs", "english_sentences", "parameters"]
    columns += ["sts2012_pearson_x100", "sts2016_pearson_x100", "mean_pearson_x100"]
    columns += ["mean_low_pearson_x100", "mean_high_pearson_x100", "seed_count"]
    tasks = [
        {"task": "2012.a", "year": 2012, "pairs": 40},
        {"task": "2012.b", "year": 2012, "pairs": 40},
        {"task": "2013.c", "year": 2013, "pairs": 30},
    ]
    assert markdown(pd.DataFrame(rows, columns=columns), settings, tasks, INDEX) == GOLDEN
