"""Rules of this study alone: its target."""


rule many:
    """One encoder for many languages: its tables and figures."""
    input:
        STUDIES["many"].targets,
