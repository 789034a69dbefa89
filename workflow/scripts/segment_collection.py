"""Draw pairs of a collection, and segment them with a segmenter learned from them or loaded."""

from pathlib import Path

from _adapter import add_kinds, logged
from tandem.corpora.collection import read_parts
from tandem.files.atomic import atomic_folder
from tandem.segmentation.collection import Balance, draw, segment_collection
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import Segmenter

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, corpus = snakemake.params, Path(snakemake.input.corpus)
    setting, segmentation = params.drawn, SEGMENTATIONS.parse(params.segmentation)
    parts = [
        part
        for part in read_parts(corpus)
        if (setting["sources"] is None or part.source in setting["sources"])
        and (setting["languages"] is None or part.right in setting["languages"])
    ]
    start = snakemake.input.start
    loaded = Segmenter.load(f"{start[0]}/segmenter") if start else None
    balance = Balance(setting["temperature"], setting["weights"])
    drawn = draw(corpus, parts, setting["pairs"], int(snakemake.wildcards.seed))
    with atomic_folder(snakemake.output.folder) as folder:
        segmenter = segment_collection(
            drawn, segmentation, segmentation.sample, balance, folder, loaded
        )
    pairs = sum(int(part.rows.sum()) for part in drawn)
    log.info("%d types, %d pairs in %d parts", len(segmenter), pairs, len(parts))
