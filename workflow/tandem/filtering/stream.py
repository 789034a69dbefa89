"""Filters over a stream of pairs, in one process or several: in order, in constant memory."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from itertools import islice

from tandem.errors import InputError
from tandem.filtering.clean import unfit
from tandem.filtering.filter import Filter, OpenEncoder, Scorer, Scores
from tandem.filtering.kinds.numbers import GivenNumbers
from tandem.text import Pair
from tandem.text.batches import batches, of_pair
from tandem.text.spelling import collapse, same
from tandem.workers import worker_pool

CHUNK = 4096
"""Most pairs that are scored at a time."""
UNFIT = ("empty", "oversized")
"""Why pairs are removed whatever the filters: `tandem.filtering.clean.unfit`."""
_REMEDY = "Give a number for each pair"


@dataclass(frozen=True)
class Block:
    """The outcome of filtering some consecutive pairs, `read` in number."""

    read: int
    kept: bytes
    """Those that no filter refuses, as lines of two columns, in order."""
    scores: bytes = b""
    """All pairs as lines: the filters that refuse it, between spaces, its scores in the order of
    `columns`, and both sides; empty unless asked for."""
    copies: int = 0
    """Pairs among the kept that have the same text on both sides."""
    removed: Counter[str] = field(default_factory=Counter)
    """Pairs by the first filter that refuses them."""
    refused: Counter[str] = field(default_factory=Counter)
    """Pairs by every filter that refuses them."""


def columns(filters: Mapping[str, Filter]) -> list[str]:
    """Name the scores of a pair after their filter, and after their side if there are two."""
    return [
        name if side == "pair" else f"{name}.{side}"
        for name, kind in filters.items()
        for side in kind.sides
    ]


def apply(
    pairs: Iterable[Pair],
    filters: Mapping[str, Filter],
    languages: Sequence[str],
    open_encoder: OpenEncoder,
    jobs: int = 1,
    scores: bool = False,
) -> Iterator[Block]:
    """Filter the pairs, and yield the outcome block by block, in order.

    Every filter sees every pair that is not empty or oversized, so that its own count does not
    depend on those before it.

    Args:
        pairs: a stream; some thousand for each job are in memory at once.
        filters: by name.
        languages: of the two sides.
        open_encoder: loads an encoder for a filter that needs one; a function of a module, which
            processes can import.
        jobs: processes that score; 1: this one.
        scores: whether to give the scores too.

    Raises:
        InputError: a file of numbers has more or fewer than there are pairs.
    """
    chunks = _chunks(pairs, filters)
    if jobs == 1:
        work = Work(filters, languages, open_encoder, scores)
        yield from (work.block(*chunk) for chunk in chunks)
        return
    arguments = (filters, languages, open_encoder, scores)
    waiting: deque[Future[Block]] = deque()
    with worker_pool(jobs, "spawn", "--jobs", _begin, arguments) as pool:
        for chunk in chunks:
            waiting.append(pool.submit(_block, *chunk))
            if len(waiting) > 2 * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _chunks(
    pairs: Iterable[Pair], filters: Mapping[str, Filter]
) -> Iterator[tuple[list[Pair], dict[str, list[Scores]]]]:
    """Yield pairs, with the numbers that files have for them."""
    files = {name: kind for name, kind in filters.items() if isinstance(kind, GivenNumbers)}
    readers = {name: kind.read() for name, kind in files.items()}
    read = 0
    for chunk in batches(pairs, CHUNK, of_pair):
        read += len(chunk)
        numbers = {name: list(islice(reader, len(chunk))) for name, reader in readers.items()}
        for name, column in numbers.items():
            if lacking := len(chunk) - len(column):
                problem = "it ends here, and there are more pairs"
                raise InputError(files[name].file, read - lacking, problem, _REMEDY)
        yield chunk, numbers
    for name, rest in readers.items():
        if next(rest, None) is not None:
            raise InputError(files[name].file, read + 1, f"there are only {read:,} pairs", _REMEDY)


class Work:
    """Filters that are ready: their models are loaded."""

    def __init__(
        self,
        filters: Mapping[str, Filter],
        languages: Sequence[str],
        open_encoder: OpenEncoder,
        scores: bool,
    ) -> None:
        """Load what the filters need."""
        self.filters, self.with_scores = list(filters.items()), scores
        self.scorers: dict[str, Scorer] = {
            name: kind.scorer(languages, open_encoder)
            for name, kind in filters.items()
            if not isinstance(kind, GivenNumbers)
        }
        self.empty = [""] * len(columns(filters))

    def block(self, pairs: Sequence[Pair], numbers: Mapping[str, Sequence[Scores]]) -> Block:
        """Score and filter some pairs, for which files may have `numbers`."""
        pairs = [(collapse(left), collapse(right)) for left, right in pairs]
        refusing: list[list[str]] = [[reason] if (reason := unfit(*p)) else [] for p in pairs]
        fit = [place for place, reasons in enumerate(refusing) if not reasons]
        seen = [pairs[place] for place in fit]
        by_filter = [
            [numbers[name][place] for place in fit] if name in numbers
            else self.scorers[name](seen) if seen else []
            for name, _ in self.filters
        ]  # fmt: skip
        for (name, kind), column in zip(self.filters, by_filter, strict=True):
            for place, score in zip(fit, column, strict=True):
                if not kind.within(score):
                    refusing[place].append(name)
        kept = [pair for pair, reasons in zip(pairs, refusing, strict=True) if not reasons]
        rows = []
        if self.with_scores:
            cells = [self.empty] * len(pairs)
            for place, scores in zip(fit, zip(*by_filter, strict=True), strict=True):
                cells[place] = [f"{number:.6g}" for sides in scores for number in sides]
            rows = [
                "\t".join((" ".join(reasons), *row, *pair))
                for pair, reasons, row in zip(pairs, refusing, cells, strict=True)
            ]
        return Block(
            read=len(pairs),
            kept=_lines(["\t".join(pair) for pair in kept]),
            scores=_lines(rows),
            copies=sum(same(*pair) for pair in kept),
            removed=Counter(reasons[0] for reasons in refusing if reasons),
            refused=Counter(name for reasons in refusing for name in reasons),
        )


def _lines(texts: Sequence[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


_work: Work | Exception
"""The filters of a worker process, made once, when it starts, or why they cannot be made."""


def _begin(
    filters: Mapping[str, Filter], languages: Sequence[str], open_encoder: OpenEncoder, scores: bool
) -> None:
    global _work
    try:
        _work = Work(filters, languages, open_encoder, scores)
    except Exception as error:  # raised here it would only end the process
        _work = error


def _block(pairs: Sequence[Pair], numbers: Mapping[str, Sequence[Scores]]) -> Block:
    if isinstance(_work, Exception):
        raise _work
    return _work.block(pairs, numbers)
