"""What only this study does: its targets, timing encoders."""

PLAN = STUDIES["wieting2019"]
SPEED = PLAN.study.tables["table4"]


rule measure_speed:
    """Time encoders from raw text to vectors, beside SentencePiece's own encoding.

    It asks for as many threads as most machines have, so that no other job disturbs it.

    Out: sentences per second of each encoder, device and batch size, as JSON; these are times, so
    another run gives other figures.
    """
    input:
        models=PLAN.models(SPEED.experiments(PLAN), PLAN.study.seeds[:1]),
        bitext=PLAN.path("corpora", SPEED.bitext),
    output:
        speeds=PLAN.path("benchmarks/speed.json"),
    log:
        PLAN.path("logs/measure_speed.log"),
    conda:
        "../../../envs/tandem.yaml"
    threads: 16
    resources:
        mem_mb=8000,
    params:
        names=SPEED.experiments(PLAN),
        baselines={name: PLAN.study.pretrained[name].model for name in SPEED.baselines},
        measured=SPEED.measured(),
        code=digest("measure_speed.py"),
    script:
        "../../scripts/measure_speed.py"


rule table1:
    """Table 1 of wieting2019, its figures and its claims."""
    input:
        multiext(PLAN.path("table1"), ".csv", ".md"),
        PLAN.path("tables/table1-claims.csv"),
        PLAN.path("figures/table1.png"),
        PLAN.path("figures/training.png"),
        PLAN.bleu,


rule across:
    """Tables 2 to 4 of wieting2019, and its models in a form that others load."""
    input:
        expand(PLAN.path("table{n}.{ending}"), n=(2, 3, 4), ending=("csv", "md")),
        expand(PLAN.path("figures/table{n}.png"), n=(2, 3, 4)),
        [PLAN.path("export", name) for name in PLAN.exported],
