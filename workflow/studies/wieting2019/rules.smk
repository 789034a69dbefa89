"""Rules of this study alone: its targets, panels of languages."""


include: "inputs.smk"


rule wieting2019:
    """All tables, figures, claims and exported models of wieting2019."""
    input:
        PLAN.targets,


rule table1:
    """Table 1 of wieting2019, its figures and its claims."""
    input:
        multiext(PLAN.path("table1"), ".csv", ".md"),
        PLAN.path("tables/table1-claims.csv"),
        PLAN.path("figures/table1.png"),
        PLAN.path("figures/training.png"),
        PLAN.bleu,


rule across:
    """Tables 2 to 4 of wieting2019, and its models exported for sentence-transformers."""
    input:
        expand(PLAN.path("table{n}.{ending}"), n=(2, 3, 4), ending=("csv", "md")),
        expand(PLAN.path("figures/table{n}.png"), n=(2, 3, 4)),
        [PLAN.path("export", name) for name in PLAN.exported],


# ---- "Does Language Choice Matter?": panels, sets of languages with an encoder for each ----------


rule gather_languages:
    """Read and clean the text of a panel's languages in one corpus, opening it once.

    Out: a folder with <language>.tsv, English<TAB>other language, each English sentence once; and
    cleaning.json, counts of what was removed.
    """
    input:
        files=lambda w: downloads(w.dataset),
    output:
        folder=directory(PLAN.path("languages/{panel}/gathered/{dataset}")),
    log:
        PLAN.path("logs/gather_languages/{panel}/{dataset}.log"),
    wildcard_constraints:
        panel=alternatives(FIGURE1.panels),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        mem_mb=4000,
        runtime=480,
    params:
        dataset=lambda w: DATASETS[w.dataset].record(),
        languages=lambda w: [c for c in CODES[w.panel] if c in DATASETS[w.dataset].languages],
        cleaning=lambda w: panel_of(w).model_dump(mode="json")["cleaning"],
        limit=lambda w: panel_of(w).candidates,
        seed=lambda w: panel_of(w).seed,
        code=lambda w: digest("gather_languages.py", *read_by([w.dataset]), home=HERE),
    script:
        "scripts/gather_languages.py"


rule build_panel:
    """Choose a panel's languages and the sentences of each, shared as far as the corpora allow.

    Out: english.txt, the English sentences; <language>.tsv, number of the English sentence
    (from 0)<TAB>translation; panel.json, languages, sizes and how many sentences they
    share. And the segmentation of the English text, which all languages share.
    """
    input:
        gathered=lambda w: [
            PLAN.path("languages", w.panel, "gathered", name) for name in panel_of(w).sources
        ],
    output:
        text=directory(PLAN.path("languages/{panel}/text")),
        english=directory(PLAN.path("languages/{panel}/english")),
    log:
        PLAN.path("logs/build_panel/{panel}.log"),
    wildcard_constraints:
        panel=alternatives(FIGURE1.panels),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        languages=lambda w: CODES[w.panel],
        choice=lambda w: panel_of(w).model_dump(include={"number", "least", "pairs", "seed"}),
        pieces=lambda w: panel_of(w).model_dump(include={"pieces", "character_coverage"}),
        code=digest("build_panel.py", home=HERE),
    script:
        "scripts/build_panel.py"


rule train_languages:
    """Train and score a batch of a panel's languages, an encoder for each seed, plain and marked.

    Out: for each language its overlap with English; for each encoder the STS score before and after
    training. No model is kept.
    """
    input:
        text=PLAN.path("languages/{panel}/text"),
        english=PLAN.path("languages/{panel}/english"),
        sts=PLAN.path("corpora/sts"),
    output:
        scores=PLAN.path("scores/languages/{panel}/batch{batch}.json"),
    log:
        PLAN.path("logs/train_languages/{panel}/batch{batch}.log"),
    benchmark:
        PLAN.path("benchmarks/train_languages/{panel}/batch{batch}.tsv")
    wildcard_constraints:
        panel=alternatives(FIGURE1.panels),
        batch=r"\d+",
    priority: SECOND
    conda:
        "../../../envs/tandem.yaml"
    threads: lambda w: trained_for(w)["recipe"]["threads"]
    resources:
        mem_mb=4000,
        runtime=720,
    params:
        run=lambda w: trained_for(w),
        seeds=lambda w: panel_of(w).encoders.seeds,
        markers=lambda w: [False, True] if panel_of(w).encoders.marked else [False],
        task=TASKS.dump(PLAN.study.tasks[FIGURE1.task]),
        batches=lambda w: panel_of(w).batches,
        code=lambda w: digest("train_languages.py", *kinds_for(w), home=HERE),
    script:
        "scripts/train_languages.py"


rule figure1:
    """Figure 1 of wieting2019 and its points, also for the other panels and for marked pieces."""
    input:
        expand(
            PLAN.path("{figure}.{ending}"),
            figure=FIGURE1.figures("figure1"),
            ending=("pdf", "png", "svg"),
        ),
        PLAN.path("figure1.csv"),


rule table5:
    """Table 5 of wieting2019 and its claims."""
    input:
        multiext(PLAN.path("table5"), ".csv", ".md"),
        PLAN.path("tables/table5-claims.csv"),
