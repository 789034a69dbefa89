"""Write the model of a study, in the precision asked for."""

from pathlib import Path

from _adapter import add_kinds, given_card, logged
from tandem.encoders.compact import save_with_card
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params = snakemake.params
    study = Path(snakemake.wildcards.root).name
    card = given_card(snakemake, f"Tandem {study} ({params.experiment})")
    encoder = SentenceEncoder.load(snakemake.input.model[0])
    save_with_card(encoder, snakemake.output.folder, card, Precision(params.precision))
    log.info("%s", snakemake.output.folder)
