"""BLEU: the extremes, a number by hand, and what is refused."""

import math

import pytest

from tandem.errors import TandemError
from tandem.translation.quality import bleu


def test_identical_text_scores_100_and_says_how():
    result = bleu(["the house is red today"], ["the house is red today"])
    assert result["bleu"] == pytest.approx(100.0)
    assert result["sentences"] == 1
    assert "tok:13a" in result["signature"] and "version:" in result["signature"]


def test_a_score_by_hand():
    # 5 words against 6, all n-grams match: precision 1, brevity penalty exp(1 - 6/5)
    result = bleu(["a b c d e"], ["a b c d e f"])
    assert result["bleu"] == pytest.approx(100.0 * math.exp(1.0 - 6.0 / 5.0))


@pytest.mark.parametrize(("hypotheses", "references"), [(["a"], ["a", "b"]), ([], [])])
def test_unequal_or_no_sentences_are_refused(hypotheses, references):
    with pytest.raises(TandemError, match="as many of both"):
        bleu(hypotheses, references)
