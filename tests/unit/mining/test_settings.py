"""Entries of `mined`: what is refused, and what changes with a model."""

import pytest

from tandem.mining.settings import load
from tandem.registry import ConfigurationError

WHOLE = {"scale": "default", "registers": []}
ENTRY = {
    "model": "model",
    "first": {"language": "en", "files": ["a.en"]},
    "second": {"language": "de", "files": ["a.de"]},
}


def entry(**settings):
    return load(WHOLE | {"mined": {"news": ENTRY | settings}}).mined["news"]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"shards": 7}, "unknown key 'shards' (did you mean 'shard'?)"),
        ({"group": 0}, "mined.news.group: Input should be greater than 0"),
        ({"documents": 2}, "name the column of documents of both sides"),
        ({"at_least": "auto", "k": 5}, "auto is calibrated for k: 4; give a number"),
        ({"filters": {"cost": {"kind": "numbers", "file": "a"}}}, "cost: numbers of a file"),
        ({"first": {"language": "en", "files": []}}, "mined.news.first.files: List should have"),
    ],
)
def test_what_is_wrong_is_named(settings, message):
    with pytest.raises(ConfigurationError) as refused:
        entry(**settings)
    assert message in str(refused.value)


def test_names_are_those_of_folders():
    with pytest.raises(ConfigurationError, match="letters, digits, - and _ only"):
        load(WHOLE | {"mined": {"a/b": ENTRY}})


def test_more_neighbours_are_looked_for_where_there_are_filters():
    assert entry().width == 4
    assert entry(filters={"identical": {}}, spare=2, k=5).width == 7


def test_another_model_in_the_same_folder_is_another(words, tmp_path):
    words.save(tmp_path / "model")
    before = entry(model=str(tmp_path / "model")).content()
    words.metadata["seed"] = 7
    words.save(tmp_path / "model")
    assert before != entry(model=str(tmp_path / "model")).content() != ""
    assert entry(model="no/such/folder").content() == ""


def test_other_weights_in_a_folder_of_transformers_are_another_model(tmp_path):
    for name in ("config.json", "model.safetensors", "tokenizer.json", "README.md"):
        (tmp_path / name).write_text("old")
    model = entry(model=str(tmp_path))
    before = model.content()
    (tmp_path / "README.md").write_text("new")
    assert model.content() == before
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_text("other")
        assert model.content() != before
        before = model.content()


def test_what_filters_read_is_part_of_them(tmp_path):
    (tmp_path / "lm.arpa").write_text("old")
    kind = {"kind": "language-model", "model": str(tmp_path / "lm.arpa"), "side": "left"}
    run = entry(filters={"fluent": kind, "identical": {}})
    (before,) = run.filter_contents()
    (tmp_path / "lm.arpa").write_text("newer")
    assert run.filter_contents() != [before]
    assert entry().filter_contents() == []


def test_vectors_depend_on_the_kinds_of_their_model(words, tmp_path):
    words.save(tmp_path / "model")
    files = entry(model=str(tmp_path / "model")).kind_files()
    folders = [f"{file.parent.parent.name}/{file.name}" for file in files]
    assert folders == ["encoders/averaging.py", "segmentation/words.py"]
    assert entry(model="no/such/folder").kind_files() == []
