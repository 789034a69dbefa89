"""Reading scores, and the bootstrap over seeds and pairs."""

import json
import zlib

import numpy as np
import pandas as pd
import pytest
from safetensors.numpy import save_file
from tandem.reporting.results import count_parameters, draw_means, read_results, write_frame
from tandem.tasks.pair_scores import bootstrap_means

from tandem.errors import TandemError


def test_files_in_any_order_give_results_in_table_order(results, score_files):
    experiments = [result.experiment for result in results]
    again = read_results(experiments, reversed(score_files))
    assert [r.experiment.name for r in again] == ["sp.en-cs", "sp.en-en", "lstm.en-cs", "sp.random"]
    assert [[s.seed for s in r.seeds] for r in again] == [[1, 2], [1, 2], [1, 2], [1]]
    stored = json.loads(score_files[0].read_text())
    assert again[0].seeds[0].mean == stored["mean_of_years"]
    means = [seed.mean for seed in again[0].seeds]
    assert again[0].mean == pytest.approx(np.mean(means), abs=1e-3)


def test_missing_unknown_and_repeated_scores_are_refused(results, score_files):
    experiments = [result.experiment for result in results]
    with pytest.raises(TandemError, match="no scores of experiment sp.random"):
        read_results(experiments, score_files[:-1])
    with pytest.raises(TandemError, match="unknown experiments: sp.random"):
        read_results(experiments[:-1], score_files)
    with pytest.raises(TandemError, match="second score of sp.en-cs, seed 1"):
        read_results(experiments, [*score_files, score_files[0]])


def test_draws_over_seeds_and_pairs_equal_a_direct_loop(results):
    draws = draw_means(results, 40, 5)
    for result in results:
        name, count = result.experiment.name, len(result.seeds)
        of_pairs = 100 * bootstrap_means([seed.pairs for seed in result.seeds], 40, 5)
        rng = np.random.default_rng([5, zlib.crc32(name.encode())])
        chosen = rng.integers(count, size=(40, count))
        expected = [np.mean([of_pairs[b, k] for k in chosen[b]]) for b in range(40)]
        np.testing.assert_allclose(draws[name], expected)


def test_draws_do_not_depend_on_the_other_experiments(results):
    few = draw_means(results[1:3], 40, 5)
    many = draw_means(results, 40, 5)
    for name in few:
        np.testing.assert_allclose(few[name], many[name], atol=1e-9)


def test_count_parameters(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"a": np.zeros((3, 4), np.float32), "b": np.zeros(5, np.float32)}, path)
    assert count_parameters(path) == 17


def test_csv_has_empty_cells_where_there_is_no_figure(tmp_path):
    write_frame(tmp_path / "t.csv", pd.DataFrame({"n": [1, 2], "sd_x100": [0.123456, np.nan]}))
    assert (tmp_path / "t.csv").read_bytes() == b"n,sd_x100\n1,0.1235\n2,\n"
