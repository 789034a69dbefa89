"""Hostile files of each kind: made by hand, from a valid file, from its members, or alone."""

import json

from hostile_archives import flipped, of_members, of_packed, of_tar, of_zip
from kinds_of_files import (
    CATALOGUES,
    EVIL,
    INDEX,
    JSON,
    MIB,
    MOSES,
    PO,
    SERVED,
    STS,
    STS_ROW,
    TMX,
    VALID,
    VERSES,
    database,
    packaged,
)


def text_of(name, encoding, content):
    head = f'<?xml version="1.0" encoding="{name}"?>'
    return head.encode() + TMX.split(b"?>", 1)[1] if encoding is None else (
        (head + TMX.decode().split("?>", 1)[1]).encode(encoding, "replace") + content)  # fmt: skip


def nested(opening, closing="", count=100_000, middle=""):
    return (opening * count + middle + closing * count).encode()


HUGE = b"9" * 5000
LAUGHS = "a0: &a0 [lol, lol]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
)
MERGES = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}\n" for n in range(1, 30)
)


def entry(**changes):
    base = {"kind": "local", "path": "x", "licence": "o", "languages": ["en", "cs"]}
    return json.dumps({"datasets": {"mine": base | changes}}).encode()


def of_yaml():
    yield "aliases that multiply", LAUGHS.encode()
    yield "merges that multiply", MERGES.encode()
    yield "an alias of itself", b"&a [*a]"
    yield "an alias of nothing", b"[*a]"
    yield "an anchor twice", b"[&a x, &a [*a, *a]]"
    yield "a mapping of itself", b"&a {b: *a, *a : c}"
    for opening in ("[", "{a: ", "- ", "? "):
        yield f"deep {opening}", nested(opening)
    yield "a huge integer", b"a: " + HUGE
    yield "a huge hexadecimal", b"a: 0x" + b"f" * 9000
    yield "a huge key", b"0x" + b"f" * 9000 + b": a"
    yield "no date", b"a: 2001-99-99"
    yield "no timestamp", b"a: !!timestamp x"
    yield "no float", b"a: !!float ''"
    yield "no int", b"a: !!int x"
    yield "no bool", b"a: !!bool x"
    yield "no binary", b"a: !!binary a"
    yield "no set", b"a: !!set [x]"
    yield "no pairs", b"a: !!pairs {x: y}"
    yield "code", b"a: !!python/object/apply:os.system [ls]"
    yield "a list for a key", b"[a]: b"
    yield "two documents", b"a: b\n---\nc: d\n"
    yield "latin-1", b"a: \xe9"
    yield "utf-16", "a: b".encode("utf-16")
    yield "NUL", b"a: \0"
    yield "a tab", b"a:\n\t- b"
    yield "a list", b"[a]"
    yield "nothing", b""
    yield "a number", b"5"
    yield "large", b"a: " + b"x" * (2 * MIB)
    yield "many", b"[" + b"a," * 400_000 + b"]"


def of_register():
    yield from of_yaml()
    yield "entries that are numbers", b"datasets: 5"
    yield "an entry that is a number", b"datasets: {a: 5}"
    yield "names that are numbers", b"datasets: {1: {2: 3}}"
    yield "a name that leaves", json.dumps({"datasets": {"../x": {}}}).encode()
    yield "a file that leaves", entry(file="..")
    yield "a file with a slash", entry(file="a/b")
    yield "a file with NUL", entry(file="a\0b")
    yield (
        "a code that leaves",
        entry(path="d/{language}", codes={"cs": "../../../x"}, reader={"kind": "lines"}),
    )
    yield (
        "columns without a language",
        entry(reader={"kind": "tsv", "columns": {"en": 0}, "header": False}),
    )
    yield (
        "translations without a language",
        entry(reader={"kind": "verses", **VERSES, "translations": {"en": "e"}}),
    )
    yield "no pattern", entry(reader={"kind": "catalogue", "members": "(" * 5000})
    yield "a kind that is a list", entry(reader={"kind": ["tsv"]})
    yield "a huge size", b"datasets: {a: {bytes: 0x" + b"f" * 9000 + b"}}"
    yield "a huge kind", entry()[:-2] + b', "reader": {"kind": 0x' + b"f" * 9000 + b"}}}"


def of_json():
    yield "deep lists", nested("[", "]")
    yield "deep mappings", nested('{"a":', "}", middle='"b"')
    yield "rather deep", nested('{"a":', "}", 900, '"b"')
    yield "unfinished", nested("[")
    yield "a huge integer", b'{"a": ' + HUGE + b"}"
    yield "a huge float", b'{"a": 1e999}'
    yield "not a number", b'{"a": NaN}'
    yield "half a surrogate pair", b'{"a": "\\ud800"}'
    yield "half a surrogate pair in a key", b'{"\\ud800": "a", "b": 1}'
    yield "latin-1", b'{"a": "\xe9"}'
    yield "utf-16", JSON.decode().encode("utf-16")
    yield "a key twice", b'{"a": "b", "a": {"a": "c"}}'
    yield "a list", b'["a"]'
    yield "null", b"null"
    yield "a string", b'"a"'
    yield "nothing", b""
    yield "NUL", b'{"a": "\\u0000"}'
    yield "too large", b'{"a": "' + b"x" * (17 * MIB) + b'"}'


def of_tmx():
    names = "nonsense cp037 utf-7 idna punycode big5 shift_jis utf-32 rot13 hex unicode_escape"
    for name in (*names.split(), "gb18030", "utf-16", "ascii", "\xe9"):
        yield f"marked as {name}", text_of(name, None, b"")
    yield "latin-1 marked as utf-8", TMX.replace("ž".encode(), b"\xe9").replace(b"one", b"on\xe9")
    yield "utf-8 marked as latin-1", text_of("latin-1", "utf-8", b"")
    yield "utf-16 marked as utf-8", text_of("utf-8", "utf-16", b"")
    yield "utf-16 cut", TMX.decode().replace("utf-8", "utf-16").encode("utf-16")[:-3]
    seg = TMX.split(b"one ")
    yield "deep elements in a segment", seg[0] + nested("<hi>", "</hi>") + b"".join(seg[1:])
    yield "rather deep elements", seg[0] + nested("<hi>", "</hi>", 900) + b"".join(seg[1:])
    yield "deep elements before the body", b"<tmx>" + nested("<a>", "</a>") + b"</tmx>"
    yield "deep elements without an end", nested("<a>")
    yield "units in units", b"<tmx><body>" + nested("<tu>", "</tu>", 50) + b"</body></tmx>"
    yield "entities", TMX.replace(b"?>", b'?><!DOCTYPE t [<!ENTITY a "b">]>', 1)
    yield (
        "an entity outside",
        TMX.replace(b"?>", b'?><!DOCTYPE t [<!ENTITY a SYSTEM "file:///etc/passwd">]>', 1).replace(
            b"one", b"&a;"
        ),
    )
    yield (
        "an entity of parameters",
        TMX.replace(b"?>", b'?><!DOCTYPE t [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]>', 1),
    )
    yield "no entity", TMX.replace(b"one", b"&nothing;")
    yield "an attribute twice", TMX.replace(b'lang="en"', b'lang="en" xml:lang="en"')
    yield "no namespace", TMX.replace(b"xml:lang", b"zzz:lang")
    yield "half a surrogate pair", TMX.replace(b"one", b"&#xD800;")
    yield "NUL", TMX.replace(b"one", b"\0")
    yield "nothing", b""
    yield "two roots", TMX + b"<a/>"
    yield "no unit", b"<tmx/>"
    yield "a segment alone", b"<tu><tuv lang='en'><seg>a</seg></tuv><tuv lang='cs'/></tu>"


def of_po():
    for name in ("nonsense", "utf-16", "rot13", "\\x00", "é", "a b", "idna", "undefined"):
        yield f"charset {name}", PO.replace(b"UTF-8", name.encode())
    yield "no quotes", b"msgid\nmsgstr\n"
    yield "a quote alone", b'msgid "\nmsgstr "\n'
    yield "an escape at the end", b'msgid "a\\"\nmsgstr "b\\"\n'
    yield "plural without a number", b'msgid "a"\nmsgid_plural "b"\nmsgstr[] "c"\n'
    yield "plural with a letter", b'msgid "a"\nmsgid_plural "b"\nmsgstr[x] "c"\n'
    yield "plural with a huge number", b'msgid "a"\nmsgstr[' + HUGE + b'] "c"\n'
    yield "a string first", b'"a"\n'
    yield "a previous one first", b'#| "a"\n'
    yield "a context alone", b'msgctxt "a"\n'
    yield "only obsolete", b"#~\n#~ msgid\n"
    yield "comments", b"#\n#,\n#:\n#|\n#.\n#~\n" * 9
    yield "places", b'#: a:b:c :9 9: a:\nmsgid "a"\nmsgstr "b"\n'
    yield "NUL", b'msgid "a\0"\nmsgstr "b"\n'
    yield "latin-1", PO.decode().encode("latin-1", "replace").replace(b"?", b"\xe9")
    yield "nothing", b""


def of_database():
    yield "NULL", database("UPDATE bible SET vText = NULL WHERE vNumber = 3")
    yield "blobs", database("UPDATE bible SET vText = x'ff00' WHERE vNumber = 3")
    yield "numbers", database("UPDATE bible SET vText = 5, bNumber = 'x' WHERE vNumber = 3")
    yield "no UTF-8", database("UPDATE bible SET vText = CAST(x'ff' AS TEXT) WHERE vNumber = 3")
    yield "NUL", database("UPDATE bible SET vText = 'a' || char(0) || 'b'")
    yield "half a surrogate pair", database("UPDATE bible SET vText = char(55296)")
    every = "SELECT value AS bbName, 1 AS bNumber, 1 AS cNumber, 1 AS vNumber, 'x' AS vText"
    endless = (
        "WITH RECURSIVE n(value) AS (SELECT 'e' UNION ALL SELECT value FROM n) "
        f"{every} FROM n"
    )  # fmt: skip
    yield "an endless view", database(f"CREATE VIEW bible AS {endless}", rows=False, columns="")
    same = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
    yield (
        "a join that explodes",
        database(
            *(f"INSERT INTO bible {same} SELECT '{code}', 1, 1, 1, 'x' FROM n" for code in "ec")
        ),
    )
    yield (
        "a computed column",
        database(
            columns="(bbName, bNumber, cNumber, vNumber, x, "
            "vText GENERATED ALWAYS AS (hex(zeroblob(2000000))))"
        ),
    )
    large = "UPDATE bible SET vText = hex(zeroblob(900000)) WHERE vNumber = 3"
    yield "a large text", database(large)
    yield "a virtual table", database(
        "CREATE VIRTUAL TABLE bible USING fts5(bbName, bNumber, cNumber, vNumber, vText)",
        rows=False, columns="",
    )  # fmt: skip
    yield "other columns", database(rows=False, columns="(a, b)")
    yield "no table", database("CREATE TABLE other (a)", rows=False, columns="")
    yield (
        "a trigger",
        database("CREATE TRIGGER t AFTER INSERT ON bible BEGIN DELETE FROM bible; END"),
    )
    data = database()
    yield "spoilt pages", data[:4096] + flipped(data[4096:], *range(0, 4000, 7))
    yield "a spoilt schema", flipped(data, *range(100, 200))
    yield "cut", data[: len(data) // 2]
    yield "page size", flipped(data, 16, 17)
    yield "text", b"no database"
    yield "nothing", b""


def of_sts():
    for file in ("../../../evil", "/tmp/evil", "a/b", "..", "", "a\x1bb", "a b", "x" * 300, "é"):
        yield f"a task {file[:9]!r}", STS_ROW.replace(b"headlines", file.encode())
    for year in ("../x", str(EVIL)[: -len(".headlines.tsv")], "", "2016/..", "test", "12345"):
        yield f"a year {year!r}", STS_ROW.replace(b"2016", year.encode())
    for score in ("nan", "inf", "-1", "1_0", "", "1e400", "9" * 5000):
        yield f"a score {score[:9]!r}", STS_ROW.replace(b"3.5", score.encode())
    yield "few columns", b"a\tb\n"
    yield "NUL", STS_ROW.replace(b"one", b"\0")
    yield "latin-1", STS_ROW.replace(b"one", b"\xe9")
    yield "nothing", b""


def of_index():
    yield from of_json()
    for changes in (
        {"tasks": 5}, {"tasks": [5]}, {"tasks": [{}]}, {"missing": {}}, {"missing": [{}]},
        {"tasks": [INDEX["tasks"][0] | {"file": "../../x.tsv"}]},
        {"tasks": [INDEX["tasks"][0] | {"year": "soon"}]},
        {"tasks": [INDEX["tasks"][0] | {"languages": ["en"]}]},
        {"tasks": [INDEX["tasks"][0] | {"of": "many"}]},
    ):  # fmt: skip
        yield f"{changes}"[:60], json.dumps(INDEX | changes).encode()


def of_package():
    valid = packaged(SERVED)
    yield "nothing but its beginning", valid[:8]
    yield "a head that ends early", valid[:40]
    yield "no data", packaged(SERVED, names=("debian-binary", "control.tar.xz", "other.tar.xz"))
    start = valid.index(b"data.tar")
    for size in (b"-1", b"9999999999", b"0", b"1e9", b"x", b"\0" * 10):
        yield f"a size of {size}", valid[: start + 48] + size.ljust(10) + valid[start + 58 :]
    yield "many members", valid[:8] + (b"x".ljust(48) + b"0".ljust(10) + b"`\n") * 100_000
    yield "data that are no tar", packaged([])[:200]
    yield "no tar", valid[:start] + b"data.tar".ljust(48) + b"4".ljust(10) + b"`\nabcd"
    yield "a zstandard that is none", valid.replace(b"\xfd7zXZ\0", b"\x28\xb5\x2f\xfd\0\0")
    yield "a member that escapes", packaged([("../../d/words.index", b""), SERVED[1]])
    yield "members twice", packaged([*SERVED, *SERVED])
    yield "two indexes", packaged([*SERVED, ("d/other.index", b"")])


def of_indexes():
    for line in (b"a", b"a\tA", b"a\tA\t", b"a\t\t\t", b"a\tA\t_", b"a\tA\t////////////",
                 b"a\t////\tB", b"a\tA\tBA\nb\tB\tBA", b"a\tA\tB\n" * 9, "a\tč\tB".encode()):
        yield f"{line}", line
    yield "a long number", b"a\tA\t" + b"/" * 900_000


def of_records():
    yield "deep", b"[" * 900 + b"1" + b"]" * 900
    yield "lists of lists", b'[["a", ["b"]], {"": {"": ""}}, []]'
    yield "numbers", b"[1, 2.5, null, true]"


def of_mo():
    valid = VALID["mo"][1]
    yield "cut short", valid[:30]
    yield "no message", valid[:8]
    yield "texts beyond the end", valid[:28] + b"\xff" * 48
    yield "a table beyond the end", valid[:12] + b"\xff" * 16
    yield "messages without end", valid[:8] + b"\xff\xff\xff\x7f" + valid[12:]
    yield "no UTF-8", valid.replace(b"Soubor", b"\xff\xfe\xfd\0ab")


def of_pages():
    yield "deep", b"<p>" * 5000 + b"</p>" * 5000
    yield "unclosed", b"<a><p>x<b>y"
    yield "ends without a start", b"</b><a></p>x</a></a>"
    yield "an entity", b'<!DOCTYPE a [<!ENTITY e "x">]><a><p>&e;</p></a>'
    yield "a file", b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a><p>&e;</p></a>'
    yield "a NUL", b"<a><p>x&#0;\0</p></a>"
    yield "half a surrogate pair", b"<a><p>&#xd800;</p></a>"
    yield "no UTF-8", b"<a><p>\xff</p></a>"


def of_lines():
    yield "NUL", b"a\nb\0\nc\n"
    yield "no UTF-8", b"a\n\xff\nc\n"
    yield "half a surrogate pair", b"a\n\xed\xa0\x80\nc\n"
    yield "a long line", b"x" * (3 * MIB)
    yield "a gzip in name", b"\x1f\x8b"
    yield "a gzip of another method", b"\x1f\x8b\x07" + b"\0" * 20
    yield "a gzip with all flags", b"\x1f\x8b\x08\xff" + b"\0" * 50
    yield "nothing", b""


HOSTILE = {
    "lines": [of_lines], "lines.gz": [of_packed], "tsv": [of_lines], "tsv.gz": [of_packed],
    "moses": [of_zip, of_members], "moses stored": [of_zip], "tmx": [of_tmx],
    "tmx.gz": [of_packed],
    "xliff": [of_tmx], "csv": [of_lines], "json lines": [of_lines, of_json],
    "own file": [of_lines, of_packed, of_json, of_tmx, of_po],
    "po": [of_po], "catalogue": [of_zip, of_members],
    "catalogue json": [of_json], "verses": [of_zip], "verses db": [of_database],
    "cedict": [of_lines], "cedict.gz": [of_packed], "ding": [of_lines], "wordnet": [of_lines],
    "dictd": [of_package], "dictd index": [of_lines, of_indexes], "dictd text": [of_lines],
    "records": [of_json, of_records], "mo": [of_mo], "pages": [of_pages], "pages html": [of_pages],
    "bucc": [of_packed, of_tar], "bucc.gz": [of_packed], "bucc.bz2": [of_packed],
    "bucc.xz": [of_packed], "sts": [of_zip, of_members], "sts.tar": [of_tar], "sts csv": [of_sts],
    "sts task": [of_lines], "sts index": [of_index], "mining": [of_lines],
    "register": [of_register], "yaml": [of_yaml], "json": [of_json],
}  # fmt: skip
"""What makes the hostile inputs of each kind: from a valid file, from its members, or alone."""
GIVEN = {of_zip: VALID, of_packed: VALID, of_members: {"moses": MOSES, "sts": STS}}
GIVEN[of_members]["catalogue"] = CATALOGUES


def hostile(kind):
    """Yield (name, data) of the hostile inputs of a kind."""
    for make in HOSTILE[kind]:
        given = GIVEN.get(make)
        if given is None:
            yield from make()
        else:
            yield from make(given[kind][1] if given is VALID else given[kind])
