"""Make a probing set of held-out text."""

from pathlib import Path

from _adapter import logged
from tandem.files.io import write_lines
from wieting2020.methods import held_out, styles
from wieting2020.methods.probing_text import Item, ProbingText, items_of, lines_of

with logged(snakemake.log[0]) as log:
    probe, text = ProbingText(**snakemake.params.probe), Path(snakemake.input.text)
    if probe.kind == "version":
        items = [Item(verse, version, place) for split in ("valid", "test")
                 for place, versions in styles.read_verses(text / f"{split}.tsv").items()
                 for version, verse in versions.items()]  # fmt: skip
    else:
        side = list(snakemake.params.sides).index(probe.side)
        items = items_of(probe, held_out.read(text, side))
    log.info("%d lines", write_lines(snakemake.output.lines, lines_of(probe, items)))
