"""A server to fetch from."""

import http.server
import threading

import pytest
from served import CONTENT, Handler


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
