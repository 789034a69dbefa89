"""What pip makes of the package: a core that encodes, and extras that can be installed with it."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest
from conftest import REPOSITORY
from test_environments import CORE, EXTRAS, PROJECT, name_of

from tandem.encoders.kinds.averaging import Averaging
from tandem.encoders.model import SentenceEncoder
from tandem.segmentation.kinds.sentencepiece import Sentencepiece
from tandem.segmentation.segmenter import learn

PINS = ["--constraint", str(REPOSITORY / "constraints.txt")]
MOST_MB = 100
"""Of the core and all that it needs, without bytecode; NumPy is half of it."""
TORCH = "pip install torch --index-url https://download.pytorch.org/whl/cpu"
HEAVY = {"torch", "numba", "faiss-cpu", "pandas", "scipy", "snakemake"}
PRINTED = {"pip install .": set(), "pip install '.[train]'": {"torch", "numba", "faiss-cpu"}}
"""The lines that README.md prints, each with what it installs of HEAVY; and TORCH."""


def run(*command, cwd=None):
    alone = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [*map(str, command)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, env=alone, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    run(sys.executable, "-m", "pip", "wheel", *options, REPOSITORY)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def core(wheel, tmp_path_factory):
    """An environment with the core alone; its folder of programs."""
    folder = tmp_path_factory.mktemp("core")
    run(sys.executable, "-m", "venv", folder)
    run(folder / "bin/python", "-m", "pip", "install", "--quiet", "--no-compile", *PINS, wheel)
    return folder / "bin"


def test_the_wheel_says_that_its_types_can_be_checked(wheel):
    assert "tandem/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_wheel_and_source_archive_have_the_model(wheel, tmp_path):
    """The archive is made from a copy: setuptools writes beside what it packs."""
    models = REPOSITORY / "workflow/tandem/models"
    files = {file.relative_to(models) for file in models.rglob("*") if file.is_file()}
    assert Path("small/model.safetensors") in files
    names = {*zipfile.ZipFile(wheel).namelist()}
    assert {f"tandem/models/{file}" for file in files} <= names
    copy = tmp_path / "copy"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy2(REPOSITORY / name, copy)
    shutil.copytree(REPOSITORY / "workflow/tandem", copy / "workflow/tandem")
    code = "from setuptools.build_meta import build_sdist as b; print(b('.'))"
    archive = copy / run(sys.executable, "-c", code, cwd=copy).split()[-1]
    with tarfile.open(archive) as packed:
        members = {name.split("/", 1)[-1] for name in packed.getnames()}
    assert {f"workflow/tandem/models/{file}" for file in files} <= members


def test_the_core_has_a_model(core, tmp_path):
    (tmp_path / "one.en").write_text("A sheep sleeps.\n")
    shown = run(core / "tandem", "encode", "small", "one.en", "--language", "en", cwd=tmp_path)
    assert len(shown.split("\t")) == 192


def test_the_core_encodes(core, tmp_path):
    text = ["a cat sat", "a dog ran"]
    (tmp_path / "segmenter").mkdir()
    segmenter = learn(Sentencepiece(size=20), {"en": lambda: text * 9}, tmp_path / "segmenter")
    table = np.random.default_rng(1).standard_normal((len(segmenter), 8), np.float32)
    encoder = SentenceEncoder(segmenter, Averaging(dimension=8), table)
    encoder.save(tmp_path / "model")
    (tmp_path / "a.en").write_text("\n".join(text) + "\n")
    out = tmp_path / "vectors.npy"
    run(core / "tandem", "encode", tmp_path / "model", tmp_path / "a.en", "--out", out)
    assert np.array_equal(np.load(out), encoder.encode(text, "en"))
    run(core / "tandem", "compress", tmp_path / "model", tmp_path / "small")


def test_the_core_is_small(core):
    (packages,) = core.parent.glob("lib/python*/site-packages")
    tools = ("pip", "setuptools", "pkg_resources", "_distutils_hack")
    own = [path for path in packages.iterdir() if not path.name.startswith(tools)]
    files = [file for path in own for file in (path, *path.rglob("*")) if file.is_file()]
    size = sum(file.stat().st_size for file in files if file.suffix != ".pyc") / 1e6
    assert 10 < size < MOST_MB
    present = {path.name.lower() for path in own}
    assert not present & {"torch", "numba", "faiss", "scipy", "pandas", "snakemake"}


def test_all_extras_can_be_installed(core, wheel, tmp_path):
    """All at once, which is harder than one by one: the constraints pin what each of them asks."""
    report, extras = tmp_path / "report.json", sorted(set(EXTRAS) - {"dev"})
    asked = [*PINS, f"{wheel}[{','.join(extras)}]", "--dry-run", "--quiet", "--report", report]
    run(core / "python", "-m", "pip", "install", *asked)
    found = json.loads(report.read_text())["install"]
    names = {package["metadata"]["name"].lower() for package in found}
    wanted = {name_of(one) for extra in extras for one in EXTRAS[extra]}
    assert wanted <= names | CORE | {PROJECT["name"]}


def would_install(python, line, folder, *options):
    """Return the distributions that a line would install, run in the repository."""
    report = folder / "report.json"
    words = [*shlex.split(line)[1:], "--dry-run", "--quiet", "--report", report, *options]
    run(python, "-m", "pip", *words, cwd=REPOSITORY)
    return {one["metadata"]["name"].lower() for one in json.loads(report.read_text())["install"]}


@pytest.mark.parametrize("line", PRINTED)
def test_a_line_of_the_readme_installs_what_it_is_for(line, core, tmp_path):
    distributions = would_install(core / "python", line, tmp_path, *PINS)
    assert PROJECT["name"] in distributions
    assert distributions & HEAVY == PRINTED[line]


def test_the_line_for_processors_finds_a_torch_without_cuda(core, tmp_path):
    try:
        socket.create_connection((urlsplit(shlex.split(TORCH)[-1]).hostname, 443), 10).close()
    except OSError:
        pytest.skip("the host of PyTorch's builds cannot be reached")
    distributions = would_install(core / "python", TORCH, tmp_path)
    assert "torch" in distributions
    assert not [name for name in distributions if name.startswith("nvidia")]
