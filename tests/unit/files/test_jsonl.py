"""Logs of finished work."""

import pytest

from tandem.files.jsonl import append_entry, read_log


def test_entries_come_back_in_order(tmp_path):
    log = tmp_path / "log.jsonl"
    assert read_log(log) == []
    entries = [{"key": "a", "result": 1.5}, {"key": "ö", "result": None}]
    for entry in entries:
        append_entry(log, entry)
    assert read_log(log) == entries


@pytest.mark.parametrize("left", [1, 9, -1])
def test_a_line_that_was_cut_off_is_done_again(tmp_path, left):
    log = tmp_path / "log.jsonl"
    for key in "ab":
        append_entry(log, {"key": key})
    first, second = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + second[:left])
    assert read_log(log) == [{"key": "a"}]
    append_entry(log, {"key": "c"})
    assert read_log(log) == [{"key": "a"}, {"key": "c"}]
