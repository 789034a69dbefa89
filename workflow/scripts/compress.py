"""Write the model of a study, in the precision asked for."""

from pathlib import Path

from _adapter import logged, score_files
from tandem import encoders
from tandem.encoders.card import Card
from tandem.encoders.compact import save_with_card
from tandem.encoders.precision import Precision
from tandem.reporting.scores import card_lines

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    card = Card(
        f"Tandem {Path(snakemake.wildcards.root).name} ({params.experiment})",
        [(corpus["name"], corpus["licence"]) for corpus in params.corpora],
        card_lines(score_files(snakemake.input.scores, first=True)),
    )
    encoder = encoders.load(snakemake.input.model[0])
    save_with_card(encoder, snakemake.output.folder, card, Precision(params.precision))
    log.info("%s", snakemake.output.folder)
