"""A register and a study, as a person writes them, and what is read from them."""

from tandem.studies.configuration import load_configuration, load_plans, load_registers

REGISTER = """
datasets:
  films: &films
    kind: local
    description: Subtitles.
    path: films.{language}
    licence: CC0-1.0
    languages: [en, cs, de, fr]
    reader: {kind: lines}
  verses:
    {<<: *films, path: verses.tsv, reader: {kind: tsv, columns: {en: 0, cs: 1}, header: false}}
  scored: {kind: local, description: STS., path: sts.zip, licence: CC0-1.0, languages: [en]}
"""
STUDY = """
title: A study
seeds: [1, 2]
bitexts:
  en-cs: &bitext {sources: [films, verses], languages: [en, cs], valid: 20, test: 30}
  en-de: {<<: *bitext, sources: [films], languages: [en, de]}
sts: {benchmark: scored}
mining:
  de-en: {bitext: en-de, language: de}
segmentations:
  words: {kind: words, size: 500}
translators:
  cs-en: {kind: released, model: folder, bitext: en-cs, source: cs, target: en}
backtranslations:
  en-en: {bitext: en-cs, translator: cs-en, pairs: 50, shards: 2}
encoders:
  sp: {label: SP, segmentation: words, architecture: {kind: averaging, dimension: 16}}
  lstm: {label: LSTM, segmentation: words, architecture: {kind: lstm, hidden: 4}, seeds: 1}
pretrained:
  muse: {label: MUSE, model: muse}
objectives:
  margin: {kind: margin, megabatch: 4}
recipes:
  quick: {epochs: 3}
settings:
  cs: &setting
    {label: Cs, corpus: en-cs, encoders: {sp: quick, lstm: quick}, objective: margin, pairs: 100}
  en: {<<: *setting, label: En, corpus: en-en, pairs: 50}
  de: {<<: *setting, label: De, corpus: en-de, encoders: {sp: quick}, selection: retrieval}
  none: {<<: *setting, label: None, trained: false}
tasks:
  sts: {kind: sts, years: [2012]}
  retrieval: {kind: retrieval}
tables:
  scores:
    kind: experiments
    title: Scores
    encoders: [sp, lstm]
    settings: [cs, none]
    tasks: [sts, retrieval]
  years: {kind: experiments, title: Years, encoders: [sp], settings: [cs], tasks: [sts]}
export: {settings: [cs]}
"""


def configured(**values):
    """Return a configuration."""
    standard = {"scale": "default", "registers": ["register.yaml"], "study_folders": ["studies"]}
    return load_configuration(standard | values)


def plans(**values):
    """Return the plans of a configuration, with the corpora of its registers."""
    configuration = configured(**values)
    return load_plans(configuration, load_registers(configuration, "nowhere"), "nowhere")


def changed(*path, to):
    """Return values that are laid over the study so that one key is another."""
    for key in reversed(path):
        to = {key: to}
    return {"studies": {"first": to}}
