"""Times of encoding and of training."""


rule measure_speed:
    """Time encoders from raw text to vectors, beside SentencePiece's own encoding, and in training.

    The job requests as many threads as most machines have, so that no other job runs beside it.

    Out: sentences per second of each encoder, device and batch size, and pairs per second of training,
    as JSON; these are timings, so another run gives other figures.
    """
    input:
        models=lambda w: plan_of(w).models(timed(w), study_of(w).seeds[:1]),
        segmented=lambda w: [plan_of(w).segmented(e, study_of(w).seeds[0]) for e in timed(w)],
        corpus=lambda w: plan_of(w).path("corpora", timed_in(w).corpus),
        text=lambda w: [f for name in speed_of(w).sources() for f in downloads(name)]
        or plan_of(w).path("corpora/sts"),
        own=lambda w: own_folder(*timed_baselines(w).values()),
    output:
        speeds="{root}/benchmarks/{table}.json",
    log:
        "{root}/logs/measure_speed/{table}.log",
    wildcard_constraints:
        table=alternatives(SPEEDS),
    conda:
        "../../envs/tandem.yaml"
    threads: 16
    resources:
        gpu=GPU,
        mem_mb=8000,
    params:
        runs=lambda w: {name: plan_of(w).run(name) for name in timed(w)},
        sides=lambda w: plan_of(w).sides(timed_in(w).corpus),
        pools=lambda w: timed_in(w).pools,
        baselines=timed_baselines,
        dataset=lambda w: next((DATASETS[n].record() for n in speed_of(w).sources()), None),
        read=lambda w: speed_of(w).languages,
        measured=lambda w: speed_of(w).measured(),
        code=lambda w: digest("measure_speed.py", *timed_kinds(w), *read_by(speed_of(w).sources())),
    script:
        "../scripts/measure_speed.py"
