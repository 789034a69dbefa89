"""Choose the languages and sentences of a panel, and learn the pieces of its English text."""

from _adapter import logged
from wieting2019.methods.english import learn_english
from wieting2019.methods.panel import build_panel

with logged(snakemake.log[0]) as log:
    gathered, output, params = snakemake.input.gathered, snakemake.output, snakemake.params
    log.info("%s", build_panel(gathered, params.languages, **params.choice, folder=output.text))
    learn_english(output.text, **params.pieces, folder=output.english)
