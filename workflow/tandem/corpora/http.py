"""Downloads over HTTP on unreliable networks: retries, backoff, and resuming by Range."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import requests
import urllib3

from tandem.errors import InputError, TandemError
from tandem.progress import progress_bar

BLOCK = 1 << 18
# ValueError: a redirect to what is no address
_BROKEN = (requests.RequestException, urllib3.exceptions.HTTPError, ValueError)
_REMEDY = "or set `mirror` to a folder or address that has the file"


@dataclass(frozen=True)
class Retry:
    """How often a download is tried, and how long it waits in between."""

    attempts: int = 5
    """Most attempts in a row; one that brought bytes starts the count anew."""
    total: int = 50
    """Most attempts in all."""
    wait: float = 1.0
    """Seconds before the second attempt; doubled for each later one, up to a minute."""
    timeout: float = 60.0
    """Seconds without a byte after which an attempt is given up."""


def download(url: str, part: Path, retry: Retry, most: int) -> None:
    """Download `url` into `part`, continuing from what it already holds.

    Proxies are those of the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY); a redirect to another
    scheme than these two is not followed. Server errors (5xx), 429, broken connections and bodies
    shorter than announced are tried again.

    InputError: it has more than `most` bytes, or announces them. TandemError: the server refuses,
    or the attempts are used up.

    Beside what is unfinished stands the version that the server gives, so that no two are mixed.
    """
    failures = 0
    for tries in range(1, retry.total + 1):
        before = _size(part)
        try:
            _attempt(url, part, retry.timeout, most)
            return _version(part).unlink(missing_ok=True)
        except _BROKEN as error:
            failures = 1 if _size(part) > before else failures + 1
            if failures >= retry.attempts or tries == retry.total:
                raise TandemError(
                    f"{url}: not reached in {tries} attempts; the last said: {error}. "
                    "Check the network and the proxy settings and run again (what has arrived "
                    f"is kept), {_REMEDY}"
                ) from error
        # the jitter keeps many jobs from coming back at once
        time.sleep(min(retry.wait * 2 ** (failures - 1), 60) * random.uniform(0.5, 1.0))


def offers(url: str, retry: Retry) -> bool:
    """Ask whether a server has a file; no answer counts as no."""
    try:
        return requests.head(url, timeout=retry.timeout, allow_redirects=True).ok
    except _BROKEN:
        return False


def discard(part: Path) -> None:
    """Remove what an unfinished download has left."""
    for path in (part, _version(part)):
        path.unlink(missing_ok=True)


def _version(part: Path) -> Path:
    """Return the file with the version of an unfinished download."""
    return part.with_name(f"{part.name}.version")


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _attempt(url: str, part: Path, timeout: float, most: int) -> None:
    have = _size(part)
    # identity: a Range counts the bytes that are stored, and so does the hash
    headers = {"Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
        if _version(part).exists():  # the rest of this version, or all of another
            headers["If-Range"] = _version(part).read_text("latin-1")
    with requests.get(url, headers=headers, stream=True, timeout=timeout) as answer:
        place, status = answer.headers.get("Content-Range", ""), answer.status_code
        status_line = f"HTTP {status} {answer.reason} {place}".rstrip()
        if status == 416 and have:
            if place.endswith(f"/{have}"):
                return
            discard(part)  # longer than the file is now: the remains of another version
            raise requests.ConnectionError("the partial file did not fit; starting over")
        if status >= 500 or status == 429:
            raise requests.ConnectionError(status_line)
        if status == 200:  # the whole, whether or not a Range was asked for
            have = 0
            part.unlink(missing_ok=True)  # before the version is another's
            _keep_version(part, answer.headers)
        elif status != 206 or not place.startswith(f"bytes {have}-"):
            raise TandemError(f"{url}: {status_line}. Check the address in the register, {_REMEDY}")
        length = answer.raw.length_remaining
        total = have + length if length else None
        bar = progress_bar(desc=part.stem, total=total, initial=have, unit="B", unit_scale=True)
        with bar, open(part, "ab" if have else "wb") as out:
            # urllib3 raises where the body ends before the bytes announced
            for block in answer.raw.stream(BLOCK, decode_content=False):
                have += len(block)
                size = max(have, total or 0)
                if size > most:
                    problem = f"it has {size:,} bytes or more, and the register allows {most:,}"
                    remedy = "Check the address and `bytes` in the register"
                    raise InputError(url, None, problem, remedy)
                out.write(block)
                bar.update(len(block))


def _keep_version(part: Path, headers: Mapping[str, str]) -> None:
    """Write down which version of a file the server sends, if it says so."""
    tag = headers.get("ETag", "")
    # If-Range takes no weak tag
    version = headers.get("Last-Modified", "") if tag.startswith("W/") or not tag else tag
    if version:
        _version(part).write_text(version, "latin-1")
    else:
        _version(part).unlink(missing_ok=True)
