"""Commands that are killed, interrupted, or find no room: the same command goes on or says why."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import tandem
from tandem.cli import main
from tandem.errors import TandemError, explained, writing
from tandem.files.io import atomic_path
from tandem.search import limits

KILLS = int(os.environ.get("TANDEM_KILLS", "6"))
LANGUAGES = ["--languages", "en", "de"]
OPTIONS = [*LANGUAGES, "--held-out", "50", "--size", "60", "--dimension", "16", "--epochs", "12"]
OFTEN = """
import sys
from tandem.training.course import Course
Course.run.__defaults__ = (None, 0.05, *Course.run.__defaults__[2:])  # a checkpoint every 0.05 s
from tandem.cli import main
sys.exit(main(sys.argv[1:]))
"""
HEARING = """
import signal
# a shell starts what runs in its background deaf to Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
PAUSED = """
import time
from tandem.training import checkpoint
save = checkpoint.write

def save_and_wait(*what):
    save(*what)
    time.sleep(600)  # the signal ends it

checkpoint.write = save_and_wait
"""
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(Path(tandem.__file__).parents[1]),
    "OMP_NUM_THREADS": "1",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A bitext, and a model that was trained on it without a stop."""
    home = tmp_path_factory.mktemp("stopped")
    words = np.random.default_rng(1).integers(0, 40, (1500, 4)).tolist()
    for side in ("en", "de"):
        (home / side).write_text("".join(" ".join(f"{side}{w}" for w in r) + "\n" for r in words))
    begun = time.monotonic()
    done = finish(train(home, "whole"))
    assert done[0] == 0, done[1]
    (home / "seconds").write_text(str(time.monotonic() - begun))
    return home


def train(home, out, *more, stdin=None, before=""):
    """Start a training that saves often, and runs `before` first."""
    files = ["-"] if stdin else ["en", "de"]
    return subprocess.Popen(
        [sys.executable, "-c", before + OFTEN, "train", *files, *OPTIONS, "--out", str(out), *more],
        cwd=home, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True, stdin=stdin,
    )  # fmt: skip


def finish(process):
    """Wait for a process; return its exit code and what it said, without progress bars."""
    said = process.communicate(timeout=600)[1]
    return process.returncode, "\n".join(said.replace("\r", "\n").split("\n")[-3:])


def content(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


KILLER = """
import os, random, signal, sys, time
from pathlib import Path
import tandem.corpora.bitext, tandem.segmentation.segmenter, tandem.tasks.selection
from tandem.cli import main, parser
from tandem.training.course import Course
Course.run.__defaults__ = (None, 0.05, *Course.run.__defaults__[2:])
parser(["train"])
import tandem.own_bitext.build

def begin(out):
    # everything is imported: a child begins at once
    child = os.fork()
    if not child:
        os._exit(main(["train", "en", "de", *sys.argv[2:], "--overwrite", "--out", out]))
    return child

def content(folder):
    return {p.name: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}

begun = time.monotonic()
assert os.waitpid(begin("all"), 0)[1] == 0
seconds, moments = time.monotonic() - begun, set()
assert content("all") == content("whole")
for seed in range(int(sys.argv[1])):
    draw, out = random.Random(seed), f"killed{seed}"
    for _ in range(draw.randint(1, 3)):
        child = begin(out)
        time.sleep(draw.random() * seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kept = Path(f".{out}.unfinished")
        moments.add(tuple(sorted(p.name for p in kept.iterdir() if p.name[0] != "."))
                    if kept.exists() else Path(out).exists())
    assert os.waitpid(begin(out), 0)[1] == 0
    assert content(out) == content("all"), out
    assert not list(Path().glob(f".{out}*")), out
print(len(moments), moments)
"""


def test_a_killed_training_goes_on_to_the_same_bytes(home):
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(KILLS), *OPTIONS],
        cwd=home, env=ENVIRONMENT, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    print(done.stdout)


def saved_epochs(checkpoint):
    try:
        return json.loads((checkpoint / "progress.json").read_text())["progress"]["epoch"]
    except FileNotFoundError:  # between two checkpoints
        return 0


class Kept:
    """What is kept of a training that was stopped."""

    def __init__(self, home, name):
        self.folder = home / f".{name}.unfinished"

    def __truediv__(self, name):
        return next(self.folder.glob(f"*/{name}"), self.folder / "nothing")


def stop_when(process, kept, name, how, epochs=0):
    """Send a signal once something has been made, or so many epochs are over."""
    while not (kept / name).exists() or (epochs and epochs > saved_epochs(kept / name)):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(how)
    return finish(process)


def test_an_interrupted_training_keeps_its_best_epoch_and_goes_on(home):
    kept = Kept(home, "stopped")
    slow = ["--epochs", "4000", "--patience", "0"]
    process = train(home, "stopped", *slow, before=HEARING)
    code, said = stop_when(process, kept, "checkpoint", signal.SIGINT, epochs=1)
    assert (code, ".stopped.unfinished: --resume goes on" in said) == (130, True)
    assert "stopped has the best epoch so far" in said
    assert main(["encode", str(home / "stopped"), str(home / "en"), "--language", "en",
                 "--out", str(home / "vectors.npy")]) == 0  # fmt: skip
    text = (kept / "text").stat().st_mtime_ns
    code, said = finish(train(home, "stopped", *slow))
    assert (code, "is there already" in said) == (1, True)
    process = train(home, "stopped", *slow, "--resume")
    code, said = stop_when(process, kept, "checkpoint", signal.SIGKILL)
    assert (kept / "text").stat().st_mtime_ns == text
    best = content(home / "stopped")
    for other, differing in (
        (["--epochs", "4001", "--resume"], "recipe epochs (4000 then, 4001 now)"),
        (["--seed", "2"], "seed (1 then, 2 now)"),
        (["--seed", "2", "--resume", "--overwrite"], "seed (1 then, 2 now)"),
    ):
        code, said = finish(train(home, "stopped", *slow, *other))
        assert code == 1
        assert f"differs in {differing}. Give" in said or "is there already" in said
    assert content(home / "stopped") == best and (kept / "text").stat().st_mtime_ns == text
    # other settings begin afresh, beside what was stopped
    bad = home / "bad.tsv"
    bad.write_bytes(b"one\tein\n\xff\tx\n")
    assert main(["train", str(bad), *OPTIONS, "--out", str(home / "stopped"), "--overwrite"]) == 1
    assert content(home / "stopped") == best and (kept / "text").stat().st_mtime_ns == text
    assert finish(train(home, "stopped", "--seed", "2", "--overwrite"))[0] == 0
    assert content(home / "stopped") != content(home / "whole")
    assert not kept.folder.exists()


def test_another_text_is_not_gone_on_with(home):
    kept = Kept(home, "texts")
    process = train(home, "texts", before=PAUSED)
    stop_when(process, kept, "checkpoint", signal.SIGKILL)
    other = home / "other"
    other.write_text((home / "de").read_text()[::-1].strip("\n") + "\n")
    command = ["train", str(home / "en"), str(other), *OPTIONS, "--out", str(home / "texts")]
    code = subprocess.run(
        [sys.executable, "-m", "tandem", *command, "--resume"],
        cwd=home, env=ENVIRONMENT, capture_output=True, text=True,
    )  # fmt: skip
    assert (code.returncode, "differs in text of file 2. Give" in code.stderr) == (1, True)
    assert finish(train(home, "texts", "--resume"))[0] == 0
    assert content(home / "texts") == content(home / "whole")


def test_a_finished_model_is_not_replaced_by_resuming(home):
    assert finish(train(home, "anew", "--resume"))[0] == 0  # nothing was stopped: it begins
    before = content(home / "anew")
    assert before == content(home / "whole")
    code, said = finish(train(home, "anew", "--resume"))
    assert (code, "is there already" in said) == (1, True)
    process = train(home, "anew", "--seed", "2", "--overwrite", before=PAUSED)
    stop_when(process, Kept(home, "anew"), "checkpoint", signal.SIGKILL)
    code, said = finish(train(home, "anew", "--seed", "2", "--resume"))
    assert (code, "is there already" in said, content(home / "anew")) == (1, True, before)


def test_what_was_interrupted_ends_in_the_same_bytes(home):
    kept = Kept(home, "interrupted")
    code, _ = stop_when(train(home, "interrupted", before=HEARING), kept, "ids", signal.SIGINT)
    again = finish(train(home, "interrupted", "--resume"))[0] if code else 0
    assert (code in (0, 130), again) == (True, 0)
    assert content(home / "interrupted") == content(home / "whole")
    assert finish(train(home, "interrupted", "--resume"))[0] == 1  # nothing was stopped


def test_a_pipe_that_says_the_same_again_goes_on(home):
    pairs = home / "pairs"
    left, right = ((home / side).read_text().split("\n")[:-1] for side in ("en", "de"))
    pairs.write_text("".join(f"{a}\t{b}\n" for a, b in zip(left, right, strict=True)))
    kept = Kept(home, "piped")
    with open(pairs) as stream:
        process = train(home, "piped", stdin=stream, before=PAUSED)
        stop_when(process, kept, "checkpoint", signal.SIGKILL)
    text = (kept / "text").stat().st_ino
    with open(pairs) as stream:
        process = train(home, "piped", stdin=stream)
        stop_when(process, kept, "description.json", signal.SIGKILL)
    assert (kept / "text").stat().st_ino == text
    with open(pairs) as stream:
        assert finish(train(home, "piped", stdin=stream))[0] == 0
    model, whole = (content(home / name)["model.safetensors"] for name in ("piped", "whole"))
    assert model == whole


def test_a_killed_mining_leaves_nothing(home, tmp_path):
    for side in ("en", "de"):
        (tmp_path / side).write_text((home / side).read_text() * 40)
    arguments = ["mine", str(home / "whole"), "en", "de", *LANGUAGES]
    command = [sys.executable, "-m", "tandem", *arguments, "--out", "out.tsv"]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for _ in range(2):
        process = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT | {"TMPDIR": temporary})
        while not list(tmp_path.glob(".out.tsv.*")):
            time.sleep(0.01)
        time.sleep(1)
        process.kill()
        process.wait()
    assert len(list(tmp_path.glob(".out.tsv.*"))) == 1  # of the second; the first one's is gone
    assert list(temporary.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path):
    """A real file system of 600 kB."""
    if sys.platform != "linux" or os.geteuid():
        pytest.skip("needs to mount a file system")
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(place)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("may not mount a file system")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_training_goes_on_once_a_full_disk_has_room(home, small_disk):
    (small_disk / "other").write_bytes(bytes(450_000))
    code, said = finish(train(home, small_disk / "model"))
    assert code == 1
    for words in ("No space left", "bytes are free", str(small_disk / ".model.unf")):
        assert words in said
    assert {path.name for path in small_disk.iterdir()} == {"other", ".model.unfinished"}
    (small_disk / "other").unlink()
    assert finish(train(home, small_disk / "model"))[0] == 0
    assert content(small_disk / "model") == content(home / "whole")


@pytest.mark.parametrize("command", ["encode", "encode.npy", "score", "similarity", "mine"])
def test_a_full_disk_is_said(home, small_disk, tmp_path, command, capsys):
    for side in ("en", "de"):
        lines = (home / side).read_text().splitlines()
        copies = (f"{line} {number}\n" for number in range(60) for line in lines)
        (tmp_path / side).write_text("".join(copies))  # other lines, each with its own vector
    files = [str(tmp_path / "en"), str(tmp_path / "de")]
    name, _, suffix = command.partition(".")
    arguments = [*files, *LANGUAGES]
    if name == "encode":
        arguments = [files[0], "--language", "en"]
    out = small_disk / f"out.{suffix}"
    assert main([name, str(home / "whole"), *arguments, "--quiet", "--out", str(out)]) == 1
    said = capsys.readouterr().err
    assert "No space left" in said and "are needed" in said and "are free" in said
    assert any(words in said for words in (str(out), "the lines of", "the vectors of"))
    assert list(small_disk.iterdir()) == []


def test_a_full_stdout_is_said(home):
    command = [sys.executable, "-m", "tandem", "encode", "whole", "en", "--language", "en"]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command, cwd=home, env=ENVIRONMENT, stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 1
    assert "stdout: cannot be written (No space left" in done.stderr
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_a_limit_on_files_is_said(home, tmp_path):
    command = f"ulimit -f 100; {sys.executable} -m tandem encode {home}/whole {home}/en"
    done = subprocess.run(
        ["bash", "-c", f"{command} --language en --out {tmp_path}/x"],
        env=ENVIRONMENT, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 1
    assert "(File too large): more than" in done.stderr


def test_a_full_disk_is_found_in_what_libraries_say(small_disk):
    tensors = {"a": torch.zeros(500_000)}
    for write in (save_file, torch.save):
        with pytest.raises(TandemError, match="No space"), atomic_path(small_disk / "t") as path:
            write(tensors, path)
        assert list(small_disk.iterdir()) == []


def test_what_libraries_hide_is_found(tmp_path):
    with pytest.raises(Exception, match=r"t: cannot be written \(No space left"):
        with writing(tmp_path / "t", tmp_path):
            raise RuntimeError("Error while serializing: I/O error: No space (os error 28)")
    for error in (
        MemoryError(),
        OSError(12, "Cannot allocate memory"),
        RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"),
        RuntimeError("std::bad_alloc"),
        RuntimeError("CUDA out of memory. Tried to allocate 9 GiB"),
        ImportError("libtorch_cpu.so: failed to map segment from shared object"),
    ):
        assert "Lower --batch" in explained(error, "--batch")
    assert explained(ValueError("of the program's own"), "") is None


@pytest.mark.skipif(sys.platform != "linux", reason="ulimit -v is Linux's")
@pytest.mark.parametrize("megabytes", [300, 900, 1600, 2200])
@pytest.mark.parametrize("command", ["train", "mine", "score"])
def test_a_limit_on_memory_ends_in_a_message(home, tmp_path, command, megabytes):
    arguments = {
        "train": f"train en de {' '.join(OPTIONS)} --out {tmp_path}/m",
        "mine": f"mine whole en de --languages en de --out {tmp_path}/m",
        "score": f"score whole en de --languages en de --out {tmp_path}/m",
    }[command]
    limited = f"ulimit -v {megabytes * 1024}; {sys.executable} -m tandem {arguments} --threads 1"
    done = subprocess.run(
        ["bash", "-c", limited], cwd=home, env=ENVIRONMENT | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode in (0, 1), done.stderr
    if done.returncode:
        said = done.stderr.strip().split("\n")[-1]
        assert "Lower --" in said or "lower --memory" in said, done.stderr


def test_the_limit_of_a_group_is_seen(tmp_path, monkeypatch):
    own = next(
        (w[3:] for w in Path("/proc/self/cgroup").read_text().split() if w.startswith("0::")), None
    )
    if own is None:
        pytest.skip("no cgroup of version 2")
    group = tmp_path / own.lstrip("/")
    group.mkdir(parents=True, exist_ok=True)
    (group / "memory.max").write_text("1073741824\n")
    (tmp_path / "memory.max").write_text("max\n" if group != tmp_path else "1073741824\n")
    assert limits._group_limits(tmp_path) == [1 << 30]
    monkeypatch.setattr(limits, "_group_limits", lambda: [1 << 30])
    assert limits.memory_bound(None) == limits.memory_bound(1 << 30) == 1 << 30
    with pytest.raises(TandemError, match="lower --memory"):
        limits.memory_bound(2 << 30)
