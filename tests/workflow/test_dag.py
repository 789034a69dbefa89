"""What can be known without running a job: lint, dry runs, refusals."""

import inspect
import re

import pytest
from conftest import REPOSITORY, TINY, planned, run_snakemake
from snakemake.scheduling.job_scheduler import JobScheduler


def test_lint_has_nothing_to_say(tiny):
    linted = run_snakemake(tiny, "--lint")
    assert linted.returncode == 0, linted.stdout + linted.stderr


def test_a_dry_run_says_what_one_address_has(tiny, tmp_path):
    run = run_snakemake(tiny, "--dry-run", "--cores", "1", "results/pawsx/corpora/pawsx")
    said = run.stdout + run.stderr
    place = "storage.googleapis.com/paws/pawsx/x-final.tar.gz"
    assert run.returncode == 0 and said.count(f"paws-x comes from https://{place}. Where that") == 1
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).touch()
    mirrored = ["--config", f"mirror={tmp_path}"]
    run = run_snakemake(tiny, "--dry-run", "--cores", "1", "results/pawsx/corpora/pawsx", *mirrored)
    assert run.returncode == 0 and "comes from" not in run.stdout + run.stderr


@pytest.mark.parametrize("scale", ["default", "full", "gpu", "paper", "tiny"])
def test_every_scale_plans_everything_and_writes_nothing(tiny, scale):
    before = {path for path in tiny.rglob("*")}
    arguments = [] if scale == "default" else ["--configfile", f"workflow/scales/{scale}.yaml"]
    rules = planned(tiny, *arguments)
    assert set(rules) == {
        "fetch_dataset", "fetch_optional_dataset", "build_bitext", "build_collection",
        "build_mining_task", "build_sts",
        "build_selection", "segment", "segment_collection", "train_translator",
        "translate_shard", "join_backtranslation", "score_translator", "train", "score",
        "measure_speed", "export", "compress", "gather_languages", "build_panel",
        "train_languages", "tabulate", "plot", "collect_claims", "front",
        "gather_text", "learn_words", "score_pairs", "train_conditions", "score_untrained",
        "gather_searched", "build_comparable", "mine_searched", "translate_test",
        "gather_held_out", "build_styles", "build_probing", "restyle", "measure_likelihood",
        "time_epochs", "build_labelled", "segment_labelled", "take_pretrained",
        "time_comparisons", "embed_tokens",
        # at the other scales other words start otherwise
        *(["embed_words"] if scale in ("default", "full", "gpu") else []),
    }  # fmt: skip
    new = {path for path in tiny.rglob("*")} - before
    assert not [path for path in new if not {".snakemake", "__pycache__"} & set(path.parts)]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ("mirrors=7", "unknown key 'mirrors' (did you mean 'mirror'?)"),
        ("studies={wieting2019: {tables: {table1: {settings: [en-de]}}}}",
         "settings.en-de.encoders has no 'word'"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_configuration_is_named(tiny, values, said):
    """One fault of each layer; tests/unit/studies/test_refusals.py has all of them."""
    refused = run_snakemake(tiny, "--dry-run", "--cores", "1", "--config", values)
    assert refused.returncode != 0
    assert said in refused.stdout + refused.stderr


def test_a_run_refuses_missing_files_of_the_users_and_a_plan_names_them(tiny):
    (tiny / "data/tiny.cs").unlink()
    said = "data/tiny.cs is missing: `snakemake --cores 1 missing` says where to get it."
    plan = run_snakemake(tiny, "--dry-run", "--cores", "1", *TINY)
    assert plan.returncode == 0 and said in plan.stdout + plan.stderr
    refused = run_snakemake(tiny, "--cores", "1", *TINY)
    assert refused.returncode != 0 and said in refused.stdout + refused.stderr
    assert not (tiny / "results").exists()


def test_a_pretrained_encoder_of_the_users_is_an_input_of_all_that_reads_it(tiny):
    """So that they run again where it is replaced in its place."""
    (tiny / "mine").mkdir()
    values = (
        "studies={wieting2017: {tables: {datasets: {experiment: {baseline: mine}}}}, "
        "wieting2019: {pretrained: {minilm: {model: mine}}}, "
        "fedorova2024: {pretrained: {e5: {model: mine}}}, "
        "many: {pretrained: {muse: {model: mine}}}}"
    )
    targets = ["filtering", "wieting2019", "pawsx", "many"]
    plan = run_snakemake(tiny, "--dry-run", "--cores", "1", *targets, "--config", values)
    assert plan.returncode == 0, plan.stdout + plan.stderr
    of_jobs = re.findall(r"^rule (\w+):\n    input: (.*)$", plan.stdout, re.M)
    reading = {rule for rule, inputs in of_jobs if "mine" in inputs.split(", ")}
    assert reading == {
        "take_pretrained", "score", "measure_speed", "time_comparisons", "learn_words",
        "embed_words", "embed_tokens",
    }  # fmt: skip


def test_what_is_missing_is_what_the_plan_lacks_with_where_to_get_it(tiny):
    scale = ["--configfile", "workflow/scales/paper.yaml"]
    plan = run_snakemake(tiny, "--dry-run", "--cores", "1", *scale)
    printed = plan.stdout + plan.stderr
    lacked = set(re.findall(r"^(data/\S+) is missing", printed, re.MULTILINE))
    assert plan.returncode == 0 and len(lacked) == 19
    (tiny / "data").mkdir(exist_ok=True)
    (tiny / "data/normal.aligned").touch()
    told = run_snakemake(tiny, "--cores", "1", "missing", *scale)
    assert told.returncode == 0
    listed = dict(re.findall(r"^  (data/\S+): (.*)$", told.stderr, re.MULTILINE))
    optional = {file for file, line in listed.items() if line.startswith("optional")}
    assert optional == {"data/pit2015-test.data"}  # SICK.txt is among the corpora of the test
    assert set(listed) - optional == lacked - {"data/normal.aligned"}
    assert all(re.search(r"https?://", line) for line in listed.values())


def rule_texts():
    """Return the text of every rule that runs something, by file and name."""
    folder = REPOSITORY / "workflow"
    found = {}
    for path in sorted([*folder.glob("rules/*.smk"), *folder.glob("studies/*/rules.smk")]):
        for text in re.split(r"\n(?=rule \w+:)", path.read_text(encoding="utf-8"))[1:]:
            text = re.split(r"\n(?=\S)", text, maxsplit=1)[0] if "\n" in text else text
            if "script:" in text:
                found[f"{path.name}: {text.split(':')[0]}"] = text
    return found


def test_every_rule_has_what_the_conventions_ask_for():
    rules = rule_texts()
    assert len(rules) > 20
    for name, rule in rules.items():
        parts = ["output:", "params:", "log:", "conda:", '"""']
        missing = [part for part in parts if part not in rule]
        assert not missing, f"{name} lacks {missing}"
        script = rule.split("script:")[1].split('"')[1].rsplit("/", 1)[1]
        digested = re.search(rf'digest\(\s*"{re.escape(script)}"', rule)
        fetches = "rule fetch_" in rule  # a pinned hash says what it brings, not the code
        assert bool(digested) != fetches, f"{name}: the digest is of another script"
        assert ("retries: 2" in rule) == fetches, name


def test_snakemake_has_the_limit_that_the_snakefile_switches_off():
    """Under another name a run would be slow, and nothing would say so."""
    assert "job_rate_limiter = None" in (REPOSITORY / "Snakefile").read_text("utf-8")
    assert "if self.job_rate_limiter is None" in inspect.getsource(JobScheduler)
