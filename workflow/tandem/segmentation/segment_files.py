"""Files of text to memory-mapped ids: streaming, in parallel, with a progress bar."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from pathlib import Path

from tqdm import tqdm

from tandem.io import read_lines
from tandem.processes import worker_pool
from tandem.segmentation import ragged
from tandem.segmentation.ragged import Ragged
from tandem.segmentation.segmenter import Segmenter

LINES_PER_CHUNK = 20_000
"""Lines that one process segments at a time; two chunks per process are in memory."""

_worker: tuple[Segmenter, str] | None = None


def segment_file(
    segmenter_folder: str | Path, path: str | Path, side: str, stem: str | Path, workers: int
) -> int:
    """Segment a text file into `<stem>.ids.npy` and `<stem>.offsets.npy`.

    The result does not depend on `workers`. Memory: two chunks of lines per worker.

    Args:
        segmenter_folder: what `tandem.segment.learn` wrote.
        path: one sentence a line.
        side: the language, or a side such as en-bt.
        stem: where the arrays go.
        workers: processes.

    Returns:
        The number of sentences.
    """
    segmenter = Segmenter.load(segmenter_folder)
    # one iterator for all chunks: each iter() of a bar would begin another
    lines = iter(tqdm(read_lines(path), desc=Path(path).name, unit="line", unit_scale=True))
    chunks = iter(lambda: list(islice(lines, LINES_PER_CHUNK)), [])
    first = next(chunks, [])
    if workers == 1 or len(first) < LINES_PER_CHUNK:
        rows = map(segmenter.encoder(side), _prepend(first, chunks))
        return ragged.save_stream(stem, rows, len(segmenter) - 1)
    with worker_pool(workers, _prepare, str(segmenter_folder), side) as pool:
        rows = _in_order(pool, _prepend(first, chunks), 2 * workers)
        return ragged.save_stream(stem, rows, len(segmenter) - 1)


def _prepend(first: list[str], rest: Iterator[list[str]]) -> Iterator[list[str]]:
    if first:
        yield first
    yield from rest


def _in_order(
    pool: ProcessPoolExecutor, chunks: Iterator[list[str]], ahead: int
) -> Iterator[Ragged]:
    """Yield the segmented chunks in order, with at most `ahead` of them under way."""
    waiting: deque[Future[Ragged]] = deque()
    for chunk in chunks:
        waiting.append(pool.submit(_segment, chunk))
        if len(waiting) == ahead:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def _prepare(segmenter_folder: str, side: str) -> None:
    global _worker
    _worker = Segmenter.load(segmenter_folder), side


def _segment(lines: list[str]) -> Ragged:
    segmenter, side = _worker
    return segmenter.encoder(side)(lines)
