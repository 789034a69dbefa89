"""Commands as a page prints them: taken from it, and run in a folder."""

import os
import re
import subprocess
import sys

from conftest import REPOSITORY

PROGRAMS = ("tandem", "snakemake")
CALLS = (f'{name}() {{ "{sys.executable}" -m {name} "$@"; }}\n' for name in PROGRAMS)
BEFORE = "set -euo pipefail\n" + "".join(CALLS)
"""What comes before commands: the first failure ends them, and programs are this environment's."""


def blocks(page, heading=None, indent=""):
    """Return the (language, text) of the blocks of code in a page or in one of its sections.

    Those in an item of a list are indented.
    """
    text = (REPOSITORY / page).read_text(encoding="utf-8")
    if heading:
        text = text.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(rf"^{indent}```(\w*)\n(.*?)^{indent}```", text, re.DOTALL | re.MULTILINE)


def run(language, text, folder):
    """Run a block of sh or python in a folder; return what it wrote to stdout."""
    command = ["bash", "-c", BEFORE + text] if language == "sh" else [sys.executable, "-c", text]
    source = {"PYTHONPATH": str(REPOSITORY / "workflow"), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | source, capture_output=True, text=True, timeout=900
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
