"""Work that was stopped: it is gone on with, stays beside other work, or is refused."""

import pytest

from tandem.errors import TandemError
from tandem.files import unfinished
from tandem.files.unfinished import workspace


def test_a_workspace_that_is_not_tandems_stays(tmp_path):
    (tmp_path / ".m.unfinished").mkdir()
    (tmp_path / ".m.unfinished" / "thesis.txt").touch()
    with pytest.raises(TandemError, match="did not write"), workspace(tmp_path / "m"):
        pass
    assert (tmp_path / ".m.unfinished" / "thesis.txt").exists()


def test_a_workspace_whose_removal_was_killed_is_taken_up(tmp_path, monkeypatch):
    removed = []

    def kill_after(path):
        removed.append(path)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), workspace(tmp_path / "m") as space:
        assert not space.begin({"a": 1}, beside=False)
        (space.work / "text").mkdir()
        monkeypatch.setattr(unfinished, "remove", kill_after)
    monkeypatch.undo()
    assert removed
    with workspace(tmp_path / "m") as space:
        assert not space.begin({"a": 1}, beside=False)
        assert not (space.work / "text").exists()
    assert not list(tmp_path.iterdir())


def test_what_was_stopped_stays_beside_other_work(tmp_path):
    def stop(description, beside, *made):
        with pytest.raises(KeyboardInterrupt), workspace(tmp_path / "m") as space:
            begun.append(space.begin(description, beside))
            for name in made:
                (space.work / name).mkdir()
            raise KeyboardInterrupt

    begun = []
    first, other = {"recipe": {"epochs": 40}, "seed": 1}, {"recipe": {"epochs": 41}, "seed": 1}
    stop(first, False, "text")
    with pytest.raises(TandemError) as error, workspace(tmp_path / "m") as space:
        space.begin(other, beside=False)
    assert "differs in recipe epochs (40 then, 41 now). Give" in str(error.value)
    stop(other, True, "text")
    stop({}, True)  # which comes to nothing
    stop(first, False)
    stop(other, False)
    assert begun == [False, False, False, True, True]
    kept = tmp_path / ".m.unfinished"
    assert len(list(kept.glob("*/text"))) == len(list(kept.glob("*/description.json"))) == 2
    with workspace(tmp_path / "m") as space:
        assert space.begin(first, beside=False) and (space.work / "text").is_dir()
    assert not list(tmp_path.iterdir())


def test_differences_are_named():
    before = {"text": {"of file 1": "0" * 64}, "start": None, "seed": 1, "formats": ["lines"]}
    now = {"text": {"of file 1": "1" * 64}, "start": "x", "formats": ["lines"], "a": 0.5}
    assert unfinished.differences(before, now) == [
        "a (not set then, 0.5 now)", "seed (1 then, not set now)",
        'start (not set then, "x" now)', "text of file 1",
    ]  # fmt: skip


def test_descriptions_that_come_to_the_same_are_of_the_same_work(tmp_path):
    def begin(description, end):
        with workspace(tmp_path / "m") as space:
            goes_on.append(space.begin(description, False, "text", settled))
            places.append(space.work)
            end(space.work / "text")

    def stop(text):
        text.mkdir(exist_ok=True)
        raise KeyboardInterrupt

    def settled(description, work):
        return {"epochs": 30, **description} if (work / "text").exists() else description

    goes_on, places = [], []
    for description in ({}, {"epochs": 30}, {"epochs": 30}):
        with pytest.raises(KeyboardInterrupt):
            begin(description, stop)
    assert goes_on == [False, True, True] and len(set(places)) == 1
    with pytest.raises(TandemError, match=r"differs in epochs \(30 then, 31 now\)"):
        begin({"epochs": 31}, stop)
    begin({}, lambda text: text.rmdir())  # of what has no text nothing follows
    assert not list(tmp_path.iterdir())
