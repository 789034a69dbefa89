"""What many encoders scored item by item, in one file: what they share stands in it once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from tandem.tasks.task import Items


def together(every: Iterable[Items]) -> Items:
    """Join the items of several results.

    An array that is the first of its name, or equal to it, stands once; another is called
    <place>.<name>, after the place of its result.
    """
    joined: Items = {}
    for place, items in enumerate(every):
        for name, array in items.items():
            if not np.array_equal(joined.setdefault(name, array), array):
                joined[f"{place}.{name}"] = array
    return joined


def items_at(joined: Mapping[str, np.ndarray], place: int, task: str) -> Items:
    """Return the items of a task, called <task>.<array>, of the result at a place."""
    names = [name for name in joined if name.startswith(f"{task}.")]
    return {n.removeprefix(f"{task}."): joined.get(f"{place}.{n}", joined[n]) for n in names}
