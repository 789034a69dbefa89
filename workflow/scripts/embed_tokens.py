"""Encode every token of a vocabulary by pretrained encoders, for training to start from."""

from _adapter import add_kinds, logged
from tandem.encoders.baselines import load_baseline, origin
from tandem.encoders.encoder import ENCODERS
from tandem.encoders.token_vectors import started_from, token_shares
from tandem.segmentation.segmenter import Segmenter
from tandem.training.pairs import load_texts

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, segmented = snakemake.params, snakemake.input.segmented
    segmenter = Segmenter.load(f"{segmented}/segmenter")
    texts = load_texts(segmented, params.sides, "mixed")
    shares = token_shares((s for t in texts for s in (t.left, t.right)), len(segmenter))
    encodes = {origin(name): load_baseline(name).encode for name in params.pretrained}
    kind, seed = ENCODERS.parse(params.encoder), int(snakemake.wildcards.seed)
    encoder = started_from(segmenter, kind, seed, encodes, shares)
    encoder.save(snakemake.output.model)
    log.info("%d tokens, vectors of %d", len(segmenter), encoder.dimension)
