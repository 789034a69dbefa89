"""What this study's rules read."""

UN_HOME = "workflow/studies/yang2019"
UN = STUDIES["yang2019"]
SEARCHED = UN.study.tables["table1"].texts
COMPARABLE = UN.study.tables["table5"].tasks
MINED = UN.study.tables["table3"].mined
MINED_BY = MINED.by_language(UN)
MINED_TRANSLATOR = TRANSLATORS.path(MINED.translator.kind)


def searched_in(wildcards):
    """Return the files of the corpus that is searched in a language."""
    return downloads(SEARCHED[wildcards.language].dataset)


def searched_record(wildcards):
    """Return what can change a byte of the text that is searched in a language."""
    return DATASETS[SEARCHED[wildcards.language].dataset].record("en", wildcards.language)


def searched_kinds(wildcards):
    """Return the files of the kinds that this text depends on."""
    return read_by([SEARCHED[wildcards.language].dataset])


def searched_within(wildcards):
    """Return the collection of which only held-out pairs are searched, if there is one."""
    within = SEARCHED[wildcards.language].within
    return [UN.path("corpora", within)] if within else []


def comparable_in(wildcards):
    """Return the corpora of a published task; none of one that is hidden in what is searched."""
    return COMPARABLE[wildcards.language].published or ()


def mined_by(wildcards):
    """Return the experiment whose encoder mines in a language."""
    return MINED_BY[wildcards.language]


def mined_kinds(wildcards):
    """Return the files of the kinds that this encoder needs."""
    return UN.encoder_files(mined_by(wildcards))


def other_text(wildcards):
    """Return the text that chooses thresholds, and from which translators get their test."""
    return UN.path("corpora", UN.setting(mined_by(wildcards)).corpus)


def mined_translator(wildcards):
    """Return the translator from English into a language, as plain values."""
    sides = {"source": "en", "target": wildcards.language}
    return {**TRANSLATORS.dump(MINED.translator), **sides}
