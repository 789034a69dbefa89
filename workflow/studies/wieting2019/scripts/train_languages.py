"""Train and score the encoders of a batch of a panel's languages."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "scripts"))
sys.path.append(str(Path(__file__).resolve().parents[2]))

from _adapter import add_kinds, logged
from tandem.io import write_json
from tandem.tasks.task import TASKS
from wieting2019.languages.panel import panel_languages
from wieting2019.languages.runs import load_english, train_languages
from wieting2019.languages.settings import LanguageEncoders

with logged(snakemake.log[0]) as log:
    add_kinds(snakemake.config)
    given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
    task = TASKS.parse(params.task)
    english = load_english(given.text, given.english, given.sts, given.selection, task)
    codes = panel_languages(given.text)[int(wildcards.batch) :: params.batches]
    scores = train_languages(english, given.text, codes, LanguageEncoders(**params.encoders))
    write_json(snakemake.output.scores, {"panel": wildcards.panel, "languages": scores})
    log.info("%d languages", len(codes))
