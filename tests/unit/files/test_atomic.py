"""Files and folders appear whole or not at all, and replace nothing foreign."""

import os
import shutil
import sys
import threading

import pytest
import torch
from safetensors.torch import save_file

from tandem.errors import TandemError
from tandem.files import atomic
from tandem.files.atomic import SEAL, atomic_folder, atomic_path
from tandem.files.io import write_lines
from tandem.files.saved import seal


def test_write_lines_is_whole_or_nothing(tmp_path):
    def failing():
        yield "one"
        raise RuntimeError

    path = tmp_path / "sub" / "t"
    assert write_lines(path, ["é", "b"]) == 2
    with pytest.raises(RuntimeError):
        write_lines(path, failing())
    assert path.read_bytes() == "é\nb\n".encode()
    assert [entry.name for entry in path.parent.iterdir()] == ["t"]


def test_atomic_path_leaves_nothing_behind_on_failure(tmp_path):
    with pytest.raises(RuntimeError), atomic_path(tmp_path / "t") as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_atomic_folder_replaces_the_old_one(tmp_path):
    for name in ("old", "new"):
        with atomic_folder(tmp_path / "f") as folder:
            (folder / name).touch()
            seal(folder)
    assert sorted(path.name for path in (tmp_path / "f").iterdir()) == ["new", SEAL]
    with pytest.raises(RuntimeError), atomic_folder(tmp_path / "f") as folder:
        raise RuntimeError
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    assert sorted(path.name for path in (tmp_path / "f").iterdir()) == ["new", SEAL]


def test_every_file_is_as_readable_as_the_umask_says(tmp_path):
    for umask, mode in ((0o022, 0o644), (0o077, 0o600)):
        before = os.umask(umask)
        try:
            with atomic_folder(tmp_path / "f") as folder:
                (folder / "sub").mkdir()
                save_file({"a": torch.zeros(1)}, folder / "sub" / "t")
                (folder / "own").touch(0o600)
                seal(folder)
            with atomic_path(tmp_path / "t") as path:
                save_file({"a": torch.zeros(1)}, path)
        finally:
            os.umask(before)
        for path in (tmp_path / "f" / "sub" / "t", tmp_path / "f" / "own", tmp_path / "t"):
            assert path.stat().st_mode & 0o777 == mode
        assert (tmp_path / "f").stat().st_mode & 0o777 == mode | mode >> 2 & 0o111


def test_leftovers_go_and_what_is_being_written_stays(tmp_path):
    left, folder = tmp_path / ".t.12345678.tandem", tmp_path / ".t.abcdef01.tandem"
    left.write_text("half")
    folder.mkdir()
    (folder / "half").touch()
    (tmp_path / ".t.mine").touch()
    with atomic_path(tmp_path / "t") as first:
        first.write_text("first")
        with atomic_path(tmp_path / "t") as second:
            assert first.exists()
            second.write_text("second")
        assert not left.exists() and not folder.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".t.mine", "t"]
    assert (tmp_path / "t").read_text() == "first"


@pytest.mark.parametrize("exchange", [True, False])
def test_a_replaced_folder_is_the_old_one_or_the_new(tmp_path, monkeypatch, exchange):
    if not exchange:
        monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    place, misses, stop = tmp_path / "f", [], threading.Event()

    def read():
        while not stop.is_set():
            if not place.is_dir():
                misses.append(1)

    with atomic_folder(place) as folder:
        (folder / "n").write_text("-1")
        seal(folder)
    reader = threading.Thread(target=read)
    reader.start()
    for number in range(100):
        with atomic_folder(place) as folder:
            (folder / "n").write_text(str(number))
            seal(folder)
    stop.set()
    reader.join()
    assert (place / "n").read_text() == "99"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]
    if exchange and sys.platform == "linux":
        assert not misses


def test_the_old_folder_is_put_back_if_the_new_one_cannot_come(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    with atomic_folder(tmp_path / "f") as folder:
        (folder / "old").touch()
        seal(folder)
    with pytest.raises(FileNotFoundError), atomic_folder(tmp_path / "f") as folder:
        shutil.rmtree(folder)
    assert (tmp_path / "f/old").exists()


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("when", ["before", "meanwhile", "unsealed"])
def test_a_folder_with_what_is_not_tandem_s_is_never_replaced(
    tmp_path, monkeypatch, exchange, when
):
    if not exchange:
        monkeypatch.setattr(atomic, "_exchange", lambda one, other: False)
    place = tmp_path / "f"
    with atomic_folder(place) as folder:
        (folder / "ours").touch()
        if when != "unsealed":
            seal(folder)
    if when == "before":
        (place / "sub").mkdir()
        (place / "sub/diary").write_text("mine")
    with pytest.raises(TandemError, match="holds what Tandem did not write"):
        with atomic_folder(place) as folder:
            if when == "meanwhile":
                (place / "sub").mkdir()
                (place / "sub/diary").write_text("mine")
            seal(folder)
    assert (place / "ours").exists()
    assert when == "unsealed" or (place / "sub/diary").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_what_comes_into_an_exchanged_folder_is_put_back(tmp_path, monkeypatch):
    place, exchange = tmp_path / "f", atomic._exchange

    def written_first(new, old):
        (old / "late").write_text("mine")
        monkeypatch.setattr(atomic, "_exchange", exchange)
        return exchange(new, old)

    with atomic_folder(place) as folder:
        seal(folder)
    monkeypatch.setattr(atomic, "_exchange", written_first)
    with pytest.raises(TandemError, match="late"), atomic_folder(place) as folder:
        (folder / "new").touch()
    assert (place / "late").read_text() == "mine" and not (place / "new").exists()


def test_without_leave_only_an_empty_folder_is_replaced(tmp_path):
    (tmp_path / "f").mkdir()
    with atomic_folder(tmp_path / "f", overwrite=False) as folder:
        seal(folder)
    with pytest.raises(TandemError, match="is there already"):
        with atomic_folder(tmp_path / "f", overwrite=False) as folder:
            seal(folder)


def test_hidden_files_that_only_look_like_leftovers_stay(tmp_path):
    names = [".t.2024.tandem", ".t.old.tandem", ".t.deadbee.tandem", ".t.DEADBEEF.tandem"]
    for name in names:
        (tmp_path / name).write_text("mine")
    write_lines(tmp_path / "t", ["one"])
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names, "t"])


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127])
def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path, name):
    write_lines(tmp_path / name, ["one"])
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_folders_that_were_made_for_a_failed_output_go_again(tmp_path):
    (tmp_path / "old").mkdir()
    with pytest.raises(ValueError, match="no"), atomic_path(tmp_path / "old/new/deep/f"):
        raise ValueError("no")
    assert [path.name for path in tmp_path.rglob("*")] == ["old"]
    write_lines(tmp_path / "old/new/deep/f", ["one"])
    assert (tmp_path / "old/new/deep/f").exists()


@pytest.mark.parametrize("kind", ["file", "link"])
def test_a_folder_does_not_take_the_place_of_something_else(tmp_path, kind):
    path = tmp_path / "f"
    path.touch() if kind == "file" else path.symlink_to(tmp_path)
    with pytest.raises(TandemError, match="no folder"), atomic_folder(path):
        pytest.fail("work began")
    with pytest.raises(TandemError, match="is a folder"), atomic_path(tmp_path):
        pytest.fail("work began")


def test_what_may_not_be_replaced_is_refused_before_the_work(tmp_path):
    (tmp_path / "f").mkdir()
    (tmp_path / "f/mine").touch()
    with pytest.raises(TandemError, match="f holds"):
        atomic_folder(tmp_path / "f")
    with pytest.raises(TandemError, match="f is there already"):
        atomic_folder(tmp_path / "f", overwrite=False)


@pytest.mark.parametrize("exchange", [True, False])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_folder_is_put_back_whatever_ends_the_move(tmp_path, monkeypatch, exchange, error):
    if not exchange:
        monkeypatch.setattr(atomic, "_exchange", lambda new, old: False)
    calls = iter([None, None, error])  # before the work, before the move, after it

    def interrupted(*_):
        if what := next(calls):
            raise what

    with atomic_folder(tmp_path / "f") as folder:
        (folder / "old").touch()
        seal(folder)
    monkeypatch.setattr(atomic, "refuse_foreign", interrupted)
    with pytest.raises(error), atomic_folder(tmp_path / "f") as folder:
        (folder / "new").touch()
    assert (tmp_path / "f/old").exists() and not (tmp_path / "f/new").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["f"]


def test_a_folder_that_cannot_be_put_back_is_kept_and_named(tmp_path, monkeypatch):
    exchange = atomic._exchange

    def once(new, old):
        (old / "late").write_text("mine")
        monkeypatch.setattr(atomic, "_exchange", lambda new, old: False)
        return exchange(new, old)

    with atomic_folder(tmp_path / "f") as folder:
        seal(folder)
    monkeypatch.setattr(atomic, "_exchange", once)
    with (
        pytest.raises(TandemError, match="late") as caught,
        atomic_folder(tmp_path / "f") as folder,
    ):
        seal(folder)
    [kept] = tmp_path.glob(".f.*.old")
    assert (kept / "late").read_text() == "mine"
    assert caught.value.__notes__ == [f"What stood there is in {kept}"]


def test_the_stamp_of_a_job_is_nobodys(tmp_path):
    with atomic_folder(tmp_path / "f") as folder:
        seal(folder)
    (tmp_path / "f/.snakemake_timestamp").touch()
    with atomic_folder(tmp_path / "f") as folder:
        seal(folder)
