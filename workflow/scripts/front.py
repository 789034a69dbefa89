"""Write the first page of the report."""

from pathlib import Path

from _adapter import logged
from tandem.files.atomic import atomic_path
from tandem.reporting.front import front_page

with logged(snakemake.log[0]) as log:
    pictures = [(Path(picture).stem, picture) for picture in snakemake.input.pictures]
    tables = snakemake.input.tables
    page = front_page(snakemake.params.title, snakemake.input.claims, pictures, tables)
    with atomic_path(snakemake.output.page) as temporary:
        Path(temporary).write_text(page, encoding="utf-8", newline="\n")
    log.info("%d characters", len(page))
