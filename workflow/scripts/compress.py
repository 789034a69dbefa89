"""Write the model of a study, in the precision asked for."""

from pathlib import Path

from _adapter import add_kinds, logged, score_files
from tandem.encoders.model import SentenceEncoder
from tandem.encoders.precision import Precision
from tandem.exporting.compact import save_with_card
from tandem.reporting.cards import card_of

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, inputs = snakemake.params, snakemake.input
    study = Path(snakemake.wildcards.root).name
    files = score_files(inputs.scores, first=True)
    described = params.corpora, files, params.tasks, params.bootstrap
    card = card_of(f"Tandem {study} ({params.experiment})", params.experiment, *described)
    encoder = SentenceEncoder.load(inputs.model[0])
    save_with_card(encoder, snakemake.output.folder, card, Precision(params.precision), study)
    log.info("%s", snakemake.output.folder)
