"""Tandem: from parallel text to sentence embeddings, their scores, and the tables of the papers.

snakemake --cores 8                                              everything the default scale has
snakemake --cores 8 results/table1.csv                           one table and what it needs
snakemake --cores 8 --configfile workflow/scales/paper.yaml      at the papers' own scale
"""

from snakemake.utils import min_version

min_version("9.0")


configfile: f"{workflow.basedir}/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/corpora.smk"
include: "workflow/rules/segment.smk"
include: "workflow/rules/translate.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/evaluate.smk"
include: "workflow/rules/retrieve.smk"
include: "workflow/rules/mine.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/across.smk"


rule table1:
    """Table 1 of wieting2019, its figures and its claims."""
    input:
        "results/table1.csv",
        "results/table1.md",
        "results/figures/table1.png",
        "results/figures/training.png",
        "results/claims.csv",
        [f"results/scores/{name}/bleu.json" for name in USED_TRANSLATORS],


rule all:
    """Everything that this scale has."""
    default_target: True
    input:
        rules.table1.input,
