"""Write an averaging encoder for sentence-transformers."""

from _adapter import add_kinds, logged, score_files
from tandem.encoders.model import SentenceEncoder
from tandem.exporting.sentence_transformers import export_sentence_transformers
from tandem.reporting.cards import card_of

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, inputs = snakemake.params, snakemake.input
    files = score_files(inputs.scores, first=True)
    described = params.corpora, files, params.tasks, params.bootstrap
    card = card_of(f"Tandem {params.experiment}", params.experiment, *described)
    encoder = SentenceEncoder.load(inputs.model[0])
    folders = export_sentence_transformers(encoder, snakemake.output.folder, card)
    log.info("%s", folders)
