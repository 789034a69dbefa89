"""Retrieval: held-out sentences of a bitext searched for their translations; baselines beside."""


rule score_retrieval:
    """Search the test split of an experiment's corpus in both directions, every seed in one job.

    Out: retrieval.json, P@1 x 100 of both directions with its interval; retrieval.npz, which
    sentences found theirs.
    """
    input:
        models=expand("results/models/{{experiment}}/seed{seed}", seed=config["seeds"]),
        corpus=lambda w: f"results/corpora/{setting_of(w)['corpus']}",
    output:
        scores=expand(
            "results/scores/{{experiment}}/seed{seed}/retrieval.json", seed=config["seeds"]
        ),
        hits=expand("results/scores/{{experiment}}/seed{seed}/retrieval.npz", seed=config["seeds"]),
    log:
        "results/logs/score_retrieval/{experiment}.log",
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seeds=config["seeds"],
        sides=lambda w: configuration.sides(config, setting_of(w)["corpus"]),
        bootstrap=config["bootstrap"],
        code=digest("score_retrieval.py"),
    script:
        "../scripts/score_retrieval.py"


rule score_baseline:
    """Score an encoder that others made as those of Table 2 are: tracks and retrieval.

    Out: sts2017.json and .npz as of `score_tracks`; for each language's bitext
    retrieval.<language>.json and .npz, as of `score_retrieval`.
    """
    input:
        sts="results/corpora/sts",
        corpora=[f"results/corpora/{corpus}" for corpus in TABLE2_CORPORA.values()],
    output:
        scores="results/scores/baseline.{baseline}/sts2017.json",
        pairs="results/scores/baseline.{baseline}/sts2017.npz",
        retrieval=expand(
            "results/scores/baseline.{{baseline}}/retrieval.{language}.json",
            language=TABLE2_CORPORA,
        ),
        hits=expand(
            "results/scores/baseline.{{baseline}}/retrieval.{language}.npz",
            language=TABLE2_CORPORA,
        ),
    log:
        "results/logs/score_baseline/{baseline}.log",
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        model=lambda w: config["baselines"][w.baseline]["model"],
        tasks=[track["task"] for track in config["table2"]["tracks"]],
        sides=[configuration.sides(config, corpus) for corpus in TABLE2_CORPORA.values()],
        bootstrap=config["bootstrap"],
        code=digest("score_baseline.py"),
    script:
        "../scripts/score_baseline.py"
