"""Corpora: downloaded and verified; then cleaned and split (bitext), or grouped by task (STS)."""


localrules:
    missing,
    fetch_dataset,
    fetch_optional_dataset,


DOWNLOADS = "results/corpora/downloads"
OPTIONAL = {name for plan in PLANS.values() for name in plan.optional} | {
    name for name, dataset in DATASETS.items() if dataset.optional
}


rule missing:
    """List the files that only the user can provide, and that are missing."""
    params:
        files=lambda w: listing(PLANS.values(), DATASETS),
    message:
        "{params.files}"


rule fetch_dataset:
    """Fetch a registered corpus and verify it.

    Out: the file as published; a `.part` file beside it is an unfinished download, to be resumed.
    """
    input:
        # a file of the user: after an edit it is copied again
        own=lambda w: provided([part_of(w).path], f"{DOWNLOADS}/{w.dataset}/{w.file}")
        + tell_whence(part_of(w), f"{DOWNLOADS}/{w.dataset}/{w.file}"),
    output:
        file="results/corpora/downloads/{dataset}/{file}",
    log:
        "results/logs/fetch_dataset/{dataset}/{file}.log",
    priority: FIRST
    retries: 2
    conda:
        "../../envs/tandem.yaml"
    params:
        # its pinned hash says what it is, whatever code fetched it
        dataset=lambda w: {**part_of(w).record(), "bytes": part_of(w).bytes},
    script:
        "../scripts/fetch_dataset.py"


rule fetch_optional_dataset:
    """Fetch a corpus that the workflow can do without.

    Out: a folder with the file, or with unreachable.txt, which says why and what to do.
    """
    input:
        # files of the user that are there: after an edit they are copied again
        own=lambda w: [
            p.path for p in DATASETS[w.optional].parts() if p.path and Path(p.path).exists()
        ],
    output:
        folder=directory("results/corpora/downloads/{optional}"),
    log:
        "results/logs/fetch_optional_dataset/{optional}.log",
    wildcard_constraints:
        optional=alternatives(OPTIONAL),
    priority: FIRST
    retries: 2
    conda:
        "../../envs/tandem.yaml"
    params:
        dataset=lambda w: {**DATASETS[w.optional].record(), "bytes": DATASETS[w.optional].bytes},
    script:
        "../scripts/fetch_optional_dataset.py"


rule build_bitext:
    """Clean, shuffle and split the pairs of a bitext's sources.

    Out: {train,valid,test}.<language>, line-aligned UTF-8; cleaning.json and splits.json, counts
    of the pairs removed and kept; train.keys.npy, which pairs mean the same, where sentences come
    in several versions. Sentences that a mining task hides are left out, those of STS if asked.
    """
    input:
        files=lambda w: [f for name in plan_of(w).sources(w.bitext) for f in downloads(name)],
        held_out=lambda w: plan_of(w).held_out(w.bitext),
        sts=lambda w: unseen_by(w),
    output:
        folder=directory("{root}/corpora/{bitext}"),
    log:
        "{root}/logs/build_bitext/{bitext}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=6000,
        runtime=240,
    params:
        bitext=lambda w: study_of(w).bitexts[w.bitext].model_dump(mode="json"),
        datasets=lambda w: records(plan_of(w).sources(w.bitext), study_of(w).bitexts[w.bitext]),
        code=lambda w: digest("build_bitext.py", *read_by(plan_of(w).sources(w.bitext))),
    script:
        "../scripts/build_bitext.py"


rule build_collection:
    """Clean the pairs of all languages of a collection's sources; hold whole sections out.

    Out: {train,valid,test}/<source>.<left>.<right>.tsv, key of what is said, left text, right text;
    collection.json, the parts with their sizes, the sections held out, the pairs removed. No training
    pair holds a text of the validation or test split, of either side, or of an STS task.
    """
    input:
        files=lambda w: [f for name in collection_of(w).sources for f in downloads(name)],
        sts=lambda w: [plan_of(w).path("corpora/sts")] if study_of(w).sts else [],
    output:
        folder=directory("{root}/corpora/{collection}"),
    log:
        "{root}/logs/build_collection/{collection}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    threads: 4
    resources:
        mem_mb=4000,
        runtime=480,
    params:
        collection=lambda w: collection_of(w).model_dump(mode="json"),
        datasets=lambda w: [DATASETS[name].record() for name in collection_of(w).sources],
        code=lambda w: digest("build_collection.py", *read_by(collection_of(w).sources)),
    script:
        "../scripts/build_collection.py"


rule build_labelled:
    """Take pairs that are labelled as saying the same or not.

    Out: train.tsv and selection.tsv, keys, languages, label and text of each pair; {valid,test}.tsv,
    row, language, label and text; labelled.json, their numbers. Rows that are not translated are left
    out.
    """
    input:
        files=lambda w: downloads(study_of(w).labelled[w.labelled].source),
    output:
        folder=directory("{root}/corpora/{labelled}"),
    log:
        "{root}/logs/build_labelled/{labelled}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    params:
        labelled=lambda w: study_of(w).labelled[w.labelled].model_dump(mode="json"),
        dataset=lambda w: DATASETS[study_of(w).labelled[w.labelled].source].record(),
        code=lambda w: digest(
            "build_labelled.py", *read_by([study_of(w).labelled[w.labelled].source])
        ),
    script:
        "../scripts/build_labelled.py"


rule build_mining_task:
    """Take a published mining task, or hide one in the sources of a bitext.

    Out: {training,test}.<language>, .en and .gold, as BUCC has them; held-out.txt, the
    sentences that no encoder may be trained on.
    """
    input:
        files=lambda w: [f for name in mining_sources(w) for f in downloads(name)],
    output:
        folder=directory("{root}/mining/{mining}"),
    log:
        "{root}/logs/build_mining_task/{mining}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=6000,
    params:
        task=lambda w: study_of(w).mining[w.mining].model_dump(),
        bitext=lambda w: hidden_in(w).model_dump(mode="json"),
        datasets=lambda w: records(mining_sources(w), hidden_in(w)),
        code=lambda w: digest("build_mining_task.py", *read_by(mining_sources(w))),
    script:
        "../scripts/build_mining_task.py"


rule build_sts:
    """Regroup STS data into the tasks of each year.

    Out: <year>.<task>.tsv, score<TAB>sentence 1<TAB>sentence 2; index.json, the tasks present and
    those missing.
    """
    input:
        optional=lambda w: [f"results/corpora/downloads/{n}" for n in study_of(w).sts.optional()],
        benchmark=lambda w: downloads(study_of(w).sts.benchmark)[0],
    output:
        folder=directory("{root}/corpora/sts"),
    log:
        "{root}/logs/build_sts.log",
    conda:
        "../../envs/tandem.yaml"
    params:
        files=lambda w: {
            key: f"results/corpora/downloads/{name}/{DATASETS[name].file}"
            for key, name in study_of(w).sts.archives().items()
        },
        code=digest("build_sts.py"),
    script:
        "../scripts/build_sts.py"


rule build_selection:
    """Extract the task that selects the epoch from the STS Benchmark.

    It is separate from the tasks that are scored, so that adding such tasks re-runs no training.

    Out: score<TAB>sentence 1<TAB>sentence 2.
    """
    input:
        benchmark=lambda w: downloads(study_of(w).sts.benchmark)[0],
    output:
        task="{root}/corpora/selection.tsv",
    log:
        "{root}/logs/build_selection.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    params:
        task=lambda w: study_of(w).sts.selection,
        code=digest("build_selection.py"),
    script:
        "../scripts/build_selection.py"
