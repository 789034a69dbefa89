"""Translators: their settings, how they are made, and what they return."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

from pydantic import PositiveInt

from tandem.files import saved
from tandem.files.io import write_json
from tandem.registry import Kind, Registry

SETTINGS_FILE = "translator.json"


class Translation(NamedTuple):
    """One translated sentence.

    text: one line. log_probability: natural logarithm, the sum over the tokens produced; pieces
    without text (the unknown one, padding) are never produced and have no share of it. tokens: how
    many were produced, with the end of the sentence unless the length bound cut it off.
    """

    text: str
    log_probability: float
    tokens: int


EMPTY = Translation("", 0.0, 0)
"""What an empty sentence becomes."""


class LoadedTranslator(Protocol):
    """Anything that translates sentences."""

    def translate(self, sentences: Iterable[str]) -> Iterator[Translation]:
        """Yield one translation per sentence, in input order, in bounded memory.

        A sentence without text gives `EMPTY`.
        """


class Translator(Kind):
    """Translates one language of a bitext into the other."""

    trained: ClassVar[bool] = True
    """Whether `train` computes; else it fetches what others have trained."""

    bitext: str
    """The bitext that it is trained on, and whose test split it is scored on."""
    source: str
    """The language that it translates from, one of the bitext's."""
    target: str
    """The language that it translates into, the other one."""
    threads: PositiveInt = 1
    """CPU threads; they change the last digits of what is trained."""

    def train(self, corpus: str | Path, folder: str | Path, device: str = "auto") -> None:
        """Make the translator's folder, which holds translator.json beside what the kind needs.

        A run that was stopped resumes from what it left in `folder`, on the same kind of device,
        and ends with the same bytes.

        Args:
            corpus: the folder of the bitext: {train,valid,test}.<language>.
            folder: where the translator goes.
            device: where it is trained: cpu, cuda, or auto, CUDA if there is one.
        """
        raise NotImplementedError

    def load(self, folder: Path, threads: int, device: str) -> LoadedTranslator:
        """Load what `train` made, for a number of CPU threads, onto a device (also auto).

        No code of the folder is run.
        """
        raise NotImplementedError

    def save_settings(self, folder: str | Path) -> None:
        """Write translator.json, which tells `load_translator` the kind."""
        write_json(Path(folder) / SETTINGS_FILE, TRANSLATORS.dump(self))


TRANSLATORS = Registry("tandem.translation.kinds", Translator)


def load_translator(folder: str | Path, threads: int = 1, device: str = "auto") -> LoadedTranslator:
    """Load a translator of any kind from its folder.

    Args:
        folder: what `Translator.train` made.
        threads: of the CPU.
        device: where it translates: cpu, cuda, or auto, CUDA if there is one.

    Raises:
        InputError: the folder is missing or damaged.
        TandemError: nothing can be computed on the device.
    """
    folder = Path(folder)
    saved.check(folder, SETTINGS_FILE)
    return saved.read(folder / SETTINGS_FILE, TRANSLATORS.parse).load(folder, threads, device)
