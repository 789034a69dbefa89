"""What each wildcard of a path may be."""


# Each is one segment of a path, or a part of a file's name between dots; `root` and `figure` may be
# two segments.
wildcard_constraints:
    root=alternatives(PLANS),
    dataset=alternatives(DATASETS),
    file=alternatives(name for dataset in DATASETS.values() for name in dataset.files()),
    bitext=alternatives(everywhere("bitexts")),
    backtranslation=alternatives(everywhere("backtranslations")),
    corpus=alternatives(
        name
        for plan in PLANS.values()
        for name in plan.corpora
        if name not in {*plan.study.collections, *plan.study.labelled}
    ),
    side=alternatives(s for plan in PLANS.values() for c in plan.corpora for s in plan.sides(c)),
    split="train|valid|test",
    shard=r"\d+",
    mining=alternatives(everywhere("mining")),
    segmentation=alternatives(everywhere("segmentations")),
    translator=alternatives(everywhere("translators")),
    experiment=r"[\w-]+\.[\w-]+",
    sample=r"\d+|" + alternatives(name for plan in PLANS.values() for name in plan.samples),
    collection=alternatives(everywhere("collections")),
    labelled=alternatives(everywhere("labelled")),
    setting=alternatives(everywhere("settings")),
    pretrained=alternatives(everywhere("pretrained")),
    seed=r"\d+",
    task=alternatives(everywhere("tasks")),
    table=alternatives(everywhere("tables")),
    figure=alternatives(figure for plan in PLANS.values() for figure in plan.figures),
    mined=alternatives(CONFIGURATION.mined),
    half="first|second",
    group=r"\d+",
    row=r"\d+",
    column=r"\d+",
    part=r"\d+",
