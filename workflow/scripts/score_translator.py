"""Translate the test split and compare with its other side."""

from pathlib import Path

from _adapter import logged
from tandem.io import read_lines, write_json
from tandem.translation.quality import bleu
from tandem.translation.translator import load_translator

with logged(snakemake.log[0]) as log:
    params, bitext = snakemake.params, Path(snakemake.input.bitext)
    translator = load_translator(snakemake.input.translator, params.threads)
    translations = translator.translate(read_lines(bitext / f"test.{params.source}"))
    references = list(read_lines(bitext / f"test.{params.target}"))
    scores = bleu([translation.text for translation in translations], references)
    log.info("%s", scores)
    write_json(snakemake.output.scores, scores | {"code": params.code})
