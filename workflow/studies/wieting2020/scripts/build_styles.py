"""Gather verses by version, draw triples, and learn to tell the versions apart."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.register import Dataset
from tandem.files.atomic import atomic_folder
from wieting2020.methods.styles import Styles, build

with logged(snakemake.log[0]) as log:
    dataset, styles = Dataset(**snakemake.params.dataset), Styles(**snakemake.params.styles)
    with atomic_folder(snakemake.output.folder) as folder:
        log.info("%s", build(dataset, Path(snakemake.input.files[0]), styles, folder))
