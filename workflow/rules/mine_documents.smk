"""Mining among neighbouring documents alone, which replaces the search of all groups."""


rule average_documents:
    """Average the vectors of the sentences of each document.

    Out: .npz, the sentences of each document; .npy, the means.
    """
    input:
        side=ancient("results/mined/{mined}/{half}/sentences"),
        vectors=lambda w: shard_files(w, w.half, None, "vectors"),
        numbers=lambda w: shard_files(w, w.half, None, "numbers"),
    output:
        members="results/mined/{mined}/{half}/documents.npz",
        means="results/mined/{mined}/{half}/documents.npy",
    log:
        "results/mined/{mined}/logs/average_documents/{half}.log",
    benchmark:
        "results/mined/{mined}/benchmarks/average_documents/{half}.tsv"
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        code=digest("average_documents.py"),
    script:
        "../scripts/average_documents.py"


rule pair_documents:
    """Find the documents that are neighbours.

    Out: .npy, the numbers of a document of the first side and one of the second, (pairs, 2).
    """
    input:
        first="results/mined/{mined}/first/documents.npy",
        second="results/mined/{mined}/second/documents.npy",
    output:
        pairs="results/mined/{mined}/documents/pairs.npy",
    log:
        "results/mined/{mined}/logs/pair_documents.log",
    benchmark:
        "results/mined/{mined}/benchmarks/pair_documents.tsv"
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: mining_of(w).threads
    resources:
        gpu=search_gpu,
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        documents=lambda w: mining_of(w).documents,
        index=lambda w: mining_of(w).index.value,
        code=digest("pair_documents.py"),
    script:
        "../scripts/pair_documents.py"


rule search_documents:
    """Search the sentences of documents in those of their neighbours, for a slice of the pairs.

    Out: .npz, as of search_groups, with the numbers of the sentences that have a list.
    """
    input:
        pairs="results/mined/{mined}/documents/pairs.npy",
        sides=lambda w: map(ancient, cut_sides(w)),
        members=expand("results/mined/{{mined}}/{half}/documents.npz", half=HALVES),
        first_vectors=lambda w: shard_files(w, "first", None, "vectors"),
        first_numbers=lambda w: shard_files(w, "first", None, "numbers"),
        second_vectors=lambda w: shard_files(w, "second", None, "vectors"),
        second_numbers=lambda w: shard_files(w, "second", None, "numbers"),
    output:
        lists="results/mined/{mined}/documents/{part}.npz",
    log:
        "results/mined/{mined}/logs/search_documents/{part}.log",
    benchmark:
        "results/mined/{mined}/benchmarks/search_documents/{part}.tsv"
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: mining_of(w).threads
    resources:
        mem_mb=mining_memory,
        runtime=mining_minutes,
    params:
        halves=HALVES,
        slices=lambda w: len(groups_of(w, "first")),
        width=lambda w: mining_of(w).width,
        code=digest("search_documents.py"),
    script:
        "../scripts/search_documents.py"
