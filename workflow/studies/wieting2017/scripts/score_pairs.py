"""Score the pairs of a text, for filters to choose by."""

from _adapter import add_kinds, logged
from tandem.encoders.model import SentenceEncoder
from tandem.files.atomic import atomic_path
from tandem.files.io import write_json
from tandem.segmentation.segmenter import Segmenter
from wieting2017.methods import texts
from wieting2017.methods.scoring import score

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    inputs = snakemake.input
    candidates, apart = texts.read(inputs.text), texts.read_apart(inputs.text)
    similar = SentenceEncoder.load(inputs.cosine[0]) if inputs.cosine else None
    words, seed = Segmenter.load(inputs.words), snakemake.params.seed
    scores, about = score(candidates, apart, words, seed, similar)
    with atomic_path(snakemake.output.scores) as temporary:
        scores.to_csv(temporary, sep="\t", index=False)
    write_json(snakemake.output.about, about)
    log.info("%d pairs: %s", len(candidates), about)
