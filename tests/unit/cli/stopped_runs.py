"""Commands in processes of their own, a training that saves often among them; what they leave."""

import os
import subprocess
import sys
from pathlib import Path

import tandem

LANGUAGES = ["--languages", "en", "de"]
OPTIONS = [*LANGUAGES, "--held-out", "50", "--size", "60", "--dimension", "16", "--epochs", "12"]
OFTEN = """
import sys
from tandem.training.course import Course
Course.run.__defaults__ = (None, 0.05, *Course.run.__defaults__[2:])  # a checkpoint every 0.05 s
from tandem.cli import main
sys.exit(main(sys.argv[1:]))
"""
ENVIRONMENT = os.environ | {
    "PYTHONPATH": str(Path(tandem.__file__).parents[1]),
    "OMP_NUM_THREADS": "1",
}


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
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
