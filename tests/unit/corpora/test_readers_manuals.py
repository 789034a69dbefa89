"""Compiled catalogues, and pages with the same elements in every language."""

import gzip

import pytest
from kinds_of_files import compiled, packaged, tarred, zipped
from reading import corpus, refused

from tandem.corpora.readers import READERS
from tandem.errors import TandemError
from tandem.registry import ConfigurationError

MO = {
    "members": r"l/(?P<language>[^/]+)/(?P<component>[^/]+)\.mo",
    "msgid": "en",
    "edits": [["[_~](?=\\w)", ""]],
}
MENU = [
    ("", "Content-Type: text/plain; charset=UTF-8"), ("menu\x04_Open\n file", "~Otevřít"),
    ("One\0Many", "Jeden\0Dva"), ("Not yet", ""), ("menu2\x04_Open\n file", "Otevření"),
]  # fmt: skip


def catalogues(tmp_path, **changes):
    files = {"cs/menu": compiled(MENU), "cs/help": compiled([("Help", "Pomoc")], ">"),
             "de/menu": compiled([("Help", "Hilfe")])} | changes  # fmt: skip
    path = tmp_path / "c.deb"
    path.write_bytes(packaged([(f"l/{name}.mo", data) for name, data in files.items()]))
    return path


def test_compiled_messages_of_both_byte_orders_in_either_direction(tmp_path):
    dataset = corpus("mo", ["en", "cs", "de"], **MO)
    path = catalogues(tmp_path)
    pairs = {code: list(rows) for code, rows in dataset.sections(path, "en", ["cs", "de"])}
    assert pairs["cs"] == [
        ("menu", "Open file", "Otevřít"), ("menu", "Open file", "Otevření"),
        ("help", "Help", "Pomoc"),
    ]  # fmt: skip
    assert pairs["de"] == [("menu", "Help", "Hilfe")]
    assert list(dataset.pairs(path, "de", "en")) == [("Hilfe", "Help")]
    with pytest.raises(TandemError, match="one language must be en, that of the catalogues' ids"):
        list(dataset.pairs(path, "cs", "de"))


def test_without_components_each_message_is_a_section(tmp_path):
    options = MO | {"members": r"l/(?P<language>[^/]+)/menu\.mo"}
    placed = corpus("mo", **options).placed(catalogues(tmp_path), "en", "cs")
    assert {section for section, _, _ in placed} == {"Open file"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"no catalogue", ["c.deb!l/cs/menu.mo: no MO catalogue"]),
        (compiled(MENU)[:60], ["menu.mo: a damaged MO catalogue"]),
        (compiled(MENU)[:-20], ["menu.mo: a damaged MO catalogue: it ends before byte"]),
    ],
)
def test_damaged_catalogues_are_refused(tmp_path, data, words):
    with refused(*words):
        list(corpus("mo", **MO).pairs(catalogues(tmp_path, **{"cs/menu": data}), "en", "cs"))


def test_a_language_without_catalogue_lists_those_there(tmp_path):
    with refused("no catalogue in the language 'fr'. It has: cs, de"):
        list(corpus("mo", ["en", "fr"], **MO).pairs(catalogues(tmp_path), "en", "fr"))


PAGES = {
    "members": r"h/(?P<language>[^/]+)/(?P<page>[^/]+)\.page(\.gz)?",
    "blocks": ["p", "title", "div.para"],
    "without": ["credit", "p.note"],
}
MALLARD = (
    '<page xmlns="urn:m"><info><credit><p>A. Writer</p></credit></info><title>{} <em>1</em></title>'
    '<p>{}<list><item><p>{}</p></item></list></p><p class="note">{}</p><p/></page>'
)


def manual(tmp_path, name="m.tgz", **changes):
    texts = {
        "C/a": MALLARD.format("Start", "Open", "Inner", "n"), "C/b": MALLARD.format(*"abcd"),
        "cs/a": MALLARD.format("Začátek", "Otevřít", "Uvnitř", "x"), "C/c": "<page/>",
        "cs/b": "<page xmlns='urn:m'><p>another structure</p></page>",
    } | changes  # fmt: skip
    files = [(f"h/{page}.page.gz", gzip.compress(text.encode())) for page, text in texts.items()]
    (tmp_path / name).write_bytes(tarred(files, "w:gz"))
    return tmp_path / name


def test_blocks_in_the_same_place_of_pages_of_the_same_elements(tmp_path):
    dataset = corpus("pages", codes={"en": "C"}, **PAGES)
    assert list(dataset.placed(manual(tmp_path), "en", "cs")) == [
        ("a", "Start 1", "Začátek 1"), ("a", "Open", "Otevřít"), ("a", "Inner", "Uvnitř"),
    ]  # fmt: skip


def test_html_in_an_archive_for_each_language(tmp_path):
    page = '<!DOCTYPE html><meta charset="utf-8"><div class="para">{}<br>two</div><div>x</div></p>'
    for code, text in (("en-us", "One"), ("cs", "Jedna &amp;")):
        (tmp_path / f"h-{code}.zip").write_bytes(
            zipped([(f"help/{code.upper()}/a.html", page.format(text))])
        )
    options = PAGES | {"members": r"help/[^/]+/(?P<page>.+)\.html", "html": True}
    dataset = corpus("pages", codes={"en": "en-us"}, **options)
    assert list(dataset.pairs(tmp_path / "h-{language}.zip", "en", "cs")) == [
        ("Onetwo", "Jedna &two")
    ]


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("<page", ["m.tgz!h/cs/a.page.gz", "no readable XML"]),
        ('<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>', ["no readable XML"]),
        ("<a>" * 200 + "</a>" * 200, ["over 100 elements in each other"]),
        (f"<a>{' ' * (1 << 20)}</a>", ["it has over 1,048,576 bytes"]),
    ],
)
def test_pages_refused(tmp_path, page, words):
    with refused(*words):
        list(corpus("pages", codes={"en": "C"}, **PAGES).pairs(
            manual(tmp_path, **{"cs/a": page}), "en", "cs"))  # fmt: skip


def test_a_language_without_pages_lists_those_there(tmp_path):
    with refused("no page in the language 'de'. It has: C, cs"):
        dataset = corpus("pages", ["en", "de"], codes={"en": "C"}, **PAGES)
        list(dataset.pairs(manual(tmp_path), "en", "de"))


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"kind": "mo", "members": "x", "msgid": "en"}, "it has no group .*<language>"),
        ({"kind": "pages", "members": "x", "blocks": ["p"]}, "it has no group .*<page>"),
    ],
)
def test_patterns_of_names_need_their_groups(settings, problem):
    with pytest.raises(ConfigurationError, match=problem):
        READERS.parse(settings)
