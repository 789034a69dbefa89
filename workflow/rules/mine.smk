"""Mining in shards: the pairs of `tandem mine`, as jobs that each resume and keep to a memory."""


rule mined:
    """The pairs of every entry of `mined`."""
    input:
        mined_pairs,


rule check_mining:
    """Check that the model and all filters can be read, and write the lowest score of pairs.

    Out: JSON, {"at_least": a number, or null for any score}.
    """
    output:
        file="results/mined/{mined}/threshold.json",
    log:
        "results/mined/{mined}/logs/check_mining.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=mining_memory,
        runtime=10,
    params:
        model=lambda w: mining_of(w).model,
        content=lambda w: mining_of(w).content(),
        languages=lambda w: [mining_of(w).first.language, mining_of(w).second.language],
        at_least=lambda w: mining_of(w).at_least,
        score=lambda w: mining_of(w).score.value,
        k=lambda w: mining_of(w).k,
        filters=lambda w: settings_of(mining_of(w).filters),
        filter_contents=lambda w: mining_of(w).filter_contents(),
        code=lambda w: digest("check_mining.py", *filters_of(mining_of(w))),
    script:
        "../scripts/check_mining.py"


checkpoint cut_side:
    """Read the files of a side, and write every different sentence once, in shards.

    Out: a folder, as `tandem.mining.sentences` says.
    """
    input:
        files=mined_files,
    output:
        folder=directory("results/mined/{mined}/{half}/sentences"),
    log:
        "results/mined/{mined}/logs/cut_side/{half}.log",
    benchmark:
        "results/mined/{mined}/benchmarks/cut_side/{half}.tsv"
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        columns=lambda w: text_of(w).columns and text_of(w).columns.model_dump(),
        order=mined_files,  # Snakemake does not compare that of inputs
        shard=lambda w: mining_of(w).shard,
        code=digest("cut_side.py"),
    script:
        "../scripts/cut_side.py"


rule encode_shard:
    """Encode a shard.

    Out: the vectors of sentences with a word that the model knows, and their numbers, .npy both.
    """
    input:
        shard="results/mined/{mined}/{half}/sentences/shard{shard}.txt",
        side=ancient("results/mined/{mined}/{half}/sentences"),
        both=lambda w: map(ancient, cut_sides(w)),
        checked=ancient("results/mined/{mined}/threshold.json"),
    output:
        vectors="results/mined/{mined}/{half}/vectors/{shard}.npy",
        numbers="results/mined/{mined}/{half}/numbers/{shard}.npy",
    log:
        "results/mined/{mined}/logs/encode_shard/{half}.{shard}.log",
    benchmark:
        "results/mined/{mined}/benchmarks/encode_shard/{half}.{shard}.tsv"
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: mining_of(w).threads
    resources:
        gpu=GPU,
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        model=lambda w: mining_of(w).model,
        content=lambda w: mining_of(w).content(),
        language=lambda w: text_of(w).language,
        vectors=lambda w: mining_of(w).vectors.value,
        code=lambda w: digest("encode_shard.py", *mining_of(w).kind_files()),
    script:
        "../scripts/encode_shard.py"


rule search_groups:
    """Search a group of shards of either side in one of the other.

    Out: .npz, the numbers of the nearest sentences and their cosines, of both directions.
    """
    input:
        first_vectors=lambda w: shard_files(w, "first", w.row, "vectors"),
        first_numbers=lambda w: shard_files(w, "first", w.row, "numbers"),
        second_vectors=lambda w: shard_files(w, "second", w.column, "vectors"),
        second_numbers=lambda w: shard_files(w, "second", w.column, "numbers"),
    output:
        lists="results/mined/{mined}/lists/{row}-{column}.npz",
    log:
        "results/mined/{mined}/logs/search_groups/{row}-{column}.log",
    benchmark:
        "results/mined/{mined}/benchmarks/search_groups/{row}-{column}.tsv"
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: mining_of(w).threads
    resources:
        gpu=search_gpu,
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        halves=HALVES,
        width=lambda w: mining_of(w).width,
        index=lambda w: mining_of(w).index.value,
        code=digest("search_groups.py"),
    script:
        "../scripts/search_groups.py"


rule join_lists:
    """Join the lists of a group's sentences, and leave out neighbours that the filters refuse.

    Out: .npz, the numbers of the sentences, their k nearest and the cosines; beside it their means.
    """
    input:
        lists=lists_of,
        numbers=lambda w: shard_files(w, w.half, w.group, "numbers"),
        sides=lambda w: map(ancient, cut_sides(w)),
    output:
        lists="results/mined/{mined}/{half}/neighbours/{group}.npz",
        means="results/mined/{mined}/{half}/means/{group}.npz",
    log:
        "results/mined/{mined}/logs/join_lists/{half}.{group}.log",
    benchmark:
        "results/mined/{mined}/benchmarks/join_lists/{half}.{group}.tsv"
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        k=lambda w: mining_of(w).k,
        width=lambda w: mining_of(w).width,
        documents=lambda w: mining_of(w).documents is not None,
        filters=lambda w: settings_of(mining_of(w).filters),
        filter_contents=lambda w: mining_of(w).filter_contents(),
        languages=lambda w: [mining_of(w).first.language, mining_of(w).second.language],
        code=lambda w: digest("join_lists.py", *filters_of(mining_of(w))),
    script:
        "../scripts/join_lists.py"


rule propose_pairs:
    """Propose the best neighbour of each sentence of a group, by its score.

    Out: .npz, the numbers of the sentences and of what they propose, and the scores.
    """
    input:
        lists="results/mined/{mined}/{half}/neighbours/{group}.npz",
        means=lambda w: group_files(w, OTHER[w.half], "means"),
    output:
        proposals="results/mined/{mined}/{half}/proposals/{group}.npz",
    log:
        "results/mined/{mined}/logs/propose_pairs/{half}.{group}.log",
    benchmark:
        "results/mined/{mined}/benchmarks/propose_pairs/{half}.{group}.tsv"
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        score=lambda w: mining_of(w).score.value,
        code=digest("propose_pairs.py"),
    script:
        "../scripts/propose_pairs.py"


rule choose_pairs:
    """Choose pairs from the proposals of all groups, and write them.

    Out: the score, both texts, and the file and line of both (then their labels), between tabs, the
    best pair first; JSON of counts.
    """
    input:
        threshold="results/mined/{mined}/threshold.json",
        first="results/mined/{mined}/first/sentences",
        second="results/mined/{mined}/second/sentences",
        first_numbers=lambda w: shard_files(w, "first", None, "numbers"),
        second_numbers=lambda w: shard_files(w, "second", None, "numbers"),
        forward=lambda w: group_files(w, "first", "proposals"),
        backward=lambda w: group_files(w, "second", "proposals"),
    output:
        pairs="results/mined/{mined}/pairs.tsv",
        counts="results/mined/{mined}/counts.json",
    log:
        "results/mined/{mined}/logs/choose_pairs.log",
    benchmark:
        "results/mined/{mined}/benchmarks/choose_pairs.tsv"
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        score=lambda w: mining_of(w).score.value,
        retrieval=lambda w: mining_of(w).retrieval.value,
        languages=lambda w: [mining_of(w).first.language, mining_of(w).second.language],
        code=digest("choose_pairs.py"),
    script:
        "../scripts/choose_pairs.py"
