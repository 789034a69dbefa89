"""Rules of this study alone: its target, texts, scores of pairs, trainings on every condition."""


include: "inputs.smk"


rule filtering:
    """All tables, figures and claims of wieting2017."""
    input:
        FILTERING.targets,


rule gather_text:
    """Gather the pairs of a text, and those held apart for what learns to filter.

    Out: candidates.tsv, reference, paraphrase, cost of the translation; apart.tsv, reference,
    back-translation; about.json, the share of references that the translator was trained on.
    """
    input:
        source=text_source,
        trained_on=text_trained_on,
    output:
        folder=directory(FILTERING.path("texts/{text}")),
    log:
        FILTERING.path("logs/gather_text/{text}.log"),
    wildcard_constraints:
        text=alternatives(EXPERIMENT.texts),
    conda:
        "../../../envs/tandem.yaml"
    params:
        kind=text_params,
        sides=text_sides,
        target=lambda w: getattr(text_translator(w), "target", None),
        candidates=EXPERIMENT.candidates,
        seed=EXPERIMENT.seed,
        code=digest("gather_text.py", home=FILTERING_HOME),
    script:
        "scripts/gather_text.py"


rule learn_words:
    """Learn the words of all texts: one vocabulary for all conditions.

    Of a text that is translated back, those of its whole bitext: what one translator makes changes no
    other text's encoders, and these need not wait for it. Out: a segmentation.
    """
    input:
        texts=[FILTERING.path("texts", name) for name in TEXTS_OF_PEOPLE],
        bitexts=list(ENGLISH_SIDES),
        start=words_start,
    output:
        folder=directory(FILTERING.path("words")),
    log:
        FILTERING.path("logs/learn_words.log"),
    conda:
        "../../../envs/tandem.yaml"
    params:
        scheme=SEGMENTATIONS.dump(FILTERING.study.segmentations["words"]),
        baseline=EXPERIMENT.baseline,
        sides=list(ENGLISH_SIDES.values()),
        code=digest(
            "learn_words.py",
            SEGMENTATIONS.path(FILTERING.study.segmentations["words"].kind),
            home=FILTERING_HOME,
        ),
    script:
        "scripts/learn_words.py"


rule embed_words:
    """Let a pretrained encoder encode every word.

    Out: word vectors in word2vec's binary form.
    """
    input:
        words=FILTERING.path("words"),
    output:
        vectors=FILTERING.path("starts/{dimension}.bin"),
    log:
        FILTERING.path("logs/embed_words/{dimension}.log"),
    wildcard_constraints:
        dimension=r"\d+",
    conda:
        "../../../envs/tandem.yaml"
    params:
        baseline=EXPERIMENT.baseline,
        dimension=lambda w: int(w.dimension),
        code=digest("embed_words.py", home=FILTERING_HOME),
    script:
        "scripts/embed_words.py"


rule score_pairs:
    """Score the pairs of a text by length, fluency, overlap and as the classifiers see them.

    Out: a table, a column for each score; the accuracy of the classifiers.
    """
    input:
        text=FILTERING.path("texts/{text}"),
        words=FILTERING.path("words"),
        cosine=[EXPERIMENT.cosine] if EXPERIMENT.cosine else [],
    output:
        scores=FILTERING.path("scores/pairs/{text}.tsv"),
        about=FILTERING.path("scores/pairs/{text}.json"),
    log:
        FILTERING.path("logs/score_pairs/{text}.log"),
    wildcard_constraints:
        text=alternatives(EXPERIMENT.texts),
    conda:
        "../../../envs/tandem.yaml"
    params:
        seed=EXPERIMENT.seed,
        code=digest("score_pairs.py", *SCORING_KINDS, home=FILTERING_HOME),
    script:
        "scripts/score_pairs.py"


rule train_conditions:
    """Train an encoder on every condition of a text, and score it.

    Out: for each condition and seed, the scores of both tasks. No model is kept. The log of what is
    trained stays: a run that was stopped goes on from it, and one with other filters, bounds or sizes
    trains what is new.
    """
    input:
        text=FILTERING.path("texts/{text}"),
        scores=FILTERING.path("scores/pairs/{text}.tsv"),
        words=FILTERING.path("words"),
        sts=FILTERING.path("corpora/sts"),
        start=start_of,
    output:
        scores=FILTERING.path("scores/conditions/{text}.{compared}.json"),
    log:
        FILTERING.path("logs/train_conditions/{text}.{compared}.log"),
    benchmark:
        FILTERING.path("benchmarks/train_conditions/{text}.{compared}.tsv")
    wildcard_constraints:
        text=alternatives(EXPERIMENT.texts),
        compared=alternatives(EXPERIMENT.encoders),
    priority: SECOND
    conda:
        "../../../envs/tandem.yaml"
    resources:
        mem_mb=4000,
        runtime=1440,
    params:
        experiment=EXPERIMENT.model_dump(mode="json"),
        run=lambda w: EXPERIMENT.encoders[w.compared].run(FILTERING.study),
        seeds=lambda w: FILTERING.study.seeds[: encoder_of(w).seeds],
        tasks={
            "development": TASKS.dump(FILTERING.study.tasks[EXPERIMENT.development]),
            "test": TASKS.dump(FILTERING.study.tasks[EXPERIMENT.test]),
            **{name: TASKS.dump(FILTERING.study.tasks[name]) for name in EXPERIMENT.further},
        },
        checkpoint=lambda w: FILTERING.path(f"checkpoints/conditions/{w.text}.{w.compared}.jsonl"),
        code=lambda w: digest("train_conditions.py", *condition_kinds(w), home=FILTERING_HOME),
    script:
        "scripts/train_conditions.py"
