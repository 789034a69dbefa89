"""What this study's rules read."""

FILTERING_HOME = "workflow/studies/wieting2017"
FILTERING = STUDIES["wieting2017"]
EXPERIMENT = FILTERING.study.tables["datasets"].experiment
CLASSIFIERS = [ENCODERS.path(name) for name in ("averaging", "lstm")]  # of references


def text_source(wildcards):
    """Return what a text is gathered from."""
    entry = EXPERIMENT.texts[wildcards.text]
    if entry.of:
        return FILTERING.path("texts", entry.of)
    return FILTERING.path("corpora", entry.backtranslation or entry.collection)


def text_params(wildcards):
    """Return how a text is gathered."""
    entry = EXPERIMENT.texts[wildcards.text]
    kind = "back-translated" if entry.backtranslation else "versions"
    return entry.control or kind


def encoder_of(wildcards):
    """Return the study's encoder that is compared."""
    return FILTERING.study.encoders[EXPERIMENT.encoders[wildcards.compared].encoder]


def condition_kinds(wildcards):
    """Return the files of the kinds that the scores of conditions depend on."""
    kinds = EXPERIMENT.encoders[wildcards.compared].kinds(FILTERING.study)
    return [*kinds, TASKS.path("sts")]
