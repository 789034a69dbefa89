"""Kinds are found by the name of their module, in the library and in a study; faults have paths."""

import sys
from typing import Annotated

import pytest
from pydantic import ValidationError

from tandem.registry import ConfigurationError, Kind, Named, Registry, Settings, faults

BASE = '''
from tandem.registry import Kind

class Animal(Kind):
    """An animal."""

    legs: int = 4
    """How many."""
'''
DOG = '''
from {package} import Animal

class Dog(Animal):
    """A dog."""

    barks: bool = True
    """Whether it does."""
'''


@pytest.fixture
def registry(tmp_path, monkeypatch):
    """A package with a kind, and a study with another."""
    monkeypatch.syspath_prepend(tmp_path)
    package = "zoo"
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(BASE)
    (tmp_path / package / "big_dog.py").write_text(DOG.format(package=package))
    (tmp_path / package / "keeper.py").write_text("raise ImportError('not to be imported')\n")
    (tmp_path / "farm" / package).mkdir(parents=True)
    (tmp_path / "farm" / package / "cow.py").write_text(DOG.format(package=package))
    import zoo

    yield Registry(package, zoo.Animal)
    for name in [n for n in sys.modules if n.split(".")[0] in ("zoo", "farm")]:
        del sys.modules[name]


def test_a_kind_is_called_what_its_module_is(registry):
    found = registry.parse({"kind": "big-dog", "legs": 3})
    assert (found.kind, found.legs, found.barks) == ("big-dog", 3, True)
    assert registry.parse(registry.dump(found)) == found
    assert registry.path("big-dog").name == "big_dog.py"


def test_a_study_has_kinds_of_its_own(registry, tmp_path):
    with pytest.raises(ConfigurationError, match="no animal 'cow'; there are big-dog"):
        registry.parse({"kind": "cow"})
    registry.add_study(tmp_path / "farm")
    assert type(registry.parse({"kind": "cow"})).__module__ == "farm.zoo.cow"


def test_two_kinds_of_one_name_are_refused(registry, tmp_path):
    twin = tmp_path / "farm/zoo/big_dog.py"
    twin.write_text(DOG.format(package="zoo"))
    registry.add_study(tmp_path / "farm")
    with pytest.raises(ConfigurationError, match="two kinds of animal named big-dog"):
        registry.modules()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"pets": {"a": {"kind": "big-dg"}}},
         "pets.a: no animal 'big-dg' (did you mean 'big-dog'?); there are big-dog"),
        ({"pets": {"a": {"kind": "big-dog", "leg": 3}}},
         "pets.a: unknown key 'leg' (did you mean 'legs'?); there are legs, barks"),
        ({"pets": {"a": {"kind": "big-dog", "legs": "x"}}},
         "pets.a.legs: Input should be a valid integer, unable to parse string as an integer"),
        ({"pets": {"a": 7}}, "pets.a: needs `kind`, one of big-dog"),
        ({"pets": {"a": {"legs": 3}}}, "pets.a: needs `kind`, one of big-dog"),
        ({"pet": {}, "m": 1}, "unknown key 'pet' (did you mean 'pets'?), 'm'; there are pets"),
    ],
)  # fmt: skip
def test_faults_name_the_key_and_what_would_do(registry, values, said):
    import zoo

    class Home(Settings):
        pets: dict[str, Annotated[zoo.Animal, Named(registry)]]

    with pytest.raises(ValidationError) as refused:
        Home.model_validate(values)
    assert faults(refused.value) == [said]


def test_values_do_not_change():
    class Fixed(Kind):
        number: int = 1

    with pytest.raises(ValidationError, match="frozen"):
        Fixed().number = 2


def test_what_a_field_means_stands_under_it_or_under_that_of_a_base(registry):
    dog = registry.kind("big-dog")
    assert dog.meanings() == {"legs": "How many.", "barks": "Whether it does."}
    properties = dog.model_json_schema()["properties"]
    assert {key: entry["description"] for key, entry in properties.items()} == dog.meanings()
