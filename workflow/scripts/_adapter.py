"""What every script shares: a log file for the record, stderr for the person."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import shutil
import socket
import sys
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

# The library beside this file, whose digest a job has, before any that is installed
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tandem.errors import explained, writing  # noqa: E402
from tandem.machine import limit_threads, place  # noqa: E402

# Before any library is loaded; a test may import this file outside a job
if job := getattr(sys.modules["__main__"], "snakemake", None):
    limit_threads(job.threads)

# Held until this process ends: a job outlives a killed run, and a new run must not start beside it
# (rules/locks.smk). NFS shares a lock of what is open to read alone.
with contextlib.suppress(OSError):
    ALIVE = open(".snakemake/alive", "a+")
    fcntl.flock(ALIVE, fcntl.LOCK_SH)
BASE = Path(__file__).resolve().parents[2]
"""The folder of the Snakefile."""
DOWNLOADS = "results/corpora/downloads"
CARDS: list[IO[str]] = []
"""Held likewise: the GPU that this job computes on."""

if TYPE_CHECKING:
    from tandem.reporting.table import Material, Table
    from tandem.studies.configuration import Configuration


@contextlib.contextmanager
def logged(path: str) -> Iterator[logging.Logger]:
    """Write log records to `path`; end on an error with its message, not a page of calls.

    Progress bars stay on stderr. The traceback of any error is in the log.
    """
    logging.basicConfig(
        filename=path, filemode="w", level=logging.INFO, format="%(asctime)s %(name)s %(message)s"
    )
    logging.captureWarnings(True)
    log = logging.getLogger("tandem")
    try:
        with writing("the job's output", "."):
            _verify_downloads()
            yield log
    except BaseException as error:
        log.error(traceback.format_exc())
        settings = "the job's own settings (threads, batch, dimension, size, memory)"
        message = explained(error, settings) if isinstance(error, Exception) else None
        if message is None:
            raise
        sys.exit(f"error: {message}")


def _verify_downloads() -> None:
    """Refuse a corpus that this job reads and that is not the registered one.

    One that was put there by hand no other job has verified.
    """
    inputs = [str(path) for path in job.input] if job else []
    if not (job and any(path.startswith(f"{DOWNLOADS}/") for path in inputs)):
        return
    from tandem.corpora.downloads import verify
    from tandem.studies.configuration import load_registers

    verify(inputs, load_registers(_configuration(job.config), BASE))


def add_kinds(config: Mapping[str, Any]) -> None:
    """Add the kinds that stand in studies' folders."""
    from tandem.studies.configuration import find, study_homes

    study_homes(find(folder, BASE) for folder in _configuration(config).study_folders)


def _configuration(config: Mapping[str, Any]) -> Configuration:
    """Return the configuration without what the rules add to it."""
    from tandem.studies.configuration import load_configuration

    return load_configuration({key: value for key, value in config.items() if key != "captions"})


def job_device(config: Mapping[str, Any], auto: bool = False) -> str:
    """Return where a job computes, which the configuration says; it is no parameter of the job.

    With `auto` that word is left as it is: what translates need not see the devices of PyTorch.

    Raises:
        TandemError: nothing can be computed there.
    """
    device = _configuration(config).device
    if auto and device == "auto":
        return device
    return place(_free_card() if device == "cuda" else device)


def _free_card() -> str:
    """Return a GPU that no other job of this folder computes on, which is the current one now.

    If all have a job, it is the first.
    """
    import torch

    for number in range(torch.cuda.device_count()):
        with contextlib.suppress(OSError):
            # the folder may be shared with other machines, whose cards have the same numbers
            card = open(f".snakemake/gpu{number}.{socket.gethostname()}", "a")
            fcntl.flock(card, fcntl.LOCK_EX | fcntl.LOCK_NB)
            CARDS.append(card)
            torch.cuda.set_device(number)
            return f"cuda:{number}"
    return "cuda"


def checkpoint(root: str, output: str, code: str) -> Path:
    """Return where a run that makes `output` keeps its checkpoint, to go on from after a stop.

    `root` is the folder of the study's results. What other code left is removed: a run that began
    with one version of the code must not end with another.
    """
    stem = Path(root) / "checkpoints" / Path(output).relative_to(root)
    place = stem.with_name(f"{stem.name}.{code}")
    for old in stem.parent.glob(f"{stem.name}.*"):
        if old != place:
            shutil.rmtree(old)
    return place


def score_files(folders: Iterable[str], first: bool = False) -> list[Path]:
    """Return the score files in folders, of all seeds or of the first one of each."""
    by_seed = {folder: Path(folder).glob("seed*.json") for folder in folders}
    groups = [sorted(f, key=lambda file: int(file.stem[4:])) for f in by_seed.values()]
    return [file for files in groups for file in (files[:1] if first else files)]


def load_table(snakemake: Any) -> tuple[Table, Material]:  # noqa: ANN401, F811
    """Return the table that a job makes or draws, and what it is made from."""
    from tandem.reporting.scores import Scores
    from tandem.reporting.table import Material
    from tandem.studies.plan import Plan
    from tandem.studies.study import Study

    study = Study.model_validate(snakemake.params.study)
    name, table = next(iter(study.tables.items()))  # those that it refers to come after it
    inputs = {key: [paths] if isinstance(paths, str) else list(paths)
              for key, paths in snakemake.input.items()}  # fmt: skip
    home = Path(inputs["paper"][0]).parent if inputs.get("paper") else Path()
    files = {key: list(map(Path, paths)) for key, paths in inputs.items()}
    scored = [path for key, paths in inputs.items() if key.startswith("scores") for path in paths]
    scores = Scores(score_files(scored), study.tasks, **study.bootstrap.model_dump())
    plan = Plan(Path(snakemake.wildcards.root).name, home, study)
    return table, Material(name, plan, files, scores, snakemake.params.scale)
