"""`make environment` removes nothing that it has not made, and keeps what it cannot replace."""

import os
import shutil
import subprocess

import pytest

PYTHON = """#!/bin/sh
# stands for Python: it makes an environment whose own Python is a copy of it
case "$1 $2" in
  "-c "*realpath*) echo "{path}" ;;
  "-m venv") mkdir -p "$3/bin" && cp "{path}" "$3/bin/python" ;;
  "-m pip") [ ! -e offline ] ;;
esac
"""


@pytest.fixture
def folder(tmp_path):
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(name, tmp_path / name)
    (tmp_path / "python").write_text(PYTHON.format(path=tmp_path / "python"))
    (tmp_path / "python").chmod(0o755)
    return tmp_path


def make(folder, *arguments):
    command = ["make", "environment", f"PYTHON={folder / 'python'}", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def newer(folder):
    later = (folder / ".venv/.ready").stat().st_mtime + 10
    os.utime(folder / "pyproject.toml", (later, later))


def names(folder):
    return sorted(path.name for path in folder.glob(".venv*"))


def test_an_environment_that_is_not_makes_stays(folder):
    (folder / ".venv").mkdir()
    (folder / ".venv/mine").touch()
    done = make(folder)
    assert done.returncode and ".venv is none that make has made: move it away" in done.stderr
    assert (folder / ".venv/mine").exists()
    assert make(folder, "VENV=other").returncode == 0
    assert (folder / "other/.ready").exists()


def test_the_old_environment_stays_where_no_new_one_can_be_made(folder):
    assert make(folder).returncode == 0
    (folder / ".venv/old").touch()
    newer(folder)
    (folder / "offline").touch()
    assert make(folder).returncode
    assert names(folder) == [".venv"] and (folder / ".venv/old").exists()
    # as of a make that was killed
    (folder / ".venv").rename(folder / ".venv.old")
    (folder / ".venv").mkdir()
    (folder / ".venv/.made").touch()
    assert make(folder).returncode
    assert names(folder) == [".venv"] and (folder / ".venv/old").exists()
    (folder / "offline").unlink()
    assert make(folder).returncode == 0
    assert names(folder) == [".venv"] and not (folder / ".venv/old").exists()
