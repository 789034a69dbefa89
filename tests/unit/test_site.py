"""The site: what docs/pages.py includes, what becomes of links, and what a reader sees."""

import html
import importlib.util
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import get_files
from mkdocs.structure.pages import Page

REPOSITORY = Path(__file__).parents[2]
ADDRESS = "https://example.org/tandem"
OWN = re.compile(
    r"\b[\w.-]*(?:github|gitlab|codeberg|pypi|conda|readthedocs|huggingface|zenodo)\.\w+/\S*tandem"
    r"|\btandem[\w-]*\.(?:github|gitlab|readthedocs)\.\w+",
    re.IGNORECASE,
)
"""An address of Tandem with a host of projects."""
CPU = "--index-url https://download.pytorch.org/whl/cpu"
VARIABLE = "export PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu"
VISIBLE = 84
"""Characters of code that fit into a line of a page."""
SPEC = importlib.util.spec_from_file_location("pages", REPOSITORY / "docs/pages.py")
pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(pages)


@pytest.fixture(scope="module")
def site():
    config = load_config(str(REPOSITORY / "mkdocs.yml"))
    files = get_files(config)
    pages.on_files(files, config)
    return config, files


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the whole site."""
    folder = tmp_path_factory.mktemp("site")
    build(load_config(str(REPOSITORY / "mkdocs.yml"), site_dir=str(folder)))
    return folder


def rendered(site, text, page="api/index.md", repository=ADDRESS):
    config, files = site
    config.repo_url = repository
    return pages.on_page_markdown(text, Page(None, files.src_uris[page], config), config, files)


@pytest.mark.parametrize(
    "link, becomes",
    [
        ("../fidelity.md#text", "../fidelity.md#text"),
        ("../../CONTRIBUTING.md#conventions", "../contributing.md#conventions"),
        ("../../README.md#citation", "../index.md#citation"),
        ("../../README.md", "../index.md"),
        ("../../results/README.md", "../files.md"),
        ("../../LICENSE", "https://example.org/tandem/blob/main/LICENSE"),
        ("../../tests", "https://example.org/tandem/tree/main/tests"),
        ("../../absent.md", "../../absent.md"),
        ("https://example.org/a#b", "https://example.org/a#b"),
        ("#here", "#here"),
    ],
)
def test_links_lead_to_the_page_that_has_the_text_or_to_the_repository(site, link, becomes):
    assert rendered(site, f"See [this]({link}).") == f"See [this]({becomes})."


def test_without_an_address_a_file_that_the_site_lacks_is_text(site):
    text = "Of [`LICENSE`](../../LICENSE), [us](../fidelity.md), [both\nlines](../fidelity.md)."
    plain = text.replace("[`LICENSE`](../../LICENSE)", "`LICENSE`")
    assert rendered(site, text, repository="") == plain


def test_a_section_is_included_without_its_heading_and_with_its_links(site):
    text = rendered(site, "a\n[README](../README.md#citation)<!-- include -->\nb", "index.md")
    assert text.startswith("a\n\n[CITATION.cff](https://example.org/")
    assert text.endswith("\nb")
    assert "##" not in text


def test_a_heading_in_code_ends_no_section():
    lines = "# One\na\n```\n## Two\n```\nb\n## Three\nc".split("\n")
    assert list(pages.section(lines, "x.md", "one")) == ["a", "```", "## Two", "```", "b"]


def test_a_section_that_is_not_there_is_an_error(site):
    with pytest.raises(PluginError, match="README.md has no section #absent"):
        rendered(site, "[README](../README.md#absent)<!-- include -->", "index.md")


def test_code_stays_and_items_of_inner_lists_are_indented_for_the_site(site):
    text = "- a\n  - b\n\n```\n  [x](../../LICENSE)\n```"
    assert rendered(site, text) == text.replace("  - b", "    - b")


def test_headings_of_a_file_are_below_that_of_the_page(site):
    text = "# Results\n[t](../results/un/table4.md)<!-- include -->"
    lines = rendered(site, text).split("\n")
    assert [line for line in lines if line.startswith("#")][:2] == [
        "# Results",
        "## Table 4: documents that find their translation",
    ]


def test_every_study_has_a_page_in_the_sidebar(site):
    config, _ = site
    (listed,) = (part["Studies"] for part in config.nav if "Studies" in part)
    studies = {path.parent.name for path in REPOSITORY.glob("workflow/studies/*/study.yaml")}
    assert {Path(page).stem for page in listed} == studies


def test_the_page_of_a_study_links_to_its_reference_results():
    pages = "".join(path.read_text("utf-8") for path in REPOSITORY.glob("docs/studies/*.md"))
    kept = {path.parent.name for path in REPOSITORY.glob("docs/results/*/README.md")}
    assert kept
    assert not [name for name in kept if f"(../results/{name}/README.md)" not in pages]


def text_of(page):
    """The words of a page, in their order."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("run", sorted(REPOSITORY.glob("docs/results/*/runs.json")), ids=str)
def test_the_page_of_a_run_shows_all_its_tables_and_figures(built, run):
    page = (built / "results" / run.parent.name / "index.html").read_text("utf-8")
    content = page[page.index("<article") : page.index("</article")]
    files = [file for entry in json.loads(run.read_text("utf-8")) for file in entry["files"]]
    assert files
    rows, text = [], text_of(content)
    for file in files:
        if file.endswith(".png"):
            assert re.search(rf'<img [^>]*src="{re.escape(file)}"', content), file
        elif file.endswith(".md"):
            lines = (run.parent / file).read_text("utf-8").split("\n")
            rows += [line for line in lines if re.match(r"\| [^-:|]", line)]
    assert content.count("<tr>") == len(rows)
    plain = [row for row in rows if not re.search(r"[*`<\\&\[\]_]", row)]
    cells = [" ".join(row.replace("|", " ").split()) for row in plain]
    assert cells and [row for row in cells if row not in text] == []


def test_the_sidebar_calls_studies_studies_and_lists_each_with_its_results(built):
    page = (built / "index.html").read_text("utf-8")
    sidebar = text_of(page[page.index('aria-label="Navigation"') : page.index("<article")])
    studies = sidebar[sidebar.index(" Studies ") : sidebar.index(" Tables and figures ")]
    pages, results = studies.split(" Reference results ", 1)
    for path in REPOSITORY.glob("workflow/studies/*/study.yaml"):
        assert f"{path.parent.name}: " in pages
        about = (REPOSITORY / f"docs/studies/{path.parent.name}.md").read_text("utf-8")
        # a study that has been run leads to its results
        assert (path.parent.name in results) == ("](../results/" in about)


def test_every_kept_run_is_in_the_sidebar(site):
    (listed,) = (part["Reference results"] for part in site[0].nav if "Reference results" in part)
    runs = REPOSITORY.glob("docs/results/*/runs.json")
    kept = {f"results/{path.parent.name}/README.md" for path in runs}
    assert {page for entry in listed for page in entry.values()} == kept


def test_long_lines_of_code_wrap(built):
    page = (built / "gpu/index.html").read_text("utf-8")
    style = (built / "style.css").read_text("utf-8")
    assert '<link rel="stylesheet" href="../style.css">' in page
    assert re.search(r"pre > code \{[^}]*white-space: pre-wrap", style)


def code_lines():
    for path in (*REPOSITORY.glob("*.md"), *REPOSITORY.glob("docs/**/*.md")):
        lines = ((line, path) for line in path.read_text("utf-8").split("\n"))
        yield from ((line, path) for line, _, fenced in pages.marked(lines) if fenced)


def test_a_comment_after_a_command_is_not_cut():
    cut = [(path.name, line) for line, path in code_lines()
           if re.search(r"\S +# ", line) and len(line) > VISIBLE]  # fmt: skip
    assert cut == []


def test_comments_are_on_the_page_as_they_are_written(built):
    page = (built / "own-bitext/index.html").read_text("utf-8")
    comments = [line for line, path in code_lines()
                if path.name == "own-bitext.md" and line.startswith("# ")]  # fmt: skip
    assert comments
    assert [line for line in comments if line not in text_of(page)] == []


def test_make_docs_says_how_to_look():
    run = subprocess.run(["make", "-n", "docs"], cwd=REPOSITORY, capture_output=True, text=True)
    assert "python -m http.server --directory site" in run.stdout
    assert "http://localhost:8000" in run.stdout


def texts():
    """Every file that a user reads or a package is made from."""
    roots = ("*.md", "*.cff", "*.toml", "*.yml", "*.yaml", "Makefile", "docs/**/*", "envs/*",
             ".github/**/*", "profiles/**/*", "workflow/**/*", "results/*.md")  # fmt: skip
    files = {file for root in roots for file in REPOSITORY.glob(root)}
    kinds = {".md", ".cff", ".toml", ".yml", ".yaml", ".py", ".rst", ".smk", ".json", ".csv", ""}
    return [file for file in sorted(files) if file.is_file() and file.suffix in kinds]


def test_no_file_names_an_address_of_tandem_that_nobody_can_confirm():
    assert OWN.search("git clone https://github.com/somebody/tandem") and OWN.search(
        "https://tandem-bitext.github.io/x") and OWN.search("pypi.org/project/tandem-bitext")
    assert not OWN.search("https://github.com/kpu/kenlm")
    named = {str(file): OWN.findall(file.read_text("utf-8", errors="replace")) for file in texts()}
    assert len(named) > 100
    assert {name: places for name, places in named.items() if places} == {}


def test_the_package_and_the_site_claim_no_address():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    assert "urls" not in project
    config = load_config(str(REPOSITORY / "mkdocs.yml"))
    assert (config.site_url, config.repo_url) == ("", "")


def test_whoever_publishes_the_site_gives_the_address(monkeypatch):
    monkeypatch.setenv("TANDEM_REPOSITORY", ADDRESS)
    assert load_config(str(REPOSITORY / "mkdocs.yml")).repo_url == ADDRESS


@pytest.mark.parametrize(
    "page, before, command",
    [
        ("README.md", ["1.3 GB", "5.8 GB", f"pip install torch {CPU}"], "pip install '.[train]'\n"),
        ("README.md", ["2.6 GB"], "make table1\n```"),
        ("docs/own-bitext.md", ["4.5 GB", f"pip install torch {CPU}"], "`pip install '.[train]'`"),
        ("docs/quickstart.md", ["2.6 GB", "7 GB", VARIABLE], "\nmake environment\n"),
    ],
)
def test_sizes_and_the_line_for_cpus_stand_before_a_command_that_installs(page, before, command):
    text = (REPOSITORY / page).read_text("utf-8")
    assert [part for part in before if part not in text[: text.index(command)]] == []
