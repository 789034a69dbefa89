"""Rules of this study alone: its targets, panels of languages."""

import wieting2019.inputs

wieting2019 = wieting2019.inputs.Inputs(STUDIES["wieting2019"], DATASETS)


rule wieting2019:
    """All tables, figures, claims and exported models of wieting2019."""
    input:
        wieting2019.plan.targets,


rule table1:
    """Table 1 of wieting2019, its figures and its claims."""
    input:
        multiext(wieting2019.plan.path("table1"), ".csv", ".md"),
        wieting2019.plan.path("tables/table1-claims.csv"),
        wieting2019.plan.path("figures/table1.png"),
        wieting2019.plan.path("figures/training.png"),
        wieting2019.plan.bleu,


rule across:
    """Tables 2 to 4 of wieting2019, and its models exported for sentence-transformers."""
    input:
        expand(wieting2019.plan.path("table{n}.{ending}"), n=(2, 3, 4), ending=("csv", "md")),
        expand(wieting2019.plan.path("figures/table{n}.png"), n=(2, 3, 4)),
        [wieting2019.plan.path("export", name) for name in wieting2019.plan.exported],


# ---- "Does Language Choice Matter?": panels, sets of languages with an encoder for each ----------


rule gather_languages:
    """Read and clean the text of a panel's languages in one corpus, which is opened once.

    Out: a folder with <language>.tsv, English<TAB>other language, each English sentence once; and
    cleaning.json, counts of what was removed.
    """
    input:
        files=lambda w: downloads(w.dataset),
    output:
        folder=directory(wieting2019.plan.path("languages/{panel}/gathered/{dataset}")),
    log:
        wieting2019.plan.path("logs/gather_languages/{panel}/{dataset}.log"),
    wildcard_constraints:
        panel=alternatives(wieting2019.panels),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        mem_mb=4000,
        runtime=480,
    params:
        dataset=lambda w: DATASETS[w.dataset].record(),
        languages=lambda w: [
            c for c in wieting2019.codes[w.panel] if c in DATASETS[w.dataset].languages
        ],
        cleaning=lambda w: wieting2019.panels[w.panel].model_dump(mode="json")["cleaning"],
        limit=lambda w: wieting2019.panels[w.panel].candidates,
        seed=lambda w: wieting2019.panels[w.panel].seed,
        code=lambda w: digest("gather_languages.py", *read_by([w.dataset]), study="wieting2019"),
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
            wieting2019.plan.path("languages", w.panel, "gathered", name)
            for name in wieting2019.panels[w.panel].sources
        ],
    output:
        text=directory(wieting2019.plan.path("languages/{panel}/text")),
        english=directory(wieting2019.plan.path("languages/{panel}/english")),
    log:
        wieting2019.plan.path("logs/build_panel/{panel}.log"),
    wildcard_constraints:
        panel=alternatives(wieting2019.panels),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        languages=lambda w: wieting2019.codes[w.panel],
        choice=lambda w: wieting2019.panels[w.panel].model_dump(
            include={"number", "least", "pairs", "seed"}
        ),
        pieces=lambda w: wieting2019.panels[w.panel].model_dump(
            include={"pieces", "character_coverage"}
        ),
        code=digest("build_panel.py", study="wieting2019"),
    script:
        "scripts/build_panel.py"


rule train_languages:
    """Train and score a batch of a panel's languages, an encoder for each seed, plain and marked.

    Out: for each language its overlap with English; for each encoder the STS score before and after
    training. No model is kept.
    """
    input:
        text=wieting2019.plan.path("languages/{panel}/text"),
        english=wieting2019.plan.path("languages/{panel}/english"),
        sts=wieting2019.plan.path("corpora/sts"),
    output:
        scores=wieting2019.plan.path("scores/languages/{panel}/batch{batch}.json"),
    log:
        wieting2019.plan.path("logs/train_languages/{panel}/batch{batch}.log"),
    benchmark:
        wieting2019.plan.path("benchmarks/train_languages/{panel}/batch{batch}.tsv")
    wildcard_constraints:
        panel=alternatives(wieting2019.panels),
        batch=r"\d+",
    priority: SECOND
    conda:
        "../../../envs/tandem.yaml"
    threads: lambda w: wieting2019.threads(w.panel)
    resources:
        mem_mb=4000,
        runtime=720,
    params:
        run=lambda w: wieting2019.run(w.panel),
        seeds=lambda w: wieting2019.panels[w.panel].encoders.seeds,
        markers=lambda w: [False, True] if wieting2019.panels[w.panel].encoders.marked else [False],
        task=wieting2019.task,
        unit=wieting2019.unit,
        batches=lambda w: wieting2019.panels[w.panel].batches,
        code=lambda w: digest(
            "train_languages.py", *wieting2019.kinds(w.panel), study="wieting2019"
        ),
    script:
        "scripts/train_languages.py"


rule figure1:
    """Figure 1 of wieting2019 and its points, also for the other panels and for marked pieces."""
    input:
        expand(
            wieting2019.plan.path("{figure}.{ending}"),
            figure=wieting2019.figures,
            ending=("pdf", "png", "svg"),
        ),
        wieting2019.plan.path("figure1.csv"),


rule table5:
    """Table 5 of wieting2019 and its claims."""
    input:
        multiext(wieting2019.plan.path("table5"), ".csv", ".md"),
        wieting2019.plan.path("tables/table5-claims.csv"),
