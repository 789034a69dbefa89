"""Rules of this study alone: its target, texts, scores of pairs, trainings on every condition."""

import wieting2017.inputs

wieting2017 = wieting2017.inputs.Inputs(STUDIES["wieting2017"])


rule filtering:
    """All tables, figures and claims of wieting2017."""
    input:
        wieting2017.plan.targets,


rule gather_text:
    """Gather the pairs of a text, and those held apart to train what scores pairs.

    Out: candidates.tsv, reference, paraphrase, cost of the translation; apart.tsv, reference,
    back-translation; about.json, the share of references that the translator was trained on.
    """
    input:
        source=lambda w: wieting2017.source(w.text),
        trained_on=lambda w: wieting2017.translator_text(w.text),
    output:
        folder=directory(wieting2017.plan.path("texts/{text}")),
    log:
        wieting2017.plan.path("logs/gather_text/{text}.log"),
    wildcard_constraints:
        text=alternatives(wieting2017.experiment.texts),
    conda:
        "../../../envs/tandem.yaml"
    params:
        kind=lambda w: wieting2017.gathering(w.text),
        sides=lambda w: wieting2017.sides(w.text),
        versions=lambda w: wieting2017.experiment.texts[w.text].versions,
        target=lambda w: getattr(wieting2017.translator(w.text), "target", None),
        candidates=wieting2017.experiment.candidates,
        seed=wieting2017.experiment.seed,
        code=digest("gather_text.py", study="wieting2017"),
    script:
        "scripts/gather_text.py"


rule learn_words:
    """Learn the words of all texts: one vocabulary for all conditions.

    Those of a back-translated text are taken from its whole bitext, not from the translations: so no
    translator changes the encoders of other texts, and these need not wait for it. Out: a
    segmentation; the share of each word in the text, an array.
    """
    input:
        texts=wieting2017.texts_of_people,
        bitexts=list(wieting2017.english_sides),
        start=lambda w: provided(wieting2017.words_start(), wieting2017.plan.path("words")),
        own=own_folder(wieting2017.experiment.baseline),
    output:
        folder=directory(wieting2017.plan.path("words")),
        shares=wieting2017.plan.path("word-shares.npy"),
    log:
        wieting2017.plan.path("logs/learn_words.log"),
    conda:
        "../../../envs/tandem.yaml"
    params:
        segmentation=SEGMENTATIONS.dump(wieting2017.words),
        baseline=wieting2017.experiment.baseline,
        sides=list(wieting2017.english_sides.values()),
        code=digest(
            "learn_words.py", SEGMENTATIONS.path(wieting2017.words.kind), study="wieting2017"
        ),
    script:
        "scripts/learn_words.py"


rule embed_words:
    """Encode every word with a pretrained encoder.

    Out: word vectors in word2vec's binary form.
    """
    input:
        words=wieting2017.plan.path("words"),
        own=own_folder(wieting2017.experiment.baseline),
    output:
        vectors=wieting2017.plan.path("starts/{dimension}.bin"),
    log:
        wieting2017.plan.path("logs/embed_words/{dimension}.log"),
    wildcard_constraints:
        dimension=r"\d+",
    conda:
        "../../../envs/tandem.yaml"
    params:
        baseline=wieting2017.experiment.baseline,
        dimension=lambda w: int(w.dimension),
        code=digest(
            "embed_words.py", SEGMENTATIONS.path(wieting2017.words.kind), study="wieting2017"
        ),
    script:
        "scripts/embed_words.py"


rule score_pairs:
    """Score the pairs of a text: length, fluency, overlap, classifiers and others.

    Out: a table, a column for each score; the accuracy of the classifiers.
    """
    input:
        text=wieting2017.plan.path("texts/{text}"),
        words=wieting2017.plan.path("words"),
        cosine=[wieting2017.experiment.cosine] if wieting2017.experiment.cosine else [],
    output:
        scores=wieting2017.plan.path("scores/pairs/{text}.tsv"),
        about=wieting2017.plan.path("scores/pairs/{text}.json"),
    log:
        wieting2017.plan.path("logs/score_pairs/{text}.log"),
    wildcard_constraints:
        text=alternatives(wieting2017.experiment.texts),
    conda:
        "../../../envs/tandem.yaml"
    params:
        seed=wieting2017.experiment.seed,
        code=digest("score_pairs.py", *wieting2017.scoring_files, study="wieting2017"),
    script:
        "scripts/score_pairs.py"


rule score_untrained:
    """Score the encoders that training starts from, by seed: the floor of every text.

    Out: the scores of all tasks, as `train_conditions` has them, and the items behind them.
    """
    input:
        words=wieting2017.plan.path("words"),
        shares=wieting2017.plan.path("word-shares.npy"),
        sts=wieting2017.plan.path("corpora/sts"),
        start=lambda w: provided(
            wieting2017.start(w.compared), wieting2017.scores("untrained", w.compared)
        ),
    output:
        scores=wieting2017.plan.path("scores/conditions/untrained.{compared}.json"),
        scored_items=wieting2017.plan.path("scores/conditions/untrained.{compared}.npz"),
    log:
        wieting2017.plan.path("logs/score_untrained/{compared}.log"),
    wildcard_constraints:
        compared=alternatives(wieting2017.experiment.encoders),
    conda:
        "../../../envs/tandem.yaml"
    params:
        experiment=wieting2017.experiment.model_dump(mode="json"),
        training=lambda w: wieting2017.experiment.encoders[w.compared].run(wieting2017.plan.study),
        seeds=lambda w: wieting2017.seeds(w.compared),
        tasks=wieting2017.tasks(),
        code=lambda w: digest(
            "score_untrained.py", *wieting2017.kinds(w.compared), study="wieting2017"
        ),
    script:
        "scripts/score_untrained.py"


rule train_conditions:
    """Train an encoder on every condition of a text, and score it.

    Out: for each condition and seed, the scores of all tasks, and the items behind those that are
    reported. No model is kept. The log of finished trainings stays: a run that was stopped goes on from it, and one with other filters, bounds or
    sizes trains only what is new.
    """
    input:
        text=wieting2017.plan.path("texts/{text}"),
        scores=wieting2017.plan.path("scores/pairs/{text}.tsv"),
        words=wieting2017.plan.path("words"),
        shares=wieting2017.plan.path("word-shares.npy"),
        sts=wieting2017.plan.path("corpora/sts"),
        start=lambda w: provided(
            wieting2017.start(w.compared), wieting2017.scores(w.text, w.compared)
        ),
    output:
        scores=wieting2017.plan.path("scores/conditions/{text}.{compared}.json"),
        scored_items=wieting2017.plan.path("scores/conditions/{text}.{compared}.npz"),
    log:
        wieting2017.plan.path("logs/train_conditions/{text}.{compared}.log"),
    benchmark:
        wieting2017.plan.path("benchmarks/train_conditions/{text}.{compared}.tsv")
    wildcard_constraints:
        text=alternatives(wieting2017.experiment.texts),
        compared=alternatives(wieting2017.experiment.encoders),
    priority: SECOND
    conda:
        "../../../envs/tandem.yaml"
    threads: lambda w: wieting2017.threads(w.compared)
    resources:
        mem_mb=4000,
        runtime=1440,
    params:
        experiment=wieting2017.experiment.model_dump(mode="json"),
        run=lambda w: wieting2017.experiment.encoders[w.compared].run(wieting2017.plan.study),
        seeds=lambda w: wieting2017.seeds(w.compared),
        tasks=wieting2017.tasks(),
        checkpoint=lambda w: wieting2017.plan.path(
            f"checkpoints/conditions/{w.text}.{w.compared}.jsonl"
        ),
        code=lambda w: digest(
            "train_conditions.py", *wieting2017.kinds(w.compared), study="wieting2017"
        ),
    script:
        "scripts/train_conditions.py"
