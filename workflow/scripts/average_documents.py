"""Average the vectors of the sentences of each document."""

from _adapter import logged
from tandem.mining.documents import write_documents
from tandem.mining.lists import Group
from tandem.mining.sentences import Sentences

with logged(snakemake.log[0]) as log:
    inputs, output = snakemake.input, snakemake.output
    group, memory = Group(inputs.vectors, inputs.numbers), 5 * 10**5 * snakemake.resources.mem_mb
    side = Sentences(inputs.side)
    log.info("%d documents", write_documents(side, group, output.members, output.means, memory))
