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
include: "workflow/rules/languages.smk"
include: "workflow/rules/retrieve.smk"
include: "workflow/rules/mine.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/across.smk"


rule table1:
    """Table 1 of wieting2019, its figures and its claims."""
    input:
        multiext("results/table1", ".csv", ".md"),
        "results/tables/table1-claims.csv",
        "results/figures/table1.png",
        "results/figures/training.png",
        [f"results/scores/{name}/bleu.json" for name in USED_TRANSLATORS],


rule across:
    """Tables 2 to 4 of wieting2019, and its models in a form that others load."""
    input:
        expand("results/table{number}.{ending}", number=(2, 3, 4), ending=("csv", "md")),
        expand("results/figures/table{number}.png", number=(2, 3, 4)),
        expand("results/export/{experiment}", experiment=EXPORTED),


rule figure1:
    """Figure 1 of wieting2019, its points, and the same for the other panels and the marker."""
    input:
        expand("results/{figure}.{ending}", figure=FIGURES, ending=["pdf", "png", "svg"]),
        "results/figure1.csv",


rule table5:
    """Table 5 of wieting2019 and its claims."""
    input:
        "results/table5.csv",
        "results/table5.md",
        "results/tables/table5-claims.csv",


rule all:
    """Everything that this scale has."""
    default_target: True
    input:
        rules.table1.input,
        rules.across.input,
        rules.figure1.input,
        rules.table5.input,
        "results/claims.csv",
