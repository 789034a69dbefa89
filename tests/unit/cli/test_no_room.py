"""Commands that find no room, on a disk or in memory: they say what is needed and what to lower."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from stopped_runs import ENVIRONMENT, LANGUAGES, OPTIONS, content, finish, train

from tandem.cli import main
from tandem.corpora.files import read_bitext
from tandem.errors import TandemError, explained, writing
from tandem.files.atomic import atomic_path
from tandem.search import limits


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


def test_a_full_folder_for_temporary_files_is_told_from_the_outputs(
    small_disk, tmp_path, monkeypatch
):
    with tarfile.open(tmp_path / "text.tgz", "w:gz") as archive:
        for language in ("en", "de"):
            (tmp_path / language).write_text("".join(f"{language} {n}\n" for n in range(90_000)))
            archive.add(tmp_path / language, f"text.{language}")
    monkeypatch.setattr(tempfile, "tempdir", str(small_disk))
    problem = rf"text\.tgz, unpacked in {small_disk} \(see TMPDIR\): cannot be written \(No space"
    with pytest.raises(TandemError, match=problem):
        list(read_bitext(tmp_path / "text.tgz", languages=("en", "de")))


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


def test_a_report_without_room_says_that_the_rest_is_there(home, small_disk, tmp_path, capsys):
    (small_disk / "other").write_bytes(bytes(shutil.disk_usage(small_disk).free))
    out, report = tmp_path / "x.tsv", small_disk / "report.json"
    command = ["encode", str(home / "whole"), str(home / "en"), "--language", "en", "--quiet"]
    command += ["--out", str(out), "--json", str(report)]
    assert main(command) == 1
    assert "All else is written" in capsys.readouterr().err
    assert out.exists()
    (small_disk / "other").unlink()
    assert main([*command, "--overwrite"]) == 0 and report.exists()


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
