"""Training: one encoder in one setting with one seed; see the names in the configuration."""


rule train_encoder:
    """Train an encoder; the epoch kept is the best by what the setting selects on.

    Out: a model folder (model.safetensors, encoder.json, segmenter/) with history.csv, loss and
    selection score of each epoch. A run that was stopped goes on from results/checkpoints/.
    """
    input:
        segmenter=lambda w: f"{segmented(w)}/segmenter",
        ids=training_ids,
        selection=lambda w: "results/corpora/selection.tsv" if by_similarity(w) else [],
    output:
        model=directory("results/models/{experiment}/seed{seed}"),
    log:
        "results/logs/train_encoder/{experiment}/seed{seed}.log",
    benchmark:
        "results/benchmarks/train_encoder/{experiment}/seed{seed}.tsv"
    priority: SECOND
    conda:
        "../../envs/model.yaml"
    threads: lambda w: training_of(w)["threads"]
    resources:
        mem_mb=4000,
        runtime=1440,
    params:
        architecture=lambda w: {
            key: value
            for key, value in encoder_of(w).items()
            if key in ("kind", "dimension", "hidden")
        },
        pairs=lambda w: setting_of(w)["pairs"],
        training=training_of,
        sides=lambda w: configuration.sides(config, setting_of(w)["corpus"]),
        score=lambda w: "pearson_x100" if by_similarity(w) else "p_at_1_x100",
        segmented=segmented,
        checkpoint="results/checkpoints/{experiment}/seed{seed}",
        provenance=lambda w: {
            "experiment": w.experiment,
            "corpus": setting_of(w)["corpus"],
            "segmentation": encoder_of(w)["segmentation"],
        },
        code=digest("train_encoder.py"),
    script:
        "../scripts/train_encoder.py"


rule export_model:
    """Write a trained averaging encoder for sentence-transformers, with a model card.

    Out: a folder that SentenceTransformer(folder) loads with stock classes; README.md, the card.
    """
    input:
        model=f"results/models/{{experiment}}/seed{config['seeds'][0]}",
        scores=scores_of,
    output:
        folder=directory("results/export/{experiment}"),
    log:
        "results/logs/export_model/{experiment}.log",
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=30,
    params:
        corpora=learned_from,
        code=digest("export_model.py"),
    script:
        "../scripts/export_model.py"
