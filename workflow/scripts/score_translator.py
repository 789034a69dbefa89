"""Measure a translator on the test split of its bitext."""

from pathlib import Path

from _adapter import add_kinds, job_device, logged
from tandem.files.io import read_lines, write_json
from tandem.machine import gpu_errors
from tandem.translation.quality import bleu
from tandem.translation.translator import TRANSLATORS, load_translator

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    settings = TRANSLATORS.parse(snakemake.params.translator)
    folder = Path(snakemake.input.bitext)
    device = job_device(snakemake.config, auto=True)
    with gpu_errors(device=device):
        translator = load_translator(snakemake.input.translator, settings.threads, device=device)
        sources = read_lines(folder / f"test.{settings.source}")
        texts = [translation.text for translation in translator.translate(sources)]
    scores = bleu(texts, list(read_lines(folder / f"test.{settings.target}")))
    log.info("%s", scores)
    write_json(snakemake.output.scores, scores | {"code": snakemake.params.code})
