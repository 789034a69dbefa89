"""Numbers of things, as one says them."""


def amount(count: int, noun: str) -> str:
    """Return a number of things: 1 pair, 2,000 pairs."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
