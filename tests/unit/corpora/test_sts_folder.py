"""STS folders, from archives of the published shape."""

import io
import tarfile
import zipfile
from types import SimpleNamespace

import pytest

from tandem.corpora.sts_archives import CROSS_LINGUAL, build_sts, build_task
from tandem.errors import InputError
from tandem.files.io import read_json
from tandem.tasks.kinds.sts import Sts
from tandem.tasks.sts_data import read_index

TRAIN = [
    'main-news\tMSRpar\t2012test\t0001\t4.400\tHe said "stop.\tHe said\u2028stop.',
    "main-news\tMSRpar\t2012train\t0001\t1.0\tnever scored\tnever scored",
    "main-news\theadlines\t2016\t0002\t3\tone\ttwo\thttp://a\thttp://b",
]
DEV = ["main-captions\ttrack5.en-en\t2017\t0001\t2.400\ta\tb"]
TEST = ["main-captions\ttrack5.en-en\t2017\t0002\t0\tc\td"]
OTHER = ["surprise.OnWN\t2012test\t0000\t5.000\te\tf", "OnWN\t2013\t0000\t1\tg\th"]
MT = ["SMTeuroparl\t2012train\t0001\t1\ti\tj", "postediting\t2016\t0001\t5\tk\tl\tm\tn"]


def benchmark(tmp_path, train=TRAIN):
    with zipfile.ZipFile(tmp_path / "b.whl", "w") as archive:
        for name, rows in (("train", train), ("dev", DEV), ("test", TEST)):
            archive.writestr(f"p/data/sts-{name}.csv", "\n".join(rows) + "\n")
    return tmp_path / "b.whl"


def companion(tmp_path, other=OTHER):
    with tarfile.open(tmp_path / "c.tar.gz", "w:gz") as archive:
        for name, rows in (("other", other), ("mt", MT)):
            content = "\n".join(rows).encode()
            info = tarfile.TarInfo(f"stscompanion/sts-{name}.csv")
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return tmp_path / "c.tar.gz"


def sts2017(tmp_path, scores=250, columns=2):
    """Track 6 has twice the sentences, the others as many as scores."""
    with (
        zipfile.ZipFile(tmp_path / "i.zip", "w") as sentences,
        zipfile.ZipFile(tmp_path / "g.zip", "w") as gold,
    ):
        for name in CROSS_LINGUAL:
            track = name.removeprefix("2017.")
            count = 500 if track == "track6.tr-en" else 250
            rows = ["\t".join([f"{track} {n}"] * columns) for n in range(count)]
            sentences.writestr(f"v1.1/STS.input.{track}.txt", "\n".join(rows) + "\n")
            values = [str(n % 6) for n in range(scores)]
            gold.writestr(f"gs/STS.gs.{track}.txt", "\n".join(values) + "\n")
    return tmp_path / "i.zip", tmp_path / "g.zip"


def test_rows_are_regrouped_into_tasks(tmp_path):
    index = build_sts(tmp_path / "sts", benchmark(tmp_path))
    names = sorted(path.name for path in (tmp_path / "sts").iterdir())
    assert names == [
        "2012.MSRpar.tsv", "2016.headlines.tsv", "2017.track5.en-en.tsv", "index.json"
    ]  # fmt: skip
    assert index == read_json(tmp_path / "sts" / "index.json")
    text = (tmp_path / "sts" / "2012.MSRpar.tsv").read_text(encoding="utf-8")
    assert text == '4.4\tHe said "stop.\tHe said stop.\n'
    assert (tmp_path / "sts" / "2016.headlines.tsv").read_text() == "3.0\tone\ttwo\n"
    assert (tmp_path / "sts" / "2017.track5.en-en.tsv").read_text() == "2.4\ta\tb\n0.0\tc\td\n"
    assert index["tasks"][0] == {
        "task": "MSRpar",
        "year": "2012",
        "file": "2012.MSRpar.tsv",
        "languages": ["en", "en"],
        "pairs": 1,
        "of": 750,
        "complete": False,
        "source": "STS Benchmark",
    }


def test_missing_tasks_say_why(tmp_path):
    index = build_sts(tmp_path / "sts", benchmark(tmp_path))
    missing = {f"{entry['year']}.{entry['task']}": entry for entry in index["missing"]}
    assert "LDC" in missing["2013.SMT"]["why"]
    assert "STS Companion" in missing["2012.OnWN"]["why"]
    assert "STS 2017" in missing["2017.track6.tr-en"]["why"]
    assert missing["2015.belief"]["of"] == 375
    assert "2012.MSRpar" not in missing


def test_the_companion_adds_its_tasks(tmp_path):
    index = build_sts(tmp_path / "sts", benchmark(tmp_path), companion(tmp_path))
    added = [entry["file"] for entry in index["tasks"] if entry["source"] == "STS Companion"]
    assert added == ["2012.OnWN.tsv", "2013.OnWN.tsv", "2016.postediting.tsv"]
    assert (tmp_path / "sts" / "2016.postediting.tsv").read_text() == "5.0\tk\tl\n"


def test_a_task_in_both_archives_is_refused(tmp_path):
    other = companion(tmp_path, ["headlines\t2016\t0001\t1\tx\ty"])
    with pytest.raises(InputError, match=r"c\.tar\.gz: the task 2016\.headlines is in STS Bench"):
        build_sts(tmp_path / "sts", benchmark(tmp_path), other)
    assert not (tmp_path / "sts").exists()


def test_the_tracks_of_2017(tmp_path):
    index = build_sts(tmp_path / "sts", benchmark(tmp_path), None, *sts2017(tmp_path))
    tracks = {e["task"]: e for e in index["tasks"] if e["source"] == "STS 2017"}
    assert len(tracks) == 6
    assert all(entry["complete"] and entry["pairs"] == 250 for entry in tracks.values())
    assert tracks["track6.tr-en"]["languages"] == ["en", "tr"]
    lines = (tmp_path / "sts" / "2017.track6.tr-en.tsv").read_text().split("\n")
    assert lines[249] == "3.0\ttrack6.tr-en 249\ttrack6.tr-en 249"


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("g\tf\t2014\t1\t6\ta\tb", r"sts-train\.csv, line 2: the score '6' is not from 0 to 5"),
        ("g\tf\t2014\t1\tnan\ta\tb", "the score 'nan' is not"),
        ("g\tf\t2014\t1\t5\ta", "line 2: 6 columns, expected at least 7"),
    ],
)
def test_rows_refused(tmp_path, row, words):
    with pytest.raises(InputError, match=words):
        build_sts(tmp_path / "sts", benchmark(tmp_path, [TRAIN[0], row]))


def test_archives_refused(tmp_path):
    with pytest.raises(InputError, match=r"c\.tar\.gz: it has no member sts-train\.csv"):
        build_sts(tmp_path / "sts", companion(tmp_path))
    with pytest.raises(InputError, match=r"g\.zip: track1\.ar-ar: 249 scores for 250 pairs"):
        build_sts(tmp_path / "s", benchmark(tmp_path), None, *sts2017(tmp_path, scores=249))
    with pytest.raises(InputError, match=r"track1\.ar-ar\.txt, line 1: 3 columns, expected 2"):
        build_sts(tmp_path / "s", benchmark(tmp_path), None, *sts2017(tmp_path, columns=3))


def test_one_task_is_taken_from_the_benchmark_alone(tmp_path):
    build_sts(tmp_path / "sts", benchmark(tmp_path))
    assert build_task(tmp_path / "task.tsv", benchmark(tmp_path), "2017.track5.en-en") == 2
    whole = tmp_path / "sts/2017.track5.en-en.tsv"
    assert (tmp_path / "task.tsv").read_bytes() == whole.read_bytes()


def test_a_task_that_the_benchmark_lacks_is_named(tmp_path):
    with pytest.raises(InputError, match=r"b\.whl: it has no pairs of 2012\.OnWN"):
        build_task(tmp_path / "task.tsv", benchmark(tmp_path), "2012.OnWN")
    assert not (tmp_path / "task.tsv").exists()


SICK = """pair_ID\tsentence_A\tsentence_B\trelatedness_score\tSemEval_set
1\ta\tb\t4.5\tTRAIN
2\tA man sings\tA man is singing\t4.9\tTEST
3\tc\td\t1\tTEST
"""
TWEETS = """51\t8 Mile\tthe last battle\twhy watch\t1\tthe/DT\twhy/WRB
823\tCiroc\ta new one\tits new\t4\ta/DT\tits/PRP
"""


def test_sick_and_tweets_stand_apart_from_the_years(tmp_path):
    files = {}
    for key, text in (("sick", SICK), ("twitter", TWEETS)):
        (tmp_path / key).write_text(text)
        files[key] = tmp_path / key
    folder = tmp_path / "sts"
    index = build_sts(folder, benchmark(tmp_path), companion(tmp_path), **files)
    lines = (folder / "2014.SICK.tsv").read_text().splitlines()
    assert lines == ["4.9\tA man sings\tA man is singing", "1.0\tc\td"]
    lines = (folder / "2015.twitter.tsv").read_text().splitlines()
    assert lines == ["1.0\tthe last battle\twhy watch", "4.0\ta new one\tits new"]
    entry = next(entry for entry in index["tasks"] if entry["task"] == "SICK")
    assert (entry["of"], entry["complete"], entry["source"]) == (4927, False, "SICK")
    every = read_index(folder)
    for languages in (["en"], ["mul"]):  # mul: any language
        knows = SimpleNamespace(languages=languages)
        assert Sts(tasks=["2014.SICK", "2015.twitter"]).covered(every, knows) == [
            "2014.SICK", "2015.twitter"
        ]  # fmt: skip
        years = Sts(years=[2012, 2014, 2015]).covered(every, knows)
        assert years == ["2012.MSRpar", "2012.OnWN"]
    assert Sts(tasks=["2014.SICK"]).covered(every, SimpleNamespace(languages=["de"])) == []


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("sick", SICK.replace("relatedness_", ""), r"line 1: no column relatedness_score"),
        ("sick", SICK.replace("1\ta\tb", "1\ta"), r"line 2: 4 columns, expected 5"),
        ("sick", SICK.replace("4.9", "9"), r"line 3: the score '9' is not"),
        ("twitter", TWEETS.replace("\t4", "\t(3, 2)"), r"line 2: the score '\(3, 2\)' is not"),
        ("twitter", TWEETS.replace("\tits new", ""), r"line 2: 6 columns, expected 7"),
    ],
)
def test_other_files_than_sick_and_tweets_are_refused(tmp_path, key, text, words):
    (tmp_path / "file").write_text(text)
    with pytest.raises(InputError, match=words):
        build_sts(tmp_path / "sts", benchmark(tmp_path), **{key: tmp_path / "file"})
