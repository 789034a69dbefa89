"""What an edit makes run anew: exactly the jobs whose bytes depend on it."""

import contextlib
import functools
import os
import re

import pytest
from conftest import TINY, copy_of, jobs, planned

TABLES = {"tabulate", "plot", "collect_claims", "front"}
MODELS = {"export", "compress"}
LANGUAGES, FILTERS = {"train_languages"}, {"train_conditions", "score_untrained"}
MINED = {"mine_searched", "translate_test"}
WRITTEN = {"restyle", "measure_likelihood", "time_epochs"}
TRAINED = {"train", "score", "measure_speed"} | LANGUAGES | FILTERS | MODELS | TABLES
KIND = '''"""A kind that nothing names."""

from tandem.encoders.encoder import Encoder


class Extra(Encoder):
    """Nothing."""
'''


def other_docstring(text):
    """Change the first docstring and add a comment."""
    return re.sub(r'"""', '"""Said otherwise. ', text, count=1) + "\n# a remark\n"


def other_code(text):
    return text + "\nEDITED = True\n"


def other_caption(text):
    return text + "# More of it.\n"


def new_kind(text):
    return KIND


@pytest.fixture(scope="module")
def copied(finished, tmp_path_factory):
    """A copy of the finished run for all tests of this file, which leave it as it was."""
    return copy_of(finished, tmp_path_factory.mktemp("copied"))


@contextlib.contextmanager
def edited(*files):
    """Edit files, each (its path, a function from text to text); then put them back, with times."""
    before = [(path, path.read_bytes(), path.stat()) for path, _ in files if path.exists()]
    for path, edit in files:
        path.write_text(edit(path.read_text("utf-8") if path.exists() else ""), "utf-8")
    try:
        yield
    finally:
        for path, _ in files:
            path.unlink()
        for path, content, stat in before:
            path.write_bytes(content)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.fixture(scope="module")
def after(copied):
    """Return a function that plans with a file of the workflow edited, once for each edit."""

    @functools.cache
    def plan(file, edit):
        with edited((copied / "workflow" / file, edit)):
            return planned(copied, *TINY)

    return plan


NOTHING = [
    ("tandem/files/io.py", other_docstring),
    ("tandem/training/course.py", other_docstring),
    ("tandem/objectives/kinds/margin.py", other_docstring),
    ("studies/wieting2019/tables/table1.py", other_docstring),
    ("tandem/encoders/kinds/extra.py", new_kind),
    ("studies/wieting2019/captions/table1.rst", other_caption),
    ("studies/wieting2019/inputs.py", other_code),
    ("tandem/own_bitext/recipes.py", other_code),
]
"""Edits that no job's bytes depend on."""


def test_edits_that_change_nothing_re_run_nothing(copied):
    with edited(*((copied / "workflow" / file, edit) for file, edit in NOTHING)):
        assert planned(copied, *TINY) == {}


@pytest.mark.parametrize(
    ("file", "edit", "rules"),
    [
        ("tandem/statistics/bootstrap.py", other_code, MODELS | TABLES),
        ("tandem/segmentation/stock_tokenizer.py", other_code, MODELS | TABLES),
        ("tandem/reporting/plots.py", other_code, TABLES),
        ("tandem/studies/plan.py", other_code, TABLES),
        ("tandem/reporting/claim_tests/difference.py", other_code, TABLES),
        ("studies/wieting2019/claims.yaml", other_caption, TABLES),
        ("tandem/objectives/kinds/margin.py", other_code, TRAINED | {"score_pairs"}),
        ("tandem/encoders/kinds/lstm.py", other_code,
         (TRAINED | {"score_pairs", "time_epochs", "measure_likelihood"}) - LANGUAGES - MODELS),
        ("tandem/encoders/sums.py", other_code,
         TRAINED | MINED | WRITTEN | {"score_pairs", "embed_tokens"}),
        ("tandem/training/contrast.py", other_code,
         TRAINED | MINED | {"score_pairs", "time_comparisons"}),
        ("tandem/segmentation/kinds/trigrams.py", other_code,
         {"segment", "train", "score", "measure_speed"} | TABLES),
        ("tandem/corpora/readers/verses.py", other_code,
         {"gather_languages", "build_panel", "train_languages", "build_collection",
          "segment_collection", "gather_searched", "build_comparable", "train", "measure_speed",
          "score", "build_bitext", "segment", "gather_held_out", "build_styles", "build_probing",
          "embed_tokens"}
         | MINED | MODELS | TABLES | WRITTEN),
        ("tandem/search/margins.py", other_code, {"score", "export"} | MINED | TABLES),
    ],
)  # fmt: skip
def test_an_edit_re_runs_what_depends_on_it_and_nothing_else(after, file, edit, rules):
    assert set(after(file, edit)) == rules


@pytest.mark.parametrize(
    ("rule", "file"),
    [
        ("train", "tandem/encoders/kinds/lstm.py"),
        ("train", "tandem/encoders/sums.py"),
        ("tabulate", "studies/many/claim_tests/group_means.py"),
    ],
)
def test_a_kind_of_one_encoder_or_study_leaves_the_others_alone(finished, after, rule, file):
    whole = jobs(finished.with_suffix(".txt").read_text("utf-8"))[rule]
    assert 0 < after(file, other_code)[rule] < whole


def test_what_counts_as_the_same_text_is_no_matter_of_fetching(after):
    rules = set(after("tandem/text/spelling.py", other_code))
    assert {"build_bitext", "segment", "train", "score", "tabulate"} <= rules
    assert not rules & {"fetch_dataset", "fetch_optional_dataset"}


def test_changed_text_of_the_users_is_read_again(copied):
    with edited((copied / "data/tiny.en", lambda text: text.replace("cat", "cow"))):
        rules = set(planned(copied, *TINY))
    assert {"fetch_dataset", "build_bitext", "train", "tabulate"} <= rules
    assert "build_sts" not in rules


def test_more_tasks_to_score_train_nothing_anew_and_hide_no_other_change(copied):
    change = copied / "change.yaml"
    change.write_text("studies: {wieting2019: {tables: {table4: {sentences: 50}}}}\n")
    targets = "results/claims.csv", "results/table4.csv"
    rules = planned(copied, *targets, *TINY, change, "--forcerun", "build_sts")
    assert "score" in rules
    assert "train" not in rules
    # Snakemake does not look at the parameters of what stands below a job that runs
    assert "measure_speed" in rules


def test_another_device_makes_nothing_anew_and_all_edits_were_put_back(copied):
    assert planned(copied, *TINY, "--config", "device=cuda") == {}
