"""Parquet, the tables that data sets are published as; read with pyarrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tandem.corpora.readers import Reader
from tandem.corpora.readers.json_lines import NESTED, pair_of
from tandem.corpora.tables import Columns, keys
from tandem.errors import InputError
from tandem.files.untrusted import refusing, refusing_each
from tandem.text import Pair

_ROWS = 1024
"""Rows that are in memory at a time, beside the packed pages of a row group."""


class ParquetReader(Reader):
    """Two columns of a Parquet file, or of its column `translation`, named as in JSON lines."""

    columns: tuple[str, ...] = ()
    """The names of both columns, where they are neither the languages nor source and target."""

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the pairs; a file without the columns or with other values is refused."""
        yield from pairs_of(path, (source, target), Columns(self.columns))


def pairs_of(path: str, languages: Sequence[str], choice: Columns) -> Iterator[Pair]:
    """Yield the pairs of a file; a null counts as an empty text."""
    import pyarrow.parquet

    with refusing(path, "no readable Parquet", "Export it again"):
        table: Any = pyarrow.parquet.ParquetFile(path)
    with table:
        schema = table.schema_arrow
        nested = NESTED in schema.names and hasattr(schema.field(NESTED).type, "names")
        nested = nested and not choice.are_among(schema.names)
        fields = schema.field(NESTED).type.names if nested else schema.names
        names = keys(fields, languages, choice, path, None)
        wanted = [f"{NESTED}.{name}" for name in names] if nested else list(names)
        steps = table.iter_batches(_ROWS, columns=list(dict.fromkeys(wanted)))
        number = 0
        for batch in refusing_each(steps, path, "no readable Parquet", "Export it again"):
            with refusing(path, "no readable Parquet", "Export it again"):
                rows = batch.to_pylist()
            for row in rows:
                number += 1
                record = (row[NESTED] or dict.fromkeys(names)) if nested else row
                yield pair_of(record, names, choice, path, number)
    if not number:
        raise InputError(path, None, "it has no rows", "Give a file with pairs")
