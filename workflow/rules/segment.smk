"""Segmentation: for each sample of a corpus a vocabulary learned from it, and the sample as ids."""


rule segment:
    """Draw a sample of the training split, learn a vocabulary from it, both sides together, segment it.

    So what an encoder knows is learned from the pairs that it is trained on. The sample is drawn by
    the seed of the training. A setting whose training starts from a trained encoder takes that one's
    vocabulary.

    Out: segmenter/, with segmentation.json (settings, vocabulary) and the SentencePiece models; the
    ids of all sentences of {train,valid}.<side>, one after the other, and the offset at which each
    sentence begins, as NumPy arrays that training maps into memory.
    """
    input:
        corpus="{root}/corpora/{corpus}",
        start=lambda w: plan_of(w).start_segmented(plan_of(w).samples.get(w.sample), w.seed),
    output:
        folder=directory("{root}/vocab/{corpus}/{sample}-seed{seed}/{segmentation}"),
    log:
        "{root}/logs/segment/{corpus}/{sample}-seed{seed}/{segmentation}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: segmentation_of(w).get("threads", 1)
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        segmentation=segmentation_of,
        pairs=lambda w: plan_of(w).sample_size(w.sample),
        sides=lambda w: plan_of(w).sides(w.corpus),
        code=lambda w: digest(
            "segment.py",
            *plan_of(w).segmentation_files(w.segmentation, plan_of(w).samples.get(w.sample)),
        ),
    script:
        "../scripts/segment.py"


rule segment_collection:
    """Draw training pairs of a collection, learn a vocabulary from them, all languages together.

    A setting whose training starts from a trained encoder takes that one's vocabulary.

    Out: segmenter/; the ids of the pairs of two languages and of those of one, with the key of what
    each pair says and how often an epoch draws it; parts.json, what was drawn.
    """
    input:
        corpus="{root}/corpora/{collection}",
        start=lambda w: plan_of(w).start_segmented(w.setting, w.seed),
    output:
        folder=directory("{root}/vocab/{collection}/{setting}-seed{seed}/{segmentation}"),
    log:
        "{root}/logs/segment/{collection}/{setting}-seed{seed}/{segmentation}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: segmentation_of(w).get("threads", 1)
    resources:
        mem_mb=8000,
        runtime=480,
    params:
        segmentation=segmentation_of,
        drawn=lambda w: study_of(w).settings[w.setting].model_dump(include=DRAWN),
        code=lambda w: digest(
            "segment_collection.py", *plan_of(w).segmentation_files(w.segmentation, w.setting)
        ),
    script:
        "../scripts/segment_collection.py"


rule segment_labelled:
    """Segment labelled pairs: the training split, and the validation split that an epoch is selected by.

    A setting whose training starts from a trained encoder takes that one's vocabulary.

    Out: segmenter/; the ids of all sentences, keys that are equal where they say the same, labels.
    """
    input:
        corpus="{root}/corpora/{labelled}",
        start=lambda w: plan_of(w).start_segmented(w.setting, w.seed),
    output:
        folder=directory("{root}/vocab/{labelled}/{setting}-seed{seed}/{segmentation}"),
    log:
        "{root}/logs/segment/{labelled}/{setting}-seed{seed}/{segmentation}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    resources:
        mem_mb=8000,
    params:
        segmentation=segmentation_of,
        code=lambda w: digest(
            "segment_labelled.py", *plan_of(w).segmentation_files(w.segmentation, w.setting)
        ),
    script:
        "../scripts/segment_labelled.py"
