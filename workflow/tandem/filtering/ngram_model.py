"""N-gram language models: modified Kneser-Ney, and the ARPA files that other tools write too."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tandem.errors import InputError, TandemError
from tandem.files.atomic import atomic_path
from tandem.files.io import read_lines

Gram = tuple[str, ...]
BEGIN, END, UNKNOWN = "<s>", "</s>", "<unk>"
_NEVER = -99.0
"""The logarithm of 0 in ARPA files, as for a sentence's beginning, which nothing predicts."""
_FALLBACK = (0.5, 1.0, 1.5)
"""Discounts where too few n-grams occur once to four times; those of KenLM's fallback."""


@dataclass(frozen=True)
class NgramModel:
    """A back-off model of tokens."""

    order: int
    """Tokens in the longest n-gram."""
    logs: Mapping[Gram, float]
    """log10 of the probability of the last token of an n-gram after the others."""
    backoffs: Mapping[Gram, float]
    """log10 of what the shorter context's probability is multiplied by; absent: 0."""

    def log10(self, tokens: Sequence[str]) -> float:
        """Return log10 of the probability of a sentence, its end included."""
        words = [token if (token,) in self.logs else UNKNOWN for token in tokens]
        text = (BEGIN, *words, END)
        return sum(
            self._log(text[max(0, end - self.order + 1) : end], text[end])
            for end in range(1, len(text))
        )

    def cost(self, tokens: Sequence[str]) -> float:
        """Return the negative natural logarithm of the probability for each token and the end."""
        return -math.log(10) * self.log10(tokens) / (len(tokens) + 1)

    def _log(self, context: Gram, token: str) -> float:
        weight = 0.0
        while (gram := (*context, token)) not in self.logs:
            if not context:
                return weight + _NEVER  # a model without <unk>
            weight += self.backoffs.get(context, 0.0)
            context = context[1:]
        return weight + self.logs[gram]

    def save(self, path: str | Path) -> None:
        """Write an ARPA file, n-grams in the order of their text."""
        with atomic_path(path) as temporary, open(temporary, "w", encoding="utf-8") as out:
            orders = range(1, self.order + 1)
            grams = {n: sorted(gram for gram in self.logs if len(gram) == n) for n in orders}
            out.write("\\data\\\n")
            out.writelines(f"ngram {n}={len(grams[n])}\n" for n in orders)
            for n in orders:
                out.write(f"\n\\{n}-grams:\n")
                for gram in grams[n]:
                    backoff = f"\t{self.backoffs[gram]:.7g}" if gram in self.backoffs else ""
                    out.write(f"{self.logs[gram]:.7g}\t{' '.join(gram)}{backoff}\n")
            out.write("\n\\end\\\n")


def load(path: str | Path) -> NgramModel:
    """Read an ARPA file, packed or not; InputError names the line where it is none."""
    logs: dict[Gram, float] = {}
    backoffs: dict[Gram, float] = {}
    order, ended = 0, False
    for number, line in enumerate(read_lines(path), start=1):
        if section := re.fullmatch(r"\\(\d+)-grams:", line):
            order = int(section[1])
        elif line == "\\end\\":
            ended = True
            break
        elif order and line:
            cells = re.split(r"[\t ]", line)
            gram = tuple(cells[1 : order + 1])
            try:
                logs[gram] = float(cells[0])
                if len(cells) > order + 1:
                    backoffs[gram] = float(cells[order + 1])
            except ValueError:
                gram = ()
            if len(gram) != order or len(cells) > order + 2:
                problem = f"no {order}-gram with its logarithm"
                raise InputError(path, number, problem, "Give a language model in ARPA format")
    if not ended:
        problem = "no ARPA file, or not the whole of one"
        raise InputError(path, None, problem, "Give a language model in ARPA format")
    return NgramModel(order, logs, backoffs)


def train(sentences: Iterable[Sequence[str]], order: int = 3) -> NgramModel:
    """Estimate a model by interpolated modified Kneser-Ney smoothing.

    Chen and Goodman (1999), "An empirical study of smoothing techniques for language modeling",
    section 4, as KenLM estimates it (Heafield et al., 2013): the counts of shorter n-grams are
    those of the tokens that precede them, three discounts for each order follow from the numbers
    of n-grams that occur once to four times, and the probability of a token by itself is
    interpolated with that of all tokens being equal, `<unk>` among them. TandemError where
    there is no sentence.
    """
    counts = _adjusted(sentences, order)
    if not counts[0]:
        raise TandemError("a language model needs sentences")
    vocabulary = {token for (token,) in counts[0]} | {END, UNKNOWN}
    vocabulary.discard(BEGIN)
    equal = 1 / len(vocabulary)
    below: dict[Gram, float] = {(token,): equal for token in sorted(vocabulary)}
    probabilities: dict[Gram, float] = {}
    backoffs: dict[Gram, float] = {}
    for n, grams in enumerate(counts, start=1):
        discounts = _discounts(grams.values())
        totals: dict[Gram, int] = defaultdict(int)
        freed: dict[Gram, float] = defaultdict(float)
        for gram, count in grams.items():
            if gram == (BEGIN,):
                continue
            totals[gram[:-1]] += count
            freed[gram[:-1]] += discounts[min(count, 3) - 1]
        here = {}
        for gram in grams if n > 1 else below:
            count, context = grams.get(gram, 0), gram[:-1]
            kept = count - discounts[min(count, 3) - 1] if count else 0.0
            rest = below[gram[1:]] if n > 1 else below[gram]
            here[gram] = (kept + freed[context] * rest) / totals[context]
        if n > 1:
            backoffs |= {gram: math.log10(freed[gram] / totals[gram]) for gram in totals}
        probabilities |= here
        below = here
    logs = {gram: math.log10(value) for gram, value in probabilities.items()}
    return NgramModel(order, {(BEGIN,): _NEVER} | logs, backoffs)


def _adjusted(sentences: Iterable[Sequence[str]], order: int) -> list[Counter[Gram]]:
    """Count the n-grams of each order.

    The longest, and those that begin a sentence, count as often as they occur; others by the number
    of tokens that precede them.
    """
    counts = [Counter[Gram]() for _ in range(order)]
    for tokens in sentences:
        text = (BEGIN, *(UNKNOWN if token in (BEGIN, END) else token for token in tokens), END)
        counts[-1].update(text[start : start + order] for start in range(len(text) - order + 1))
        for n in range(1, min(order, len(text) + 1)):
            counts[n - 1][text[:n]] += 1
    for longer, shorter in zip(counts[:0:-1], counts[-2::-1], strict=True):
        shorter.update(gram[1:] for gram in longer)
    return counts


def _discounts(counts: Iterable[int]) -> tuple[float, float, float]:
    """Return the discounts of counts of 1, of 2, and of 3 or more."""
    often = Counter(count for count in counts if count <= 4)
    if any(not often[count] for count in (1, 2, 3, 4)):
        return _FALLBACK
    share = often[1] / (often[1] + 2 * often[2])
    discounts = [n - (n + 1) * share * often[n + 1] / often[n] for n in (1, 2, 3)]
    if any(not 0 <= discount <= n for n, discount in enumerate(discounts, start=1)):
        return _FALLBACK
    return discounts[0], discounts[1], discounts[2]
