"""Write an averaging encoder for sentence-transformers."""

from _adapter import logged, score_files
from tandem import encoders
from tandem.encoders.card import Card
from tandem.encoders.export import export_sentence_transformers
from tandem.reporting.scores import card_lines

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    lines = card_lines(score_files(snakemake.input.scores, first=True))
    card = Card(
        f"Tandem {snakemake.wildcards.experiment}",
        [(corpus["name"], corpus["licence"]) for corpus in params.corpora],
        lines,
    )
    encoder = encoders.load(snakemake.input.model[0])
    folders = export_sentence_transformers(encoder, snakemake.output.folder, card)
    log.info("%s", folders)
