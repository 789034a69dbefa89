"""Write an averaging encoder for sentence-transformers."""

from _adapter import add_kinds, given_card, logged
from tandem.encoders.export import export_sentence_transformers
from tandem.encoders.model import SentenceEncoder

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    card = given_card(snakemake, f"Tandem {snakemake.params.experiment}")
    encoder = SentenceEncoder.load(snakemake.input.model[0])
    folders = export_sentence_transformers(encoder, snakemake.output.folder, card)
    log.info("%s", folders)
