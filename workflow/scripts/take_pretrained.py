"""Take a pretrained encoder over as a model."""

from _adapter import logged
from tandem.encoders.pretrained import load_pretrained

with logged(snakemake.log[0]) as log:
    model = load_pretrained(**snakemake.params.pretrained)
    model.save(snakemake.output.model)
    log.info("%d types, vectors of %d", len(model.segmenter), model.dimension)
