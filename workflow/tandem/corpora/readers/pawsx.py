"""PAWS-X (Yang, Zhang, Tar and Baldridge, 2019): sentences that share their words, labelled."""

from __future__ import annotations

from collections.abc import Iterator

from tandem.corpora.archives import Archive, open_archive
from tandem.corpora.readers import LabelledPair, LabelledReader
from tandem.errors import InputError
from tandem.text import Pair
from tandem.text.spelling import collapse

FILES = {
    "train": ("translated_train.tsv", "train.tsv"),
    "valid": ("dev_2k.tsv",),
    "test": ("test_2k.tsv",),
}
"""Files of a language's folder; English has the second one of the training split."""
UNTRANSLATED = "NS"
"""Stands for a sentence that nobody translated."""
_HEADER = ["id", "sentence1", "sentence2", "label"]
_REMEDY = "Fetch it from its publisher again"


class PawsxReader(LabelledReader):
    """`<language>/{train or translated_train,dev_2k,test_2k}.tsv`: id, two sentences, label.

    There is no quoting. Blank lines are skipped.
    """

    def labelled(self, path: str, language: str, split: str) -> Iterator[LabelledPair | None]:
        """Yield the rows, None for one with a sentence that is not translated.

        Raises:
            InputError: a row has not four columns, or another label.
        """
        with open_archive(path) as archive:
            member = _member(archive, language, split)
            if member is None:
                return
            place = archive.place(member)
            for number, line in enumerate(archive.lines(member), start=1):
                cells = line.split("\t")
                if not line.strip() or (number == 1 and cells == _HEADER):
                    continue
                if len(cells) != len(_HEADER):
                    problem = f"{len(cells)} columns, not {len(_HEADER)}"
                    raise InputError(place, number, problem, _REMEDY)
                identifier, first, second = map(collapse, cells[:3])
                if UNTRANSLATED in (first, second) or not (first and second):
                    yield None
                    continue
                if cells[3].strip() not in ("0", "1"):
                    problem = f"the label {cells[3]!r} is neither 0 nor 1"
                    raise InputError(place, number, problem, _REMEDY)
                yield LabelledPair(identifier, first, second, int(cells[3]))

    def pairs(self, path: str, source: str, target: str) -> Iterator[Pair]:
        """Yield the first sentences of the training rows that both languages have."""
        rows = self.labelled(path, source, "train")
        left = {row.identifier: row.first for row in rows if row}
        for row in self.labelled(path, target, "train"):
            if row and row.identifier in left:
                yield left[row.identifier], row.first


def _member(archive: Archive, language: str, split: str) -> str | None:
    """Return the file of a split; None: the archive has no training text in a language."""
    for name in FILES[split]:
        members = [m for m in archive.names if m.endswith(f"/{language}/{name}")]
        if len(members) == 1:
            return members[0]
    if split == "train":
        return None
    problem = f"no {language}/{FILES[split][0]}, or several"
    raise InputError(archive.path, None, problem, f"It has: {', '.join(archive.names[:20])}")
