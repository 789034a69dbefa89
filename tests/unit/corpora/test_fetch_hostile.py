"""HTTP downloads from servers that lie."""


import pytest
from served import CONTENT, dataset, get, names

from tandem.corpora.fetch import fetch
from tandem.corpora.http import Retry
from tandem.errors import InputError, TandemError


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
