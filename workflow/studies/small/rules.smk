"""Rules of this study alone: its target."""


rule small:
    """The model that Tandem brings along, and the table that chooses its size."""
    input:
        STUDIES["small"].targets,
