"""Rules of this study alone: its target, and times of comparing pairs."""

import fedorova2024.inputs

fedorova2024 = fedorova2024.inputs.Inputs(STUDIES["fedorova2024"])


rule pawsx:
    """All tables, figures and claims of fedorova2024."""
    input:
        fedorova2024.plan.targets,


rule time_comparisons:
    """Time how fast models compare pairs, in turns (section IV-C).

    The job requests as many threads as most machines have, so that no other job runs beside it.

    Out: pairs per second of each model and turn, and the seconds of 1,000 x 1,000, as JSON; these are
    timings, so another run gives other figures.
    """
    input:
        pairs=lambda w: fedorova2024.pairs(w.table),
        models=lambda w: fedorova2024.models(w.table),
        own=lambda w: own_folder(*fedorova2024.baselines(w.table).values()),
    output:
        times=fedorova2024.plan.path("benchmarks/{table}.json"),
    log:
        fedorova2024.plan.path("logs/time_comparisons/{table}.log"),
    wildcard_constraints:
        table=alternatives(fedorova2024.timed),
    conda:
        "../../../envs/tandem.yaml"
    threads: 16
    resources:
        gpu=GPU,
        mem_mb=8000,
    params:
        trained=lambda w: fedorova2024.trained(w.table),
        baselines=lambda w: fedorova2024.baselines(w.table),
        pairs=lambda w: fedorova2024.timed[w.table].pairs,
        turns=lambda w: fedorova2024.timed[w.table].turns,
        code=lambda w: digest(
            "time_comparisons.py", *fedorova2024.files(w.table), study="fedorova2024"
        ),
    script:
        "scripts/time_comparisons.py"
