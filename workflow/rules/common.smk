"""What all rules share: the checked configuration, names, wildcards. No file is written here."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))
from tandem import configuration, configuration_across, provenance
from tandem.corpora.register import load_register
from tandem.corpora.languages import read_register
from tandem.translation.translator import TRANSLATORS

configuration.check(config, Path(workflow.basedir) / "workflow/schemas/config.schema.yaml")

# Of the jobs that wait for a core: text before training, training before scores, so that no core
# is idle at the end while another trains on text that came late.
FIRST, SECOND = 2, 1


def beside(name):
    """Return the path of a file in the working directory, else beside the Snakefile."""
    folders = [Path(), Path(workflow.basedir)]
    return str(next((f / name for f in folders if (f / name).is_file()), Path(name)))


def registered():
    """Read the corpora's registers."""
    datasets = {}
    for name in config["registers"]:
        datasets |= load_register(beside(name))
    return datasets


def record(name):
    """Return what of a register's entry can change a byte of what is made from the corpus."""
    fields = vars(DATASETS[name]) | {"version": None, "bytes": None, "licence": ""}
    return fields | {"options": dict(DATASETS[name].options)}


def record_of_file(wildcards):
    """Return the entry that brings one file: of a corpus with a file per language, that one's."""
    entry = record(wildcards.dataset)
    codes = [c for c in entry["languages"] if entry["file"].format(language=c) == wildcards.file]
    return entry | {"languages": codes}


def alternatives(names):
    """Return a pattern that matches exactly these names."""
    return "|".join(re.escape(str(name)) for name in sorted(set(names), key=str))


def digest(script):
    """Return a digest of a script and of all library code it uses; in `params`, so that an edit
    re-runs what it affects, which Snakemake does not see by itself."""
    return provenance.source_digest(Path(workflow.basedir) / "workflow/scripts" / script)


def kind_digest(registry, entry):
    """Return a digest of the code of a kind: its script finds it by name, so `digest` does not."""
    return provenance.source_digest(registry.path(entry["kind"]))


DATASETS = registered()
configuration.check_sources(config, DATASETS)

# ---- Corpora


def downloads(dataset):
    """Return the files of a fetched corpus."""
    return [f"results/corpora/downloads/{dataset}/{name}" for name in DATASETS[dataset].files()]


def own_files(wildcards):
    """Return the user's own file behind a local corpus: an edited one is copied again."""
    entry = record_of_file(wildcards)
    if entry["kind"] != "local":
        return []
    return entry["source"].format(language=next(iter(entry["languages"]), ""))


# The STS archives that the workflow can do without, by their key in the configuration.
STS_OPTIONAL = {
    key: config["sts"][key] for key in configuration.STS_ARCHIVES[1:] if config["sts"][key]
}


# ---- Mining


def mining_task(wildcards):
    return config["mining_tasks"][wildcards.mining]


def published_parts(wildcards):
    """Return the corpora that a mining task is published in; none where it is built."""
    return [name for name in (mining_task(wildcards)[part] for part in PARTS) if name]


def mining_sources(wildcards):
    """Return the corpora that a mining task is taken from or hidden in."""
    bitext = config["bitexts"][mining_task(wildcards)["bitext"]]
    return published_parts(wildcards) or bitext["sources"]


def held_out(wildcards):
    """Return the mining task whose sentences a bitext must not hold."""
    name = configuration_across.mining_task_of(config, wildcards.bitext)
    return [f"results/mining/{name}/task"] if name else []


def mining_of(wildcards):
    """Return the mining task of the corpus that an experiment is trained on."""
    return configuration_across.mining_task_of(config, setting_of(wildcards)["corpus"])


PARTS = ("training", "test")  # of a mining task


# ---- Back-translation


def translator_of(wildcards):
    return config["translators"][wildcards.translator]


def backtranslation_of(wildcards):
    return config["backtranslations"][wildcards.backtranslation]


def back_translator_of(wildcards):
    return config["translators"][backtranslation_of(wildcards)["translator"]]


def shards(wildcards):
    """Return the jobs that translate a corpus: the training split in shards, the others whole."""
    folder = f"results/backtranslations/{wildcards.backtranslation}"
    counts = {"train": backtranslation_of(wildcards)["shards"], "valid": 1, "test": 1}
    return [f"{folder}/{split}.{shard}" for split, n in counts.items() for shard in range(n)]


USED_TRANSLATORS = sorted({entry["translator"] for entry in config["backtranslations"].values()})


# ---- Experiments: <encoder>.<setting>


def encoder_of(wildcards):
    return config["encoders"][wildcards.experiment.split(".")[0]]


def setting_of(wildcards):
    return config["settings"][wildcards.experiment.split(".")[1]]


def training_of(wildcards):
    """Return how an encoder of this kind is trained."""
    return config["training"][encoder_of(wildcards)["kind"]]


def segmented(wildcards):
    """Return the folder of the segmented corpus that an experiment trains on."""
    return (
        f"results/vocab/{setting_of(wildcards)['corpus']}/{encoder_of(wildcards)['segmentation']}"
    )


def by_similarity(wildcards):
    """Tell whether the epoch is chosen on STS pairs rather than by retrieval."""
    return setting_of(wildcards)["selection"] == "similarity"


def training_ids(wildcards):
    """Return the segmented splits that an experiment is trained on and chosen by."""
    splits = ["train"] * (setting_of(wildcards)["pairs"] > 0)
    splits += ["valid"] * (not by_similarity(wildcards))
    sides = configuration.sides(config, setting_of(wildcards)["corpus"])
    return [
        f"{segmented(wildcards)}/{split}.{side}.{array}.npy"
        for split in splits
        for side in sides
        for array in ("ids", "offsets")
    ]


def described(experiment):
    """Describe an experiment for the report."""
    encoder, setting = experiment.split(".")
    entry = config["settings"][setting]
    # both sides of back-translated text are English
    english_sides = 2 if entry["corpus"] in config["backtranslations"] else 1
    return {
        "name": experiment,
        "encoder": config["encoders"][encoder]["label"],
        "setting": setting,
        "pairs": entry["pairs"],
        "english_sentences": english_sides * entry["pairs"],
    }


TABLE1 = configuration.experiments(config, **config["table1"])
TABLE1_SETTINGS = [
    {
        "name": name,
        "label": config["settings"][name]["label"],
        "role": config["settings"][name]["role"],
    }
    for name in config["table1"]["settings"]
]
TABLE2 = configuration_across.table2_experiments(config)
TABLE2_EXPERIMENTS = sorted({name for row in TABLE2 for name in row["experiments"].values()})
TABLE2_CORPORA = configuration_across.table2_corpora(config)
TABLE3 = configuration.experiments(
    config, **{k: config["table3"][k] for k in ("encoders", "settings")}
)
TABLE4 = configuration.experiments(
    config, config["table4"]["encoders"], [config["table4"]["setting"]]
)


def learned(experiment):
    """Describe what an experiment of Tables 2 or 3 learned from."""
    encoder, setting = (
        config[section][name]
        for section, name in zip(("encoders", "settings"), experiment.split("."), strict=True)
    )
    return {
        "encoder": encoder["label"],
        "dimension": encoder["dimension"],
        "vocabulary": config["segmentations"][encoder["segmentation"]]["size"],
        "pairs": setting["pairs"],
    }


def baselines_of(table):
    """Return the baselines of a table with their labels."""
    return [
        {"name": name, "label": config["baselines"][name]["label"]}
        for name in config[table]["baselines"]
    ]


# ---- Models that leave

EXPORTED = [
    name
    for name in sorted({*TABLE1, *TABLE2_EXPERIMENTS})
    if config["encoders"][name.split(".")[0]]["kind"] == "averaging"
    and name.split(".")[1] in config["export"]["settings"]
]


def scores_of(wildcards):
    """Return the scores that an exported model's card quotes."""
    folder = f"results/scores/{wildcards.experiment}/seed{config['seeds'][0]}"
    tables = {"sts": TABLE1, "sts2017": TABLE2_EXPERIMENTS, "retrieval": TABLE2_EXPERIMENTS}
    return [f"{folder}/{n}.json" for n, table in tables.items() if wildcards.experiment in table]


def learned_from(wildcards):
    """Return the registered corpora behind an experiment's training text."""
    corpus = setting_of(wildcards)["corpus"]
    if corpus in config["backtranslations"]:
        corpus = config["backtranslations"][corpus]["bitext"]
    return [
        {
            "name": name,
            "licence": DATASETS[name].licence,
            "description": f"parallel text, {' and '.join(config['bitexts'][corpus]['languages'])}",
        }
        for name in config["bitexts"][corpus]["sources"]
    ]


# ---- Languages: panels, and the batches that they are trained in

PANELS = {
    panel: configuration.panel_candidates(
        config,
        panel,
        [language.code for language in read_register(beside(config["languages"]["register"]))],
        {name: dataset.languages for name, dataset in DATASETS.items()},
    )
    for panel in config["languages"]["panels"]
}


def panel_of(wildcards):
    return config["languages"]["panels"][wildcards.panel]


def batches(panel):
    """Return the score files of a panel: as many as its languages can fill."""
    most = config["languages"]["panels"][panel]["number"] or len(PANELS[panel])
    count = -(-most // config["languages"]["batch"])
    return [f"results/scores/languages/{panel}/batch{number}.json" for number in range(count)]


def study_of(wildcards):
    """Return what is trained for each language of a panel."""
    panel, study = panel_of(wildcards), config["languages"]
    return {
        **{key: panel[key] for key in ("pieces", "character_coverage", "training", "marked")},
        **{key: study[key] for key in ("dimension", "seeds")},
        **{key: config["sts"][key] for key in ("years", "selection")},
    }


def figures():
    """Return the settings that are drawn, by the figure's name; see `figure` in the configuration."""
    drawn = {}
    for panel, entry in config["languages"]["panels"].items():
        for marked in (False, True) if entry["marked"] else (False,):
            main = panel == config["languages"]["figure"]
            name = "-".join(["figure1", *[panel] * (not main), *["marked"] * marked])
            drawn[name if name == "figure1" else f"figures/{name}"] = {
                "panel": panel,
                "marked": marked,
            }
    return drawn


FIGURES = figures()


# ---- Wildcards: each is one segment of a path, or of a file's name between dots


wildcard_constraints:
    dataset=alternatives(DATASETS),
    optional=alternatives(STS_OPTIONAL.values()),
    file=alternatives(name for dataset in DATASETS.values() for name in dataset.files()),
    bitext=alternatives(config["bitexts"]),
    backtranslation=alternatives(config["backtranslations"]),
    corpus=alternatives(configuration.corpora(config)),
    side=alternatives(
        side for c in configuration.corpora(config) for side in configuration.sides(config, c)
    ),
    split="train|valid|test",
    shard=r"\d+",
    mining=alternatives(config["mining_tasks"]),
    baseline=alternatives(config["baselines"]),
    segmentation=alternatives(config["segmentations"]),
    translator=alternatives(config["translators"]),
    panel=alternatives(config["languages"]["panels"]),
    batch=r"\d+",
    figure=alternatives(FIGURES),
    experiment=rf"(?:{alternatives(config['encoders'])})\.(?:{alternatives(config['settings'])})",
    seed=alternatives(config["seeds"]),
