"""HTTP downloads against a real server on this machine."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from served import CONTENT, DIGEST, QUICK, dataset, get, names

from tandem.corpora.fetch import fetch
from tandem.errors import InputError, TandemError


def test_a_file_is_fetched_once(server, tmp_path):
    assert get(server, tmp_path) == tmp_path / "c.bin"
    get(server, tmp_path)
    assert (tmp_path / "c.bin").read_bytes() == CONTENT
    assert server.log == [("/d/c.bin", None)]
    assert names(tmp_path) == ["c.bin"]


def test_server_errors_are_tried_again(server, tmp_path):
    server.fail = 2
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert len(server.log) == 3


def test_server_errors_are_given_up_after_the_attempts(server, tmp_path):
    server.fail, server.status = 99, 503
    with pytest.raises(TandemError) as error:
        get(server, tmp_path)
    for word in (f"{server.url}/d/c.bin", "3 attempts", "HTTP 503", "mirror"):
        assert word in str(error.value)
    assert len(server.log) == 3
    assert names(tmp_path) == []


def test_a_refusal_is_not_tried_again(server, tmp_path):
    server.has = lambda path: False
    with pytest.raises(TandemError, match=r"c\.bin: HTTP 404.*Check the address"):
        get(server, tmp_path)
    assert len(server.log) == 1


def test_a_redirect_to_another_scheme_is_not_followed(server, tmp_path):
    (tmp_path / "secret").write_bytes(CONTENT)
    server.redirect = (tmp_path / "secret").as_uri()
    with pytest.raises(TandemError, match="No connection adapters"):
        get(server, tmp_path / "d")
    assert names(tmp_path / "d") == []


def test_no_network_says_what_to_do(tmp_path):
    url = "http://127.0.0.1:9/d/c.bin"
    with pytest.raises(TandemError) as error:
        fetch(dataset(url), tmp_path, None, QUICK)
    for word in (url, "not reached in 3 attempts", "proxy", "mirror"):
        assert word in str(error.value)


def test_a_broken_body_is_resumed_by_range(server, tmp_path):
    server.cut = [300_000, 400_000]
    assert get(server, tmp_path).read_bytes() == CONTENT
    starts = [int(wanted[6:-1]) if wanted else 0 for _, wanted in server.log]
    assert starts == [0, 300_000, 700_000]
    assert names(tmp_path) == ["c.bin"]


def test_an_earlier_runs_part_is_resumed(server, tmp_path):
    (tmp_path / "c.bin.part").write_bytes(CONTENT[:1000])
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert server.log == [("/d/c.bin", "bytes=1000-")]


def test_a_server_without_ranges_is_read_from_the_start(server, tmp_path):
    server.ranges = False
    (tmp_path / "c.bin.part").write_bytes(CONTENT[:1000])
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert server.log == [("/d/c.bin", "bytes=1000-")]


def test_a_complete_part_is_accepted_on_416(server, tmp_path):
    (tmp_path / "c.bin.part").write_bytes(CONTENT)
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert len(server.log) == 1


def test_a_part_that_is_too_long_is_dropped_on_416(server, tmp_path):
    (tmp_path / "c.bin.part").write_bytes(CONTENT + b"more")
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert [wanted for _, wanted in server.log] == [f"bytes={len(CONTENT) + 4}-", None]


def test_a_part_of_another_version_is_fetched_anew(server, tmp_path):
    (tmp_path / "c.bin.part").write_bytes(b"another version")
    assert get(server, tmp_path).read_bytes() == CONTENT
    assert [wanted for _, wanted in server.log] == ["bytes=15-", None]


def test_no_two_versions_are_mixed_where_no_hash_is_registered(server, tmp_path):
    """The rest is asked for as long as it is of the version that the beginning is of."""
    tags, falls = ['"one"'], [False, True, True, True]

    def answer(handler):
        wanted, version = (handler.headers.get(name) for name in ("Range", "If-Range"))
        if falls and falls.pop(0):
            return handler.answer(503, b"")
        if wanted and version in (None, tags[-1]):
            start = int(wanted[6:-1])
            span = f"bytes {start}-{len(server.content) - 1}/{len(server.content)}"
            return handler.answer(206, server.content[start:], {"Content-Range": span})
        handler.answer(200, server.content, {"ETag": tags[-1]})

    server.hostile, server.cut = answer, [300_000]
    with pytest.raises(TandemError, match="3 attempts"):
        get(server, tmp_path, sha256=None)
    assert names(tmp_path) == ["c.bin.part", "c.bin.part.version"]
    tags.append('"two"')
    server.content = CONTENT[::-1]
    assert get(server, tmp_path, sha256=None).read_bytes() == CONTENT[::-1]
    assert names(tmp_path) == ["c.bin", "c.bin.sha256"]


def test_the_rest_of_a_version_is_asked_for(server, tmp_path):
    def answer(handler):
        start = int((handler.headers.get("Range") or "bytes=0-")[6:-1])
        assert (handler.headers.get("If-Range") == "Mon, 30 Nov 2026") == (start > 0)
        span = f"bytes {start}-{len(CONTENT) - 1}/{len(CONTENT)}"
        weak = {"ETag": 'W/"weak"', "Last-Modified": "Mon, 30 Nov 2026", "Content-Range": span}
        handler.answer(206 if start else 200, CONTENT[start:], weak)

    server.hostile, server.cut = answer, [300_000]
    assert get(server, tmp_path, sha256=None).read_bytes() == CONTENT
    assert len(server.log) == 2


def test_a_page_in_the_place_of_an_archive_is_not_taken_for_it(server, tmp_path):
    server.content = b"<html>Please log in</html>"
    url = f"{server.url}/d/c.zip"
    with pytest.raises(InputError, match=r"c\.zip: it begins with b'<html>Pl', and is not packed"):
        get(server, tmp_path, sha256=None, url=url)
    assert names(tmp_path) == []
    server.content = b"PK\x03\x04 and the rest"
    assert get(server, tmp_path, sha256=None, url=url).read_bytes() == server.content


def test_a_wrong_hash_is_named_and_nothing_kept(server, tmp_path):
    with pytest.raises(InputError) as error:
        get(server, tmp_path, sha256="0" * 64)
    for word in ("c.bin", "0" * 64, DIGEST, "delete it and run again"):
        assert word in str(error.value)
    assert names(tmp_path) == []


def test_a_file_spoilt_on_disk_is_not_used(server, tmp_path):
    (tmp_path / "c.bin").write_bytes(CONTENT[:-1])
    with pytest.raises(InputError, match=r"c\.bin: not the file .*expected .*1,023,999 bytes"):
        get(server, tmp_path)
    assert server.log == []


def test_the_first_hash_seen_is_kept_to(server, tmp_path):
    get(server, tmp_path, sha256=None)
    assert (tmp_path / "c.bin.sha256").read_text() == f"{DIGEST}  c.bin\n"
    (tmp_path / "c.bin").unlink()
    server.content = CONTENT[::-1]
    with pytest.raises(InputError, match=rf"c\.bin\.sha256 names.*expected {DIGEST}"):
        get(server, tmp_path, sha256=None)
    assert names(tmp_path) == ["c.bin.sha256"]


def test_a_mirror_folder_needs_no_network(server, tmp_path):
    place = tmp_path / "mirror" / "example.invalid" / "d"
    place.mkdir(parents=True)
    (place / "c.bin").write_bytes(CONTENT)
    url, mirror = "http://example.invalid/d/c.bin", str(tmp_path / "mirror")
    assert get(server, tmp_path / "a", mirror, url=url).read_bytes() == CONTENT
    (place / "c.bin").write_bytes(b"wrong")
    with pytest.raises(InputError, match="not the file"):
        get(server, tmp_path / "b", mirror, url=url)
    assert names(tmp_path / "b") == []


def test_a_mirror_address_is_asked_first(server, tmp_path):
    url = "http://example.invalid/d/c.bin"
    assert get(server, tmp_path, f"{server.url}/m/", url=url).read_bytes() == CONTENT
    assert server.log == [("/m/example.invalid/d/c.bin", None)]


@pytest.mark.parametrize("kind", ["folder", "address"])
def test_what_a_mirror_lacks_comes_from_the_source(server, tmp_path, kind):
    server.has = lambda path: path == "/d/c.bin"
    (tmp_path / "mirror").mkdir()
    mirror = str(tmp_path / "mirror") if kind == "folder" else f"{server.url}/m"
    assert get(server, tmp_path, mirror).read_bytes() == CONTENT
    assert server.log == [("/d/c.bin", None)]


def test_a_mirror_that_is_not_there_is_named(server, tmp_path):
    with pytest.raises(InputError, match="gone: no such folder. Correct `mirror`"):
        get(server, tmp_path, str(tmp_path / "gone"))
    assert not server.log


def test_proxies_of_the_environment_are_used(server, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    get(server, tmp_path, url="http://example.invalid/d/c.bin")
    assert server.log == [("http://example.invalid/d/c.bin", None)]


def test_two_fetches_at_once_bring_one_file(server, tmp_path):
    with ThreadPoolExecutor(4) as pool:
        paths = list(pool.map(lambda _: get(server, tmp_path), range(4)))
    assert {path.read_bytes() for path in paths} == {CONTENT}
    assert server.log == [("/d/c.bin", None)]
    assert names(tmp_path) == ["c.bin"]


def test_two_fetches_at_once_that_fail_leave_nothing(server, tmp_path):
    def failed(_):
        with pytest.raises(InputError):
            get(server, tmp_path, sha256="0" * 64)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(failed, range(4)))
    assert names(tmp_path) == []


def test_others_may_read_what_was_fetched(server, tmp_path):
    path = get(server, tmp_path, sha256=None)
    assert path.stat().st_mode & 0o777 == 0o644
    assert (tmp_path / "c.bin.sha256").stat().st_mode & 0o777 == 0o644
