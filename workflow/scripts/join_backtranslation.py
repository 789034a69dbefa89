"""Join the translated shards, each split beside the original of the language."""

from itertools import chain, islice
from pathlib import Path

from _adapter import logged
from tandem.io import atomic_folder, read_lines, write_lines

with logged(snakemake.log[0]) as log:
    side, translated = snakemake.params.sides
    parts = [path for path in map(Path, snakemake.input.parts) if path.suffix == ".txt"]
    with atomic_folder(snakemake.output.folder) as folder:
        for split in ("train", "valid", "test"):
            texts = [text for text in parts if text.name.startswith(split)]
            lines = chain.from_iterable(map(read_lines, texts))
            count = write_lines(folder / f"{split}.{translated}", lines)
            original = read_lines(Path(snakemake.input.bitext) / f"{split}.{side}")
            write_lines(folder / f"{split}.{side}", islice(original, count))
            tables = [list(read_lines(text.with_suffix(".tsv"))) for text in texts]
            rows = chain(tables[0][:1], *(table[1:] for table in tables))
            write_lines(folder / f"{split}.{translated}.scores.tsv", rows)
            log.info("%s: %d pairs", split, count)
