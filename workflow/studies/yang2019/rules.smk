"""Rules of this study alone: its target, what is searched and mined, translators on mined text."""


include: "inputs.smk"


rule un:
    """All tables, figures and claims of yang2019."""
    input:
        UN.targets,


rule gather_searched:
    """Gather the sentences, with their documents, that are searched for translations.

    Out: document, English sentence, its translation, with tabs between.
    """
    input:
        files=searched_in,
        within=searched_within,
    output:
        text=UN.path("searched/{language}.tsv"),
    log:
        UN.path("logs/gather_searched/{language}.log"),
    wildcard_constraints:
        language=alternatives(SEARCHED),
    conda:
        "../../../envs/tandem.yaml"
    params:
        dataset=searched_record,
        code=lambda w: digest("gather_searched.py", *searched_kinds(w), home=UN_HOME),
    script:
        "scripts/gather_searched.py"


rule build_comparable:
    """Take a published mining task, or hide one in the text that is searched.

    Out: {training,test}.<language>, .en and .gold, as BUCC has them.
    """
    input:
        files=lambda w: [f for name in comparable_in(w) for f in downloads(name)],
        searched=lambda w: [] if comparable_in(w) else [UN.path(f"searched/{w.language}.tsv")],
    output:
        folder=directory(UN.path("comparable/{language}")),
    log:
        UN.path("logs/build_comparable/{language}.log"),
    wildcard_constraints:
        language=alternatives(COMPARABLE),
    conda:
        "../../../envs/tandem.yaml"
    params:
        task=lambda w: COMPARABLE[w.language].model_dump(),
        datasets=lambda w: [DATASETS[name].record() for name in comparable_in(w)],
        code=lambda w: digest("build_comparable.py", *read_by(comparable_in(w)), home=UN_HOME),
    script:
        "scripts/build_comparable.py"


rule mine_searched:
    """Mine the text that is searched both ways, for translators; take the original pairs beside.

    Out: for each origin of pairs a bitext, {train,valid,test}.<language>; counts.json, how many
    pairs each has, how many of them are the text's, and the thresholds.
    """
    input:
        model=lambda w: UN.models([mined_by(w)], UN.seeds(mined_by(w))[:1]),
        searched=UN.path("searched/{language}.tsv"),
        corpus=other_text,
    output:
        folder=directory(UN.path("mined/{language}")),
    log:
        UN.path("logs/mine_searched/{language}.log"),
    wildcard_constraints:
        language=alternatives(MINED_BY),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        mem_mb=4000 + MINED.memory_mb,
    params:
        experiment=mined_by,
        threshold=MINED.threshold,
        test=MINED.test,
        other=MINED.other,
        memory=MINED.memory_mb,
        code=lambda w: digest("mine_searched.py", *mined_kinds(w), home=UN_HOME),
    script:
        "scripts/mine_searched.py"


rule translate_test:
    """Train a translator on original or on mined pairs, and translate the test text.

    Out: translations.txt and references.txt, line by line. A run that was stopped goes on from its
    checkpoint.
    """
    input:
        mined=UN.path("mined/{language}"),
    output:
        folder=directory(UN.path("translated/{language}/{origin}")),
    log:
        UN.path("logs/translate_test/{language}/{origin}.log"),
    benchmark:
        UN.path("benchmarks/translate_test/{language}/{origin}.tsv")
    wildcard_constraints:
        language=alternatives(MINED_BY),
        origin="original|forward|backward",
    priority: SECOND
    conda:
        "../../../envs/tandem.yaml"
    threads: MINED.translator.threads
    resources:
        mem_mb=8000,
        runtime=2880,
    params:
        translator=mined_translator,
        code=digest("translate_test.py", MINED_TRANSLATOR, home=UN_HOME),
    script:
        "scripts/translate_test.py"
