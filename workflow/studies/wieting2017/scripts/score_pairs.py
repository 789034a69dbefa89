"""Give the pairs of a text the scores that filters keep by."""



from _adapter import logged
from tandem.encoders.model import SentenceEncoder
from tandem.files.io import atomic_path, write_json
from tandem.segmentation.segmenter import Segmenter
from wieting2017.methods import texts
from wieting2017.methods.scoring import score

with logged(snakemake.log[0]) as log:
    given = snakemake.input
    candidates, apart = texts.read(given.text), texts.read_apart(given.text)
    similar = SentenceEncoder.load(given.cosine[0]) if given.cosine else None
    words, seed = Segmenter.load(given.words), snakemake.params.seed
    scores, about = score(candidates, apart, words, seed, similar)
    with atomic_path(snakemake.output.scores) as temporary:
        scores.to_csv(temporary, sep="\t", index=False)
    write_json(snakemake.output.about, about)
    log.info("%d pairs: %s", len(candidates), about)
