"""Tandem: from parallel text to sentence embeddings, their scores, and the tables of the papers.

snakemake --cores 8                                              everything the default scale has
snakemake --cores 8 results/table1.csv                           one table and what it needs
snakemake --cores 8 --configfile workflow/scales/paper.yaml      at the papers' own scale
"""

from snakemake.utils import min_version

min_version("9.0")


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/locks.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/wildcards.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/segment.smk"
include: "workflow/rules/translate.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/speed.smk"
include: "workflow/rules/mine_inputs.smk"
include: "workflow/rules/mine.smk"
include: "workflow/rules/mine_documents.smk"
include: "workflow/rules/report.smk"


for plan in PLANS.values():
    if (plan.home / "rules.smk").is_file():

        include: str((plan.home / "rules.smk").resolve())


onstart:
    # Snakemake bounds how many jobs begin in a time span. To do so it looks at all waiting jobs anew,
    # once in that time for each job that has ended, which takes more and more. Here --cores bounds them.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


rule all:
    """All results of all studies at this scale."""
    default_target: True
    input:
        [target for plan in PLANS.values() for target in plan.targets],
