"""What is mined: an entry of `mined` in the configuration."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    Field,
    NonNegativeInt,
    PositiveInt,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tandem.encoders.encoder import ENCODERS, encoder_files
from tandem.encoders.named import find_model
from tandem.files.atomic import SEAL
from tandem.files.io import read_json, sha256
from tandem.filtering.filter import Rules
from tandem.filtering.kinds.numbers import GivenNumbers
from tandem.mining.vectors import Stored
from tandem.registry import ConfigurationError, Settings, faults
from tandem.search.margins import Retrieval, Score
from tandem.search.neighbours import IndexKind
from tandem.segmentation.segmentation import SEGMENTATIONS
from tandem.studies.configuration import Configuration


class Columns(Settings):
    """Where a line between tabs has what, from 1."""

    text: PositiveInt
    """The column of the sentence."""
    id: PositiveInt | None = None
    """The column of the sentence's name, which is written beside its file and line."""
    document: PositiveInt | None = None
    """The column of the name of the document that the sentence stands in."""

    @property
    def labels(self) -> list[str]:
        """What stands beside the sentence: id, document, both or nothing."""
        return [name for name in ("id", "document") if getattr(self, name) is not None]


class TextSide(Settings):
    """The text of one language."""

    language: str
    """Its code, one that the model knows."""
    files: list[str] = Field(min_length=1)
    """Text files, packed or not, or patterns of them (`crawl/*.en.gz`), read in this order, those
    of a pattern by name."""
    columns: Columns | None = None
    """Where lines are columns between tabs; null: a line is a sentence."""


class MiningRun(Settings):
    """Two sides, the model that compares them, and what pairs are wanted."""

    model: str
    """A model folder, or the name of a built or a pretrained model."""
    first: TextSide
    """One side."""
    second: TextSide
    """The other side."""
    score: Score = Score.RATIO
    """How pairs are scored: the cosine, or a margin over the k nearest."""
    retrieval: Retrieval = Retrieval.MAX
    """Which pairs are proposed; max: those with the best scores, a sentence in one pair at most."""
    at_least: float | Literal["auto"] | None = None
    """The lowest score of a pair that is written; auto: the threshold that was calibrated when the
    model was trained; null: any."""
    k: int = Field(4, ge=1, le=1 << 20)
    """Neighbours that a margin looks at."""
    index: IndexKind = IndexKind.EXACT
    """How neighbours are looked for: exactly, or by ivf or hnsw, which may miss some. These make an
    index of a group of shards."""
    filters: Rules = {}
    """Filters that a sentence and its neighbour must pass, as in the rules of `tandem filter`."""
    spare: NonNegativeInt = 4
    """Neighbours looked for beyond k where there are filters, to replace those that they refuse."""
    documents: PositiveInt | None = None
    """A sentence is searched in this many nearest documents of each of its own, and in those that
    are near to them; null: everywhere. Both sides need a column of documents."""
    vectors: Stored = Stored.FLOAT32
    """How vectors are stored; only float32 gives the pairs of `tandem mine`."""
    shard: PositiveInt = 500_000
    """Different sentences of a shard, which one job encodes; rounded up to batches of 1,024."""
    group: PositiveInt = 1
    """Shards of a side that one job searches among as many of the other."""
    memory_mb: int = Field(4000, ge=500)
    """MB of memory that a job asks for."""
    minutes: PositiveInt = 240
    """Minutes that a job asks for, where a cluster wants to know."""
    threads: PositiveInt = 1
    """Threads of a job that encodes or searches."""

    @field_validator("filters")
    @classmethod
    def _without_numbers(cls, filters: Rules) -> Rules:
        if wrong := [n for n, kind in filters.items() if isinstance(kind, GivenNumbers)]:
            problem = "{name}: numbers of a file are for pairs that are known beforehand"
            raise PydanticCustomError("filters", problem, {"name": wrong[0]})
        return filters

    @model_validator(mode="after")
    def _in_accord(self) -> MiningRun:
        if self.at_least == "auto" and self.k != 4 and self.score is not Score.COSINE:
            raise PydanticCustomError("auto", "auto is calibrated for k: 4; give a number")
        columns = self.first.columns, self.second.columns
        if self.documents and not all(part and part.document for part in columns):
            raise PydanticCustomError("documents", "name the column of documents of both sides")
        return self

    @property
    def width(self) -> int:
        """Neighbours that are looked for."""
        return self.k + self.spare if self.filters else self.k

    def content(self) -> str:
        """Return what changes with the model, see `content_of`."""
        return content_of(find_model(self.model))

    def filter_contents(self) -> list[str]:
        """Return what changes with the files and models that its filters read."""
        files = (file for kind in self.filters.values() for file in kind.inputs(find_model))
        return [content_of(Path(file)) for file in files]

    def kind_files(self) -> list[Path]:
        """Return the files of the kinds that the model is of, which its vectors depend on."""
        folder = find_model(self.model)
        described, segmented = folder / "encoder.json", folder / "segmenter/segmentation.json"
        if not (described.is_file() and segmented.is_file()):
            return []
        kind = read_json(segmented)["scheme"]["kind"]
        encoder = ENCODERS.parse(read_json(described)["encoder"])
        return [*encoder_files(encoder), SEGMENTATIONS.path(kind)]


def content_of(path: Path) -> str:
    """Return a checksum of a file, or of what is in the folder of a model.

    A folder of ours has a file of checksums; of another its description, tokeniser and weights are
    read. Of what is not here it is empty: the name says all.
    """
    if (path / SEAL).is_file():
        return sha256(path / SEAL)
    files = [path] if path.is_file() else sorted(path.glob("**/*"))
    kept = [f for f in files if f.is_file() and (f == path or f.suffix in _OF_MODELS)]
    read = [_checksum(file, file.stat().st_size, file.stat().st_mtime_ns) for file in kept]
    return hashlib.sha256("".join(read).encode()).hexdigest() if read else ""


_OF_MODELS = {".json", ".model", ".safetensors", ".txt"}
"""Endings of the files that a folder of transformers needs."""


@functools.cache
def _checksum(path: Path, size: int, modified_ns: int) -> str:  # noqa: ARG001  (of a file as it is)
    return sha256(path)


class WithMining(Configuration):
    """The content of config.yaml, with the values of the scale that overrides it."""

    mined: dict[str, MiningRun] = {}
    """What `snakemake mined` finds translations in, by name; pairs are in results/mined/<name>/."""

    @field_validator("mined")
    @classmethod
    def _named_as_folders(cls, runs: dict[str, MiningRun]) -> dict[str, MiningRun]:
        for name in runs:
            if not name.replace("-", "").replace("_", "").isalnum():
                problem = "{name}: a name has letters, digits, - and _ only"
                raise PydanticCustomError("name", problem, {"name": repr(name)})
        return runs


def load(values: Mapping[str, Any]) -> WithMining:
    """Check the configuration; ConfigurationError names every key at fault."""
    try:
        return WithMining.model_validate(values)
    except ValidationError as error:
        lines = ["the configuration is refused:", *faults(error)]
        raise ConfigurationError("\n  ".join(lines) + "\nSee docs/configuration.md") from error
