"""Commands that are killed or interrupted: the same command goes on, to the same bytes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

from stopped_runs import ENVIRONMENT, LANGUAGES, OPTIONS, content, finish, train

from tandem.cli import main

KILLS = int(os.environ.get("TANDEM_KILLS", "6"))
HEARING = """
import signal
# a shell starts what runs in its background deaf to Ctrl-C
signal.signal(signal.SIGINT, signal.default_int_handler)
"""
PAUSED = """
import time
from tandem.training import checkpoint
save = checkpoint.write

def save_and_wait(*what):
    save(*what)
    time.sleep(600)  # the signal ends it

checkpoint.write = save_and_wait
"""
PAUSED_LATER = PAUSED.replace("(600)", "(600 * what[2]['progress']['epoch'])")
"""In the second epoch."""
SEARCHING = """
import sys, time
from pathlib import Path
from tandem.cli import main, mine

def wait(*what):
    Path("searching").touch()
    time.sleep(600)  # the signal ends it

mine.choose = wait  # both texts are encoded, to disk
sys.exit(main(sys.argv[1:]))
"""
KILLER = """
import os, random, signal, sys, time
from pathlib import Path
import tandem.corpora.bitext, tandem.segmentation.segmenter, tandem.tasks.selection
from tandem.cli import main, parser
from tandem.training.course import Course
Course.run.__defaults__ = (None, 0.05, *Course.run.__defaults__[2:])
parser(["train"])
import tandem.own_bitext.build

def begin(out):
    # everything is imported: a child begins at once
    child = os.fork()
    if not child:
        os._exit(main(["train", "en", "de", *sys.argv[2:], "--overwrite", "--out", out]))
    return child

def content(folder):
    return {p.name: p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}

begun = time.monotonic()
assert os.waitpid(begin("all"), 0)[1] == 0
seconds, moments = time.monotonic() - begun, set()
assert content("all") == content("whole")
for seed in range(int(sys.argv[1])):
    draw, out = random.Random(seed), f"killed{seed}"
    for _ in range(draw.randint(1, 3)):
        child = begin(out)
        time.sleep(draw.random() * seconds)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        kept = Path(f".{out}.unfinished")
        moments.add(tuple(sorted(p.name for p in kept.iterdir() if p.name[0] != "."))
                    if kept.exists() else Path(out).exists())
    assert os.waitpid(begin(out), 0)[1] == 0
    assert content(out) == content("all"), out
    assert not list(Path().glob(f".{out}*")), out
print(len(moments), moments)
"""


def test_a_killed_training_goes_on_to_the_same_bytes(home):
    done = subprocess.run(
        [sys.executable, "-c", KILLER, str(KILLS), *OPTIONS],
        cwd=home, env=ENVIRONMENT, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    print(done.stdout)


def saved_epochs(checkpoint):
    try:
        return json.loads((checkpoint / "progress.json").read_text())["progress"]["epoch"]
    except FileNotFoundError:  # between two checkpoints
        return 0


class Kept:
    """What is kept of a training that was stopped."""

    def __init__(self, home, name):
        self.folder = home / f".{name}.unfinished"

    def __truediv__(self, name):
        return next(self.folder.glob(f"*/{name}"), self.folder / "nothing")


def stop_when(process, kept, name, how, epochs=0):
    """Send a signal once something has been made, or so many epochs are over."""
    while not (kept / name).exists() or (epochs and epochs > saved_epochs(kept / name)):
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    process.send_signal(how)
    return finish(process)


def test_an_interrupted_training_keeps_its_best_epoch_and_goes_on(home):
    kept = Kept(home, "stopped")
    slow = ["--epochs", "4000", "--patience", "0"]
    process = train(home, "stopped", *slow, before=HEARING)
    code, said = stop_when(process, kept, "checkpoint", signal.SIGINT, epochs=1)
    assert (code, ".stopped.unfinished: --resume goes on" in said) == (130, True)
    assert "stopped has the best epoch so far" in said
    assert main(["encode", str(home / "stopped"), str(home / "en"), "--language", "en",
                 "--out", str(home / "vectors.npy")]) == 0  # fmt: skip
    text = (kept / "text").stat().st_mtime_ns
    code, said = finish(train(home, "stopped", *slow))
    assert (code, "is there already" in said) == (1, True)
    process = train(home, "stopped", *slow, "--resume")
    code, said = stop_when(process, kept, "checkpoint", signal.SIGKILL)
    assert (kept / "text").stat().st_mtime_ns == text
    best = content(home / "stopped")
    for other, differing in (
        (["--epochs", "4001", "--resume"], "recipe epochs (4000 then, 4001 now)"),
        (["--seed", "2"], "seed (1 then, 2 now)"),
        (["--seed", "2", "--resume", "--overwrite"], "seed (1 then, 2 now)"),
    ):
        code, said = finish(train(home, "stopped", *slow, *other))
        assert code == 1
        assert f"differs in {differing}. Give" in said or "is there already" in said
    assert content(home / "stopped") == best and (kept / "text").stat().st_mtime_ns == text
    # other settings begin afresh, beside what was stopped
    bad = home / "bad.tsv"
    bad.write_bytes(b"one\tein\n\xff\tx\n")
    assert main(["train", str(bad), *OPTIONS, "--out", str(home / "stopped"), "--overwrite"]) == 1
    assert content(home / "stopped") == best and (kept / "text").stat().st_mtime_ns == text
    assert finish(train(home, "stopped", "--seed", "2", "--overwrite"))[0] == 0
    assert content(home / "stopped") != content(home / "whole")
    assert not kept.folder.exists()


def test_another_text_is_not_gone_on_with(home):
    kept = Kept(home, "texts")
    process = train(home, "texts", before=PAUSED)
    stop_when(process, kept, "checkpoint", signal.SIGKILL)
    other = home / "other"
    other.write_text((home / "de").read_text()[::-1].strip("\n") + "\n")
    command = ["train", str(home / "en"), str(other), *OPTIONS, "--out", str(home / "texts")]
    code = subprocess.run(
        [sys.executable, "-m", "tandem", *command, "--resume"],
        cwd=home, env=ENVIRONMENT, capture_output=True, text=True,
    )  # fmt: skip
    assert (code.returncode, "differs in text of file 2. Give" in code.stderr) == (1, True)
    assert finish(train(home, "texts", "--resume"))[0] == 0
    assert content(home / "texts") == content(home / "whole")


def test_a_finished_model_is_not_replaced_by_resuming(home):
    assert finish(train(home, "anew", "--resume"))[0] == 0  # nothing was stopped: it begins
    before = content(home / "anew")
    assert before == content(home / "whole")
    code, said = finish(train(home, "anew", "--resume"))
    assert (code, "is there already" in said) == (1, True)
    process = train(home, "anew", "--seed", "2", "--overwrite", before=PAUSED)
    stop_when(process, Kept(home, "anew"), "checkpoint", signal.SIGKILL)
    code, said = finish(train(home, "anew", "--seed", "2", "--resume"))
    assert (code, "is there already" in said, content(home / "anew")) == (1, True, before)


def test_what_was_interrupted_ends_in_the_same_bytes(home):
    kept = Kept(home, "interrupted")
    code, _ = stop_when(train(home, "interrupted", before=HEARING), kept, "ids", signal.SIGINT)
    again = finish(train(home, "interrupted", "--resume"))[0] if code else 0
    assert (code in (0, 130), again) == (True, 0)
    assert content(home / "interrupted") == content(home / "whole")
    assert finish(train(home, "interrupted", "--resume"))[0] == 1  # nothing was stopped


def test_a_killed_generative_training_goes_on_to_the_same_bytes(home):
    how = ["--objective", "generative", "--epochs", "2", "--objective-setting", "tokens=300"]
    assert finish(train(home, "writer", *how))[0] == 0
    kept = Kept(home, "killed-writer")
    for epochs, pause in enumerate((PAUSED, PAUSED_LATER)):
        process = train(home, "killed-writer", *how, "--resume", before=pause)
        stop_when(process, kept, "checkpoint", signal.SIGKILL, epochs=epochs)
    assert finish(train(home, "killed-writer", *how, "--resume"))[0] == 0
    whole = content(home / "writer")
    assert {"decoders/decoders.safetensors", "languages/de/model.safetensors"} < {*whole}
    assert content(home / "killed-writer") == whole


def test_a_pipe_that_says_the_same_again_goes_on(home):
    pairs = home / "pairs"
    left, right = ((home / side).read_text().split("\n")[:-1] for side in ("en", "de"))
    pairs.write_text("".join(f"{a}\t{b}\n" for a, b in zip(left, right, strict=True)))
    kept = Kept(home, "piped")
    with open(pairs) as stream:
        process = train(home, "piped", stdin=stream, before=PAUSED)
        stop_when(process, kept, "checkpoint", signal.SIGKILL)
    text = (kept / "text").stat().st_ino
    with open(pairs) as stream:
        process = train(home, "piped", stdin=stream)
        stop_when(process, kept, "description.json", signal.SIGKILL)
    assert (kept / "text").stat().st_ino == text
    with open(pairs) as stream:
        assert finish(train(home, "piped", stdin=stream))[0] == 0
    model, whole = (content(home / name)["model.safetensors"] for name in ("piped", "whole"))
    assert model == whole


def test_a_killed_mining_leaves_nothing(home, tmp_path):
    arguments = ["mine", str(home / "whole"), str(home / "en"), str(home / "de"), *LANGUAGES]
    command = [sys.executable, "-c", SEARCHING, *arguments, "--out", "out.tsv"]
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    for _ in range(2):
        process = subprocess.Popen(command, cwd=tmp_path, env=ENVIRONMENT | {"TMPDIR": temporary})
        while not (tmp_path / "searching").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.kill()
        process.wait()
        (tmp_path / "searching").unlink()
    assert len(list(tmp_path.glob(".out.tsv.*"))) == 1  # of the second; the first one's is gone
    assert list(temporary.iterdir()) == []


def test_what_libraries_make_of_an_interrupt_is_one(monkeypatch, capsys, tmp_path):
    """Numba's and PyTorch's modules raise errors of their own where one comes while they load."""

    def load(_):
        try:
            signal.raise_signal(signal.SIGINT)
        except KeyboardInterrupt:
            raise ImportError("numpy.core.multiarray failed to import") from None

    monkeypatch.setattr("tandem.cli.common.check_report", load)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    (tmp_path / "en").write_text("a sheep\n")
    try:
        assert main(["encode", "small", str(tmp_path / "en"), "--language", "en"]) == 130
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == (
        "tandem encode: interrupted (numpy.core.multiarray failed to import)\n"
    )
