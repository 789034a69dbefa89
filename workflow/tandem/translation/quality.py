"""The quality of translations: BLEU against references."""

from __future__ import annotations

from collections.abc import Sequence

import sacrebleu

from tandem.errors import TandemError


def bleu(hypotheses: Sequence[str], references: Sequence[str]) -> dict[str, float | str | int]:
    """Return corpus BLEU (Post 2018; 0 to 100), sacreBLEU's signature, the number of sentences.

    Raises TandemError when there are none, or not as many references as hypotheses.
    """
    if len(hypotheses) != len(references) or not hypotheses:
        raise TandemError(
            f"BLEU of {len(hypotheses)} hypotheses against {len(references)} references: give "
            "as many of both, and at least one"
        )
    metric = sacrebleu.BLEU()
    score = metric.corpus_score(list(hypotheses), [list(references)]).score
    signature = str(metric.get_signature())
    return {"bleu": score, "signature": signature, "sentences": len(hypotheses)}
