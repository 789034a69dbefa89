"""Mining: sentences hidden in two texts, searched for in shards, scored as BUCC does."""


rule build_mining_task:
    """Take a published mining task, or hide translations among the sentences of a bitext's sources.

    Out: {training,test}.{<language>,en}, id<TAB>sentence; {training,test}.gold, id<TAB>id;
    held-out.txt, the texts that no training corpus may hold.
    """
    input:
        files=lambda w: sum(map(downloads, mining_sources(w)), []),
    output:
        folder=directory("results/mining/{mining}/task"),
    log:
        "results/logs/build_mining_task/{mining}.log",
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        task=mining_task,
        published=lambda w: [record(name) for name in published_parts(w)],
        bitext=lambda w: config["bitexts"][mining_task(w)["bitext"]],
        sources=lambda w: [record(name) for name in mining_sources(w)],
        hiding={key: config["mining"][key] for key in ("section", "share", "seed")},
        code=digest("build_mining_task.py"),
    script:
        "../scripts/build_mining_task.py"


rule encode_mining:
    """Encode the sentences of a mining task with every seed of an experiment.

    Out: {training,test}.{source,target}.npy, float32 (sentences, dimension), mapped into memory by
    the search.
    """
    input:
        models=expand("results/models/{{experiment}}/seed{seed}", seed=config["seeds"]),
        task="results/mining/{mining}/task",
    output:
        vectors=temp(
            expand(
                "results/mining/{{mining}}/{{experiment}}/seed{seed}/{part}.{side}.npy",
                seed=config["seeds"],
                part=PARTS,
                side=("source", "target"),
            )
        ),
    log:
        "results/logs/encode_mining/{mining}/{experiment}.log",
    benchmark:
        "results/benchmarks/encode_mining/{mining}/{experiment}.tsv"
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        language=lambda w: mining_task(w)["language"],
        code=digest("encode_mining.py"),
    script:
        "../scripts/encode_mining.py"


rule search_mining:
    """Find the neighbours of one shard of the source sentences, in both directions.

    Out: an .npz for each part of the task: the shard's neighbour lists.
    """
    input:
        vectors=expand(
            "results/mining/{{mining}}/{{experiment}}/seed{{seed}}/{part}.{side}.npy",
            part=PARTS,
            side=("source", "target"),
        ),
    output:
        lists=temp(
            expand(
                "results/mining/{{mining}}/{{experiment}}/seed{{seed}}/{part}.{{shard}}.npz",
                part=PARTS,
            )
        ),
    log:
        "results/logs/search_mining/{mining}/{experiment}/seed{seed}.{shard}.log",
    benchmark:
        "results/benchmarks/search_mining/{mining}/{experiment}/seed{seed}.{shard}.tsv"
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=config["mining"]["memory_mb"],
        runtime=240,
    params:
        neighbours=config["mining"]["neighbours"],
        shards=config["mining"]["shards"],
        code=digest("search_mining.py"),
    script:
        "../scripts/search_mining.py"


rule score_mining:
    """Merge the shards, choose thresholds on the training part, and score the test part: every seed
    in one job.

    Out: mining.json, precision, recall and F1 x 100 for each way to score and choose pairs;
    mining.npz, what each source sentence adds to them.
    """
    input:
        lists=lambda w: expand(
            "results/mining/{mining}/{experiment}/seed{seed}/{part}.{shard}.npz",
            mining=mining_of(w),
            experiment=w.experiment,
            seed=config["seeds"],
            part=PARTS,
            shard=range(config["mining"]["shards"]),
        ),
        task=lambda w: f"results/mining/{mining_of(w)}/task",
    output:
        scores=expand("results/scores/{{experiment}}/seed{seed}/mining.json", seed=config["seeds"]),
        counts=expand("results/scores/{{experiment}}/seed{seed}/mining.npz", seed=config["seeds"]),
    log:
        "results/logs/score_mining/{experiment}.log",
    conda:
        "../../envs/model.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime=120,
    params:
        seeds=config["seeds"],
        mining=mining_of,
        language=lambda w: config["mining_tasks"][mining_of(w)]["language"],
        shards=config["mining"]["shards"],
        neighbours=config["mining"]["neighbours"],
        scores=config["table3"]["scores"],
        retrievals=config["table3"]["retrievals"],
        bootstrap=config["bootstrap"],
        code=digest("score_mining.py"),
    script:
        "../scripts/score_mining.py"
