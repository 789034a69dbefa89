"""A server on this machine whose faults are set, and a dataset that is fetched from it."""

import contextlib
import hashlib
import http.server

from tandem.corpora.fetch import fetch
from tandem.corpora.http import Retry
from tandem.corpora.register import Dataset

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


def dataset(url, sha256=DIGEST, size=None):
    fields = {"sha256": sha256, "bytes": size, "languages": ["en"]}
    return Dataset(name="data", kind="http", url=url, **fields)


def get(server, folder, mirror=None, sha256=DIGEST, url=None, size=None):
    return fetch(dataset(url or f"{server.url}/d/c.bin", sha256, size), folder, mirror, QUICK)


def names(folder):
    return sorted(path.name for path in folder.iterdir())
