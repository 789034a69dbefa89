"""Commands that a signal ends, or whose streams are closed: nothing runs on, nothing is left."""

from __future__ import annotations

import io
import os
import pickle
import random
import signal
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest

import tandem
from tandem.cli import main
from tandem.errors import InputError

ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(Path(tandem.__file__).parents[1]),
    "OMP_NUM_THREADS": "1",
}
COMMAND = [sys.executable, "-m", "tandem", "filter", "rules.yaml"]
LANGUAGES = ["--languages", "en", "de"]
PAIRS = "".join(f"word {n} of\tWort {n} von\n" for n in range(9000))
linux = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


@pytest.fixture
def home(tmp_path, monkeypatch):
    (tmp_path / "rules.yaml").write_text("words: {}\n")
    (tmp_path / "p.tsv").write_text(PAIRS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def children(process):
    place = Path(f"/proc/{process}/task/{process}/children")
    return [int(word) for word in place.read_text().split()]


def wait_until(met, what, seconds=60):
    end = time.monotonic() + seconds
    while not met():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def working(process):
    """The two workers of a command, once they have begun: each watches with a second thread."""

    def begun():
        return [n for n in children(process.pid) if len(os.listdir(f"/proc/{n}/task")) > 1]

    wait_until(lambda: process.poll() is not None or len(begun()) == 2, "no workers")
    return begun()


def gone(number):
    try:
        return Path(f"/proc/{number}/stat").read_text().rsplit(")")[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def heard():
    """Let signals be as in a terminal: who runs the tests, with nohup perhaps, may ignore some."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@linux
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, signal.SIGHUP, signal.SIGINT])
def test_workers_end_with_the_command(home, how):
    arguments = ["-", *LANGUAGES, "--jobs", "2", "--out", "kept.tsv"]
    process = subprocess.Popen(
        [*COMMAND, *arguments], env=ENVIRONMENT, stdin=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=heard,
    )  # fmt: skip
    process.stdin.write(PAIRS.encode())
    process.stdin.flush()
    workers = working(process)
    process.send_signal(how)
    said = process.stderr.read().decode()
    codes = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGINT: 130, signal.SIGKILL: -9}
    assert process.wait(60) == codes[how], said
    wait_until(lambda: all(map(gone, workers)), "a worker runs on", 20)
    if how != signal.SIGKILL:
        assert sorted(path.name for path in home.iterdir()) == ["p.tsv", "rules.yaml"]
        assert said.startswith("tandem filter: ") and "Traceback" not in said
    process.stdin.close()


@linux
def test_a_worker_that_is_killed_is_said(home):
    process = subprocess.Popen(
        [*COMMAND, "-", *LANGUAGES, "--jobs", "2"], env=ENVIRONMENT,
        stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    process.stdin.write(PAIRS.encode())
    process.stdin.flush()
    os.kill(working(process)[0], signal.SIGKILL)
    time.sleep(1)  # more text comes later
    process.stdin.close()
    assert process.wait(60) == 1
    said = process.stderr.read().decode()
    assert "one of 2 processes was ended from outside" in said and "Traceback" not in said


@pytest.mark.parametrize("rules", ["c: {kind: cosine, model: ./nowhere}",
                                   "language-model: {model: rules.yaml}"])  # fmt: skip
def test_what_is_wrong_in_a_worker_is_said_as_without(home, rules, capfd):
    (home / "rules.yaml").write_text(rules)
    said = []
    for jobs in ("1", "2"):
        assert main(["filter", "rules.yaml", "p.tsv", *LANGUAGES, "--jobs", jobs]) == 1
        said.append(capfd.readouterr().err)
    assert said[0] == said[1] and said[0].count("\n") == 1


def test_errors_pass_between_processes():
    error = InputError("a.en", 7, "a NUL", "Remove it")
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.path, copy.line) == ("a.en, line 7: a NUL. Remove it", "a.en", 7)


@linux
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_of_a_tar_that_was_being_read(home, how):
    draw = random.Random(1)
    # text that hardly packs, enough to take seconds
    text = "\n".join(draw.randbytes(40).hex() for _ in range(20_000)).encode() + b"\n"
    with tarfile.open(home / "c.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        for side in ("en", "de"):
            member = tarfile.TarInfo(f"c.{side}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    (home / "temporary").mkdir()
    process = subprocess.Popen(
        [*COMMAND, "c.tar", *LANGUAGES, "--out", "kept.tsv"],
        env=ENVIRONMENT | {"TMPDIR": str(home / "temporary")}, stderr=subprocess.PIPE,
    )  # fmt: skip
    opened = Path(f"/proc/{process.pid}/fd")

    def reads():
        links = [os.readlink(path) for path in opened.iterdir() if path.is_symlink()]
        return any("temporary" in link for link in links) or process.poll() is not None

    wait_until(reads, "the tar is not read")
    process.send_signal(how)
    said = process.stderr.read().decode()
    assert process.wait(60) == {signal.SIGTERM: 143, signal.SIGKILL: -9}[how], said
    assert list((home / "temporary").iterdir()) == []


def shell(command):
    return subprocess.run(
        ["bash", "-c", command], env=ENVIRONMENT, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("to", ["2>&-", "2>/dev/full", "2> >(exec 2>&-)", "2>&- <&-"])
def test_what_cannot_be_said_does_not_stop_the_work(home, to, jobs):
    words = " ".join([*COMMAND, "p.tsv", *LANGUAGES, "--jobs", str(jobs)])
    done = shell(f"{words} {to}")
    assert (done.returncode, done.stdout) == (0, PAIRS)
    done = shell(f"{words} --out kept.tsv {to} >&-")
    assert (done.returncode, Path("kept.tsv").read_text()) == (0, PAIRS)
    Path("kept.tsv").unlink()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("p.tsv >&-", "stdout is closed. Open it, or name a file: --out, or --json"),
        ("p.tsv --out kept.tsv --json - >&-", "stdout is closed. Open it, or name"),
        ("- <&-", "stdin is closed. Name a file to read"),
        ("--jobs 2 <&-", "stdin is closed. Name a file to read"),
    ],
)
def test_a_stream_that_is_needed_and_closed_is_said(home, arguments, said):
    done = shell(" ".join([*COMMAND, *LANGUAGES, arguments]))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"tandem filter: {said}") and done.stderr.count("\n") == 1
