"""Tables 2 to 4, their figures and claims: read from scores, never typed in."""


rule tabulate_table2:
    """Make Table 2 of wieting2019 with retrieval beside it, and test its findings.

    Out: one row per encoder (CSV); the table as the paper lays it out, and which columns are empty
    and why (Markdown); each finding with its test and verdict (CSV).
    """
    input:
        tracks=[
            *expand(
                "results/scores/{experiment}/seed{seed}/sts2017.json",
                experiment=TABLE2_EXPERIMENTS,
                seed=config["seeds"],
            ),
            *expand(
                "results/scores/baseline.{baseline}/sts2017.json",
                baseline=config["table2"]["baselines"],
            ),
        ],
        retrieval=[
            *expand(
                "results/scores/{experiment}/seed{seed}/retrieval.json",
                experiment=TABLE2_EXPERIMENTS,
                seed=config["seeds"],
            ),
            *expand(
                "results/scores/baseline.{baseline}/retrieval.{language}.json",
                baseline=config["table2"]["baselines"],
                language=TABLE2_CORPORA,
            ),
        ],
        sts="results/corpora/sts",
    output:
        table="results/table2.csv",
        markdown=report(
            "results/table2.md",
            caption="../report/table2.rst",
            category="Table 2",
            labels={"item": "table"},
        ),
        claims="results/tables/table2-claims.csv",
    log:
        "results/logs/tabulate_table2.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        rows=TABLE2,
        baselines=baselines_of("table2"),
        learned={name: learned(name) for name in TABLE2_EXPERIMENTS},
        tracks=config["table2"]["tracks"],
        bootstrap=config["bootstrap"],
        scale=config["scale"],
        code=digest("tabulate_table2.py"),
    script:
        "../scripts/tabulate_table2.py"


rule plot_table2:
    """Plot the figures of Table 2 with their intervals."""
    input:
        table="results/table2.csv",
    output:
        png=report(
            "results/figures/table2.png",
            caption="../report/table2-figure.rst",
            category="Table 2",
            labels={"item": "figure"},
        ),
        pdf="results/figures/table2.pdf",
        svg="results/figures/table2.svg",
    log:
        "results/logs/plot_table2.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=digest("plot_table2.py"),
    script:
        "../scripts/plot_table2.py"


rule tabulate_table3:
    """Make Table 3 of wieting2019 and test the findings on mining.

    Out: one row per encoder, task and way to mine (CSV); F1 laid out by task (Markdown); each
    finding with its test and verdict (CSV).
    """
    input:
        scores=expand(
            "results/scores/{experiment}/seed{seed}/mining.json",
            experiment=TABLE3,
            seed=config["seeds"],
        ),
    output:
        table="results/table3.csv",
        markdown=report(
            "results/table3.md",
            caption="../report/table3.rst",
            category="Table 3",
            labels={"item": "table"},
        ),
        claims="results/tables/table3-claims.csv",
    log:
        "results/logs/tabulate_table3.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        experiments=[{"name": name} | learned(name) for name in TABLE3],
        bootstrap=config["bootstrap"],
        scale=config["scale"],
        code=digest("tabulate_table3.py"),
    script:
        "../scripts/tabulate_table3.py"


rule plot_table3:
    """Plot F1 by retrieval and score for each mining task."""
    input:
        table="results/table3.csv",
    output:
        png=report(
            "results/figures/table3.png",
            caption="../report/table3-figure.rst",
            category="Table 3",
            labels={"item": "figure"},
        ),
        pdf="results/figures/table3.pdf",
        svg="results/figures/table3.svg",
    log:
        "results/logs/plot_table3.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=digest("plot_table3.py"),
    script:
        "../scripts/plot_table3.py"


rule tabulate_table4:
    """Make Table 4 of wieting2019: it holds times, which differ from run to run.

    Out: one row per encoder and device (CSV); the table, fastest first (Markdown); each finding with
    its test and verdict (CSV).
    """
    input:
        speeds="results/benchmarks/speed.json",
    output:
        table="results/table4.csv",
        markdown=report(
            "results/table4.md",
            caption="../report/table4.rst",
            category="Table 4",
            labels={"item": "table"},
        ),
        claims="results/tables/table4-claims.csv",
    log:
        "results/logs/tabulate_table4.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        labels={name: learned(name)["encoder"] for name in TABLE4}
        | {entry["name"]: entry["label"] for entry in baselines_of("table4")},
        baselines=[entry["name"] for entry in baselines_of("table4")],
        scale=config["scale"],
        code=digest("tabulate_table4.py"),
    script:
        "../scripts/tabulate_table4.py"


rule plot_table4:
    """Plot the speeds of Table 4."""
    input:
        table="results/table4.csv",
    output:
        png=report(
            "results/figures/table4.png",
            caption="../report/table4-figure.rst",
            category="Table 4",
            labels={"item": "figure"},
        ),
        pdf="results/figures/table4.pdf",
        svg="results/figures/table4.svg",
    log:
        "results/logs/plot_table4.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        code=digest("plot_table4.py"),
    script:
        "../scripts/plot_table4.py"
