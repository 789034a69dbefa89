"""The page on a person's own bitext: its commands run, as they stand."""

import gzip

import numpy as np
import printed


def write(folder):
    """1,500 pairs that share names and numbers, 60 in two unaligned files, and 1,200 others."""
    random = np.random.default_rng(0)
    names = [f"Name{number}" for number in range(300)]
    english, german = [], []
    for _ in range(2760):
        who, whom = random.choice(names, 2, replace=False)
        number = random.integers(1000)
        english.append(f"{who} met {whom} and paid {number} coins.")
        german.append(f"{who} traf {whom} und zahlte {number} Münzen.")
    for language, text in (("en", english), ("de", german)):
        for name, lines in (("my", text[:1500]), ("other", text[1560:])):
            path = folder / f"{name}.{language}"
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    english, german = english[:1560], german[:1560]
    rows = (f"{one}\t{other}\n" for one, other in zip(english[1500:], german[1500:], strict=True))
    (folder / "test.tsv").write_text("".join(rows), encoding="utf-8")
    for name, lines in (("news.en.gz", english[1500:]), ("news.de.gz", german[:1499:-1])):
        (folder / name).write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    return set(zip(english[1500:], german[1500:], strict=True))


def test_its_commands_run_and_find_the_translations(tmp_path):
    expected = write(tmp_path)
    blocks = [block for block in printed.blocks("docs/own-bitext.md") if block[0]]
    assert [language for language, _ in blocks] == ["sh", "python"]
    said = [printed.run(*block, tmp_path) for block in blocks]
    assert "test.tsv  P@1 x 100" in said[0]
    mined = [line.split("\t") for line in (tmp_path / "mined.tsv").read_text().split("\n")[:-1]]
    found = {(english, german) for _, english, german in mined}
    assert len(found & expected) >= 40
    assert len((tmp_path / "found.tsv").read_text().splitlines()) == 3 * 1500
    assert len((tmp_path / "kept.tsv").read_text().split("\n")) > 1000
    assert np.load(tmp_path / "my.en.npy").shape == (1500, 192)  # that of small
    cosines = [float(line) for line in (tmp_path / "cosines.txt").read_text().split()]
    assert len(cosines) == len(mined)
    assert (tmp_path / "exported" / "modules.json").is_file()
    assert len(said[1].splitlines()) == 3
    models = [tmp_path / name / "model.safetensors" for name in ("model", "model-of-python")]
    assert models[0].read_bytes() == models[1].read_bytes()
