"""Functions that return the inputs and parameters of rules."""


def downloads(dataset):
    """Return the files of a fetched corpus; of one that may be left out its folder."""
    if DATASETS[dataset].optional:
        return [f"{DOWNLOADS}/{dataset}"]
    return next(iter(PLANS.values())).fetched[dataset]  # the same in every plan


def part_of(wildcards):
    """Return the register entry for one file of a corpus."""
    return next(p for p in DATASETS[wildcards.dataset].parts() if p.file == wildcards.file)


LOCAL = {part.path for dataset in DATASETS.values() for part in dataset.parts() if part.path}
"""Files of the user's."""
MISSED = set()


def provided(files, made):
    """Return the inputs of what is made, without files of the user's that are missing: a warning names
    them, and the plan is shown without them. A run, which needs them, stops. What is in a bucket cannot
    be looked up here."""
    if workflow.storage_settings.default_storage_provider:
        return [file for file in files if file]
    absent = {f for f in files if f in LOCAL and not Path(f).exists()}
    missed = absent if not Path(made).exists() else set()
    for file in absent - MISSED:
        told = "is missing: `snakemake --cores 1 missing` says where to get it."
        kept = f"is not there: what was copied of it earlier, {made}, is used."
        logger.warning(f"{file} {told if missed else kept}")
    MISSED.update(absent)
    planned = workflow.executor_plugin is None or workflow.dryrun
    return [file for file in files if file and not (planned and file in missed)]


def tell_whence(dataset, made):
    """Say in a dry run what is fetched from one address, which not every machine can reach."""
    if not workflow.dryrun or dataset.kind != "http" or dataset.name in MISSED:
        return []
    mirror = CONFIGURATION.mirror
    mirrored = mirror and ("://" in mirror or Path(mirror, place_in_mirror(dataset)).exists())
    if not (mirrored or Path(made).exists()):
        MISSED.add(dataset.name)
        logger.warning(
            f"{dataset.name} comes from {dataset.url}. Where that cannot be reached, put it into a folder as "
            f"{place_in_mirror(dataset)} and add --config mirror=FOLDER (docs/cluster.md)."
        )
    return []


def own_folder(*models):
    """Return the folders of those pretrained encoders that are folders of this machine: what reads one
    is made again where it is replaced."""
    return [model for model in models if model and Path(model).is_dir()]


def read_by(names):
    """Return the files of the readers of some corpora, and of the filters."""
    readers = {READERS.path(DATASETS[n].reader.kind) for n in names if DATASETS[n].reader}
    return (*sorted(readers), *map(FILTERS.path, FILTERS.modules()))


def records(names, bitext):
    """Return those values of register entries that can change a bitext made from the corpora."""
    return [DATASETS[name].record(*bitext.languages) for name in names]


def unseen_by(wildcards):
    """Return the STS tasks whose sentences a bitext leaves out."""
    wanted = study_of(wildcards).sts and study_of(wildcards).bitexts[wildcards.bitext].without_sts
    return [plan_of(wildcards).path("corpora/sts")] if wanted else []


def collection_of(wildcards):
    return study_of(wildcards).collections[wildcards.collection]


def hidden_in(wildcards):
    """Return the bitext whose sources a mining task is hidden in."""
    return study_of(wildcards).bitexts[study_of(wildcards).mining[wildcards.mining].bitext]


def mining_sources(wildcards):
    """Return the corpora that a mining task is taken from or hidden in."""
    task = study_of(wildcards).mining[wildcards.mining]
    return task.published() or list(hidden_in(wildcards).sources)


def segmentation_of(wildcards):
    """Return the segmentation of a job, as plain values."""
    return SEGMENTATIONS.dump(study_of(wildcards).segmentations[wildcards.segmentation])


def translator_of(wildcards):
    """Return the translator of a job: named by its wildcard, or by its back-translation."""
    study = study_of(wildcards)
    name = getattr(wildcards, "translator", None)
    return study.translators[name or made_of(wildcards).translator]


def made_of(wildcards):
    return study_of(wildcards).backtranslations[wildcards.backtranslation]


def parts_of(wildcards):
    """Return the texts and scores of all shards of a back-translation."""
    stems = plan_of(wildcards).shards(wildcards.backtranslation)
    return [f"{stem}.{ending}" for stem in stems for ending in ("txt", "tsv")]


def translated_by(wildcards):
    return TRANSLATORS.path(translator_of(wildcards).kind)


def model_of(wildcards):
    """Return the experiment of a job, or the one that is the study's model."""
    return getattr(wildcards, "experiment", None) or study_of(wildcards).export.model


def learned_from(wildcards):
    """Return the corpora, and the saved model, behind an experiment, each as an `Origin`."""
    plan, name = plan_of(wildcards), model_of(wildcards)
    learned = [list(DATASETS[n].origin) for n in plan.text_of(name)]
    start = plan.saved_start(name.split(".")[1])
    if start:  # not where it stands on this machine
        learned.append([Path(start).name, "see its card"])
    return learned


def table_inputs(wildcards):
    """Return what a table reads."""
    plan = plan_of(wildcards)
    return plan.study.tables[table_of(wildcards)].inputs(plan)


def shown_tables(wildcards):
    """Return the tables that the report of a study without claims opens on: all of them."""
    claimed = (plan_of(wildcards).home / "claims.yaml").is_file()
    return [] if claimed else list(study_of(wildcards).tables)


def opened_on(wildcards):
    """Return the figures that the report of a study opens on: of one without claims, at least one."""
    figures = study_of(wildcards).front
    return figures or (list(plan_of(wildcards).figures)[:1] if shown_tables(wildcards) else [])


SPEEDS = [
    name
    for plan in PLANS.values()
    for name, table in plan.study.tables.items()
    if table.kind == "speed"
]


def speed_of(wildcards):
    return study_of(wildcards).tables[wildcards.table]


def timed(wildcards):
    """Return the experiments that a table of speeds times."""
    return speed_of(wildcards).experiments(plan_of(wildcards))


def timed_baselines(wildcards):
    """Return the pretrained models that a table of speeds times beside them, by name."""
    return {n: study_of(wildcards).pretrained[n].model for n in speed_of(wildcards).baselines}


def timed_in(wildcards):
    """Return the setting of those experiments."""
    return study_of(wildcards).settings[speed_of(wildcards).setting]


def timed_kinds(wildcards):
    """Return the files of the kinds that are timed."""
    files = map(plan_of(wildcards).training_files, timed(wildcards))
    return sorted({path for paths in files for path in paths})
