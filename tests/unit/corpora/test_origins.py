"""Corpora with their licences and notices, in metadata and in NOTICE.md."""

from pathlib import Path

import pytest

from tandem.corpora.origins import Origin, origins_in, stored, write_notice
from tandem.corpora.register import DICTIONARIES, load_register
from tandem.errors import InputError

WORKFLOW = Path(__file__).parents[3] / "workflow"
BOOKS = Origin("books", "MIT", "npm package books@1.0", "Copyright A. Author\n\nKeep this.\n")
FILMS = Origin("films", "MIT", "", BOOKS.notice)
WORDS = Origin("words", "CC0")


def test_metadata_hold_corpora_and_each_notice_once():
    metadata = stored([BOOKS, WORDS, FILMS, BOOKS])
    assert metadata["corpora"][1:] == [
        {"name": "words", "licence": "CC0"}, {"name": "films", "licence": "MIT", "notice": 0}
    ]  # fmt: skip
    assert metadata["notices"] == [BOOKS.notice]
    assert origins_in(metadata) == [BOOKS, WORDS, FILMS]
    assert stored([]) == {}
    others = BOOKS._replace(notice="By another.\n")  # of the same name
    assert origins_in(stored([BOOKS, others])) == [BOOKS, others]


def test_the_notice_has_the_corpora_of_all_models_that_training_began_from(tmp_path):
    begun = stored([WORDS]) | {"start": {"sha256": "ab", "training": stored([BOOKS, FILMS])}}
    write_notice(tmp_path, {"start": {"training": begun}})
    text = (tmp_path / "NOTICE.md").read_text(encoding="utf-8")
    assert "| words | CC0 |  |\n| books | MIT | npm package books@1.0 |\n| films | MIT |" in text
    assert text.endswith("## books, films\n\n    Copyright A. Author\n\n    Keep this.\n")


@pytest.mark.parametrize(
    "metadata",
    [{}, {"corpora": "x", "start": 3}, {"corpora": [1, {"name": 2}], "notices": 3},
     {"start": {"training": None}}],
)  # fmt: skip
def test_metadata_of_anybody_without_corpora_have_no_notice(metadata, tmp_path):
    write_notice(tmp_path, metadata)
    assert origins_in(metadata) == [] and not list(tmp_path.iterdir())


def test_text_of_anybodys_metadata_is_text_and_no_markup(tmp_path):
    name = "x\n\n# In the public domain\n\n<script>|\ud800"
    row = {"name": name, "licence": None, "source": ["s"], "notice": 0}
    write_notice(tmp_path, {"corpora": [row, {"name": "y", "notice": 7}], "notices": ["a\rb\x85c"]})
    text = (tmp_path / "NOTICE.md").read_text(encoding="utf-8")
    assert "\n| x # In the public domain &lt;script>\\|? |  |  |\n| y |  |  |\n" in text
    assert "\n## x # In the public" in text and text.endswith("\n\n    a\n    b\n    c\n")


def test_a_register_names_the_file_of_a_notice(tmp_path):
    entry = "{kind: local, path: x, licence: MIT, languages: [en, de], notice: n.txt}"
    (tmp_path / "r.yaml").write_text(f"datasets: {{mine: {entry}}}")
    with pytest.raises(InputError, match=r"n\.txt cannot be read.*Write that file"):
        load_register(tmp_path / "r.yaml")
    (tmp_path / "n.txt").write_text("By me.\n")
    mine = load_register(tmp_path / "r.yaml")["mine"]
    assert mine.origin == Origin("mine", "MIT", "", "By me.\n")  # not where it is
    assert "notice" not in mine.record()


def test_every_dictionary_names_its_authors_and_its_package():
    for entry in load_register(DICTIONARIES).values():
        assert entry.origin.notice and entry.requirement in entry.origin.source
    assert "Debian" in load_register(DICTIONARIES)["freedict-eng-ell"].licence


def test_text_that_is_learned_from_names_its_authors_where_its_licence_asks_for_them():
    register = load_register(WORKFLOW / "datasets.yaml")
    for name, entry in register.items():
        free = entry.licence.startswith(("public domain", "CC0"))
        if entry.redistributable and entry.reader and not free:
            assert entry.notice, name
