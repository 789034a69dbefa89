"""Segmentation: a vocabulary for each corpus and segmentation, and the text as ids."""


rule learn_segmentation:
    """Learn a vocabulary from the training split of a corpus, both sides together.

    Out: a folder with segmentation.json (settings, vocabulary) and the SentencePiece models.
    """
    input:
        corpus="{root}/corpora/{corpus}",
    output:
        segmenter=directory("{root}/vocab/{corpus}/{segmentation}/segmenter"),
    log:
        "{root}/logs/learn_segmentation/{corpus}/{segmentation}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    threads: lambda w: study_of(w).segmentations[w.segmentation].threads
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        segmentation=lambda w: study_of(w).segmentations[w.segmentation].model_dump(),
        sides=lambda w: plan_of(w).sides(w.corpus),
        code=digest("learn_segmentation.py"),
    script:
        "../scripts/learn_segmentation.py"


rule segment_text:
    """Segment one side of one split.

    Out: the ids of all sentences, one after the other, and the offset at which each sentence begins,
    as NumPy arrays that training maps into memory.
    """
    input:
        corpus="{root}/corpora/{corpus}",
        segmenter="{root}/vocab/{corpus}/{segmentation}/segmenter",
    output:
        ids="{root}/vocab/{corpus}/{segmentation}/{split}.{side}.ids.npy",
        offsets="{root}/vocab/{corpus}/{segmentation}/{split}.{side}.offsets.npy",
    log:
        "{root}/logs/segment_text/{corpus}/{segmentation}/{split}.{side}.log",
    priority: FIRST
    conda:
        "../../envs/tandem.yaml"
    params:
        code=digest("segment_text.py"),
    script:
        "../scripts/segment_text.py"
