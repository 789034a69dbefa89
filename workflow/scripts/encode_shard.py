"""Encode a shard."""

from _adapter import job_device, logged
from tandem.encoders.named import find_model, load_model
from tandem.files.io import read_lines
from tandem.mining.sentences import BATCH, Sentences, shard_lines
from tandem.mining.vectors import Stored, write_vectors

with logged(snakemake.log[0]) as log:
    params, output = snakemake.params, snakemake.output
    side, number = Sentences(snakemake.input.side), int(snakemake.wildcards.shard)
    path = snakemake.input.shard
    encoder = load_model(find_model(params.model), job_device(snakemake.config))
    lines = shard_lines(path, side.shards[number], read_lines(path))
    parts = encoder.encode_stream(lines, params.language, BATCH)
    counts = write_vectors(
        parts, side.first(number), encoder.dimension, Stored(params.vectors),
        output.vectors, output.numbers,
    )  # fmt: skip
    log.info("%d sentences, %d of them with a word that the model knows", *counts)
