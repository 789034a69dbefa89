"""Mine the searched text for translators, and keep the original pairs too."""

from pathlib import Path

from _adapter import add_kinds, job_device, logged
from tandem.encoders.model import SentenceEncoder
from yang2019.methods import mined, texts

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, inputs, language = snakemake.params, snakemake.input, snakemake.wildcards.language
    corpus = Path(inputs.corpus)
    valid = list(texts.split_pairs(corpus, "valid", language))
    other = list(texts.split_pairs(corpus, params.other, language))
    encoder = SentenceEncoder.load(inputs.model[0], job_device(snakemake.config))
    text = texts.read(inputs.searched)
    least = dict.fromkeys(mined.WAYS, params.threshold)
    if params.threshold == "validation":
        least = mined.chosen_thresholds(encoder, valid, language, params.memory)
    original = [tuple(pair) for pair in text.pairs.tolist()]
    rows = mined.mined_pairs(encoder, text, language, least, params.memory)
    rows = {mined.ORIGINS[0]: original, **rows}
    splits = {
        "valid": mined.spread(valid, params.test),
        "test": mined.spread(other, params.test),
    }
    counts = {
        "experiment": params.experiment,
        "thresholds": least,
        "pairs": {origin: len(pairs) for origin, pairs in rows.items()},
        "right": {origin: mined.overlap(pairs, original) for origin, pairs in rows.items()},
    }
    pairs = {
        origin: [(text.english[left], text.other[right]) for left, right in numbers]
        for origin, numbers in rows.items()
    }
    mined.write(snakemake.output.folder, pairs, splits, language, counts)
    log.info("%s", counts)
