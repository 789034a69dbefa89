"""Rules of this study alone: its target, and the text that is searched."""


include: "inputs.smk"


rule un:
    """All tables, figures and claims of yang2019."""
    input:
        UN.targets,


rule gather_searched:
    """Gather the sentences, with their documents, that are searched for translations.

    Out: document, English sentence, its translation, with tabs between.
    """
    input:
        files=searched_in,
        within=searched_within,
    output:
        text=UN.path("searched/{language}.tsv"),
    log:
        UN.path("logs/gather_searched/{language}.log"),
    wildcard_constraints:
        language=alternatives(SEARCHED),
    conda:
        "../../../envs/tandem.yaml"
    params:
        dataset=lambda w: DATASETS[SEARCHED[w.language].dataset].record("en", w.language),
        code=lambda w: digest(
            "gather_searched.py", *read_by([SEARCHED[w.language].dataset]), home=UN_HOME
        ),
    script:
        "scripts/gather_searched.py"
