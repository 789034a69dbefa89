"""Hostile archives: packed files, zips and tars, from valid ones or made by hand."""

import io
import struct
import zipfile

from kinds_of_files import (
    BUCC,
    tarred,
    zipped,
)


def flipped(data, *places):
    changed = bytearray(data)
    for place in places:
        changed[place] ^= 0x41
    return bytes(changed)


def relabelled(data, offset, value, form="<H"):
    """Change a field of every entry of a zip's directory, and of every local header."""
    changed = bytearray(data)
    for magic, start in ((b"PK\1\2", offset + 2), (b"PK\3\4", offset)):
        place = -1
        while (place := data.find(magic, place + 1)) >= 0:
            struct.pack_into(form, changed, place + start, value)
    return bytes(changed)


def of_zip(data):
    """Yield hostile zips made from a valid one."""
    yield "encrypted", relabelled(data, 6, 1)
    yield "strongly encrypted", relabelled(data, 6, 0x41)
    yield "patched", relabelled(data, 6, 0x20)
    for method in (1, 9, 12, 14, 93, 95, 99):
        yield f"method {method}", relabelled(data, 8, method)
    yield "version 99", relabelled(data, 4, 99)
    yield "names that lie about UTF-8", relabelled(data, 6, 0x800).replace(b"c", b"\xff")
    yield "no directory", data[: data.rfind(b"PK\1\2")]
    yield "no end", data[:-10]
    end = data.rfind(b"PK\5\6")
    for name, place, value in (
        ("a directory before the file", 12, 0xFFFFFFF0),
        ("a directory elsewhere", 16, 0xFFFFFFF0),
        ("a directory of zip64", 16, 0xFFFFFFFF),
    ):
        changed = bytearray(data)
        struct.pack_into("<I", changed, end + place, value)
        yield name, bytes(changed)
    for name, offset in (("CRC", 14), ("packed size", 18), ("size", 22)):
        yield f"a {name} that lies", relabelled(data, offset, 0x7FFFFFF0, "<I")
    for share in range(1, 10):
        yield f"spoilt at {share}/10", flipped(data, len(data) * share // 10)
        yield f"cut at {share}/10", data[: len(data) * share // 10]


def of_packed(data):
    """Yield hostile files made from a packed one."""
    for share in range(1, 20):
        yield f"spoilt at {share}/20", flipped(data, len(data) * share // 20)
        yield f"cut at {share}/20", data[: len(data) * share // 20]
    for place in range(10):
        yield f"spoilt at byte {place}", flipped(data, place)
    yield "spoilt at the end", flipped(data, -1, -5)
    yield "more after the end", data + b"more"
    yield "twice", data + data


def pax(key, value, kind=b"x"):
    record = f"{key}={value}\n"
    size = len(record) + 2
    while len(f"{size} {record}") != size:
        size += 1
    body = f"{size} {record}".encode()
    return block(b"pax", kind, len(body)) + body + b"\0" * (-len(body) % 512)


def block(name, kind, size, number=None):
    info = bytearray(512)
    info[: len(name)] = name
    info[100:108], info[108:116], info[116:124] = b"0000644\0", b"0000000\0", b"0000000\0"
    info[124:136] = number or b"%011o\0" % size
    info[136:148], info[156:157], info[257:265] = b"00000000000\0", kind, b"ustar\x0000"
    info[148:156] = b"        "
    info[148:156] = b"%06o\0 " % sum(info)
    return bytes(info)


def of_tar():
    rest = tarred(BUCC)
    for kind in (b"x", b"g", b"L", b"K", b"S", b"1", b"2", b"3", b"6", b"7", b"X", b"Z", b"\0"):
        yield f"type {kind!r}", block(b"a", kind, 0) + rest
        yield f"type {kind!r} of a size", block(b"a", kind, 1000) + b"9" * 1024 + rest
        yield f"type {kind!r} without an end", block(b"a", kind, 10**9) + rest
    yield "a negative size", block(b"a", b"0", 0, b"\xff" * 12) + rest
    yield "a huge size", block(b"a", b"0", 0, b"\x80" + b"\x7f" * 11) + rest
    for key, value in (
        ("size", "-5"), ("size", "x"), ("size", "9" * 5000), ("path", ""), ("path", "../x"),
        ("path", "a\0b"), ("mtime", "x"), ("hdrcharset", "nonsense"), ("hdrcharset", "BINARY"),
        ("GNU.sparse.map", "1,2,3"), ("GNU.sparse.map", "x"), ("GNU.sparse.size", "-1"),
        ("GNU.sparse.realsize", "9" * 30), ("GNU.sparse.major", "1"),
    ):  # fmt: skip
        yield f"{key}={value[:9]!r}", pax(key, value) + block(b"a", b"0", 0) + rest
        yield f"{key}={value[:9]!r} for all", pax(key, value, b"g") + rest
    sparse = pax("GNU.sparse.major", "1") + pax("GNU.sparse.minor", "0")
    yield "sparse by PAX", sparse + block(b"a", b"0", 4096) + b"1\n0\n" * 1024 + rest
    yield "links in a ring", block(b"a", b"2", 0) + rest
    yield "headers of headers", block(b"a", b"g", 0) * 2000 + rest
    yield "an empty name", block(b"", b"0", 0) + rest
    yield "a name twice", tarred([*BUCC, *BUCC])
    yield "zeros", b"\0" * 10240
    yield "nothing", b""


def of_members(members):
    """Yield hostile zips of these members."""
    out = io.BytesIO(zipped(members))
    with zipfile.ZipFile(out, "a") as archive:
        info = zipfile.ZipInfo("x")
        info.filename = ""
        with archive.open(info, "w") as stream:
            stream.write(b"x")
    yield "an empty name", out.getvalue()
    yield "a folder's name alone", zipped([("/", b""), *members])
    yield "a name of NUL", zipped([("nn", b"x"), *members]).replace(b"nn", b"\0n")
    first = members[0][0].encode()
    other = b"Q" + first[1:]
    twice = zipped([(other.decode(), members[0][1]), *members])
    yield "a name twice", twice.replace(other, first)
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        yield f"packed by {method}", zipped(members, method)
