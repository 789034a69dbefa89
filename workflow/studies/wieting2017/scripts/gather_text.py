"""Gather the pairs of a text of the filtering experiments."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.collection import read_parts
from tandem.files.io import atomic_folder, write_json, write_lines
from wieting2017.methods import texts

with logged(snakemake.log[0]) as log:
    given, params = Path(snakemake.input.source), snakemake.params
    with atomic_folder(snakemake.output.folder) as folder:
        if params.kind == "back-translated":
            found = texts.back_translated(given, params.sides, "test")
            apart = texts.back_translated(given, params.sides, "valid")
            write_lines(folder / "apart.tsv", (f"{a}\t{b}" for a, b, _ in apart))
        elif params.kind == "parallel":
            found = texts.parallel(given, params.sides)
        elif params.kind == "versions":
            found = texts.versions(given, read_parts(given), params.seed)
        else:
            found = texts.control(texts.read(given), params.kind, params.seed)
        texts.write(folder, found, params.candidates)
        if snakemake.input.trained_on:
            trained_on = Path(snakemake.input.trained_on[0]) / f"train.{params.target}"
            met = texts.met_share(folder, trained_on)
            write_json(folder / "about.json", {"met_share": met})
            log.info("the translator was trained on %.2f%% of the references", 100 * met)
