"""Downloads over HTTP that survive a bad line: retries, backoff, and resuming by Range."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3
from tqdm import tqdm

from tandem.errors import TandemError

BLOCK = 1 << 18
_NETWORK_ERRORS = (requests.RequestException, urllib3.exceptions.HTTPError, OSError)


@dataclass(frozen=True)
class Retry:
    """How often a download is tried, and how long it waits in between.

    Attributes:
        attempts: in all. An attempt that brought bytes starts the count anew.
        wait: seconds before the second attempt; doubled for each later one.
        longest: most seconds between attempts.
        timeout: seconds without a byte after which an attempt is given up.
    """

    attempts: int = 5
    wait: float = 1.0
    longest: float = 60.0
    timeout: float = 60.0


class _Refused(Exception):
    """An answer that trying again will not change."""


def download(url: str, part: Path, retry: Retry, progress: bool) -> bool:
    """Bring `part` to the full content of `url`, going on from what it already holds.

    Proxies are those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY). Server errors (5xx),
    429, broken connections and bodies shorter than announced are tried again.

    Returns:
        Whether bytes of an earlier run were kept: if the content then proves wrong, they may be to
        blame.

    Raises:
        TandemError: when the server refuses, or the attempts are used up.
    """
    resumed = part.exists() and part.stat().st_size > 0
    failures = 0
    with requests.Session() as session:
        while True:
            before = part.stat().st_size if part.exists() else 0
            try:
                return _attempt(session, url, part, retry, progress) and resumed
            except _Refused as error:
                raise TandemError(
                    f"{url}: {error}. Check the address in the register, or set `mirror` to a "
                    "folder or address that has the file"
                ) from error
            except _NETWORK_ERRORS as error:
                if isinstance(error, OSError) and error.errno and not _of_network(error):
                    raise TandemError(
                        f"{part}: cannot be written ({error}). Free the disk"
                    ) from error
                grown = part.exists() and part.stat().st_size > before
                failures = 1 if grown else failures + 1
                if failures >= retry.attempts:
                    raise TandemError(
                        f"{url}: not reached in {retry.attempts} attempts; the last said: {error}. "
                        "Check the network and the proxy settings and run again (what has arrived "
                        "is kept), or set `mirror` to a folder or address that has the file"
                    ) from error
                _wait(retry, failures)


def offers(url: str, retry: Retry) -> bool:
    """Ask whether a server has a file; one that does not answer has nothing."""
    try:
        return requests.head(url, timeout=retry.timeout, allow_redirects=True).ok
    except requests.RequestException:
        return False


def _of_network(error: OSError) -> bool:
    """Tell a connection's failure from a disk's."""
    return isinstance(error, (requests.RequestException, ConnectionError, TimeoutError))


def _wait(retry: Retry, failures: int) -> None:
    """Sleep for the backoff; the jitter keeps many jobs from coming back at once."""
    pause = min(retry.wait * 2 ** (failures - 1), retry.longest)
    time.sleep(pause * random.uniform(0.5, 1.0))


def _attempt(session: requests.Session, url: str, part: Path, retry: Retry, progress: bool) -> bool:
    """Try once; return whether the bytes already in `part` were kept."""
    have = part.stat().st_size if part.exists() else 0
    # identity: a Range counts the bytes that are stored, and so does the hash
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    with session.get(url, headers=headers, stream=True, timeout=retry.timeout) as answer:
        if answer.status_code == 416 and have:
            if answer.headers.get("Content-Range", "").rpartition("/")[2] == str(have):
                return True
            part.unlink()  # longer than the file is now: the remains of another version
            raise requests.ConnectionError("the partial file did not fit; starting over")
        if answer.status_code >= 500 or answer.status_code == 429:
            raise requests.ConnectionError(f"HTTP {answer.status_code} {answer.reason}")
        if answer.status_code not in (200, 206):
            raise _Refused(f"HTTP {answer.status_code} {answer.reason}")
        start = _start(answer, have)
        _receive(answer, part, start, progress)
        return start > 0


def _start(answer: requests.Response, have: int) -> int:
    """Return the offset at which the body belongs: 0 when the server ignored the Range."""
    if answer.status_code == 200:
        return 0
    sent = answer.headers.get("Content-Range", "")
    if not sent.startswith(f"bytes {have}-"):
        raise _Refused(f"asked for bytes from {have}, got {sent!r}")
    return have


def _receive(answer: requests.Response, part: Path, start: int, progress: bool) -> None:
    """Write the body to `part` from `start` on, and check that all announced bytes came."""
    length = answer.headers.get("Content-Length")
    expected = start + int(length) if length is not None else None
    bar = tqdm(
        desc=part.name.removesuffix(".part"),
        total=expected,
        initial=start,
        unit="B",
        unit_scale=True,
        disable=not progress,
    )
    with bar, open(part, "r+b" if start else "wb") as out:
        out.seek(start)
        for block in answer.raw.stream(BLOCK, decode_content=False):
            out.write(block)
            bar.update(len(block))
        got = out.tell()
    if expected is not None and got != expected:
        raise requests.ConnectionError(f"the body ended after {got:,} of {expected:,} bytes")
