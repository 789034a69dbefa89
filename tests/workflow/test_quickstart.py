"""The quickstart: its commands run one after another, as they stand, and do what it says."""

import printed

TELL = """
for english, german in new:
    print(english, german, sep="\\t")
"""


def test_its_commands_run_and_do_what_it_says(tmp_path):
    blocks = [block for block in printed.blocks("docs/quickstart.md") if block[0]]
    assert [language for language, _ in blocks] == ["python", "sh", "sh", "python"]
    blocks[0] = "python", blocks[0][1] + TELL
    said = [printed.run(language, text, tmp_path) for language, text in blocks]

    english, german = ((tmp_path / f"my.{language}").read_text() for language in ("en", "de"))
    assert len(english.splitlines()) == len(german.splitlines()) == 4000
    assert len({word for line in english.split("\n") for word in line.split()}) == 36
    validation = (tmp_path / "model/history.csv").read_text().split("\n")[-2].split(",")[-1]
    assert float(validation) > 99

    mined = [line.split("\t") for line in (tmp_path / "mined.tsv").read_text().splitlines()]
    pairs = {tuple(line.split("\t")) for line in said[0].splitlines()}
    assert len(pairs) == 200
    assert len(pairs & {(english, german) for _, english, german in mined}) >= 190
    assert len((tmp_path / "cosines.txt").read_text().splitlines()) == len(mined)
    assert len(said[2].splitlines()) == len(said[3].splitlines()) == 3
    assert said[3].splitlines()[0].split("\t")[1:] == mined[0][1:]
