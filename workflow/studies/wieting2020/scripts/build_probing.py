"""Make the probing sets of held-out text."""

from pathlib import Path

from _adapter import logged
from tandem.files.io import write_lines
from wieting2020.methods import held_out, styles
from wieting2020.methods.probing_text import Item, ProbingText, items_of, lines_of

with logged(snakemake.log[0]) as log:
    params, texts = snakemake.params, map(Path, snakemake.input.texts)
    for values, sides, text, output in zip(
        params.probes, params.sides, texts, snakemake.output.sets, strict=True
    ):
        probe = ProbingText(**values)
        if probe.kind == "version":
            items = [
                Item(verse, version, place)
                for place, versions in styles.read_verses(text / "test.tsv").items()
                for version, verse in versions.items()
            ]
        else:
            side = list(sides).index(probe.side)
            items = items_of(probe, held_out.read(text, side, probe.sources))
        log.info("%s: %d lines", output, write_lines(output, lines_of(probe, items)))
