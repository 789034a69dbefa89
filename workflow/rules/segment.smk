"""Segmentation: a vocabulary for each corpus and way to segment, and the text as ids."""


rule learn_segmentation:
    """Learn a vocabulary from the training split of a corpus, both sides together.

    Out: a folder with segmentation.json (scheme, vocabulary) and the SentencePiece models.
    """
    input:
        corpus="results/corpora/{corpus}",
    output:
        segmenter=directory("results/vocab/{corpus}/{segmentation}/segmenter"),
    log:
        "results/logs/learn_segmentation/{corpus}/{segmentation}.log",
    priority: FIRST
    conda:
        "../../envs/corpora.yaml"
    threads: lambda w: config["segmentations"][w.segmentation]["threads"]
    resources:
        mem_mb=8000,
        runtime=240,
    params:
        segmentation=lambda w: config["segmentations"][w.segmentation],
        sides=lambda w: configuration.sides(config, w.corpus),
        code=digest("learn_segmentation.py"),
    script:
        "../scripts/learn_segmentation.py"


rule segment_text:
    """Segment one side of one split.

    Out: the ids of all sentences, one after the other, and where each sentence begins; NumPy
    arrays that training maps into memory.
    """
    input:
        corpus="results/corpora/{corpus}",
        segmenter="results/vocab/{corpus}/{segmentation}/segmenter",
    output:
        ids="results/vocab/{corpus}/{segmentation}/{split}.{side}.ids.npy",
        offsets="results/vocab/{corpus}/{segmentation}/{split}.{side}.offsets.npy",
    log:
        "results/logs/segment_text/{corpus}/{segmentation}/{split}.{side}.log",
    benchmark:
        "results/benchmarks/segment_text/{corpus}/{segmentation}/{split}.{side}.tsv"
    priority: FIRST
    conda:
        "../../envs/corpora.yaml"
    threads: lambda w: config["segmentations"][w.segmentation]["threads"]
    resources:
        mem_mb=4000,
        runtime=240,
    params:
        code=digest("segment_text.py"),
    script:
        "../scripts/segment_text.py"
