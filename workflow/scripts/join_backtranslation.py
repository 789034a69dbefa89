"""Pair the text of a language with its back-translation."""

from pathlib import Path

from _adapter import logged
from tandem.files.atomic import atomic_folder
from tandem.files.io import write_json
from tandem.filtering.filter import parse_filters
from tandem.translation.translate_files import join_translations

with logged(snakemake.log[0]) as log:
    params, counts = snakemake.params, {}
    bitext, cleaning = Path(snakemake.input.bitext), parse_filters(params.cleaning)
    with atomic_folder(snakemake.output.folder) as folder:
        for split in ("train", "valid", "test"):
            texts = [Path(path) for path in snakemake.input.parts if path.endswith(".txt")]
            stems = [text.with_suffix("") for text in texts if text.name.startswith(f"{split}.")]
            sides = tuple(folder / f"{split}.{side}" for side in params.sides)
            counts[split] = join_translations(bitext, stems, sides, cleaning)
            log.info("%s: %s", split, counts[split])
        write_json(folder / "cleaning.json", counts)
