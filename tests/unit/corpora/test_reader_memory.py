"""Memory of readers is bounded, whatever a file says that it holds."""

import bz2
import contextlib
import gzip
import zipfile
from itertools import product
from pathlib import Path

import pytest
from hostile_archives import block, pax, relabelled
from hostile_files import of_database
from kinds_of_files import (
    BUCC,
    MIB,
    TMX,
    bucc,
    catalogue,
    cedict,
    dictd,
    dictd_index,
    ding,
    lines,
    moses,
    packaged,
    po,
    put,
    tarred,
    tmx,
    verses_db,
    wordnet,
    zipped,
)

from tandem.errors import InputError
from tandem.files.io import read_lines


def status(key):
    text = Path("/proc/self/status").read_text()
    return int(text.split(f"{key}:")[1].split()[0]) >> 10


@contextlib.contextmanager
def within(mib):
    """Assert that the body takes no more memory than so much, in MiB."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        pytest.skip("this system does not reset a process's peak of memory")
    before = status("VmRSS")
    yield
    assert status("VmHWM") - before < mib


def long_segment():
    head, tail = TMX.split(b"one ", 1)
    return gzip.compress(head + b"word " * (20 * MIB) + tail, 1)


def many_elements(element, count):
    return gzip.compress(b"<tmx>" + element * count + b"</tmx>", 1)


def many_headers():
    header = pax("comment", "x" * 60_000) + block(b"a", b"5", 0)
    return gzip.compress(header * 2000 + tarred(BUCC), 1)


def many_lines():
    letters = product(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", repeat=4)
    return b"".join(b"a\t%b\tB\n" % bytes(digits) for digits in letters)


BOMBS = {
    "a gzip without newlines": (lines, lambda: gzip.compress(b"x" * (300 * MIB), 1)),
    "a long segment": (tmx, long_segment),
    "elements between units": (tmx, lambda: many_elements(b"<a/>", 1_100_000)),
    "nested units": (tmx, lambda: many_elements(b"<tu><tu/><tu/></tu>" * 9, 9000)),
    "an open unit": (tmx, lambda: gzip.compress(b"<tmx><tu>" + b"<tu></tu>" * 600_000, 1)),
    "a comment": (tmx, lambda: gzip.compress(b"<!--" + b"x" * (200 * MIB), 1)),
    "names of elements": (
        tmx,
        lambda: gzip.compress(
            b"<tmx>" + b"".join(b"<a%d/><tu/>" % n for n in range(500_000)), 1
        ),
    ),
    "PAX headers": (bucc, many_headers),
    "PAX header of a size": (
        bucc,
        lambda: gzip.compress(pax("comment", "x" * (100 * MIB)) + tarred(BUCC), 1),
    ),
    "a bzip2 of headers": (bucc, lambda: bz2.compress(pax("comment", "x" * (40 * MIB)), 9)),
    "sparse by PAX": (
        bucc,
        lambda: gzip.compress(
            pax("GNU.sparse.major", "1") + pax("GNU.sparse.minor", "0")
            + block(b"a", b"0", 60 * MIB) + b"9999999\n" + b"1\n" * (30 * MIB), 1
        ),
    ),  # fmt: skip
    "a zip of bzip2": (
        moses,
        lambda: relabelled(
            zipped([("X.en", b"x" * (200 * MIB)), ("X.cs", b"x")], zipfile.ZIP_BZIP2),
            22, 1000, "<I",
        ),
    ),  # fmt: skip
    "a directory of a zip": (
        moses,
        lambda: zipped([("n" * 9000 + str(n), b"") for n in range(2500)]),
    ),
    "a large catalogue": (
        catalogue,
        lambda: zipped([(f"c/{n}/en.json", b'{"x": "' + b" " * 10 * MIB + b'"}') for n in range(9)]
                       + [("c/a/cs.json", b'{"x": "a"}')]),
    ),  # fmt: skip
    "a large PO": (
        po,
        lambda: gzip.compress((b'msgid "' + b"a" * 900 + b'"\nmsgstr "b"\n\n') * 20_000, 1),
    ),
    "a word without end": (
        cedict,
        lambda: gzip.compress("中國 中国 [x] /a; b; c/d/\n".encode() * 300_000, 1),
    ),
    "brackets in each other": (ding, lambda: b"(" * MIB + b"x" + b")" * MIB),
    "a long index": (
        dictd,
        lambda: packaged([("d/a.index", many_lines() * 3), ("d/a.dict.dz", b"a")], "w:gz"),
    ),
    "entries beyond the text": (
        dictd_index, lambda: b"a\tA\tB\nb\tB\tDAAAAA\nc\tP////w\tB\n"
    ),
    "synonyms without end": (
        wordnet,
        lambda: b"".join(b"%08d 03 n 01 a 0 000 | b\n" % n for n in range(300_000)),
    ),
    "a join that explodes": (
        verses_db,
        lambda: dict(of_database())["a join that explodes"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_memory_is_bounded(tmp_path, monkeypatch, name):
    # a tenth, for speed: what Python makes of tiny elements is slow to come
    monkeypatch.setattr("tandem.corpora.elements.MAX_UNIT_BYTES", 400_000)
    read, make = BOMBS[name]
    data = make()
    with within(64), contextlib.suppress(InputError):
        read(tmp_path, data)


def test_lines_of_a_file_are_read_as_far_as_allowed(tmp_path):
    path = put(tmp_path, "t", b"abc\n" * 10)
    assert len(list(read_lines(path, 40))) == 10
    with pytest.raises(InputError, match="it has over 39 bytes"):
        list(read_lines(path, 39))
