"""Packages through npm and apt-get, for which small programs stand; and through a mirror."""

import hashlib
import os

import pytest
from served import CONTENT, DIGEST, names

from tandem.corpora.fetch import fetch, fetch_if_reachable
from tandem.corpora.register import Dataset
from tandem.errors import InputError, TandemError

SOURCES = {
    "npm": {"kind": "npm", "requirement": "@some/words@1.2.0", "file": "some-words-1.2.0.tgz"},
    "apt-get": {"kind": "deb", "requirement": "dict-words=1:2-3", "file": "dict-words_2-3_all.deb"},
}
PLACES = {name: f"{fields['kind']}/{fields['file']}" for name, fields in SOURCES.items()}


@pytest.fixture
def index(tmp_path, monkeypatch):
    """Put programs that copy a package in place of the clients; return the folder of both."""
    folder = tmp_path / "index"
    folder.mkdir()
    (folder / "package").write_bytes(CONTENT)
    for name in SOURCES:  # both write to the folder that they run in
        copy = f"cp '{folder}/package' 'as the index names it'"
        log = f"echo \"$@\" >> '{folder}/{name}.log'"
        (folder / name).write_text(f"#!/bin/sh\n{log}\n{copy}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder


def package(client, sha256=DIGEST, **changes):
    return Dataset(name="words", sha256=sha256, languages=["en"], **SOURCES[client], **changes)


def asked(index, client):
    path = index / f"{client}.log"
    return path.read_text().split("\n")[:-1] if path.exists() else []


def break_client(index, client, message):
    (index / client).write_text(f"#!/bin/sh\necho '{message}' >&2\nexit 100\n")


def leave_out(index, client, monkeypatch):
    """Let a client be missing, and keep what else the fetch needs."""
    (index / client).unlink()
    for name in ("sh", "env", "cp"):
        os.symlink(f"/bin/{name}", index / name)
    monkeypatch.setenv("PATH", str(index))


@pytest.mark.parametrize("client", SOURCES)
def test_a_package_is_fetched_verified_and_kept(tmp_path, index, client):
    path = fetch(package(client), tmp_path / "d", None)
    assert path == tmp_path / "d" / SOURCES[client]["file"]
    assert hashlib.sha256(path.read_bytes()).hexdigest() == DIGEST
    assert names(tmp_path / "d") == [path.name]
    fetch(package(client), tmp_path / "d", None)
    fetch(package(client), tmp_path / "other", None)  # linked
    [call] = asked(index, client)
    assert SOURCES[client]["requirement"] in call


def test_a_package_for_each_language_is_fetched(tmp_path, index):
    sums = {"sha256": DIGEST, "bytes": len(CONTENT)}
    dataset = Dataset(
        name="words", kind="deb", requirement="words-{language}=2", file="words-{language}_2.deb",
        packages={"en": sums, "cz": sums}, languages=["en", "cs"], codes={"cs": "cz"},
    )  # fmt: skip
    path = fetch(dataset, tmp_path / "d", None)
    assert path.name == "words-{language}_2.deb"
    assert names(tmp_path / "d") == ["words-cz_2.deb", "words-en_2.deb"]
    assert [call.split()[2] for call in asked(index, "apt-get")] == ["words-en=2", "words-cz=2"]


def test_no_code_of_a_package_is_run_and_nothing_is_left_elsewhere(tmp_path, index):
    fetch(package("npm"), tmp_path / "d", None)
    [call] = asked(index, "npm")
    assert call.startswith("pack ")
    assert "--ignore-scripts" in call
    assert f"--cache {tmp_path / 'd'}" in call


@pytest.mark.parametrize("client", SOURCES)
def test_a_package_of_another_hash_is_refused(tmp_path, index, client):
    for get in (fetch, fetch_if_reachable):
        with pytest.raises(InputError, match=rf"not the file .*expected 000.*got {DIGEST}"):
            get(package(client, "0" * 64), tmp_path / "d", None)
        assert names(tmp_path / "d") == []


@pytest.mark.parametrize("client", SOURCES)
def test_a_client_that_fails_says_what_to_do(tmp_path, index, client):
    break_client(index, client, "Unable to locate it")
    with pytest.raises(TandemError) as error:
        fetch(package(client), tmp_path / "d", None)
    source, place = SOURCES[client]["requirement"], PLACES[client]
    settings = {"npm": "npm config list", "apt-get": "apt-get update"}[client]
    for word in (source, f"{client} could not", "Unable to locate it", settings, place):
        assert word in str(error.value)
    assert names(tmp_path / "d") == []


def test_a_client_that_writes_nothing_has_failed(tmp_path, index):
    (index / "npm").write_text("#!/bin/sh\n")
    with pytest.raises(TandemError, match="npm could not download it"):
        fetch(package("npm"), tmp_path / "d", None)


@pytest.mark.parametrize("client", SOURCES)
def test_where_a_client_is_missing_its_packages_are_left_out(tmp_path, index, client, monkeypatch):
    leave_out(index, client, monkeypatch)
    assert not fetch_if_reachable(package(client), tmp_path / "d", None)
    [note] = (tmp_path / "d").iterdir()
    assert note.name == "unreachable.txt"
    text = note.read_text(encoding="utf-8")
    for word in (f"{client}, which downloads it, is not installed", "mirror", PLACES[client]):
        assert word in text


@pytest.mark.parametrize("client", SOURCES)
def test_where_an_index_is_not_reached_the_package_is_left_out(tmp_path, index, client):
    break_client(index, client, "Temporary failure resolving")
    assert not fetch_if_reachable(package(client), tmp_path / "d", None)
    text = (tmp_path / "d" / "unreachable.txt").read_text(encoding="utf-8")
    assert "Temporary failure resolving" in text
    assert "goes on without it" in text


@pytest.mark.parametrize("client", SOURCES)
def test_a_mirror_has_packages_by_kind_and_needs_no_client(tmp_path, index, client, monkeypatch):
    leave_out(index, client, monkeypatch)
    place = tmp_path / "mirror" / PLACES[client]
    place.parent.mkdir(parents=True)
    place.write_bytes(CONTENT)
    mirror = str(tmp_path / "mirror")
    assert fetch_if_reachable(package(client), tmp_path / "d", mirror)
    assert (tmp_path / "d" / place.name).read_bytes() == CONTENT
    place.write_bytes(b"other")
    with pytest.raises(InputError, match="not the file that the register names"):
        fetch(package(client), tmp_path / "e", mirror)


def test_a_mirror_of_packages_may_be_an_address(tmp_path, server, index):
    assert fetch_if_reachable(package("npm"), tmp_path / "d", f"{server.url}/m")
    assert [path for path, _ in server.log] == [f"/m/{PLACES['npm']}"]
    assert asked(index, "npm") == []


@pytest.mark.parametrize("client", SOURCES)
def test_a_package_beyond_the_registered_size_is_not_written(tmp_path, index, client, monkeypatch):
    monkeypatch.setattr("tandem.corpora.packages._INDEX_BYTES", 0)
    with pytest.raises(TandemError, match=f"{client} could not download it"):
        fetch(package(client, bytes=5000), tmp_path / "d", None)
    assert names(tmp_path / "d") == []
