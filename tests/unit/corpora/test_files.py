"""Bitext in the files that people have: each format is told by its content, not by its name."""

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile

import pytest

import tandem
from tandem.corpora.files import corpora, read_bitext
from tandem.errors import InputError, TandemError
from tandem.files.io import zstandard

PAIRS = [("One sheep.", "Ein Schaf."), ("Two sheep.", "Zwei Schafe.")]
LANGUAGES = ("en", "de")
EN, DE = ("".join(f"{side}\n" for side in sides) for sides in zip(*PAIRS, strict=True))
TSV = "".join(f"{a}\t{b}\n" for a, b in PAIRS)
SEGMENTS = '<tuv xml:lang="{}"><seg>{}</seg></tuv>'
UNITS = (SEGMENTS.format("en-US", a) + SEGMENTS.format("de", b) for a, b in PAIRS)
BODY = "".join(f"<tu>{unit}</tu>" for unit in UNITS)
TMX = f'<?xml version="1.0"?>\n<tmx version="1.4"><header/><body>{BODY}</body></tmx>\n'
PO = "".join(f'msgid "{a}"\nmsgstr "{b}"\n\n' for a, b in PAIRS)
HEADER = '# Sheep.\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'

XLIFF = (
    '<?xml version="1.0"?>\n<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">'
    '<file source-language="en-US" target-language="de"><body><trans-unit id="1">'
    '<source>One <g id="1">sheep</g>.<x id="2"/></source><target>Ein Schaf.</target>'
    "<alt-trans><source>No</source><target>Nein</target></alt-trans></trans-unit>"
    '<trans-unit id="2"><source>No</source><target state="new">No</target></trans-unit>'
    '<trans-unit id="3"><source>Two sheep.</source><target>Zwei Schafe.</target></trans-unit>'
    "<trans-unit><source>No</source></trans-unit></body></file></xliff>"
)
XLIFF2 = (
    '<xliff version="2.0" srcLang="de" trgLang="en" '
    'xmlns="urn:oasis:names:tc:xliff:document:2.0"><file id="f"><unit id="1">'
    '<originalData><data id="d">No</data></originalData><segment><source>Ein <pc id="1">Schaf</pc>.'
    '<ph id="2"/></source><target>One sheep.</target></segment><segment state="initial">'
    "<source>Nein</source><target>Nein</target></segment><segment><source>Zwei Schafe.</source>"
    "<target>Two sheep.</target></segment></unit></file></xliff>"
)


def zipped(*members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in members:
            archive.writestr(name, text)
    return out.getvalue()


def tarred(*members):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        for name, text in members:
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return out.getvalue()


FORMATS = {
    "columns": TSV.encode(),
    "columns with a score": "".join(f"0.5\t{line}\n" for line in TSV.splitlines()).encode(),
    "tmx": TMX.encode(),
    "tmx in UTF-16": TMX.replace("?>", ' encoding="UTF-16"?>', 1).encode("utf-16"),
    "po": f"{HEADER}\n{PO}".encode(),
    "po that names its language": f'{HEADER}"Language: de_AT\\n"\n\n{PO}'.encode(),
    "zip": zipped(("README", "sheep"), ("sheep.de-en.en", EN), ("sheep.de-en.de", DE)),
    "members of other places": zipped(("s.en_US", EN), ("s.de-AT", DE)),
    "tmx with a namespace": TMX.replace("<tmx", '<tmx xmlns="http://www.lisa.org/tmx14"').encode(),
    "header": ("en\tde\n" + TSV).encode(),
    "header in words, the other way round": b"Deutsch\tEN-GB\tGerman\n"
    + "".join(f"x\t{a}\t{b}\n" for a, b in PAIRS).encode(),
    "header of roles": b"Score\tTarget\tSource\n"
    + "".join(f"0.5\t{b}\t{a}\n" for a, b in PAIRS).encode(),
    "xliff 1.2": XLIFF.encode(),
    "xliff 2": XLIFF2.encode(),
    "csv": "".join(f'"{a}","{b}"\n' for a, b in PAIRS).encode(),
    "csv with a header and semicolons": ("en;de\n" + TSV.replace("\t", ";")).encode(),
    "json lines": "".join(
        json.dumps({"id": 1, "de": b, "en": a}) + "\n" for a, b in PAIRS
    ).encode(),
    "json lines of the hub": "".join(
        json.dumps({"translation": {"en": a, "de-DE": b}}) + "\n" for a, b in PAIRS
    ).encode(),
    "packed tar": tarred(("a/sheep.en", EN), ("a/sheep.de", DE)),
}
PACKED = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "Zstandard": zstandard().compress,
}


@pytest.mark.parametrize("content", FORMATS.values(), ids=FORMATS.keys())
def test_one_file_is_read_by_its_look(content, tmp_path):
    path = tmp_path / "sheep"
    path.write_bytes(content)
    assert list(read_bitext(path, languages=LANGUAGES)) == PAIRS


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())
@pytest.mark.parametrize("name", ["columns", "tmx", "po"])
def test_packed_files_are_read_by_their_look(pack, name, tmp_path):
    path = tmp_path / "sheep"
    path.write_bytes(pack(FORMATS[name]))
    assert list(read_bitext(path, languages=LANGUAGES)) == PAIRS


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())
@pytest.mark.parametrize(("content", "what"), [(FORMATS["zip"], "zip"), (b"PAR1", "Parquet")])
def test_packing_around_what_is_read_in_place_is_refused(pack, content, what, tmp_path):
    (tmp_path / "sheep").write_bytes(pack(content))
    (tmp_path / "more").write_text(TSV)
    for names in (["sheep"], ["more", "sheep"]):
        with pytest.raises(InputError, match=f"sheep: packed {what}. Unpack it, and give"):
            list(read_bitext(*(tmp_path / name for name in names), languages=LANGUAGES))


def test_zstandard_may_have_several_frames(tmp_path):
    first, second = TSV.splitlines(keepends=True)
    pack = PACKED["Zstandard"]
    (tmp_path / "sheep").write_bytes(pack(first.encode()) + pack(second.encode()))
    assert list(read_bitext(tmp_path / "sheep", languages=LANGUAGES)) == PAIRS


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())
def test_damaged_packing_names_the_file(pack, tmp_path):
    path = tmp_path / "sheep"
    path.write_bytes(pack(TSV.encode() * 50)[:-9])
    with pytest.raises(InputError, match="sheep"):
        list(read_bitext(path, languages=LANGUAGES))


@pytest.mark.parametrize("pack", PACKED.values(), ids=PACKED.keys())
def test_packing_that_ends_early_is_no_shorter_text(pack, tmp_path):
    rows = "".join(
        f"Sheep {n * n % 9973} sleeps\tSchaf {n * n % 9973} schläft\n" for n in range(40_000)
    )
    whole = pack(rows.encode())
    path = tmp_path / "sheep"
    for part in (0.5, 0.75, 0.98):
        path.write_bytes(whole[: int(len(whole) * part)])
        with pytest.raises(InputError, match="sheep.*(truncated|ended|damaged)"):
            list(read_bitext(path, languages=LANGUAGES))


@pytest.mark.parametrize("pack", [bytes, *PACKED.values()], ids=["plain", *PACKED.keys()])
def test_two_files_are_paired_line_by_line(pack, tmp_path):
    for name, text in (("a.en", EN), ("a.de", DE)):
        (tmp_path / name).write_bytes(pack(text.encode()))
    files = tmp_path / "a.en", tmp_path / "a.de"
    assert list(read_bitext(*files, languages=LANGUAGES)) == PAIRS


def test_a_catalogue_in_the_other_direction_is_turned(tmp_path):
    (tmp_path / "sheep").write_bytes(FORMATS["po that names its language"])
    turned = [(b, a) for a, b in PAIRS]
    assert list(read_bitext(tmp_path / "sheep", languages=("de", "en"))) == turned


def test_a_catalogue_of_a_third_language_is_refused(tmp_path):
    (tmp_path / "sheep").write_bytes(FORMATS["po that names its language"])
    with pytest.raises(InputError, match="its header names de_AT, neither en nor fr"):
        list(read_bitext(tmp_path / "sheep", languages=("en", "fr")))


@pytest.mark.parametrize("start", ["<http://sheep.org>", "<note: sheep>", "<tmxfile>", "< tmx>"])
def test_text_that_begins_with_a_bracket_is_text(start, tmp_path):
    (tmp_path / "sheep").write_text(f"{start} One sheep.\tEin Schaf.\n")
    expected = [(f"{start} One sheep.", "Ein Schaf.")]
    assert list(read_bitext(tmp_path / "sheep", languages=LANGUAGES)) == expected


@pytest.mark.parametrize("start", ["", "<!DOCTYPE xliff>", "<?xml version='1.0'?>", "\n"])
@pytest.mark.parametrize(
    ("languages", "message"),
    [
        (("en", "de"), "no unit has a target. Translate it"),
        (("de", "en"), "no unit has a target. Translate it"),
        (("en", "fr"), "no unit has en and fr; found en, de. Give languages"),
    ],
)
def test_an_xliff_without_translations_says_so(start, languages, message, tmp_path):
    (tmp_path / "sheep").write_text(
        f'{start}<xliff version="1.2"><file source-language="en" target-language="de"><body>'
        "<trans-unit><source>One sheep.</source></trans-unit></body></file></xliff>"
    )
    with pytest.raises(InputError, match=message):
        list(read_bitext(tmp_path / "sheep", languages=languages))


def test_several_corpora_follow_each_other(tmp_path):
    for name, text in (("a.en", EN), ("a.de", DE), ("b", TSV), ("c", TMX)):
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in ("b", "a.en", "a.de", "c")]
    found = corpora(files)
    assert [corpus.format for corpus in found] == ["columns", "lines", "tmx"]
    assert found[1].name == f"{files[1]} and {files[2]}"
    assert list(read_bitext(*files, languages=LANGUAGES)) == PAIRS * 3


@pytest.mark.parametrize("names", [["a.en"], ["a.en", "b", "a.de"]])
def test_a_file_whose_other_side_is_missing_is_refused(names, tmp_path):
    for name, text in (("a.en", EN), ("a.de", DE), ("b", TSV)):
        (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=r"a\.en: text of one column, and none follows"):
        corpora([tmp_path / name for name in names])


def test_a_line_of_other_columns_is_named(tmp_path):
    (tmp_path / "sheep").write_text(TSV + "Three sheep.\tDrei\tSchafe.\n")
    with pytest.raises(InputError, match="sheep, line 3: 3 columns, not 2") as error:
        list(read_bitext(tmp_path / "sheep", languages=LANGUAGES))
    assert error.value.line == 3


def test_what_cannot_be_read_is_refused_at_once(tmp_path):
    for files, message in (
        ([], "give some files"),
        (["-", "-"], "once at most"),
        ([tmp_path], "a folder"),
    ):
        with pytest.raises(TandemError, match=message):
            read_bitext(*files, languages=LANGUAGES)
    with pytest.raises(FileNotFoundError):
        read_bitext(tmp_path / "nowhere", languages=LANGUAGES)


def test_the_package_has_it():
    assert tandem.read_bitext is read_bitext
