"""Gather the pairs of a text of the filtering experiments."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.collection import read_parts
from tandem.files.atomic import atomic_folder
from tandem.files.io import write_json, write_lines
from wieting2017.methods import texts

with logged(snakemake.log[0]) as log:
    source, params = Path(snakemake.input.source), snakemake.params
    with atomic_folder(snakemake.output.folder) as folder:
        if params.kind == "back-translated":
            pairs = texts.back_translated(source, params.sides, "test")
            apart = texts.back_translated(source, params.sides, "valid")
            write_lines(folder / "apart.tsv", (f"{a}\t{b}" for a, b, _ in apart))
        elif params.kind == "parallel":
            pairs = texts.parallel(source, params.sides)
        elif params.kind == "versions":
            pairs = texts.versions(source, read_parts(source), params.versions, params.seed)
        else:
            pairs = texts.control(texts.read(source), params.kind, params.seed)
        texts.write(folder, pairs, params.candidates)
        if snakemake.input.trained_on:
            trained_on = Path(snakemake.input.trained_on[0]) / f"train.{params.target}"
            share = texts.met_share(folder, trained_on)
            write_json(folder / "about.json", {"met_share": share})
            log.info("the translator was trained on %.2f%% of the references", 100 * share)
