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


rule score_tracks:
    """Score an encoder on the tracks of STS 2017 that its languages cover, every seed in one job.

    Out: sts2017.json, Pearson's r x 100 of each track at hand; sts2017.npz, the cosine of every
    pair.
    """
    input:
        models=expand("results/models/{{experiment}}/seed{seed}", seed=config["seeds"]),
        sts="results/corpora/sts",
    output:
        scores=expand("results/scores/{{experiment}}/seed{seed}/sts2017.json", seed=config["seeds"]),
        pairs=expand("results/scores/{{experiment}}/seed{seed}/sts2017.npz", seed=config["seeds"]),
    log:
        "results/logs/score_tracks/{experiment}.log",
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=60,
    params:
        seeds=config["seeds"],
        tasks=[track["task"] for track in config["table2"]["tracks"]],
        bootstrap=config["bootstrap"],
        code=digest("score_tracks.py"),
    script:
        "../scripts/score_tracks.py"


rule measure_speed:
    """Time encoders from raw text to vectors, beside SentencePiece's own encoding.

    It asks for as many threads as most machines have, so that no other job disturbs it.

    Out: sentences per second of each encoder, device and batch size, as JSON; these are times, so
    another run gives other figures.
    """
    input:
        models=expand(
            "results/models/{experiment}/seed{seed}", experiment=TABLE4, seed=config["seeds"][0]
        ),
        bitext=f"results/corpora/{config['table4']['bitext']}",
    output:
        speeds="results/benchmarks/speed.json",
    log:
        "results/logs/measure_speed.log",
    conda:
        "../../envs/model.yaml"
    threads: 16
    resources:
        mem_mb=8000,
        runtime=120,
    params:
        names=TABLE4,
        baselines={
            name: config["baselines"][name]["model"] for name in config["table4"]["baselines"]
        },
        measured={
            key: config["table4"][key]
            for key in ("language", "sentences", "batches", "repeats", "seconds", "seed")
        },
        code=digest("measure_speed.py"),
    script:
        "../scripts/measure_speed.py"
