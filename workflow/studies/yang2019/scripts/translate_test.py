"""Train a translator on original or mined pairs, and translate the test text."""

import shutil
from pathlib import Path

from _adapter import add_kinds, checkpoint, job_device, logged
from tandem.files.atomic import atomic_folder
from tandem.files.io import read_lines, write_lines
from tandem.machine import gpu_errors
from tandem.translation.translator import TRANSLATORS, load_translator

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    params, output, names = snakemake.params, snakemake.output.folder, snakemake.wildcards
    corpus = Path(snakemake.input.mined) / names.origin
    root = str(Path(output).parents[3])  # of <root>/translated/<language>/<origin>/seed<k>
    scratch = checkpoint(root, output, params.code)
    settings = TRANSLATORS.parse(params.translator)
    device = job_device(snakemake.config)
    with gpu_errors("Lower `batch_tokens` or `dimension` of the translator", device):
        settings.train(corpus, scratch, device=device)
        translator = load_translator(scratch, settings.threads, device=device)
        sources = read_lines(corpus / "test.en")
        translations = [line.text for line in translator.translate(sources)]
    with atomic_folder(output) as folder:
        write_lines(folder / "translations.txt", translations)
        shutil.copyfile(corpus / f"test.{names.language}", folder / "references.txt")
        if (scratch / "history.csv").exists():
            shutil.copyfile(scratch / "history.csv", folder / "history.csv")
    shutil.rmtree(scratch)
    log.info("%d sentences", len(translations))
