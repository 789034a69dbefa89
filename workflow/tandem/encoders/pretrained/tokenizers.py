"""Segmenters from tokenisers of the library `tokenizers`."""

from __future__ import annotations

import tempfile
import weakref
from pathlib import Path
from typing import TYPE_CHECKING

from tandem.segmentation.kinds.tokenizer import Tokenizer as Segmentation
from tandem.segmentation.segmentation import ANY
from tandem.segmentation.segmenter import Segmenter

if TYPE_CHECKING:
    from tokenizers import Tokenizer

NAME = "tokenizer.json"


def segmenter_of(tokenizer: Tokenizer, longest: int) -> Segmenter:
    """Return a segmenter for any language; it keeps the tokeniser in a file as long as it lives."""
    folder = tempfile.TemporaryDirectory(prefix="tandem-")
    path = Path(folder.name) / NAME
    tokenizer.save(str(path), pretty=False)
    by_id = sorted(tokenizer.get_vocab().items(), key=lambda entry: entry[1])
    segmentation = Segmentation(size=len(by_id), longest=longest)
    segmenter = Segmenter(segmentation, [token for token, _ in by_id], {ANY: path})
    weakref.finalize(segmenter, folder.cleanup)
    return segmenter
