"""What this study's rules read."""

HERE = "workflow/studies/wieting2019"
PLAN = STUDIES["wieting2019"]
SPEED = PLAN.study.tables["table4"]
FIGURE1 = PLAN.study.tables["figure1"]
CODES = FIGURE1.codes({name: dataset.languages for name, dataset in DATASETS.items()})


def panel_of(wildcards):
    return FIGURE1.panels[wildcards.panel]


def trained_for(wildcards):
    """Return the files of the kinds that a panel's scores depend on."""
    encoders = panel_of(wildcards).encoders
    kinds = (ENCODERS, encoders.architecture), (OBJECTIVES, encoders.objective)
    kinds += ((TASKS, PLAN.study.tasks[FIGURE1.task]),)
    return [registry.path(kind.kind) for registry, kind in kinds]
