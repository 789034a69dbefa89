"""Join the lists of a group's sentences, and leave out neighbours that filters refuse."""

from _adapter import logged
from tandem.mining import documents
from tandem.mining.filtered import refuse, refusing
from tandem.mining.lists import Group, read_lists, save, without
from tandem.mining.sentences import Sentences
from tandem.search.margins import mean_cosines

with logged(snakemake.log[0]) as log:
    params, half = snakemake.params, snakemake.wildcards.half
    rows = Group([], snakemake.input.numbers).rows
    if params.documents:
        lists = documents.read_lists(snakemake.input.lists, half, rows, params.width)
    else:
        lists = read_lists(snakemake.input.lists, half, params.width)
    if params.filters:
        sides = [Sentences(folder) for folder in snakemake.input.sides]
        refuses = refusing(params.filters, params.languages, sides, half == "second", "cpu")
        refused = refuse(rows, lists, refuses)
        log.info("%d neighbours are refused", refused.sum())
        lists = without(lists, refused, params.k)
    save(snakemake.output.lists, rows=rows, **lists._asdict())
    save(snakemake.output.means, rows=rows, means=mean_cosines(lists))
