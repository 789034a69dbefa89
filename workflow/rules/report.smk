"""Tables, figures and claims, all computed from scores."""


rule tabulate:
    """Make a table and test the paper's claims about it.

    Out: the table as CSV and as Markdown; each claim of the paper with its test and verdict (CSV).
    """
    input:
        unpack(table_inputs),
        paper=lambda w: plan_of(w).paper(),
    output:
        table="{root}/{table}.csv",
        markdown=report("{root}/{table}.md", caption="../report/table.rst", category="{table}"),
        claims="{root}/tables/{table}-claims.csv",
    log:
        "{root}/logs/tabulate/{table}.log",
    conda:
        "../../envs/tandem.yaml"
    params:
        study=lambda w: plan_of(w).dump(w.table),
        scale=CONFIGURATION.scale,
        code=lambda w: digest("tabulate.py", *tabulated_by(w), *judged_by(w), without=()),
    script:
        "../scripts/tabulate.py"


rule plot:
    """Draw a figure of a table."""
    input:
        unpack(table_inputs),
        table=lambda w: plan_of(w).path(f"{table_of(w)}.csv"),
    output:
        png=report("{root}/{figure}.png", caption="../report/figure.rst", category="{figure}"),
        pdf="{root}/{figure}.pdf",
        svg="{root}/{figure}.svg",
    log:
        "{root}/logs/plot/{figure}.log",
    conda:
        "../../envs/tandem.yaml"
    params:
        table=table_of,
        study=lambda w: plan_of(w).dump(table_of(w)),
        scale=CONFIGURATION.scale,
        code=lambda w: digest("plot.py", *tabulated_by(w), without=()),
    script:
        "../scripts/plot.py"


rule collect_claims:
    """Join the claims of a study's tables.

    Out: one row for each claim: statement, statistic, interval, published figure, verdict.
    """
    input:
        claims=lambda w: [plan_of(w).path(f"tables/{t}-claims.csv") for t in study_of(w).tables],
    output:
        claims=report("{root}/claims.csv", caption="../report/claims.rst", category="claims"),
    log:
        "{root}/logs/collect_claims.log",
    conda:
        "../../envs/tandem.yaml"
    params:
        code=digest("collect_claims.py", without=()),
    script:
        "../scripts/collect_claims.py"


rule front:
    """Write what the report opens on: the study's claims by verdict, and its main figures.

    Out: a part of an HTML page; workflow/report/workflow.rst puts it into the report.
    """
    input:
        claims="{root}/claims.csv",
        pictures=lambda w: [plan_of(w).path(f"{figure}.png") for figure in opened_on(w)],
        # where nothing is claimed, the tables
        tables=lambda w: [plan_of(w).path(f"{name}.md") for name in shown_tables(w)],
    output:
        page=report("{root}/front.html", category="front page"),
    log:
        "{root}/logs/front.log",
    conda:
        "../../envs/tandem.yaml"
    params:
        title=lambda w: study_of(w).title,
        code=digest("front.py", without=()),
    script:
        "../scripts/front.py"
