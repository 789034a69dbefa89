"""Fetch a corpus that the workflow can do without; leave a note where it cannot be reached."""

from pathlib import Path

from _adapter import logged
from tandem.corpora.fetch import fetch
from tandem.corpora.http import Retry
from tandem.corpora.register import Dataset
from tandem.errors import InputError, TandemError

NOTE = """{error}

Tandem goes on without it. To add it, set `mirror` in the configuration to a folder that holds
the file as <host>/<path>, or delete this folder once the site can be reached, and run again.
"""

with logged(snakemake.log[0]) as log:
    dataset = Dataset(**snakemake.params.dataset)
    folder = Path(snakemake.output.folder)
    try:
        fetch(dataset, folder, snakemake.params.mirror, retry=Retry(attempts=2, timeout=15))
    except InputError:
        raise  # it was reached, and it is wrong
    except TandemError as error:
        log.warning("%s is left out: %s", dataset.name, error)
        (folder / "unreachable.txt").write_text(NOTE.format(error=error), encoding="utf-8")
