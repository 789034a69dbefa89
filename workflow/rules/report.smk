"""Tables, figures and claims: read from scores, never typed in."""


rule tabulate_table1:
    """Make Table 1 of wieting2019 and test its findings.

    Out: one row per encoder and setting (CSV); the table as the paper lays it out (Markdown);
    each finding with its test and verdict (CSV).
    """
    input:
        scores=expand(
            "results/scores/{experiment}/seed{seed}/sts.json",
            experiment=TABLE1,
            seed=config["seeds"],
        ),
        models=expand(
            "results/models/{experiment}/seed{seed}", experiment=TABLE1, seed=config["seeds"][0]
        ),
        sts="results/corpora/sts",
    output:
        table="results/table1.csv",
        markdown=report(
            "results/table1.md",
            caption="../report/table1.rst",
            category="Table 1",
            labels={"item": "table"},
        ),
        claims="results/tables/table1-claims.csv",
    log:
        "results/logs/tabulate_table1.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        experiments=[described(name) for name in TABLE1],
        settings=TABLE1_SETTINGS,
        bootstrap=config["bootstrap"],
        scale=config["scale"],
        code=digest("tabulate_table1.py"),
    script:
        "../scripts/tabulate_table1.py"


rule plot_table1:
    """Plot the scores of Table 1 with their intervals."""
    input:
        table="results/table1.csv",
    output:
        png=report(
            "results/figures/table1.png",
            caption="../report/table1-figure.rst",
            category="Table 1",
            labels={"item": "figure"},
        ),
        pdf="results/figures/table1.pdf",
        svg="results/figures/table1.svg",
    log:
        "results/logs/plot_table1.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        settings=TABLE1_SETTINGS,
        code=digest("plot_table1.py"),
    script:
        "../scripts/plot_table1.py"


rule plot_training:
    """Plot loss and validation score over epochs for every experiment of Table 1."""
    input:
        models=expand(
            "results/models/{experiment}/seed{seed}",
            experiment=[name for name in TABLE1 if described(name)["pairs"]],
            seed=config["seeds"],
        ),
    output:
        png=report(
            "results/figures/training.png",
            caption="../report/training.rst",
            category="Training",
            labels={"item": "curves"},
        ),
        pdf="results/figures/training.pdf",
        svg="results/figures/training.svg",
    log:
        "results/logs/plot_training.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        experiments=[described(name) for name in TABLE1],
        settings=TABLE1_SETTINGS,
        seeds=config["seeds"],
        code=digest("plot_training.py"),
    script:
        "../scripts/plot_training.py"


rule collect_claims:
    """Join the claims of all tables.

    Out: one row per finding: statement, statistic, interval, published figure, verdict.
    """
    input:
        claims=[f"results/tables/table{number}-claims.csv" for number in range(1, 6)],
    output:
        claims=report(
            "results/claims.csv",
            caption="../report/claims.rst",
            category="Claims",
            labels={"item": "claims"},
        ),
    log:
        "results/logs/collect_claims.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=digest("collect_claims.py"),
    script:
        "../scripts/collect_claims.py"
