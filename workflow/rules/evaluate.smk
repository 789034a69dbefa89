"""Evaluation: one JSON of scores for each experiment, seed and set of tasks."""


rule score_sts:
    """Score an encoder on the English STS tasks.

    Out: sts.json, Pearson's r x 100 of each task, each year and their mean, with its interval;
    sts.npz, the cosine of every pair.
    """
    input:
        model="results/models/{experiment}/seed{seed}",
        sts="results/corpora/sts",
    output:
        scores="results/scores/{experiment}/seed{seed}/sts.json",
        pairs="results/scores/{experiment}/seed{seed}/sts.npz",
    log:
        "results/logs/score_sts/{experiment}/seed{seed}.log",
    benchmark:
        "results/benchmarks/score_sts/{experiment}/seed{seed}.tsv"
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        years=config["sts"]["years"],
        bootstrap=config["bootstrap"],
        code=digest("score_sts.py"),
    script:
        "../scripts/score_sts.py"
