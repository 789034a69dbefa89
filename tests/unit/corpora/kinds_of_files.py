"""Kinds of files: for each, a way to read one, and the content of a valid one."""

import gzip
import io
import json
import os
import sqlite3
import string
import struct
import tarfile
import tempfile
import zipfile
from pathlib import Path

from reading import corpus

from tandem.corpora.files import read_bitext
from tandem.corpora.mining_task import gold_rows, read_part
from tandem.corpora.register import load_register
from tandem.corpora.sts_archives import build_sts
from tandem.errors import TandemError
from tandem.files.io import read_json, read_yaml
from tandem.tasks.sts_data import read_index, read_task

MIB = 1 << 20
EVIL = Path(tempfile.gettempdir(), f"evil{os.getpid()}.headlines.tsv")


def pairs_of(path, reader, languages=("en", "cs"), **options):
    return list(corpus(reader, languages, **options).pairs(path, *languages))


def zipped(members, packing=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", packing) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def tarred(members, mode="w", form=tarfile.PAX_FORMAT):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=form) as archive:
        for name, content in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def packaged(members, mode="w:xz", names=("debian-binary", "control.tar.xz", "data.tar.xz")):
    """Return a Debian package of the members, whose names begin with ./ as there."""
    data = tarred([(f"./{name}", content) for name, content in members], mode)
    out = b"!<arch>\n"
    for name, content in zip(names, (b"2.0\n", b"abc", data), strict=True):
        head = f"{name:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(content):<10}`\n"
        out += head.encode() + content + b"\n" * (len(content) % 2)
    return out


def served(*entries):
    """Return the index and the entries of a dictionary as dictd has them."""
    digits = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    lines, text = [], b""
    for entry in entries:
        numbers = (f"{digits[n >> 6]}{digits[n & 63]}" for n in (len(text), len(entry.encode())))
        lines.append("\t".join([entry.split("\n")[0].casefold(), *numbers]))
        text += entry.encode()
    return [("d/words.index", "\n".join(sorted(lines)).encode() + b"\n"),
            ("d/words.dict.dz", gzip.compress(text))]


def compiled(messages, order="<"):
    """Return an MO catalogue of pairs of texts."""
    count = len(messages)
    texts = [text.encode() for column in (0, 1) for text in (pair[column] for pair in messages)]
    out, place = struct.pack(f"{order}7I", 0x950412DE, 0, count, 28, 28 + 8 * count, 0, 0), 0
    for text in texts:
        out += struct.pack(f"{order}2I", len(text), 28 + 16 * count + place)
        place += len(text) + 1
    return out + b"".join(text + b"\0" for text in texts)


def database(*statements, rows=True, columns="(bbName, bNumber, cNumber, vNumber, vText)"):
    connection = sqlite3.connect(":memory:")
    if columns:
        connection.execute(f"CREATE TABLE bible {columns}")
    if rows:
        texts = [(code, 1, 1, n, f"verse {n}") for code in "ec" for n in range(40)]
        connection.executemany("INSERT INTO bible VALUES (?, ?, ?, ?, ?)", texts)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    return connection.serialize()


# ---- how each kind of file is read

VERSES = {"member": "d/b.db", "translations": {"en": "e", "cs": "c"}, "blank": r"\(same\)"}
CATALOGUE = {"members": r"c/(?P<component>[^/]+)/(?P<language>[^/]+)\.json"}


def put(folder, name, data):
    (folder / name).write_bytes(data)
    return folder / name


def lines(folder, data):
    put(folder, "t.en", data)
    put(folder, "t.cs", b"a\nb\nc\n")
    return pairs_of(folder / "t.{language}", "lines")


def tsv(folder, data):
    options = {"columns": {"en": 0, "cs": 1}, "header": False}
    return pairs_of(put(folder, "t", data), "tsv", **options)


def moses(folder, data):
    return pairs_of(put(folder, "t", data), "moses")


def tmx(folder, data):
    return pairs_of(put(folder, "t", data), "tmx")


def xliff(folder, data):
    return pairs_of(put(folder, "t", data), "xliff")


def csv(folder, data):
    return pairs_of(put(folder, "t", data), "csv")


def json_lines(folder, data):
    return pairs_of(put(folder, "t", data), "json-lines")


def front(folder, data):
    return list(read_bitext(put(folder, "t", data), languages=("en", "cs")))


def po(folder, data):
    put(folder, "cs.po", data)
    return pairs_of(folder / "{language}.po", "po", msgid="en")


def catalogue(folder, data):
    return pairs_of(put(folder, "t", data), "catalogue", **CATALOGUE)


def catalogue_json(folder, data):
    return catalogue(folder, zipped([("c/a/en.json", '{"n": "a"}'), ("c/a/cs.json", data)]))


def verses(folder, data):
    return pairs_of(put(folder, "t", data), "verses", **VERSES)


def verses_db(folder, data):
    return verses(folder, zipped([("d/b.db", data)], zipfile.ZIP_STORED))


def cedict(folder, data):
    return pairs_of(put(folder, "t", data), "cedict", ("en", "zh"))


def ding(folder, data):
    options = {"member": "d/de-en", "headwords": "cs"}
    return pairs_of(put(folder, "t", packaged([("d/de-en", data)], "w")), "ding", **options)


def dictd(folder, data):
    return pairs_of(put(folder, "t", data), "dictd", headwords="cs")


def dictd_index(folder, data):
    members = [("d/words.index", data), SERVED[1]]
    return dictd(folder, packaged(members, "w"))


def dictd_text(folder, data):
    members = [SERVED[0], ("d/words.dict.dz", gzip.compress(data))]
    return dictd(folder, packaged(members, "w"))


def wordnet(folder, data):
    files = [(f"p/dict/data.{part}", data) for part in ("noun", "verb", "adj", "adv")]
    return pairs_of(put(folder, "t", tarred(files, "w:gz")), "wordnet")


def records(folder, data):
    path = put(folder, "t", zipped([("d/x.json.gz", gzip.compress(data))]))
    texts = {"en": "(.*)", "cs": "(.*)"}
    return pairs_of(path, "records", members=r"d/x\.json\.gz", texts=texts)


def mo(folder, data):
    path = put(folder, "t", zipped([("l/cs/a.mo", data)]))
    return pairs_of(path, "mo", members=r"l/(?P<language>[^/]+)/a\.mo", msgid="en")


def pages(folder, data, **options):
    members = [(f"h/{code}/a.page", data if code == "cs" else PAGE) for code in ("en", "cs")]
    options |= {"members": r"h/(?P<language>[^/]+)/(?P<page>[^/]+)\.page", "blocks": ["p", "h1.a"]}
    return pairs_of(put(folder, "t", zipped(members)), "pages", **options)


def pages_html(folder, data):
    return pages(folder, data, html=True)


def bucc(folder, data):
    return pairs_of(put(folder, "t", data), "bucc", ("fr", "en"), part="training")


def sts(folder, data):
    return build_sts(folder / "sts", put(folder, "t", data))


def sts_csv(folder, data):
    rows = [(f"sts-{part}.csv", data if part == "train" else STS_ROW) for part in STS_PARTS]
    return sts(folder, zipped(rows))


def sts_task(folder, data):
    return read_task(put(folder, "t", data))


def sts_index(folder, data):
    put(folder, "index.json", data)
    return read_index(folder)


def mining(folder, data):
    put(folder, "test.en", b"en-1\tHello\n")
    put(folder, "test.gold", b"fr-1\ten-1\n")
    put(folder, "training.fr", b"fr-1\tSalut\n")
    put(folder, "test.fr", data)
    return gold_rows(read_part(folder, "test"))


def register(folder, data):
    return load_register(put(folder, "r.yaml", data))


def config_yaml(folder, data):
    return read_yaml(put(folder, "c.yaml", data))


def plain_json(folder, data):
    return read_json(put(folder, "c.json", data))


TEXT = "".join(f"line {n} příliš žluťoučký\n" for n in range(40)).encode()
TMX = (
    '<?xml version="1.0" encoding="utf-8"?>\n<tmx version="1.4"><header/><body>'
    + "".join(
        f'<tu><tuv xml:lang="en"><seg>one <bpt i="1">x</bpt>{n}</seg></tuv>'
        f'<tuv xml:lang="cs"><seg>jedna <hi>{n}</hi></seg></tuv></tu>\n'
        for n in range(9)
    )
    + "</body></tmx>"
).encode()
PO = (
    'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    '#: a.c:1\n#, c-format\nmsgid "Open\\n"\n"file"\nmsgstr "Otevřít"\n\n'
    'msgctxt "menu"\nmsgid "One"\nmsgid_plural "Many"\nmsgstr[0] "a"\nmsgstr[1] "b"\n\n'
    '#, fuzzy\n#| msgid "was"\nmsgid "Close"\nmsgstr "Zavřít"\n#~ msgid "Old"\n#~ msgstr "S"\n'
).encode()
PAGE = (
    b'<a xmlns="urn:x"><h1 class="a">Title <b>x</b></h1><p>First<p>Inner</p> &amp; last</p></a>'
)
JSON = '{"t": {"x": "Řádek", "deep": {"y": "a\\u010d"}}, "n": "b"}'.encode()
STS_PARTS = ("train", "dev", "test")
STS_ROW = b"g\theadlines\t2016\t1\t3.5\tone two\tthree four\n"
BUCC = [
    ("b/fr-en.training.fr", b"fr-1\tBonjour\nfr-2\tMerci\n"),
    ("b/fr-en.training.en", b"en-1\tThanks\nen-2\tHello\n"),
    ("b/fr-en.training.gold", b"fr-2\ten-1\n"),
]
INDEX = {
    "tasks": [{"file": "2016.a.tsv", "year": "2016", "languages": ["en", "en"], "of": 9}],
    "missing": [{"task": "b", "year": "2013", "of": 9, "why": "absent"}],
}
REGISTER = b"""datasets:
  mine: &first
    kind: local
    path: d/my.tsv
    licence: own
    languages: [en, cs]
    codes: {cs: cz}
    reader: {kind: tsv, columns: {en: 0, cz: 1}, header: false}
  web:
    kind: http
    url: https://example.org/x.zip
    sha256: null
    bytes: 12
    licence: own
    languages: [en, de]
    reader: {kind: moses}
"""
CEDICT = "# a comment\n中國 中国 [Zhong1 guo2] /China; Middle (land)/CL:個[ge4]/\n".encode()
DING = "# a comment\nDům {m} (x); Domek | malý dům :: house; home [x] | small house\n".encode()
SERVED = served(
    "00-database-info\nAbout.\n", "dům /x/ <n>\n1. house, home\n2. building\n",
    "pes <n>\ndog\n a kind of animal\n", "kůň /y/\n 1.\n(animal)\nhorse\n",
)  # fmt: skip
MO = compiled([("", "Language: cs"), ("a\x04One file", "Soubor"), ("Two", "Dvě")])
WORDNET = (
    b"  1 A licence.\n"
    b"00001740 03 n 01 entity 0 001 ~ 00001930 n 0000 | that which is (living or not)  \n"
    b'00001930 03 n 02 thing 0 big_object(p) 0 001 @ 00001740 n 0000 | a body; "a thing"; "x"  \n'
)
MOSES = [("X.en", TEXT), ("X.cs", TEXT)]
CATALOGUES = [(f"c/{part}/{code}.json", JSON) for part in "ab" for code in ("en", "cs")]
STS = [(f"d/sts-{part}.csv", STS_ROW * 9) for part in STS_PARTS]
XLIFF = (
    b'<xliff version="1.2" xmlns="urn:x"><file source-language="en" target-language="cs"><body>'
    b"<trans-unit><source>a <g>b</g></source><target>c</target></trans-unit></body></file></xliff>"
)
XLIFF2 = (
    b'<xliff version="2.0" srcLang="en" trgLang="cs"><file><unit><segment><source>a</source>'
    b"<target>c</target></segment></unit></file></xliff>"
)
VALID = {
    "lines": (lines, b"a\nb\xc4\x8d\nc\n"),
    "lines.gz": (lines, gzip.compress(b"a\nb\xc4\x8d\nc\n")),
    "tsv": (tsv, TEXT.replace(b" ", b"\t")),
    "tsv.gz": (tsv, gzip.compress(TEXT.replace(b" ", b"\t"))),
    "moses": (moses, zipped(MOSES)),
    "moses stored": (moses, zipped(MOSES, zipfile.ZIP_STORED)),
    "tmx": (tmx, TMX),
    "tmx utf-16": (tmx, TMX.decode().replace("utf-8", "utf-16").encode("utf-16")),
    "tmx.gz": (tmx, gzip.compress(TMX)),
    "xliff": (xliff, XLIFF),
    "xliff 2": (xliff, XLIFF2),
    "csv": (csv, b'en,cs\n"a, b","c ""d""\ne"\nf,g\n'),
    "json lines": (json_lines, b'{"en": "a", "cs": "b"}\n{"en": null, "cs": "\\u010d"}\n'),
    "own file": (front, b"a\tb\nc\xc4\x8d\td\n"),
    "own file of rows": (front, b'en,cs\n"a, b","c ""d""\ne"\nf,g\n'),
    "po": (po, PO),
    "catalogue": (catalogue, zipped(CATALOGUES)),
    "catalogue json": (catalogue_json, JSON),
    "verses": (verses, zipped([("d/b.db", database())])),
    "verses db": (verses_db, database()),
    "cedict": (cedict, CEDICT),
    "cedict.gz": (cedict, gzip.compress(CEDICT)),
    "ding": (ding, DING),
    "dictd": (dictd, packaged(SERVED)),
    "dictd.gz": (dictd, packaged(SERVED, "w:gz")),
    "dictd index": (dictd_index, SERVED[0][1]),
    "dictd text": (dictd_text, gzip.decompress(SERVED[1][1])),
    "wordnet": (wordnet, WORDNET),
    "records": (records, JSON),
    "mo": (mo, MO),
    "pages": (pages, PAGE),
    "pages html": (pages_html, PAGE),
    "bucc": (bucc, tarred(BUCC)),
    "bucc gnu": (bucc, tarred(BUCC, form=tarfile.GNU_FORMAT)),
    "bucc.gz": (bucc, tarred(BUCC, "w:gz")),
    "bucc.bz2": (bucc, tarred(BUCC, "w:bz2")),
    "bucc.xz": (bucc, tarred(BUCC, "w:xz")),
    "sts": (sts, zipped(STS)),
    "sts.tar": (sts, tarred(STS)),
    "sts csv": (sts_csv, STS_ROW * 9),
    "sts task": (sts_task, b"1.5\ta\tb\n2\tc\td\n" * 5),
    "sts index": (sts_index, json.dumps(INDEX).encode()),
    "mining": (mining, b"fr-1\tBonjour\nfr-2\tMerci\n"),
    "register": (register, REGISTER),
    "yaml": (config_yaml, REGISTER + b"a: *first\nb: 2001-01-01\nc: !!binary aGk=\nd: 1_0.5e3\n"),
    "json": (plain_json, JSON),
}


def stray(folder, read, data):
    """Read a file; return what is neither a result nor an error of Tandem's, or was left behind."""
    folder.mkdir()
    try:
        read(folder, data)
    except TandemError as error:
        if "\0" in str(error):
            return "a NUL in the message"
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:120]
    return None
