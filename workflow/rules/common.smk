"""What all rules share: the checked configuration, names, wildcards. No file is written here."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(workflow.basedir) / "workflow"))
from tandem import configuration, provenance
from tandem.corpora.register import load_register

configuration.check(config, Path(workflow.basedir) / "workflow/schemas/config.schema.yaml")


def registered():
    """Read the corpora's registers: in the working directory, else beside the Snakefile."""
    folders = [Path(), Path(workflow.basedir)]
    datasets = {}
    for name in config["registers"]:
        path = next((f / name for f in folders if (f / name).is_file()), Path(name))
        datasets |= load_register(path)
    return datasets


def alternatives(names):
    """Return a pattern that matches exactly these names."""
    return "|".join(re.escape(str(name)) for name in sorted(set(names), key=str))


def digest(script):
    """Return a digest of a script and of all library code it uses; in `params`, so that an edit
    re-runs what it affects, which Snakemake does not see by itself."""
    return provenance.source_digest(Path(workflow.basedir) / "workflow/scripts" / script)


DATASETS = registered()
EXPERIMENTS = configuration.experiments(config, config["encoders"], config["settings"])


wildcard_constraints:
    dataset=alternatives(DATASETS),
    file=alternatives(name for dataset in DATASETS.values() for name in dataset.files()),
    corpus=alternatives(configuration.corpora(config)),
    segmentation=alternatives(config["segmentations"]),
    translator=alternatives(config["translators"]),
    experiment=alternatives(EXPERIMENTS),
    seed=alternatives(config["seeds"]),
    split="train|valid|test",
