"""Strict reading of text, JSON and YAML, and one form of what is written."""

import gzip

import pytest

from tandem.errors import InputError
from tandem.files.io import (
    MAX_LINE_BYTES,
    read_json,
    read_lines,
    read_yaml,
    sha256,
    write_json,
)


def lines_of(path, content):
    path.write_bytes(content)
    return list(read_lines(path))


def test_lines_end_at_newlines_alone(tmp_path):
    text = "a\u2028b\nc\u0085d\x0ce\rf\n".encode()
    assert lines_of(tmp_path / "t", text) == ["a b", "c d e f"]


def test_bom_and_crlf_are_dropped(tmp_path):
    assert lines_of(tmp_path / "t", b"\xef\xbb\xbfa\r\nb\r\n\r\nc") == ["a", "b", "", "c"]


def test_bom_is_dropped_on_the_first_line_only(tmp_path):
    assert lines_of(tmp_path / "t", b"a\n\xef\xbb\xbfb\n") == ["a", "\ufeffb"]


def test_empty_file_has_no_lines(tmp_path):
    assert lines_of(tmp_path / "t", b"") == []


def test_gzip_is_told_by_content(tmp_path):
    assert lines_of(tmp_path / "t.txt", gzip.compress(b"a\nb\n")) == ["a", "b"]


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"good\n\xff\xfe\n", 2, ["invalid UTF-8 at byte 0", "iconv"]),
        (b"a\nb\nc\0d\n", 3, ["NUL", "Remove it"]),
        (b"a\n" + b"x" * 10_000_000 + b"\n", 2, ["1,000,000 bytes", "Split or remove"]),
    ],
)
def test_what_would_corrupt_a_corpus_is_refused(tmp_path, content, line, words):
    with pytest.raises(InputError) as error:
        lines_of(tmp_path / "bad.txt", content)
    assert error.value.line == line
    for word in ["bad.txt", f"line {line}", *words]:
        assert word in str(error.value)


def test_a_line_at_the_limit_passes(tmp_path):
    assert len(lines_of(tmp_path / "t", b"x" * (MAX_LINE_BYTES - 1) + b"\n")[0]) == 999_999


@pytest.mark.parametrize("damage", [lambda b: b[:-20], lambda b: b[:40] + b"\xff" * 9 + b[49:]])
def test_damaged_gzip_is_refused(tmp_path, damage):
    packed = gzip.compress("\n".join(str(n * n) for n in range(5000)).encode())
    with pytest.raises(InputError, match=r"t\.gz: truncated or damaged.*fetch it again"):
        lines_of(tmp_path / "t.gz", damage(packed))


def test_json_is_written_in_one_form(tmp_path):
    write_json(tmp_path / "a", {"b": 1, "a": "é"})
    write_json(tmp_path / "b", {"a": "é", "b": 1})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert read_json(tmp_path / "a") == {"a": "é", "b": 1}


def test_json_errors_name_the_line(tmp_path):
    (tmp_path / "bad.json").write_text('{"a": 1,\n "b" 2}')
    with pytest.raises(InputError, match=r"bad\.json, line 2: not JSON"):
        read_json(tmp_path / "bad.json")


@pytest.mark.parametrize(
    "text",
    ["a: 1\nb: {a: 2}\na: 3\n", "b:\n  a: 1\n  'a': 2\n", "- 1\n- a: {b: [a, a]}\n  a: 2\n"],
)
def test_a_key_that_stands_twice_is_refused(tmp_path, text):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(InputError, match=r"x\.yaml, line 3: not YAML \('a' stands twice"):
        read_yaml(tmp_path / "x.yaml")


def test_a_key_may_stand_in_several_mappings(tmp_path):
    text = "x: &x {a: 1, b: 0}\ny: {<<: *x, a: 2}\nz: [a, a, {a: {a: a}}, {k: 1, a: 3}]\n"
    (tmp_path / "x.yaml").write_text(text)
    assert read_yaml(tmp_path / "x.yaml") == {
        "x": {"a": 1, "b": 0}, "y": {"a": 2, "b": 0},
        "z": ["a", "a", {"a": {"a": "a"}}, {"k": 1, "a": 3}],
    }  # fmt: skip


def test_an_unfinished_last_line_is_a_line(tmp_path):
    (tmp_path / "t").write_text("a\nb")
    assert list(read_lines(tmp_path / "t")) == ["a", "b"]


def test_sha256_of_known_bytes(tmp_path):
    (tmp_path / "t").write_bytes(b"abc")
    expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256(tmp_path / "t") == expected
