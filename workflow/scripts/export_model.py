"""Write an averaging encoder for sentence-transformers."""

from _adapter import logged
from tandem import encoders
from tandem.encoders.card import Card, CardCorpus
from tandem.encoders.export import export_sentence_transformers
from tandem.io import read_json
from tandem.reporting.card_scores import card_scores

with logged(snakemake.log[0]) as log:
    card = Card(
        f"Tandem {snakemake.wildcards.experiment}",
        [CardCorpus(**corpus) for corpus in snakemake.params.corpora],
        card_scores([read_json(path) for path in snakemake.input.scores]),
    )
    encoder = encoders.load(snakemake.input.model)
    folders = export_sentence_transformers(encoder, snakemake.output.folder, card)
    log.info("%s", folders)
