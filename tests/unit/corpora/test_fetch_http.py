"""HTTP downloads against a real server on this machine."""

import contextlib
import hashlib
import http.server
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tandem.corpora.fetch import fetch
from tandem.corpora.http import Retry
from tandem.corpora.register import Dataset
from tandem.errors import InputError, TandemError

CONTENT = bytes(range(256)) * 4000
DIGEST = hashlib.sha256(CONTENT).hexdigest()
QUICK = Retry(attempts=3, wait=0.001, timeout=5)


class Handler(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT at any path; how well is set by attributes of its server."""

    def log_message(self, *args):
        pass

    def do_HEAD(self):
        self.send_response(200 if self.server.has(self.path) else 404)
        self.end_headers()

    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.log.append((self.path, wanted))
        if server.hostile:
            return server.hostile(self)
        if server.redirect:
            return self.answer(302, b"", {"Location": server.redirect})
        if server.fail > 0:
            server.fail -= 1
            return self.answer(server.status, b"")
        if not server.has(self.path):
            return self.answer(404, b"")
        if not wanted or not server.ranges:
            return self.answer(200, server.content)
        start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        total = len(server.content)
        if start >= total:
            return self.answer(416, b"", {"Content-Range": f"bytes */{total}"})
        headers = {"Content-Range": f"bytes {start}-{total - 1}/{total}"}
        return self.answer(206, server.content[start:], headers)

    def answer(self, status, body, headers=None):
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        cut = self.server.cut.pop(0) if self.server.cut and status in (200, 206) else len(body)
        with contextlib.suppress(ConnectionError):  # who has read enough may leave
            self.wfile.write(body[:cut])


@pytest.fixture
def server(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.log, server.cut, server.fail, server.status = [], [], 0, 500
    server.redirect = server.hostile = None
    server.content, server.ranges, server.has = CONTENT, True, lambda path: True
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def dataset(url, sha256=DIGEST, size=None):
    fields = {"sha256": sha256, "bytes": size, "languages": ["en"]}
    return Dataset(name="data", kind="http", url=url, **fields)


def get(server, folder, mirror=None, sha256=DIGEST, url=None, size=None):
    return fetch(dataset(url or f"{server.url}/d/c.bin", sha256, size), folder, mirror, QUICK)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


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


def test_a_wrong_hash_is_named_and_nothing_kept(server, tmp_path):
    with pytest.raises(InputError) as error:
        get(server, tmp_path, sha256="0" * 64)
    for word in ("c.bin", "0" * 64, DIGEST, "Delete it and fetch it again"):
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
    mirror = str(tmp_path / "mirror") if kind == "folder" else f"{server.url}/m"
    assert get(server, tmp_path, mirror).read_bytes() == CONTENT
    assert server.log == [("/d/c.bin", None)]


def test_proxies_of_the_environment_are_used(server, tmp_path, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    get(server, tmp_path, url="http://example.invalid/d/c.bin")
    assert server.log == [("http://example.invalid/d/c.bin", None)]


# ---- servers that lie


def endless(handler, status=200, headers=()):
    """Send bytes until the client goes."""
    handler.send_response(status)
    for name, value in headers:
        handler.send_header(name, value)
    handler.end_headers()
    sent = 0
    try:
        while sent < 50 * len(CONTENT):
            sent += handler.wfile.write(CONTENT)
    except OSError:
        pass
    handler.server.sent = sent
    handler.close_connection = True


def test_a_size_that_is_announced_beyond_the_registered_one_stops_the_download(server, tmp_path):
    with pytest.raises(InputError, match=r"c\.bin: it has 1,024,000 bytes.*allows 1,023,999"):
        get(server, tmp_path, size=len(CONTENT) - 1)
    assert len(server.log) == 1
    assert names(tmp_path) == []
    assert get(server, tmp_path, size=len(CONTENT)).exists()


def test_an_endless_body_is_stopped_at_the_registered_size(server, tmp_path):
    server.hostile = endless
    with pytest.raises(InputError, match=f"the register allows {len(CONTENT):,}"):
        get(server, tmp_path, size=len(CONTENT))
    assert len(server.log) == 1
    assert names(tmp_path) == []


def test_an_endless_body_is_stopped_at_the_ceiling_where_no_size_is_registered(
    server, tmp_path, monkeypatch
):
    monkeypatch.setattr("tandem.corpora.fetch.MOST_BYTES", 2_000_000)
    server.hostile = endless
    with pytest.raises(InputError, match="allows 2,000,000"):
        get(server, tmp_path)
    assert names(tmp_path) == []


def test_an_endless_rest_of_a_part_is_stopped(server, tmp_path):
    (tmp_path / "c.bin.part").write_bytes(CONTENT[:1000])
    server.hostile = lambda handler: endless(
        handler,
        206 if handler.headers.get("Range") else 200,
        [("Content-Range", f"bytes 1000-{len(CONTENT) - 1}/{len(CONTENT)}")],
    )
    with pytest.raises(InputError, match="the register allows"):
        get(server, tmp_path, size=len(CONTENT))
    # the kept part may have been to blame: once more, from nothing
    assert [wanted for _, wanted in server.log] == ["bytes=1000-", None]
    assert names(tmp_path) == []


@pytest.mark.parametrize("length", ["abc", "-5", "5, 6", "9" * 5000, "", "1024000 x"])
def test_a_length_that_is_no_number_is_an_error_or_ignored(server, tmp_path, length):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", length)
        handler.end_headers()
        handler.wfile.write(CONTENT)
        handler.close_connection = True

    server.hostile = answer
    try:
        assert get(server, tmp_path, size=len(CONTENT)).read_bytes() == CONTENT
    except TandemError:
        assert names(tmp_path) in ([], ["c.bin.part"])


@pytest.mark.parametrize("length", [10, len(CONTENT) - 1])
def test_a_length_below_the_bodys_is_found_by_the_hash(server, tmp_path, length):
    def answer(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", str(length))
        handler.end_headers()
        handler.wfile.write(CONTENT)

    server.hostile = answer
    with pytest.raises(InputError, match=f"not the file .* {length:,} bytes"):
        get(server, tmp_path)
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "place", ["bytes 0-9/10", "bytes 999-9/10", "bytes */5", "nonsense", "", "bytes 1000-1/1"]
)
def test_a_wrong_range_is_refused_or_found_by_the_hash(server, tmp_path, place):
    (tmp_path / "c.bin.part").write_bytes(CONTENT[:1000])

    def answer(handler):
        if not handler.headers.get("Range"):
            return handler.answer(200, CONTENT)
        return handler.answer(206, CONTENT, {"Content-Range": place} if place else {})

    server.hostile = answer
    try:
        assert get(server, tmp_path, size=len(CONTENT)).read_bytes() == CONTENT
    except TandemError as error:
        assert "HTTP 206" in str(error)


def test_a_server_that_gives_a_byte_at_a_time_is_given_up(server, tmp_path):
    server.cut = [1] * 1000
    retry = Retry(attempts=3, total=20, wait=0.0001, timeout=5)
    with pytest.raises(TandemError, match="not reached in 20 attempts"):
        fetch(dataset(f"{server.url}/d/c.bin"), tmp_path, None, retry)
    assert len(server.log) == 20
    assert (tmp_path / "c.bin.part").stat().st_size == 20


@pytest.mark.parametrize("place", ["http://\xff\xfe/", "http://" + "a" * 300, "http://[", "//"])
def test_a_redirect_to_no_address_is_an_error(server, tmp_path, place):
    server.hostile = lambda handler: handler.answer(302, b"", {"Location": place})
    with pytest.raises(TandemError, match=r"c\.bin: "):
        get(server, tmp_path)


def test_redirects_without_end_are_given_up(server, tmp_path):
    server.redirect = "/d/c.bin"
    with pytest.raises(TandemError, match="not reached in 3 attempts.*30 redirects"):
        get(server, tmp_path)


@pytest.mark.parametrize("content", [b"", b"\n", b"abc  c.bin\n", b"\xff\xfe", b"\0" * 64])
def test_a_hash_file_that_holds_none_is_named(server, tmp_path, content):
    (tmp_path / "c.bin.sha256").write_bytes(content)
    with pytest.raises(InputError, match=r"c\.bin\.sha256: it holds no SHA-256.*delete"):
        get(server, tmp_path, sha256=None)


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
