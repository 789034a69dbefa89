"""What an edit makes run anew: exactly the jobs whose bytes depend on it."""

import re

import pytest
from conftest import TINY, planned

TABLES = {"tabulate", "plot", "collect_claims", "front"}
MODELS = {"export", "compress"}
LANGUAGES, FILTERS = {"train_languages"}, {"train_conditions"}
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


@pytest.mark.parametrize(
    ("file", "edit", "rules"),
    [
        ("tandem/files/io.py", other_docstring, set()),
        ("tandem/training/course.py", other_docstring, set()),
        ("tandem/objectives/kinds/margin.py", other_docstring, set()),
        ("studies/wieting2019/tables/table1.py", other_docstring, set()),
        ("tandem/encoders/kinds/extra.py", new_kind, set()),
        ("studies/wieting2019/captions/table1.rst", other_caption, set()),
        ("studies/wieting2019/inputs.py", other_code, set()),
        ("tandem/statistics/bootstrap.py", other_code, MODELS | TABLES),
        ("tandem/segmentation/stock_tokenizer.py", other_code, MODELS | TABLES),
        ("tandem/own_bitext/recipes.py", other_code, set()),
        ("tandem/reporting/plots.py", other_code, TABLES),
        ("tandem/studies/plan.py", other_code, TABLES),
        ("tandem/reporting/claim_tests/difference.py", other_code, TABLES),
        ("studies/wieting2019/claims.yaml", other_caption, TABLES),
        ("tandem/objectives/kinds/margin.py", other_code, TRAINED | {"score_pairs"}),
        ("tandem/encoders/kinds/lstm.py", other_code,
         (TRAINED | {"score_pairs", "time_epochs", "measure_likelihood"}) - LANGUAGES - MODELS),
        ("tandem/encoders/sums.py", other_code,
         TRAINED | MINED | WRITTEN | {"score_pairs"}),
        ("tandem/training/contrast.py", other_code,
         TRAINED | MINED | {"score_pairs", "time_comparisons"}),
        ("tandem/segmentation/kinds/trigrams.py", other_code,
         {"segment", "train", "score", "measure_speed"} | TABLES),
        ("tandem/corpora/readers/verses.py", other_code,
         {"gather_languages", "build_panel", "train_languages", "build_collection",
          "segment_collection", "gather_searched", "build_comparable", "train", "measure_speed",
          "score", "build_bitext", "segment", "gather_held_out", "build_styles", "build_probing"}
         | MINED | MODELS | TABLES | WRITTEN),
        ("tandem/search/margins.py", other_code, {"score", "export"} | MINED | TABLES),
    ],
)  # fmt: skip
def test_an_edit_re_runs_what_depends_on_it_and_nothing_else(copied, file, edit, rules):
    path = copied / "workflow" / file
    path.write_text(edit(path.read_text(encoding="utf-8") if path.exists() else ""))
    assert set(planned(copied, *TINY)) == rules


@pytest.mark.parametrize(
    ("rule", "file"),
    [
        ("train", "tandem/encoders/kinds/lstm.py"),
        ("train", "tandem/encoders/sums.py"),
        ("tabulate", "studies/many/claim_tests/group_means.py"),
    ],
)
def test_a_kind_of_one_encoder_or_study_leaves_the_others_alone(copied, rule, file):
    whole = planned(copied, "--forcerun", rule, *TINY)[rule]
    path = copied / "workflow" / file
    path.write_text(other_code(path.read_text(encoding="utf-8")))
    assert 0 < planned(copied, *TINY)[rule] < whole


def test_what_counts_as_the_same_text_is_no_matter_of_fetching(copied):
    path = copied / "workflow/tandem/text/spelling.py"
    path.write_text(other_code(path.read_text(encoding="utf-8")))
    rules = set(planned(copied, *TINY))
    assert {"build_bitext", "segment", "train", "score", "tabulate"} <= rules
    assert not rules & {"fetch_dataset", "fetch_optional_dataset"}


def test_changed_text_of_the_users_is_read_again(copied):
    text = copied / "data/tiny.en"
    text.write_text(text.read_text(encoding="utf-8").replace("cat", "cow"), encoding="utf-8")
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


def test_another_device_makes_nothing_anew(copied):
    assert planned(copied, *TINY, "--config", "device=cuda") == {}
