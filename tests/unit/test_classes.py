"""Which class of a module is its kind, read from source files that are not imported."""

import pytest

from tandem.classes import kind_class

BASES = '''
class Task:
    """A task."""


class Timed(Task):
    """A task with a time."""


class Other:
    """No task."""
'''


class Task:
    """Stands for the class of that name in the module `zoo.bases`."""


Task.__module__ = "zoo.bases"


@pytest.fixture
def kind(tmp_path):
    """Return a function that names the kind in a module of some text, which must not run."""
    files = {"zoo/__init__.py": "from .bases import Timed as Late\n", "zoo/bases.py": BASES}
    for name, text in files.items():
        path = tmp_path / "library" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "studies/farm/kinds").mkdir(parents=True)

    def kind(text):
        path = tmp_path / "studies/farm/kinds/cow.py"
        path.write_text(f"{text}\nraise ImportError('not to be imported')\n")
        roots = [tmp_path / "library", tmp_path / "studies"]
        return kind_class("farm.kinds.cow", Task, roots)

    return kind


@pytest.mark.parametrize(
    "text",
    [
        "from zoo.bases import Task\nclass Cow(Task): ...",
        "from zoo.bases import Task as Base\nclass Cow(Base): ...",
        "import zoo.bases\nclass Cow(zoo.bases.Task): ...",
        "import zoo.bases as b\nclass Cow(b.Task): ...",
        "from zoo import bases\nclass Cow(bases.Task): ...",
        "from zoo.bases import Timed\nclass Cow(Timed): ...",  # by way of another module's class
        "from zoo import Late\nclass Cow(Late): ...",  # handed on by a package
        "from zoo.bases import Timed\nclass _Herd(Timed): ...\nclass Cow(_Herd): ...",
        "from zoo.bases import Other, Task\nclass Cow(Other, Task): ...",
        "from zoo.bases import Task\nclass Calf(Task): ...\nclass Cow(Task): ...",  # the last
        "from zoo.bases import Task\nclass Cow(Task[int]): ...",
    ],
)
def test_a_kind_is_the_last_class_that_derives_from_the_base(kind, text):
    assert kind(text) == "Cow"


@pytest.mark.parametrize(
    "text",
    [
        "from zoo.bases import Other\nclass Cow(Other): ...",
        "class Task: ...\nclass Cow(Task): ...",  # another of that name
        "from zoo.bases import Task\nclass _Cow(Task): ...",
        "from zoo.bases import Task",
        "from nowhere import Task\nclass Cow(Task): ...",
        "class Cow(Milk): ...\nclass Milk(Cow): ...",  # a circle
    ],
)
def test_a_module_without_one_has_no_kind(kind, text):
    assert kind(text) is None


def test_the_base_itself_is_no_kind_of_its_module(kind, tmp_path):
    assert kind_class("zoo.bases", Task, [tmp_path / "library"]) == "Timed"
