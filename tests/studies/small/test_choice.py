"""The model in the box: chosen by what is not reported, among those that are small enough."""

from pathlib import Path

import numpy as np
import pandas as pd

from small.tables.choice import megabytes, taken
from tandem.corpora.register import DICTIONARIES, load_register
from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.files.io import read_yaml
from tandem.segmentation.kinds.words import Words
from tandem.segmentation.segmenter import learn
from tandem.studies.configuration import load_configuration, load_plans, load_registers
from tandem.studies.sources import matched

ROOT = Path(__file__).parents[3]
STUDY = read_yaml(ROOT / "workflow/studies/small/study.yaml")


def test_the_best_mean_is_taken_of_what_is_small_enough():
    frame = pd.DataFrame({"size_mb": [5.0, 8.0, 8.1], "mean_x100": [70.0, 71.0, 80.0]})
    assert taken(frame, 8) == 1
    assert taken(frame, 9) == 2
    assert taken(frame, 1) == -1


def test_megabytes_are_those_of_the_folder(tmp_path):
    (tmp_path / "segmenter").mkdir()
    texts = {"en": lambda: iter([" ".join(f"word{n}" for n in range(5000))] * 2)}
    segmenter = learn(Words(), texts, tmp_path / "segmenter")
    table = np.random.default_rng(1).standard_normal((len(segmenter), 100)).astype(np.float32)
    model = SentenceEncoder(segmenter, Averaging(dimension=100), table)
    words = sum(file.stat().st_size for file in (tmp_path / "segmenter").iterdir()) / 1e6
    # a byte for each number, four for the scale of a row
    assert abs(megabytes(model) - words - 104 * len(segmenter) / 1e6) < 0.01


def test_what_is_chosen_on_is_not_reported():
    tasks, criteria = STUDY["tasks"], STUDY["tables"]["sizes"]["criteria"]
    for criterion in criteria:
        task = tasks[criterion["task"]]
        assert task.get("split") == "valid" or task["tasks"] == [STUDY["sts"]["selection"]]
    assert STUDY["sts"]["selection"] not in tasks["sts2017"]["tasks"]


def test_its_card_names_nothing_that_is_only_chosen_or_scored_on():
    configuration = load_configuration(read_yaml(ROOT / "config.yaml"))
    plan = load_plans(configuration, load_registers(configuration, ROOT), ROOT)["results/small"]
    learned = plan.text_of(STUDY["export"]["model"])
    whole = STUDY["collections"]["free"]["whole"]
    assert {*plan.sources("free")} - {*learned} == {*whole["valid"], *whole["test"]}


def test_all_that_it_reads_may_be_passed_on():
    register = load_register(DICTIONARIES) | load_register(ROOT / "workflow/datasets.yaml")
    free = STUDY["collections"]["free"]
    read = {*matched(free["sources"], register)} - {*free["whole"]["valid"]}
    assert [name for name in read if not register[name].redistributable] == []
