"""Back-translation: a translator, its quality, and a corpus of English beside English."""


rule train_translator:
    """Train a translator on a bitext, or take a released one.

    Out: a folder with weights, vocabulary and translator.json, which says what decided them; of a
    trained one history.csv, the loss of each epoch. A run that was stopped goes on from
    results/checkpoints/.
    """
    input:
        bitext=lambda w: f"results/corpora/{translator_of(w)['bitext']}",
    output:
        folder=directory("results/translators/{translator}"),
    log:
        "results/logs/train_translator/{translator}.log",
    benchmark:
        "results/benchmarks/train_translator/{translator}.tsv"
    priority: FIRST
    conda:
        "../../envs/model.yaml"
    threads: lambda w: translator_of(w)["threads"]
    resources:
        mem_mb=8000,
        runtime=2880,
    params:
        translator=translator_of,
        scratch="results/checkpoints/{translator}",
        code=digest("train_translator.py"),
        kind=lambda w: kind_digest(TRANSLATORS, translator_of(w)),
    script:
        "../scripts/train_translator.py"


rule translate_shard:
    """Translate some lines of a split of a bitext, for back-translation.

    Out: one translation a line; a table of their log-probabilities and numbers of tokens.
    """
    input:
        bitext=lambda w: f"results/corpora/{backtranslation_of(w)['bitext']}",
        translator=lambda w: f"results/translators/{backtranslation_of(w)['translator']}",
    output:
        text=temp("results/backtranslations/{backtranslation}/{split}.{shard}.txt"),
        scores=temp("results/backtranslations/{backtranslation}/{split}.{shard}.tsv"),
    log:
        "results/logs/translate_shard/{backtranslation}/{split}.{shard}.log",
    benchmark:
        "results/benchmarks/translate_shard/{backtranslation}/{split}.{shard}.tsv"
    priority: FIRST
    conda:
        "../../envs/model.yaml"
    threads: lambda w: back_translator_of(w)["threads"]
    resources:
        mem_mb=6000,
        runtime=1440,
    params:
        source=lambda w: back_translator_of(w)["source"],
        pairs=lambda w: backtranslation_of(w)["pairs"] if w.split == "train" else None,
        shards=lambda w: backtranslation_of(w)["shards"] if w.split == "train" else 1,
        threads=lambda w: back_translator_of(w)["threads"],
        code=digest("translate_shard.py"),
        kind=lambda w: kind_digest(TRANSLATORS, back_translator_of(w)),
    script:
        "../scripts/translate_shard.py"


rule join_backtranslation:
    """Pair the target side of a bitext with the translation of its other side.

    Out: {train,valid,test}.<language> and .<language>-bt, line-aligned UTF-8; beside each
    translation its scores, <split>.<language>-bt.scores.tsv.
    """
    input:
        bitext=lambda w: f"results/corpora/{backtranslation_of(w)['bitext']}",
        texts=lambda w: [f"{stem}.txt" for stem in shards(w)],
        scores=lambda w: [f"{stem}.tsv" for stem in shards(w)],
    output:
        folder=directory("results/corpora/{backtranslation}"),
    log:
        "results/logs/join_backtranslation/{backtranslation}.log",
    priority: FIRST
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        sides=lambda w: configuration.sides(config, w.backtranslation),
        code=digest("join_backtranslation.py"),
    script:
        "../scripts/join_backtranslation.py"


rule score_translator:
    """Measure a translator on the test split of its bitext.

    Out: bleu, sacreBLEU's signature, the number of sentences, as JSON.
    """
    input:
        bitext=lambda w: f"results/corpora/{translator_of(w)['bitext']}",
        translator="results/translators/{translator}",
    output:
        scores="results/scores/{translator}/bleu.json",
    log:
        "results/logs/score_translator/{translator}.log",
    conda:
        "../../envs/model.yaml"
    threads: lambda w: translator_of(w)["threads"]
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        source=lambda w: translator_of(w)["source"],
        target=lambda w: translator_of(w)["target"],
        threads=lambda w: translator_of(w)["threads"],
        code=digest("score_translator.py"),
        kind=lambda w: kind_digest(TRANSLATORS, translator_of(w)),
    script:
        "../scripts/score_translator.py"
