"""Check the model and the filters of what is mined; write the lowest score of pairs."""

import math

from _adapter import logged
from tandem.encoders.named import find_model, load_model
from tandem.files.io import write_json
from tandem.mining.filtered import refusing
from tandem.own_bitext.mined import lowest
from tandem.search.margins import Score

with logged(snakemake.log[0]) as log:
    params = snakemake.params
    encoder = load_model(find_model(params.model))
    encoder.check(params.languages)
    refusing(params.filters, params.languages, (), False, "cpu")  # before hours of searching
    least = -math.inf if params.at_least is None else params.at_least
    least = lowest(encoder, least, Score(params.score), params.languages, params.k)
    write_json(snakemake.output.file, {"at_least": least if math.isfinite(least) else None})
    log.info("pairs that score %s or more", least)
