"""The target of this study alone."""

fedorova2024 = STUDIES["fedorova2024"]


rule pawsx:
    """All tables, figures and claims of fedorova2024."""
    input:
        fedorova2024.targets,
