"""What this study's rules read."""

UN_HOME = "workflow/studies/yang2019"
UN = STUDIES["yang2019"]
SEARCHED = UN.study.tables["table1"].texts


def searched_in(wildcards):
    """Return the files of the corpus that is searched in a language."""
    return downloads(SEARCHED[wildcards.language].dataset)


def searched_within(wildcards):
    """Return the collection of which only held-out pairs are searched, if there is one."""
    within = SEARCHED[wildcards.language].within
    return [UN.path("corpora", within)] if within else []
