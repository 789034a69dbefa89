"""Rules of this study alone: its target, what is searched and mined, translators on mined text."""

import yang2019.inputs

yang2019 = yang2019.inputs.Inputs(STUDIES["yang2019"])


rule un:
    """All tables, figures and claims of yang2019."""
    input:
        yang2019.plan.targets,


rule gather_searched:
    """Gather the sentences, with their documents, that are searched for translations.

    Out: document, English sentence, its translation, with tabs between.
    """
    input:
        files=lambda w: downloads(yang2019.searched[w.language].dataset),
        within=lambda w: yang2019.within(w.language),
    output:
        text=yang2019.searched_file,
    log:
        yang2019.plan.path("logs/gather_searched/{language}.log"),
    wildcard_constraints:
        language=alternatives(yang2019.searched),
    conda:
        "../../../envs/tandem.yaml"
    params:
        dataset=lambda w: DATASETS[yang2019.searched[w.language].dataset].record("en", w.language),
        code=lambda w: digest(
            "gather_searched.py",
            *read_by([yang2019.searched[w.language].dataset]),
            study="yang2019",
        ),
    script:
        "scripts/gather_searched.py"


rule build_comparable:
    """Take a published mining task, or hide one in the text that is searched.

    Out: {training,test}.<language>, .en and .gold, as BUCC has them.
    """
    input:
        files=lambda w: [f for name in yang2019.published(w.language) for f in downloads(name)],
        searched=lambda w: yang2019.hidden_in(w.language),
    output:
        folder=directory(yang2019.comparable_folder),
    log:
        yang2019.plan.path("logs/build_comparable/{language}.log"),
    wildcard_constraints:
        language=alternatives(yang2019.comparable),
    conda:
        "../../../envs/tandem.yaml"
    params:
        task=lambda w: yang2019.comparable[w.language].model_dump(),
        datasets=lambda w: [DATASETS[name].record() for name in yang2019.published(w.language)],
        code=lambda w: digest(
            "build_comparable.py", *read_by(yang2019.published(w.language)), study="yang2019"
        ),
    script:
        "scripts/build_comparable.py"


rule mine_searched:
    """Mine the searched text in both directions, for translators, and keep the original pairs too.

    Out: for each origin of pairs a bitext, {train,valid,test}.<language>; counts.json, how many
    pairs each has, the share of them that are pairs of the text, and the thresholds.
    """
    input:
        model=lambda w: yang2019.miner(w.language),
        searched=yang2019.searched_file,
        corpus=lambda w: yang2019.miner_text(w.language),
    output:
        folder=directory(yang2019.plan.path("mined/{language}")),
    log:
        yang2019.plan.path("logs/mine_searched/{language}.log"),
    wildcard_constraints:
        language=alternatives(yang2019.miners),
    conda:
        "../../../envs/tandem.yaml"
    resources:
        gpu=GPU,
        mem_mb=4000 + yang2019.mined.memory_mb,
    params:
        experiment=lambda w: yang2019.miners[w.language],
        threshold=yang2019.mined.threshold,
        test=yang2019.mined.test,
        other=yang2019.mined.other,
        memory=yang2019.mined.memory_mb,
        code=lambda w: digest(
            "mine_searched.py", *yang2019.miner_kinds(w.language), study="yang2019"
        ),
    script:
        "scripts/mine_searched.py"


rule translate_test:
    """Train a translator on original or on mined pairs with a seed, and translate the test text.

    Out: translations.txt and references.txt, line by line. A run that was stopped resumes from
    its checkpoint.
    """
    input:
        mined=yang2019.plan.path("mined/{language}"),
    output:
        folder=directory(yang2019.plan.path("translated/{language}/{origin}/seed{seed}")),
    log:
        yang2019.plan.path("logs/translate_test/{language}/{origin}/seed{seed}.log"),
    benchmark:
        yang2019.plan.path("benchmarks/translate_test/{language}/{origin}/seed{seed}.tsv")
    wildcard_constraints:
        language=alternatives(yang2019.miners),
        origin=alternatives(yang2019.origins),
        seed=alternatives(map(str, yang2019.mined.seeds)),
    priority: SECOND
    conda:
        "../../../envs/tandem.yaml"
    threads: yang2019.mined.translator.threads
    resources:
        gpu=GPU,
        mem_mb=8000,
        runtime=2880,
    params:
        translator=lambda w: yang2019.translator(w.language, int(w.seed)),
        code=digest("translate_test.py", yang2019.translator_kind(), study="yang2019"),
    script:
        "scripts/translate_test.py"
