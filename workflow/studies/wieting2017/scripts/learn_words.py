"""Learn the words of all texts of the filtering experiments, which all encoders share."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
sys.path.append(str(Path(__file__).resolve().parents[2]))

from _adapter import logged
from tandem.encoders.baselines import load_baseline
from tandem.encoders.word_vectors import words_of
from tandem.io import atomic_folder
from tandem.segmentation.scheme import Segmentation
from tandem.segmentation.segmenter import learn
from wieting2017.experiment import texts

with logged(snakemake.log[0]) as log:
    pairs = [one for folder in snakemake.input.texts for one in texts.read(folder)]
    sentences = [side for one in pairs for side in (one.reference, one.paraphrase)]
    if snakemake.input.start:
        sentences += words_of(snakemake.input.start[0], snakemake.params.scheme["size"])
    elif snakemake.params.baseline:
        sentences += load_baseline(snakemake.params.baseline).words()
    with atomic_folder(snakemake.output.folder) as folder:
        learned = learn(Segmentation(**snakemake.params.scheme), {"en": lambda: sentences}, folder)
    log.info("%d words", len(learned))
