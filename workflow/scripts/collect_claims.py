"""Join the claims of all tables."""

from _adapter import logged
from tandem.reporting.replications import merge
from tandem.reporting.writer import write_frame

with logged(snakemake.log[0]) as log:
    claims = merge(snakemake.input.claims)
    write_frame(snakemake.output.claims, claims)
    log.info("%s", claims["verdict"].value_counts().to_dict())
