"""Does language choice matter: panels of languages, an encoder for each, Table 5 and Figure 1."""


rule gather_languages:
    """Read and clean what one corpus holds of a panel's languages, opening it once.

    Out: a folder with <language>.tsv, English<TAB>other language, an English sentence once; and
    cleaning.json, counts of what was removed.
    """
    input:
        files=lambda w: downloads(w.dataset),
    output:
        folder=directory("results/languages/{panel}/gathered/{dataset}"),
    log:
        "results/logs/gather_languages/{panel}/{dataset}.log",
    benchmark:
        "results/benchmarks/gather_languages/{panel}/{dataset}.tsv"
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=480,
    params:
        dataset=lambda w: record(w.dataset),
        languages=lambda w: [
            code for code in PANELS[w.panel] if code in DATASETS[w.dataset].languages
        ],
        cleaning=lambda w: panel_of(w)["cleaning"],
        limit=lambda w: panel_of(w)["candidates"],
        seed=lambda w: panel_of(w)["seed"],
        code=digest("gather_languages.py"),
    script:
        "../scripts/gather_languages.py"


rule build_panel:
    """Choose a panel's languages and the sentences of each, in common as far as corpora allow.

    Out: english.txt, the English sentences; <language>.tsv, number of the English sentence
    (from 0)<TAB>translation; panel.json, languages, sizes and how much they share.
    """
    input:
        gathered=lambda w: [
            f"results/languages/{w.panel}/gathered/{name}" for name in panel_of(w)["sources"]
        ],
    output:
        folder=directory("results/languages/{panel}/text"),
    log:
        "results/logs/build_panel/{panel}.log",
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        languages=lambda w: PANELS[w.panel],
        choice=lambda w: {key: panel_of(w)[key] for key in ("number", "least", "pairs", "seed")},
        code=digest("build_panel.py"),
    script:
        "../scripts/build_panel.py"


rule segment_english:
    """Learn the pieces of a panel's English text, once for all its languages.

    Out: a folder with segmentation.json (scheme, vocabulary) and the SentencePiece model.
    """
    input:
        text="results/languages/{panel}/text",
    output:
        segmenter=directory("results/languages/{panel}/english"),
    log:
        "results/logs/segment_english/{panel}.log",
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        pieces=lambda w: panel_of(w)["pieces"],
        character_coverage=lambda w: panel_of(w)["character_coverage"],
        code=digest("segment_english.py"),
    script:
        "../scripts/segment_english.py"


rule train_languages:
    """Train and score a batch of a panel's languages, an encoder for each language, marker and
    seed, on all cores; a batch that was stopped goes on from results/checkpoints/.

    Out: for each language its overlap with English, and of each encoder the STS score, its random
    start's, and the selection score after each epoch. No model is kept.
    """
    input:
        text="results/languages/{panel}/text",
        segmenter="results/languages/{panel}/english",
        sts="results/corpora/sts",
    output:
        scores="results/scores/languages/{panel}/batch{batch}.json",
    log:
        "results/logs/train_languages/{panel}/batch{batch}.log",
    benchmark:
        "results/benchmarks/train_languages/{panel}/batch{batch}.tsv"
    conda:
        "../../envs/model.yaml"
    threads: 8
    resources:
        mem_mb=8000,
        runtime=720,
    params:
        study=study_of,
        size=config["languages"]["batch"],
        scratch="results/checkpoints/languages/{panel}.batch{batch}",
        code=digest("train_languages.py"),
    script:
        "../scripts/train_languages.py"


rule tabulate_table5:
    """Correlate STS scores with overlap and distance: Table 5 of wieting2019 and its findings.

    Out: the points of Figure 1, a row for each language, panel and marker; Table 5, a row for each
    correlation (CSV), and as the paper lays it out (Markdown); each finding with its verdict (CSV).
    """
    input:
        scores=[path for panel in PANELS for path in batches(panel)],
        texts=expand("results/languages/{panel}/text", panel=PANELS),
        uriel=downloads(config["languages"]["uriel"])[0],
        register=beside(config["languages"]["register"]),
    output:
        points="results/figure1.csv",
        table="results/table5.csv",
        markdown=report(
            "results/table5.md",
            caption="../report/table5.rst",
            category="Table 5",
            labels={"item": "table"},
        ),
        claims="results/tables/table5-claims.csv",
    log:
        "results/logs/tabulate_table5.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        labels={name: entry["label"] for name, entry in config["languages"]["panels"].items()},
        settings=config["languages"]["table5"] | config["bootstrap"],
        scale=config["scale"],
        code=digest("tabulate_table5.py"),
    script:
        "../scripts/tabulate_table5.py"


rule plot_figure1:
    """Plot the STS score of every language of a panel against overlap and distance."""
    input:
        points="results/figure1.csv",
        table="results/table5.csv",
        register=beside(config["languages"]["register"]),
    output:
        png=report(
            "results/{figure}.png",
            caption="../report/figure1.rst",
            category="Figure 1",
            labels={"item": "{figure}"},
        ),
        pdf="results/{figure}.pdf",
        svg="results/{figure}.svg",
    log:
        "results/logs/plot_figure1/{figure}.log",
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        setting=lambda w: FIGURES[w.figure],
        code=digest("plot_figure1.py"),
    script:
        "../scripts/plot_figure1.py"
