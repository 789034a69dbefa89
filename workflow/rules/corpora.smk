"""Corpora: fetched and verified; then cleaned and split (bitexts), or regrouped by task (STS)."""


localrules:
    fetch_dataset,
    fetch_optional_dataset,


rule fetch_dataset:
    """Fetch a registered corpus and verify it.

    Out: the file as its publisher has it; beside it `.part` is a download to be resumed.
    """
    input:
        own=own_files,
    output:
        file="results/corpora/downloads/{dataset}/{file}",
    log:
        "results/logs/fetch_dataset/{dataset}/{file}.log",
    retries: 2
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=240,
    params:
        dataset=record_of_file,
        code=digest("fetch_dataset.py"),
    script:
        "../scripts/fetch_dataset.py"


rule fetch_optional_dataset:
    """Fetch a corpus that the workflow can do without.

    Out: a folder with the file, or with unreachable.txt, which says why and what can be done.
    """
    output:
        folder=directory("results/corpora/downloads/{optional}"),
    log:
        "results/logs/fetch_optional_dataset/{optional}.log",
    retries: 2
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=60,
    params:
        dataset=lambda w: record(w.optional),
        mirror=config["mirror"],
        code=digest("fetch_optional_dataset.py"),
    script:
        "../scripts/fetch_optional_dataset.py"


rule build_bitext:
    """Clean, shuffle and split the pairs of a bitext's sources.

    Out: {train,valid,test}.<language>, line-aligned UTF-8; cleaning.json and splits.json, counts
    of what was removed and of what is left. Texts that a mining task hides are left out.
    """
    input:
        files=lambda w: sum(map(downloads, config["bitexts"][w.bitext]["sources"]), []),
        held_out=held_out,
    output:
        folder=directory("results/corpora/{bitext}"),
    log:
        "results/logs/build_bitext/{bitext}.log",
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=6000,
        runtime=240,
    params:
        bitext=lambda w: config["bitexts"][w.bitext],
        datasets=lambda w: [record(name) for name in config["bitexts"][w.bitext]["sources"]],
        code=digest("build_bitext.py"),
    script:
        "../scripts/build_bitext.py"


rule build_sts:
    """Regroup STS data into the tasks of each year.

    Out: <year>.<task>.tsv, score<TAB>sentence 1<TAB>sentence 2; index.json, the tasks at hand and
    those missing.
    """
    input:
        **{key: f"results/corpora/downloads/{name}" for key, name in STS_OPTIONAL.items()},
        benchmark=downloads(config["sts"]["benchmark"])[0],
    output:
        folder=directory("results/corpora/sts"),
    log:
        "results/logs/build_sts.log",
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        files={key: DATASETS[name].file for key, name in STS_OPTIONAL.items()},
        code=digest("build_sts.py"),
    script:
        "../scripts/build_sts.py"


rule build_selection:
    """Take the task that chooses epochs out of the STS Benchmark.

    It is apart from the tasks that are scored, so that more of those train nothing anew.

    Out: score<TAB>sentence 1<TAB>sentence 2.
    """
    input:
        benchmark=downloads(config["sts"]["benchmark"])[0],
    output:
        task="results/corpora/selection.tsv",
    log:
        "results/logs/build_selection.log",
    conda:
        "../../envs/corpora.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        task=config["sts"]["selection"],
        code=digest("build_selection.py"),
    script:
        "../scripts/build_selection.py"
