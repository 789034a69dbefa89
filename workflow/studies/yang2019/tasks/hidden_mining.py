"""Mining as in BUCC, by cosine and by the margins of equations 9 and 10."""

from __future__ import annotations

from tandem.search.margins import Retrieval, Score
from tandem.tasks.kinds.mining import BitextMining
from tandem.tasks.task import Places
from yang2019.methods import comparable, texts


class HiddenMining(BitextMining):
    """The library's mining (see `BitextMining`) of the study's task in each language."""

    scores: list[Score] = [Score.COSINE, Score.YANG_9, Score.YANG_10]
    """How pairs are scored."""
    retrievals: list[Retrieval] = [Retrieval.FORWARD, Retrieval.BACKWARD]
    """Which pairs are proposed. Forward: for each sentence of the other language, the best English
    one."""

    def inputs(self, plan: Places, experiment: str) -> dict[str, str]:
        """Name the task in the experiment's language."""
        return {"mining": comparable.path_of(plan, texts.language_beside_english(plan, experiment))}
