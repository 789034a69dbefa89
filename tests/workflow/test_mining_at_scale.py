"""Mining in shards: the page's example as it stands, and the pairs of `tandem mine`."""

import gzip
import json
import re
import shutil

import numpy as np
import printed
import pytest
import slurm_cluster
import yaml
from conftest import planned, run_snakemake, start_snakemake, write_code
from test_killed import kill, wait_until_left
from test_own_bitext import write

PAGE = "docs/mining-at-scale.md"
RUN = ["mined", "--cores", "2", "--configfile", "my-mining.yaml"]
PAIRS = "results/mined/news/pairs.tsv"
ENCODED = {"encode_shard", "search_groups", "join_lists", "propose_pairs", "choose_pairs", "mined"}


def crawl(folder):
    """Two sides of 2,600 lines, 500 of them copies, blank, unknown or of the other language."""
    random = np.random.default_rng(1)
    names = [f"Name{number}" for number in range(300)]
    facts = [(*random.choice(names, 2, replace=False), number) for number in range(2100)]
    english = [f"{who} met {whom} and paid {number} coins." for who, whom, number in facts]
    german = [f"{who} traf {whom} und zahlte {number} Münzen." for who, whom, number in facts]
    english += ["", "☃", *(f"  {line.upper()}" for line in english[:498])]
    german += ["", "", *german[300:600], *english[1000:1198]]
    (folder / "crawl").mkdir()
    for language, lines in (("en", english), ("de", german)):
        lines = [lines[place] for place in random.permutation(len(lines))]
        for part, some in enumerate((lines[:1000], lines[1000:])):
            data = "".join(f"{line}\n" for line in some).encode()
            path = folder / "crawl" / f"{part}.{language}.gz"
            path.write_bytes(gzip.compress(data, mtime=0))
            with open(folder / f"all.{language}", "ab") as whole:
                whole.write(data)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    """A folder in which the example of the page has run."""
    folder = tmp_path_factory.mktemp("example")
    write_code(folder)
    write(folder)
    crawl(folder)
    blocks = [block for block in printed.blocks(PAGE) if block[0]]
    assert [language for language, _ in blocks] == ["yaml", "sh", "yaml", "yaml"]
    (folder / "my-mining.yaml").write_text(blocks[0][1], encoding="utf-8")
    (folder / "head").write_text(printed.run(*blocks[1], folder), encoding="utf-8")
    return folder


@pytest.fixture
def copied(example, tmp_path):
    """A copy of it with all times of its files."""
    shutil.copytree(example, tmp_path / "copy", symlinks=True)
    return tmp_path / "copy"


def changed(folder, **settings):
    """Change the settings of the example."""
    path = folder / "my-mining.yaml"
    values = yaml.safe_load(path.read_text())
    values["mined"]["news"] |= settings
    path.write_text(yaml.safe_dump(values))


def ran(folder, *arguments):
    run = run_snakemake(folder, *RUN, *arguments)
    assert run.returncode == 0, run.stdout + run.stderr


def mined(folder, *options):
    """Return what `tandem mine` writes for the same text."""
    files = "model all.en all.de --languages en de"
    return printed.run("sh", f"tandem mine {files} {' '.join(options)}", folder)


def columns(folder, *numbers):
    rows = [line.split("\t") for line in (folder / PAIRS).read_text("utf-8").splitlines()]
    return "".join("\t".join(row[number] for number in numbers) + "\n" for row in rows)


def test_the_example_runs_as_printed_and_has_the_pairs_of_tandem_mine(example):
    assert columns(example, 0, 1, 2) == mined(example, "--at-least", "auto")
    assert (example / "head").read_text("utf-8").splitlines()[-1] in (example / PAIRS).read_text()
    counts = json.loads((example / "results/mined/news/counts.json").read_text())
    assert counts["first"] == {
        "files": 2, "lines": 2600, "sentences": 2102, "searched": 2100, "shards": 3,
    }  # fmt: skip
    files = {}
    for line in columns(example, 1, 3, 4, 2, 5, 6).splitlines():
        cells = line.split("\t")
        for text, file, number in (cells[:3], cells[3:]):
            if file not in files:
                files[file] = gzip.open(example / file, "rt", encoding="utf-8").read().split("\n")
            assert files[file][int(number) - 1] == text
    assert len(files) == 4


def test_a_finished_run_has_nothing_to_do_and_an_edited_shard_its_own(copied):
    assert planned(copied, *RUN) == {}
    shard = copied / "results/mined/news/second/sentences/shard1.txt"
    lines = shard.read_text("utf-8").splitlines()
    shard.write_text("\n".join([*lines[1:], lines[0]]) + "\n", encoding="utf-8")
    rules = planned(copied, *RUN)
    # two groups of the first side, each with the group of the second that has the shard
    assert rules["encode_shard"] == 1 and rules["search_groups"] == 2
    assert set(rules) == ENCODED
    ran(copied)


def test_filters_drop_copies_as_tandem_mine_does_in_other_shards_too(copied):
    changed(copied, shard=2000, group=1, filters={"identical": {}}, spare=1, at_least=None)
    ran(copied)
    assert columns(copied, 0, 1, 2) == mined(copied, "--drop-copies")


def test_files_of_shards_and_groups_that_are_gone_are_never_read(copied):
    """They stay; what is in them does not matter, nor what a killed choice has left."""
    before = (copied / PAIRS).read_bytes()
    folder = copied / "results/mined/news"
    changed(copied, shard=3000)
    gone = [folder / half / name for half in ("first", "second") for name in
            ("vectors/1.npy", "vectors/2.npy", "numbers/1.npy", "numbers/2.npy",
             "neighbours/1.npz", "means/1.npz", "proposals/1.npz")]  # fmt: skip
    gone += [folder / f"lists/{pair}.npz" for pair in ("0-1", "1-0", "1-1")]
    for path in gone:
        assert path.stat().st_size
        path.write_bytes(b"gone")
    left = folder / ".scratch.pairs.tsv.01234567.tandem"
    left.mkdir()
    ran(copied)
    assert (copied / PAIRS).read_bytes() == before
    assert {path.read_bytes() for path in gone} == {b"gone"}
    assert not left.exists() and not list(folder.glob(".*"))
    counts = json.loads((folder / "counts.json").read_text())
    assert counts["first"]["shards"] == counts["second"]["shards"] == 1


def test_a_killed_run_goes_on_to_the_same_bytes(copied):
    before = (copied / PAIRS).read_bytes()
    shutil.rmtree(copied / "results")
    for left in (6, 12, 4):  # jobs: while sides are cut, while groups are searched, at the end
        run = start_snakemake(copied, *RUN)
        wait_until_left(run, left)
        kill(run)
        assert not (copied / PAIRS).exists()
    ran(copied)
    assert (copied / PAIRS).read_bytes() == before


def test_a_new_file_of_a_pattern_is_read_and_a_pattern_without_files_refused(copied):
    (copied / "crawl/2.en.gz").write_bytes(gzip.compress(b"Name1 met Name2.\n"))
    assert planned(copied, *RUN)["cut_side"] == 1
    changed(copied, first={"language": "en", "files": ["crawl/1.en.gz", "crawl/0.en.gz"]})
    assert planned(copied, *RUN)["cut_side"] == 1  # of equal scores, earlier lines come first
    for name in ("crawl/*.fr", "crawl/none.en"):
        changed(copied, first={"language": "en", "files": [name]})
        run = run_snakemake(copied, "-n", *RUN)
        assert run.returncode != 0
        message = f"mined.news.first.files: no file is {name}. Mend the name or pattern"
        assert message in run.stdout + run.stderr


def test_documents_that_are_neighbours_have_the_pairs(copied):
    """Eleven documents a side: all as neighbours give the same bytes, the nearest most pairs.

    So do other shards and groups, of which there are fewer where everything is searched.
    """
    for language in ("en", "de"):
        lines = (copied / f"all.{language}").read_text("utf-8").split("\n")[:-1]
        # its document is the last digit of the first name
        rows = (f"{line.casefold().split(' ')[0][-1:] or 'none'}\tid{n}\t{line}\n"
                for n, line in enumerate(line.strip() for line in lines))  # fmt: skip
        (copied / f"rows.{language}").write_text("".join(rows), "utf-8")
        side = {"language": language, "files": [f"rows.{language}"]}
        side["columns"] = {"document": 1, "id": 2, "text": 3}
        changed(copied, **{"first" if language == "en" else "second": side})
    changed(copied, shard=2000, group=1)
    ran(copied)
    everywhere = (copied / PAIRS).read_bytes()
    assert re.fullmatch(r"id\d+", columns(copied, 5).split("\n")[0])
    changed(copied, documents=1000, shard=1000, group=2)
    ran(copied)
    assert (copied / PAIRS).read_bytes() == everywhere
    changed(copied, documents=1)
    ran(copied)
    near = columns(copied, 1, 2).splitlines()
    assert len(near) > 1500


def test_damaged_files_of_either_side_are_named_before_anything_is_encoded(copied):
    whole = (copied / "crawl/1.de.gz").read_bytes()
    (copied / "crawl/1.de.gz").write_bytes(whole[: len(whole) // 2])
    (copied / "crawl/1.en.gz").write_bytes(gzip.compress(b"sound\n\xff\n"))
    shutil.rmtree(copied / "results")
    run = run_snakemake(copied, *RUN)
    told = run.stdout + run.stderr
    assert run.returncode != 0
    assert "crawl/1.de.gz: truncated or damaged" in told
    assert "crawl/1.en.gz, line 2: invalid UTF-8" in told
    assert not list(copied.glob("results/mined/*/*/vectors"))


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"first": {"language": "nds", "files": ["crawl/*.en.gz"]}}, "'nds'"),
        (
            {"filters": {"fluent": {"kind": "language-model", "model": "nothere.arpa"}}},
            "nothere.arpa: no such file",
        ),
    ],
)
def test_what_cannot_be_read_stops_the_run_before_anything_is_encoded(copied, change, named):
    changed(copied, **change)
    shutil.rmtree(copied / "results")
    run = run_snakemake(copied, *RUN)
    assert run.returncode != 0
    told = run.stdout + run.stderr
    assert named in told and {*re.findall(r"rror in rule (\w+)", told)} == {"check_mining"}
    assert not list(copied.glob("results/mined/*/*/vectors"))


def test_another_threshold_chooses_anew_and_encodes_nothing(copied):
    changed(copied, at_least=1.0)
    assert {"check_mining", "choose_pairs"} <= {*planned(copied, *RUN)}
    assert not {"encode_shard", "search_groups"} & {*planned(copied, *RUN)}
    ran(copied)
    assert not {"encode_shard", "search_groups"} & {*planned(copied, *RUN)}


def test_a_file_that_two_names_match_is_read_once(copied):
    before = (copied / PAIRS).read_bytes()
    changed(copied, first={"language": "en", "files": ["crawl/*.en.gz", "crawl/0.en.gz"]})
    ran(copied)
    assert (copied / PAIRS).read_bytes() == before


def test_a_gpu_is_asked_for_where_a_search_uses_one(copied):
    for index, wanted in (("exact", {"1"}), ("ivf", {"0"})):
        changed(copied, index=index, documents=None)
        run = run_snakemake(copied, "-n", *RUN, "--config", "device=cuda",
                            "--forcerun", "search_groups")  # fmt: skip
        jobs = re.findall(r"rule search_groups:(?:\n {4}.*)*", run.stdout + run.stderr)
        assert jobs and {re.search(r"gpu=(\d)", job)[1] for job in jobs} == wanted


def test_what_is_wrong_in_an_entry_is_named(copied):
    changed(copied, index="flat", filters={"numbers": {"file": "x"}})
    run = run_snakemake(copied, "-n", *RUN)
    assert run.returncode != 0
    for message in ("numbers of a file are for pairs",
                    "mined.news.index: Input should be 'exact', 'ivf' or 'hnsw'"):  # fmt: skip
        assert message in run.stdout + run.stderr


def test_nothing_to_mine_is_said(example):
    run = run_snakemake(example, "-n", "mined", "--cores", "1")
    assert run.returncode != 0
    assert "mined: the configuration names nothing to mine" in run.stdout + run.stderr


@pytest.mark.slurm
@pytest.mark.skipif(slurm_cluster.why_not() is not None, reason=str(slurm_cluster.why_not()))
def test_slurm_gives_the_same_bytes_in_fewer_jobs(copied, tmp_path_factory):
    """Three jobs of the cluster are of the sides and the check; one is the choice."""
    before = (copied / PAIRS).read_bytes()
    shutil.rmtree(copied / "results")
    grouped = ["encode_shard", "search_groups", "join_lists", "propose_pairs"]
    with slurm_cluster.cluster(tmp_path_factory.mktemp("slurm")) as environment:
        run = run_snakemake(
            copied,
            *RUN,
            "--profile", "profiles/slurm",
            "--groups", *(f"{rule}=shards" for rule in grouped), "--group-components", "shards=100",
            # this cluster keeps no accounts
            "--slurm-status-command", "squeue",
            "--slurm-init-seconds-before-status-checks", "2",
            "--seconds-between-status-checks", "2",
            "--latency-wait", "5",
            environment=environment,
        )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    assert (copied / PAIRS).read_bytes() == before
    submitted = re.findall(r"SLURM jobid (\d+)", run.stdout + run.stderr)
    assert 4 < len(set(submitted)) < 12
