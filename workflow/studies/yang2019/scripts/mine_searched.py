"""Mine the text that is searched, for translators; take the original pairs beside."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
sys.path.append(str(Path(__file__).resolve().parents[2]))

from _adapter import add_kinds, logged
from tandem.corpora.collection import read_parts
from tandem.encoders.model import SentenceEncoder
from yang2019.parts import mined, texts

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, given, language = snakemake.params, snakemake.input, snakemake.wildcards.language
    folder = Path(given.collection)
    part = next(p for p in read_parts(folder) if (p.left, p.right) == ("en", language))
    encoder, text = SentenceEncoder.load(given.model[0]), texts.read(given.searched)
    ways = mined.ORIGINS[1:]
    least = dict.fromkeys(ways, params.threshold)
    if params.threshold == "validation":
        valid = part.path(folder, "valid")
        least = {
            way: mined.chosen_threshold(encoder, valid, language, way, params.memory)
            for way in ways
        }
    found = mined.mined_pairs(encoder, text, language, least, params.memory)
    original = [tuple(pair) for pair in text.pairs.tolist()]
    found = {mined.ORIGINS[0]: original, **found}
    splits = {
        "valid": mined.spread(part.path(folder, "valid"), params.test),
        "test": mined.spread(part.path(folder, "train"), params.test),
    }
    counts = {
        "experiment": params.experiment,
        "thresholds": least,
        "pairs": {origin: len(pairs) for origin, pairs in found.items()},
        "right": {origin: mined.overlap(pairs, original) for origin, pairs in found.items()},
    }
    pairs = {
        origin: [(text.english[left], text.other[right]) for left, right in rows]
        for origin, rows in found.items()
    }
    mined.write(snakemake.output.folder, pairs, splits, language, counts)
    log.info("%s", counts)
