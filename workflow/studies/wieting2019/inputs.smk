"""What this study's rules read."""

HERE = "workflow/studies/wieting2019"
PLAN = STUDIES["wieting2019"]
FIGURE1 = PLAN.study.tables["figure1"]
CODES = FIGURE1.codes({name: dataset.languages for name, dataset in DATASETS.items()})


def panel_of(wildcards):
    return FIGURE1.panels[wildcards.panel]


def trained_for(wildcards):
    """Return what a panel trains and how, except the seeds."""
    return panel_of(wildcards).encoders.run(PLAN.study)


def kinds_for(wildcards):
    """Return the files of the kinds that a panel's scores depend on."""
    kinds = panel_of(wildcards).encoders.kinds(PLAN.study)
    return [*kinds, TASKS.path(PLAN.study.tasks[FIGURE1.task].kind)]
