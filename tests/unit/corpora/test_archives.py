"""Archives that are read, and archives that are refused."""

import gzip
import io
import tarfile
import zipfile

import pytest
from kinds_of_files import packaged, tarred

from tandem.corpora import archives
from tandem.corpora.archives import open_archive
from tandem.errors import InputError
from tandem.files.io import zstandard


def make_zip(path, members, packing=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", packing) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def make_tar(path, members, links=(), mode="w:gz"):
    with tarfile.open(path, mode) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, target in links:
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, target
            archive.addfile(info)
    return path


def content_of(path):
    with open_archive(path) as archive:
        return {name: archive.read(name) for name in archive.names}


@pytest.mark.parametrize("mode", ["w:gz", "w:bz2", "w:xz", "w"])
def test_a_tar_is_read_however_packed(tmp_path, mode):
    members = {"a/b.txt": b"one", "c.txt": b"two"}
    assert content_of(make_tar(tmp_path / "t", members, mode=mode)) == members


@pytest.mark.parametrize("mode", ["w:gz", "w:xz", "w"])
def test_a_package_of_debian_is_read_by_what_it_installs(tmp_path, mode):
    members = {"usr/share/a": b"one", "usr/share/b c": b"two"}
    (tmp_path / "p.deb").write_bytes(packaged(members.items(), mode))
    assert content_of(tmp_path / "p.deb") == members


def test_a_package_of_debian_packed_with_zstandard(tmp_path):
    data = zstandard().compress(tarred([("./usr/share/a", b"one")]))
    head = b"!<arch>\ndata.tar.zst".ljust(56) + f"{len(data):<10}`\n".encode()
    (tmp_path / "p.deb").write_bytes(head + data)
    assert content_of(tmp_path / "p.deb") == {"usr/share/a": b"one"}


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (lambda data: data[:100], "a truncated or damaged package"),
        (lambda data: data.replace(b"data.tar.xz", b"more.tar.xz"), "a package without"),
        (lambda data: data[:-100], "no zip or tar archive, or a truncated or damaged one"),
        (lambda data: data[:8] + (b"x".ljust(48) + b"0".ljust(10) + b"`\n") * 101, "a package"),
    ],
)
def test_a_damaged_package_of_debian_is_refused(tmp_path, spoil, problem):
    (tmp_path / "p.deb").write_bytes(spoil(packaged([("a", bytes(range(256)) * 9)])))
    with pytest.raises(InputError, match=rf"p\.deb: {problem}"):
        content_of(tmp_path / "p.deb")


def test_members_may_be_packed(tmp_path):
    members = {"a.gz": gzip.compress(b"one\ntwo\n"), "b": b"\x1f\x8b is no gzip"}
    with open_archive(make_zip(tmp_path / "z", members)) as archive:
        assert list(archive.lines("a.gz")) == ["one", "two"]
        assert archive.read("a.gz") == b"one\ntwo\n"
        with pytest.raises(InputError, match="z!a.gz: it has over 5 bytes"):
            archive.read("a.gz", 5)
        with pytest.raises(InputError, match="z!b: truncated or damaged"):
            archive.read("b")


def test_a_zip_is_read_without_its_folders(tmp_path):
    path = make_zip(tmp_path / "z", {"a/": b"", "a/b.txt": b"one"})
    assert content_of(path) == {"a/b.txt": b"one"}


@pytest.mark.parametrize("name", ["../evil", "/etc/evil", "a/../../evil", "..\\evil", "C:/evil"])
@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_an_escaping_member_is_refused(tmp_path, make, name):
    path = make(tmp_path / "archive", {"good": b"1", name: b"2"})
    with pytest.raises(InputError, match=r"archive: the member .*evil.* leaves .*Do not use it"):
        content_of(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["archive"]


@pytest.mark.parametrize("target", ["../../etc/passwd", "/etc/passwd"])
def test_an_escaping_link_is_refused(tmp_path, target):
    path = make_tar(tmp_path / "t", {}, links=[("a/link", target)])
    with pytest.raises(InputError, match="passwd.* leaves"):
        content_of(path)


def test_a_link_inside_is_allowed_but_is_no_file(tmp_path):
    path = make_tar(tmp_path / "t", {"b": b"1"}, links=[("a/link", "../b")])
    assert content_of(path) == {"b": b"1"}


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_a_bomb_is_refused_by_its_ratio(tmp_path, monkeypatch, make):
    path = make(tmp_path / "archive", {"bomb": b"\0" * 3_000_000})
    assert len(content_of(path)["bomb"]) == 3_000_000
    monkeypatch.setattr(archives, "FREE_BYTES", 1_000_000)
    with pytest.raises(InputError, match=r"'bomb' unpacks to 3,000,000 bytes.*200 to 1.*bomb\?"):
        content_of(path)


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_many_members_are_refused_by_their_total(tmp_path, monkeypatch, make):
    path = make(tmp_path / "archive", {"a": b"12345", "b": b"67890"})
    monkeypatch.setattr(archives, "MAX_BYTES", 10)
    assert len(content_of(path)) == 2
    monkeypatch.setattr(archives, "MAX_BYTES", 9)
    with pytest.raises(InputError, match="unpacks to 10 bytes, over the limit of 9"):
        content_of(path)


@pytest.mark.parametrize("make", [make_zip, make_tar])
def test_a_truncated_archive_is_refused(tmp_path, make):
    path = make(tmp_path / "archive", {"a": bytes(range(256)) * 400})
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(InputError, match="archive: .*truncated.*fetch it again"):
        content_of(path)


def test_what_is_no_archive_is_refused(tmp_path):
    (tmp_path / "page.zip").write_text("<html>404</html>")
    with pytest.raises(InputError, match=r"page\.zip: no zip or tar"):
        content_of(tmp_path / "page.zip")
