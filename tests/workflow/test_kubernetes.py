"""The profile of Kubernetes, planned: a server stands for the bucket."""

import http.server
import importlib.util
import os
import re
import threading

import pytest
from conftest import TINY, run_snakemake

PLUGINS = "snakemake_executor_plugin_kubernetes", "snakemake_storage_plugin_s3"
LISTING = b"<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"


class Bucket(http.server.BaseHTTPRequestHandler):
    """A bucket in which the folder data/ is whole, and nothing else is there."""

    def do_HEAD(self):
        listed = self.path.split("?")[0].strip("/") == "my-bucket"
        self.send_response(200 if listed or "/data/" in self.path else 404)
        self.send_header("Last-Modified", "Mon, 02 Jan 2023 00:00:00 GMT")
        self.send_header("Content-Length", str(len(LISTING)) if listed else "1")
        self.end_headers()
        return listed

    def do_GET(self):
        if self.do_HEAD():
            self.wfile.write(LISTING)

    def log_message(self, *message):
        pass


@pytest.mark.skipif(
    not all(map(importlib.util.find_spec, PLUGINS)), reason=f"not installed: {PLUGINS}"
)
def test_jobs_for_pods_are_planned_with_their_files_in_a_bucket(tiny):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Bucket)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    keys = {"SNAKEMAKE_STORAGE_S3_ACCESS_KEY": "a", "SNAKEMAKE_STORAGE_S3_SECRET_KEY": "b"}
    address = f"http://127.0.0.1:{server.server_port}"
    plan = run_snakemake(
        tiny, "--dry-run", "results/scores/sp.random/sts", "--profile", "profiles/kubernetes",
        "--storage-s3-endpoint-url", address, *TINY, environment=os.environ | keys,
    )  # fmt: skip
    server.shutdown()
    assert plan.returncode == 0, plan.stdout + plan.stderr
    rules = set(re.findall(r"^(?:local)?rule (\w+):", plan.stdout, re.MULTILINE))
    assert rules >= {"fetch_dataset", "build_bitext", "segment", "train", "score"}
    assert "s3://my-bucket/tandem/results/scores/sp.random/sts (send to storage)" in plan.stdout
