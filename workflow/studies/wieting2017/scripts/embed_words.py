"""Encode every word with a pretrained encoder: the word vectors that training starts from."""

from _adapter import add_kinds, logged
from tandem.encoders.baselines import load_baseline
from tandem.encoders.token_vectors import on_principal_axes
from tandem.segmentation.segmenter import Segmenter
from wieting2017.methods.word_vectors import write_word_vectors

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    words = sorted(Segmenter.load(snakemake.input.words).units("en"))
    vectors = load_baseline(snakemake.params.baseline).encode(words, "en")
    narrow = on_principal_axes(vectors, snakemake.params.dimension)
    write_word_vectors(snakemake.output.vectors, words, narrow)
    share = (narrow**2).sum() / ((vectors - vectors.mean(axis=0)) ** 2).sum()
    log.info("%d words, %.0f%% of their variance on %d axes", *narrow.shape[:1], 100 * share,
             snakemake.params.dimension)  # fmt: skip
