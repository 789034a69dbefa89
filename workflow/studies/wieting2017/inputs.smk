"""What this study's rules read."""

FILTERING_HOME = "workflow/studies/wieting2017"
FILTERING = STUDIES["wieting2017"]
EXPERIMENT = FILTERING.study.tables["datasets"].experiment
# of what learns to score pairs
SCORING_KINDS = [ENCODERS.path("averaging"), ENCODERS.path("lstm"), *objective_files("margin")]
# the compared texts that nothing is translated for
TEXTS_OF_PEOPLE = [
    name for name, text in EXPERIMENT.compared.items() if text.collection or text.bitext
]
TRANSLATED_BACK = [
    FILTERING.study.backtranslations[text.backtranslation]
    for text in EXPERIMENT.compared.values()
    if text.backtranslation
]
# the bitexts behind the others, each with its English side
ENGLISH_SIDES = {
    FILTERING.path("corpora", made.bitext): FILTERING.study.translators[made.translator].target
    for made in TRANSLATED_BACK
}


def text_source(wildcards):
    """Return what a text is gathered from."""
    entry = EXPERIMENT.texts[wildcards.text]
    if entry.of:
        return FILTERING.path("texts", entry.of)
    return FILTERING.path("corpora", entry.backtranslation or entry.bitext or entry.collection)


def text_translator(wildcards):
    """Return the translator of a text, or None."""
    made = FILTERING.study.backtranslations.get(EXPERIMENT.texts[wildcards.text].backtranslation)
    return FILTERING.study.translators[made.translator] if made else None


def text_trained_on(wildcards):
    """Return the bitext that a text's translator was trained on, where that was done here."""
    translator = text_translator(wildcards)
    if translator is None or translator.kind == "released":
        return []
    return [FILTERING.path("corpora", translator.bitext)]


def text_params(wildcards):
    """Return how a text is gathered."""
    entry = EXPERIMENT.texts[wildcards.text]
    kind = "parallel" if entry.bitext else "versions"
    return entry.control or ("back-translated" if entry.backtranslation else kind)


def text_sides(wildcards):
    """Return the two sides of what a text is gathered from, where it has two."""
    entry = EXPERIMENT.texts[wildcards.text]
    corpus = entry.backtranslation or entry.bitext
    return FILTERING.sides(corpus) if corpus else None


def encoder_of(wildcards):
    """Return the study's encoder that is compared."""
    return FILTERING.study.encoders[EXPERIMENT.encoders[wildcards.compared].encoder]


def words_start(wildcards):
    """Return the file of word vectors that training starts from, whose words are known."""
    return [EXPERIMENT.start] if EXPERIMENT.start and not Path(EXPERIMENT.start).is_dir() else []


def start_of(wildcards):
    """Return what training starts from: a file or an encoder, or nothing."""
    if EXPERIMENT.baseline:
        return [FILTERING.path("starts", f"{encoder_of(wildcards).architecture.dimension}.bin")]
    return [EXPERIMENT.start] if EXPERIMENT.start else []


def condition_kinds(wildcards):
    """Return the files of the kinds that the scores of conditions depend on."""
    kinds = EXPERIMENT.encoders[wildcards.compared].kinds(FILTERING.study)
    return [*kinds, TASKS.path("sts")]
