"""Files of text to memory-mapped ids: streaming, with a progress bar."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from tqdm import tqdm

from tandem.io import read_lines
from tandem.segmentation import ragged
from tandem.segmentation.segmenter import Segmenter

LINES_PER_CHUNK = 20_000
"""Lines segmented at a time, which are in memory."""


def segment_file(
    segmenter_folder: str | Path, path: str | Path, side: str, stem: str | Path
) -> int:
    """Segment a text file into `<stem>.ids.npy` and `<stem>.offsets.npy`.

    One process: reading lines takes most of the time, and handing them to others takes longer than
    segmenting them. Memory: a chunk of lines, and 8 bytes for each line of the file. `side` is a
    language, or a side such as en-bt. Returns the number of sentences.
    """
    segmenter = Segmenter.load(segmenter_folder)
    # one iterator for all chunks: each iter() of a bar would begin another
    lines = iter(tqdm(read_lines(path), desc=Path(path).name, unit="line", unit_scale=True))
    chunks = iter(lambda: list(islice(lines, LINES_PER_CHUNK)), [])
    rows = map(segmenter.encoder(side), chunks)
    return ragged.save_stream(stem, rows, len(segmenter) - 1)
