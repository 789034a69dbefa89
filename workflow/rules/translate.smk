"""Back-translation: a translator, its BLEU score, and text paired with its back-translation."""


rule train_translator:
    """Train a translator on a bitext, or fetch a released one.

    Out: a folder with weights, vocabulary and translator.json, its settings; if trained here,
    also history.csv, the loss of each epoch. A run that was stopped resumes from its checkpoint.
    """
    input:
        bitext=lambda w: plan_of(w).path("corpora", translator_of(w).bitext),
    output:
        folder=directory("{root}/translators/{translator}"),
    log:
        "{root}/logs/train_translator/{translator}.log",
    benchmark:
        "{root}/benchmarks/train_translator/{translator}.tsv"
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: translator_of(w).threads
    resources:
        gpu=lambda w: GPU * translator_of(w).trained,
        mem_mb=8000,
        runtime=2880,
    params:
        translator=lambda w: TRANSLATORS.dump(translator_of(w)),
        code=lambda w: digest("train_translator.py", translated_by(w)),
    script:
        "../scripts/train_translator.py"


rule translate_shard:
    """Translate one shard of a split of a bitext, for back-translation.

    Out: one translation per line; a table of their log-probabilities and numbers of tokens.
    """
    input:
        bitext=lambda w: plan_of(w).path("corpora", made_of(w).bitext),
        translator=lambda w: plan_of(w).path("translators", made_of(w).translator),
    output:
        text=temp("{root}/backtranslations/{backtranslation}/{split}.{shard}.txt"),
        scores=temp("{root}/backtranslations/{backtranslation}/{split}.{shard}.tsv"),
    log:
        "{root}/logs/translate_shard/{backtranslation}/{split}.{shard}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: translator_of(w).threads
    resources:
        gpu=GPU,
        mem_mb=6000,
        runtime=1440,
    params:
        translator=lambda w: TRANSLATORS.dump(translator_of(w)),
        pairs=lambda w: made_of(w).pairs if w.split == "train" else None,
        shards=lambda w: made_of(w).shards if w.split == "train" else 1,
        code=lambda w: digest("translate_shard.py", translated_by(w)),
    script:
        "../scripts/translate_shard.py"


rule join_backtranslation:
    """Pair the target side of a bitext with the translation of its other side.

    Out: {train,valid,test}.<language> and .<language>-bt, line-aligned UTF-8; beside each
    translation its scores, <split>.<language>-bt.scores.tsv; cleaning.json, counts of the pairs kept
    and, by filter, removed.
    """
    input:
        bitext=lambda w: plan_of(w).path("corpora", made_of(w).bitext),
        parts=parts_of,
    output:
        folder=directory("{root}/corpora/{backtranslation}"),
    log:
        "{root}/logs/join_backtranslation/{backtranslation}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    params:
        sides=lambda w: plan_of(w).sides(w.backtranslation),
        cleaning=lambda w: made_of(w).model_dump(mode="json")["cleaning"],
        code=digest("join_backtranslation.py", *map(FILTERS.path, FILTERS.modules())),
    script:
        "../scripts/join_backtranslation.py"


rule score_translator:
    """Measure a translator on the test split of its bitext.

    Out: BLEU, sacreBLEU's signature and the number of sentences, as JSON.
    """
    input:
        bitext=lambda w: plan_of(w).path("corpora", translator_of(w).bitext),
        translator="{root}/translators/{translator}",
    output:
        scores="{root}/scores/{translator}/bleu.json",
    log:
        "{root}/logs/score_translator/{translator}.log",
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: translator_of(w).threads
    resources:
        gpu=GPU,
    params:
        translator=lambda w: TRANSLATORS.dump(translator_of(w)),
        code=lambda w: digest("score_translator.py", translated_by(w)),
    script:
        "../scripts/score_translator.py"
