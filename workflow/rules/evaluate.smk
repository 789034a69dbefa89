"""Evaluation: one JSON of scores for each experiment, seed and set of tasks."""


rule score_sts:
    """Score an encoder on the English STS tasks: every seed in one job, since loading the libraries
    takes longer than scoring.

    Out: sts.json, Pearson's r x 100 of each task, each year and their mean, with its interval;
    sts.npz, the cosine of every pair.
    """
    input:
        models=expand("results/models/{{experiment}}/seed{seed}", seed=config["seeds"]),
        sts="results/corpora/sts",
    output:
        scores=expand("results/scores/{{experiment}}/seed{seed}/sts.json", seed=config["seeds"]),
        pairs=expand("results/scores/{{experiment}}/seed{seed}/sts.npz", seed=config["seeds"]),
    log:
        "results/logs/score_sts/{experiment}.log",
    benchmark:
        "results/benchmarks/score_sts/{experiment}.tsv"
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seeds=config["seeds"],
        years=config["sts"]["years"],
        bootstrap=config["bootstrap"],
        code=digest("score_sts.py"),
    script:
        "../scripts/score_sts.py"
