"""Choose the languages and sentences of a panel."""

from _adapter import logged
from tandem.languages.panel import build_panel

with logged(snakemake.log[0]) as log:
    gathered, languages = snakemake.input.gathered, snakemake.params.languages
    choice = snakemake.params.choice
    log.info("%s", build_panel(gathered, languages, **choice, folder=snakemake.output.folder))
