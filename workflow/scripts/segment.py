"""Draw a sample of a corpus, learn a segmentation from it, and segment it."""

from functools import partial
from pathlib import Path

from _adapter import logged
from tandem.corpora.sample import draw_sample, drawn_lines
from tandem.files.io import atomic_folder, read_lines
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import learn, segment_lines

with logged(snakemake.log[0]) as log:
    params, wildcards = snakemake.params, snakemake.wildcards
    corpus, scheme = Path(snakemake.input.corpus), Segmentation(**params.segmentation)
    files = {side: corpus / f"train.{side}" for side in params.sides}
    # English is the side that a bitext shares with its back-translation
    shared = files.get("en", files[params.sides[0]])
    drawn = draw_sample(shared, int(wildcards.pairs), int(wildcards.seed))
    texts = {side: partial(drawn_lines, file, drawn) for side, file in files.items()}
    with atomic_folder(snakemake.output.folder) as folder:
        (folder / "segmenter").mkdir()
        segmenter = learn(scheme, texts, folder / "segmenter")
        for side in params.sides:
            segment_lines(segmenter, texts[side](), side, folder / f"train.{side}")
            valid = read_lines(corpus / f"valid.{side}")
            segment_lines(segmenter, valid, side, folder / f"valid.{side}")
    log.info("%d types, %d pairs of %d", len(segmenter), drawn.sum(), len(drawn))
