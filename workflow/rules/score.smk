"""Scores of each experiment, seed and task."""


rule score:
    """Score every seed of an experiment on a task, in one job: loading takes longer than scoring.

    Out: seed<k>.json, the scores; seed<k>.npz, the items behind them, such as each cosine.
    """
    input:
        unpack(lambda w: study_of(w).tasks[w.task].inputs(plan_of(w), w.experiment)),
        models=lambda w: plan_of(w).models([w.experiment]),
        own=lambda w: own_folder(plan_of(w).pretrained(w.experiment)),
    output:
        folder=directory("{root}/scores/{experiment}/{task}"),
    log:
        "{root}/logs/score/{experiment}/{task}.log",
    conda:
        "../../envs/tandem.yaml"
    resources:
        gpu=GPU,
        mem_mb=lambda w: 4000 + getattr(study_of(w).tasks[w.task], "memory_mb", 0),
    params:
        study=lambda w: plan_of(w).name,
        task=lambda w: TASKS.dump(study_of(w).tasks[w.task]),
        pretrained=lambda w: plan_of(w).pretrained(w.experiment),
        seeds=lambda w: plan_of(w).seeds(w.experiment),
        code=lambda w: digest("score.py", *scored_by(w)),
    script:
        "../scripts/score.py"
