"""What all rules share: the checked configuration, a plan of every study, digests, wildcards."""

import re
import sys
from functools import cache
from pathlib import Path

# Snakemake hands its search path on to every script, whatever runs it. So the library goes first on
# it, and `workflow/scripts` last, for the `_adapter` that the scripts of studies import; `load_plans`
# adds the studies.
sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))
sys.path.append(str(Path(workflow.basedir) / "workflow/scripts"))
from tandem import provenance
from tandem.studies.configuration import load_plans, load_registers
from tandem.corpora.readers import READERS
from tandem.filtering.filter import FILTERS, settings_of
from tandem.files.io import read_yaml
from tandem.mining.settings import load
from tandem.corpora.packages import place_in_mirror
from tandem.studies.missing import listing
from tandem.studies.plan import DRAWN
from tandem.reporting.claim_test import CLAIM_TESTS
from tandem.reporting.table import TABLES
from tandem.encoders.encoder import ENCODERS, encoder_files
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.tasks.task import TASKS
from tandem.translation.translator import TRANSLATORS

# A key that stands twice is refused, which Snakemake does not: one of the two would be lost.
for file in workflow.configfiles:
    read_yaml(file)

CONFIGURATION = load(config)
config.pop("mined", None)  # no job reads it: its params have what it needs
DATASETS = load_registers(CONFIGURATION, workflow.basedir)
# Keyed by the folder of the study's results, which is the wildcard `root`
PLANS = load_plans(CONFIGURATION, DATASETS, workflow.basedir)
STUDIES = {plan.name: plan for plan in PLANS.values()}

# GPUs that a job asks for. Not in `params`, as the device is not: no other card makes a result anew.
GPU = int(CONFIGURATION.device == "cuda")

# Priorities of jobs: text before training, training before scores, so that at the end no core is
# idle while another still trains.
FIRST, SECOND = 2, 1


report: "../report/workflow.rst"


# The report's templates read captions from the configuration; no job depends on them.
config["captions"] = {
    root: {file.stem: file.read_text("utf-8").strip() for file in plan.home.glob("captions/*.rst")}
    for root, plan in PLANS.items()
}


def plan_of(wildcards):
    return PLANS[wildcards.root]


def study_of(wildcards):
    return PLANS[wildcards.root].study


# Modules that most jobs import and never use: they are for tables and for exports
UNUSED = ("tandem.statistics.bootstrap", "tandem.segmentation.stock_tokenizer")


@cache
def digest(script, *kinds, study=None, without=UNUSED):
    """Return a digest of the code of a script, shared or a study's own, of the library code that it
    imports, and of the files of the kinds that it uses; in `params`, so that an edit re-runs what it
    affects."""
    home = STUDIES[study].home if study else Path(workflow.basedir, "workflow")
    path = home / "scripts" / script
    packages = {plan.name: plan.home.parent for plan in PLANS.values()}
    return provenance.source_digest(path, *kinds, packages=packages, without=without)


def scored_by(wildcards):
    """Return the files of the kinds that a score depends on."""
    kinds = [TASKS.path(study_of(wildcards).tasks[wildcards.task].kind)]
    if not plan_of(wildcards).pretrained(wildcards.experiment):
        kinds += plan_of(wildcards).training_files(wildcards.experiment)
    return kinds


def embedded_by(wildcards):
    """Return the files of the kinds that the start of a training depends on."""
    plan, encoder = plan_of(wildcards), plan_of(wildcards).encoder(wildcards.experiment)
    kinds = plan.segmentation_files(encoder.segmentation, None)
    return (*encoder_files(encoder.architecture), *kinds)


def tabulated_by(wildcards):
    """Return the files that a table depends on: of its kind, of the tasks, of encoders it loads."""
    plan, table = plan_of(wildcards), study_of(wildcards).tables[table_of(wildcards)]
    adapter = Path(workflow.basedir) / "workflow/scripts/_adapter.py"
    encoders = {path for name in table.encodes() for path in plan.training_files(name)}
    return (*described_by(wildcards), TABLES.path(table.kind), *sorted(encoders), adapter)


def judged_by(wildcards):
    """Return the files of the tests that claims may name: the library's, and the study's own."""
    owners = ("tandem", plan_of(wildcards).name)
    tests = CLAIM_TESTS.modules().values()
    return [path for module, _, path in tests if module.split(".")[0] in owners]


def described_by(wildcards):
    """Return the files of the kinds that a model's card depends on."""
    return sorted({TASKS.path(task.kind) for task in study_of(wildcards).tasks.values()})


def tasks_of(wildcards):
    """Return the tasks of a study, as plain values."""
    return {name: TASKS.dump(task) for name, task in study_of(wildcards).tasks.items()}


def table_of(wildcards):
    """Return the name of the table, or of the table that draws the figure."""
    return getattr(wildcards, "table", None) or plan_of(wildcards).figures[wildcards.figure]


def alternatives(names):
    """Return a pattern that matches exactly these names."""
    return "|".join(re.escape(str(name)) for name in sorted(set(names), key=str)) or "(?!)"


def everywhere(section):
    """Return the names of a section's entries, over all studies."""
    return (name for plan in PLANS.values() for name in getattr(plan.study, section))
