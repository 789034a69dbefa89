"""Benchmarks, which no other test runs, name nothing of the library that is gone."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_benchmark_can_be_imported():
    names = sorted(path.stem for path in ROOT.glob("benchmarks/*.py"))
    paths = os.pathsep.join(str(ROOT / name) for name in ("workflow", "benchmarks"))
    run = subprocess.run(
        [sys.executable, "-c", f"import {', '.join(names)}"],
        capture_output=True, text=True, env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip
    assert names
    assert run.returncode == 0, run.stderr
