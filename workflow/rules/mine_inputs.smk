"""Functions that return the inputs of rules that mine."""

import json
from glob import glob, has_magic

HALVES = ("first", "second")
OTHER = dict(zip(HALVES, reversed(HALVES)))


def mining_of(wildcards):
    """Return the entry of `mined` that a job belongs to."""
    return CONFIGURATION.mined[wildcards.mined]


def text_of(wildcards):
    return getattr(mining_of(wildcards), wildcards.half)


def mined_files(wildcards):
    """Return the files of a side, those of a pattern by name, each once."""
    names = text_of(wildcards).files
    files = (sorted(glob(name)) if has_magic(name) else [name] for name in names)
    return list(dict.fromkeys(file for some in files for file in some))


def cut_sides(wildcards):
    """Return the folders of both sides: whatever is wrong with the text is said before the work."""
    return [f"results/mined/{wildcards.mined}/{half}/sentences" for half in HALVES]


def groups_of(wildcards, half):
    """Return the shards of a side, group by group, once it is cut."""
    folder = checkpoints.cut_side.get(mined=wildcards.mined, half=half).output.folder
    shards = range(len(json.loads(Path(folder, "side.json").read_text("utf-8"))["shards"]))
    size = mining_of(wildcards).group
    return [shards[start : start + size] for start in shards[::size]]


def shard_files(wildcards, half, group, name):
    """Return a file of each shard of a group, or of all."""
    groups = groups_of(wildcards, half)
    chosen = groups if group is None else [groups[int(group)]]
    folder = f"results/mined/{wildcards.mined}/{half}/{name}"
    return [f"{folder}/{shard}.npy" for shards in chosen for shard in shards]


def group_files(wildcards, half, name):
    """Return a file of each group of a side."""
    folder = f"results/mined/{wildcards.mined}/{half}/{name}"
    return [f"{folder}/{group}.npz" for group in range(len(groups_of(wildcards, half)))]


def lists_of(wildcards):
    """Return the lists that a group's sentences have: one file for each group of the other side, or
    for each slice of the pairs of documents, as many as groups of the first side."""
    if mining_of(wildcards).documents:
        slices = range(len(groups_of(wildcards, "first")))
        return [f"results/mined/{wildcards.mined}/documents/{part}.npz" for part in slices]
    others = range(len(groups_of(wildcards, OTHER[wildcards.half])))
    pairs = [(wildcards.group, other) for other in others]
    if wildcards.half == "second":
        pairs = [(other, group) for group, other in pairs]
    return [f"results/mined/{wildcards.mined}/lists/{row}-{column}.npz" for row, column in pairs]


def filters_of(run):
    """Return the files of the kinds of its filters."""
    return [FILTERS.path(kind.kind) for kind in run.filters.values()]


def search_gpu(wildcards):
    """Return the GPUs of a job that searches: an index that misses some is searched without."""
    return GPU * (mining_of(wildcards).index.value == "exact")


def mining_memory(wildcards):
    return mining_of(wildcards).memory_mb


def mining_minutes(wildcards):
    return mining_of(wildcards).minutes


def mined_pairs(wildcards):
    """Return the results of all mining runs; refuse names and patterns that are of no file.

    Snakemake passes over what is wrong with the inputs of a side that was cut before."""
    if not CONFIGURATION.mined:
        raise WorkflowError(
            "mined: the configuration names nothing to mine (docs/mining-at-scale.md)"
        )
    # what lies in a bucket cannot be looked up here
    in_bucket = workflow.storage_settings.default_storage_provider
    for name, run in CONFIGURATION.mined.items():
        for half in HALVES:
            for pattern in getattr(run, half).files:
                there = glob(pattern) if has_magic(pattern) else in_bucket or Path(pattern).exists()
                if not there:
                    where = f"mined.{name}.{half}.files"
                    raise WorkflowError(f"{where}: no file is {pattern}. Mend the name or pattern")
    return [f"results/mined/{name}/pairs.tsv" for name in CONFIGURATION.mined]
