"""HTTP downloads against a real server on this machine."""

import hashlib
import http.server
import threading

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
        self.wfile.write(body[:cut])


@pytest.fixture
def server(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.log, server.cut, server.fail, server.status = [], [], 0, 500
    server.redirect = None
    server.content, server.ranges, server.has = CONTENT, True, lambda path: True
    server.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def dataset(url, sha256=DIGEST):
    return Dataset(name="data", kind="http", url=url, sha256=sha256, languages=["en"])


def get(server, folder, mirror=None, sha256=DIGEST, url=None):
    return fetch(dataset(url or f"{server.url}/d/c.bin", sha256), folder, mirror, QUICK)


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
