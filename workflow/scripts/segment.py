"""Draw a sample of a corpus, learn a segmentation from it, and segment it."""

from functools import partial
from pathlib import Path

import numpy as np

from _adapter import add_kinds, logged
from tandem.corpora.sample import draw_sample, drawn_lines
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_lines
from tandem.segmentation.ragged import save_array
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.segmentation.segmenter import Segmenter, learn, segment_lines

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, wildcards = snakemake.params, snakemake.wildcards
    corpus = Path(snakemake.input.corpus)
    segmentation = SEGMENTATIONS.parse(params.segmentation)
    files = {side: corpus / f"train.{side}" for side in params.sides}
    # English is the side that a bitext shares with its back-translation
    shared = files.get("en", files[params.sides[0]])
    drawn = draw_sample(shared, params.pairs, int(wildcards.seed))
    texts = {side: partial(drawn_lines, file, drawn) for side, file in files.items()}
    with atomic_folder(snakemake.output.folder) as folder:
        (folder / "segmenter").mkdir()
        if (keys := corpus / "train.keys.npy").exists():
            save_array(folder / keys.name, [np.load(keys, allow_pickle=False)[drawn]], np.int64)
        if start := snakemake.input.start:
            segmenter = Segmenter.load(f"{start[0]}/segmenter")
            segmenter.save(folder / "segmenter")
        else:
            segmenter = learn(segmentation, texts, folder / "segmenter")
        for side in params.sides:
            segment_lines(segmenter, texts[side](), side, folder / f"train.{side}")
            valid = read_lines(corpus / f"valid.{side}")
            segment_lines(segmenter, valid, side, folder / f"valid.{side}")
    log.info("%d types, %d pairs of %d", len(segmenter), drawn.sum(), len(drawn))
