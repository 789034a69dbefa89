"""Training: one encoder in one setting with one seed; and models for use outside the study."""


rule train:
    """Train an encoder, and keep the epoch with the best selection score.

    It begins with what the seed draws, or with the parameters of an encoder that is trained already.

    Out: a model folder (model.safetensors, encoder.json, segmenter/) with history.csv, loss and
    selection score of each epoch. A run that was stopped resumes from its checkpoint.
    """
    input:
        segmented=lambda w: plan_of(w).segmented(w.experiment, w.seed),
        selection=lambda w: plan_of(w).selection(w.experiment),
        start=lambda w: plan_of(w).start_model(w.experiment, w.seed),
    output:
        model=directory("{root}/models/{experiment}/seed{seed}"),
    log:
        "{root}/logs/train/{experiment}/seed{seed}.log",
    benchmark:
        "{root}/benchmarks/train/{experiment}/seed{seed}.tsv"
    priority: SECOND
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: plan_of(w).recipe(w.experiment).threads
    resources:
        gpu=lambda w: GPU * plan_of(w).computed(w.experiment),
        mem_mb=lambda w: plan_of(w).encoder(w.experiment).architecture.memory_mb,
        runtime=1440,
    params:
        run=lambda w: plan_of(w).run(w.experiment),
        sides=lambda w: plan_of(w).sides(plan_of(w).setting(w.experiment).corpus),
        selection=lambda w: plan_of(w).setting(w.experiment).selection,
        languages=lambda w: plan_of(w).setting(w.experiment).languages,
        pools=lambda w: plan_of(w).setting(w.experiment).pools,
        part=lambda w: plan_of(w).part(w.experiment),
        code=lambda w: digest("train.py", *plan_of(w).training_files(w.experiment)),
    script:
        "../scripts/train.py"


rule take_pretrained:
    """Take a pretrained encoder over as a model, which training may start from.

    Out: a model folder (model.safetensors, encoder.json, segmenter/).
    """
    input:
        own=lambda w: own_folder(study_of(w).pretrained[w.pretrained].model),
    output:
        model=directory("{root}/pretrained/{pretrained}"),
    log:
        "{root}/logs/take_pretrained/{pretrained}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=8000,
    params:
        pretrained=lambda w: study_of(w).pretrained[w.pretrained].model_dump(exclude={"label"}),
        code=digest("take_pretrained.py", ENCODERS.path("pretrained")),
    script:
        "../scripts/take_pretrained.py"


rule embed_tokens:
    """Encode every token of a vocabulary by pretrained encoders: what training starts from.

    Out: a model folder (model.safetensors, encoder.json, segmenter/).
    """
    input:
        segmented=lambda w: plan_of(w).segmented(w.experiment, w.seed),
        own=lambda w: own_folder(*plan_of(w).token_vectors(w.experiment)),
    output:
        model=directory("{root}/starts/{experiment}/seed{seed}"),
    log:
        "{root}/logs/embed_tokens/{experiment}/seed{seed}.log",
    priority: SECOND
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=8000,
    params:
        encoder=lambda w: plan_of(w).run(w.experiment)["encoder"],
        sides=lambda w: plan_of(w).sides(plan_of(w).setting(w.experiment).corpus),
        pretrained=lambda w: plan_of(w).token_vectors(w.experiment),
        code=lambda w: digest("embed_tokens.py", *embedded_by(w)),
    script:
        "../scripts/embed_tokens.py"


rule export:
    """Write a trained averaging encoder for sentence-transformers, with a model card.

    Out: a folder that SentenceTransformer(folder) loads with stock classes; README.md, the card.
    """
    input:
        model=lambda w: plan_of(w).models([w.experiment], study_of(w).seeds[:1]),
        scores=lambda w: plan_of(w).all_scores(w.experiment),
    output:
        folder=directory("{root}/export/{experiment}"),
    log:
        "{root}/logs/export/{experiment}.log",
    conda:
        "../../envs/tandem.yaml"
    params:
        experiment=model_of,
        corpora=learned_from,
        tasks=tasks_of,
        bootstrap=lambda w: study_of(w).bootstrap.model_dump(),
        code=lambda w: digest(
            "export.py",
            *described_by(w),
            *plan_of(w).training_files(model_of(w)),
            without=(),
        ),
    script:
        "../scripts/export.py"


rule compress:
    """Write the model of a study, the one that `tandem` finds by name, with a model card.

    Out: a model folder (model.safetensors, encoder.json, segmenter/); README.md, the card.
    """
    input:
        model=lambda w: plan_of(w).models([model_of(w)], study_of(w).seeds[:1]),
        scores=lambda w: plan_of(w).all_scores(model_of(w)),
    output:
        folder=directory("{root}/model"),
    log:
        "{root}/logs/compress.log",
    conda:
        "../../envs/tandem.yaml"
    params:
        experiment=model_of,
        precision=lambda w: study_of(w).export.precision.value,
        corpora=learned_from,
        tasks=tasks_of,
        bootstrap=lambda w: study_of(w).bootstrap.model_dump(),
        code=lambda w: digest(
            "compress.py",
            *described_by(w),
            *plan_of(w).training_files(model_of(w)),
            without=(),
        ),
    script:
        "../scripts/compress.py"
