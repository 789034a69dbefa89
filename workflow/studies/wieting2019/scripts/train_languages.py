"""Train and score the encoders of a batch of a panel's languages."""

from _adapter import logged
from tandem.io import write_json
from wieting2019.languages.panel import panel_languages
from wieting2019.languages.runs import load_english, train_languages
from wieting2019.languages.settings import LanguageEncoders

with logged(snakemake.log[0]) as log:
    given, params, wildcards = snakemake.input, snakemake.params, snakemake.wildcards
    english = load_english(given.text, given.english, given.sts, **params.sts)
    codes = panel_languages(given.text)[int(wildcards.batch) :: params.batches]
    scores = train_languages(english, given.text, codes, LanguageEncoders(**params.encoders))
    write_json(snakemake.output.scores, {"panel": wildcards.panel, "languages": scores})
    log.info("%d languages", len(codes))
