"""What the extra `mine` is for runs with what it brings."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

PYPROJECT = Path(__file__).parents[3] / "pyproject.toml"
EXTRAS = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
NAMES = {"scikit_learn": "sklearn", "backports.zstd": "backports", "faiss_cpu": "faiss"}
"""Distributions whose modules are called otherwise."""
PROGRAM = "import sys; sys.modules |= dict.fromkeys({}); from tandem.cli import main; main({})"


def modules(extra):
    """Return the modules that an extra names."""
    found = (re.split(r"[\[<>=; ]", one)[0].replace("-", "_") for one in EXTRAS[extra])
    return {NAMES.get(name, name) for name in found}


@pytest.mark.parametrize(
    "words",
    [
        ["mine", "small", "a.en", "a.de", "--languages", "en", "de"],
        ["retrieve", "small", "a.en", "a.de", "--languages", "en", "de"],
        ["evaluate", "small", "a.en", "a.de", "--languages", "en", "de"],
        ["negatives", "small", "a.en", "a.de", "--languages", "en", "de", "--margin", "0.1"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_of_the_extra_needs_no_other(words, tmp_path):
    absent = set().union(*map(modules, EXTRAS)) - modules("mine") - {"tandem_bitext"}
    assert {"torch", "scipy", "pandas"} <= absent and "faiss" not in absent
    english = ["a sheep sleeps", "the dog barks", "the cat sleeps", "a dog sleeps"]
    german = ["ein Schaf schläft", "der Hund bellt", "die Katze schläft", "ein Hund schläft"]
    for name, lines in (("a.en", english), ("a.de", german)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    program = PROGRAM.format(sorted(absent), words)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.stdout and "not installed" not in done.stderr, done.stderr
