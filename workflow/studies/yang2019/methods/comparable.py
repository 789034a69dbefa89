"""Mining tasks of the study: published, or hidden in the text that is searched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, NonNegativeInt, PositiveInt

from tandem.registry import Settings
from yang2019.methods import texts

if TYPE_CHECKING:
    from tandem.tasks.task import Places


class Comparable(Settings):
    """A task like BUCC's: sentences of two languages, some of which translate each other."""

    published: tuple[str, str] | None = None
    """Corpora with the training part and the test part; null: translations are hidden in the text
    that is searched in this language, on which no encoder was trained."""
    share: Annotated[float, Field(gt=0, lt=1)] = 0.05
    """Of hidden pairs: the share of a side that has a translation; BUCC's is 2 to 4%."""
    section: PositiveInt = 25
    """Of hidden pairs: consecutive sentences that go to the same side, except those hidden."""
    seed: NonNegativeInt = 1
    """Of hidden pairs: seed of the choice of pairs and sides."""


def path_of(plan: Places, language: str) -> str:
    """Return the folder of the task in which translations into English are searched for."""
    return plan.path("comparable", language)


def hide(path: Path, language: str, task: Comparable, folder: str | Path) -> dict[str, int]:
    """Hide translations among the sentences of a file of `methods.texts`; write the task."""
    from tandem.corpora.hidden_pairs import build_mining_task
    from tandem.corpora.mining_task import PARTS, write_task

    text = texts.read(path)
    aligned: Sequence[tuple[int, str, str]] = [
        (number // task.section, text.english[left], text.other[right])
        for number, (left, right) in enumerate(text.pairs.tolist())
    ]
    *parts, _ = build_mining_task(aligned, language, task.seed, task.share)
    return write_task(folder, language, dict(zip(PARTS, parts, strict=True)))
