"""Every command, netlist and script of the README and of the pages in docs/ runs as it stands there."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks import registry
from luff.docs import live
from luff.tests.conftest import hours_as_plain_python
from luff.tests.process import call

ROOT = Path(luff.__file__).resolve().parent
PAGES = [f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))]
# the page that has everything compiled comes first: what is made of compiled functions then finds them
PAGES = ["docs/cli.md", "README.md", *(page for page in PAGES if page != "docs/cli.md")]
WRITTEN = (".h5", ".csv", ".mat", ".npz", ".json", ".png", ".svg", ".html", ".gif")


def fenced(name: str, language: str) -> list[tuple[str, str]]:
    """Title and text of each fenced block; what is included from the library is tested as the library is."""
    found = re.findall(
        rf'^```{language}(?: title="([^"]*)")?\n(.*?)^```',
        (ROOT / name).read_text(),
        re.DOTALL | re.MULTILINE,
    )
    return [(title, text) for title, text in found if "--8<--" not in text]


def commands(name: str) -> list[list[str]]:
    blocks = [text.replace("\\\n", " ") for _, text in fenced(name, "sh")]
    lines = [shlex.split(line, comments=True) for block in blocks for line in block.splitlines()]
    return [words for words in lines if words]


def write_listings(name: str, folder: Path) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Scripts and netlists of a page, in files where they have a name."""
    for path in (ROOT / "docs" / "models").iterdir():  # what pages take from there
        (folder / path.name).write_text(path.read_text())
    scripts = fenced(name, "python")
    netlists = {title or f"{luff.loads(text).name}.yaml": text for title, text in fenced(name, "yaml")}
    for title, text in [*scripts, *fenced(name, "xml"), *fenced(name, "csv"), *netlists.items()]:
        if title:
            (folder / title).write_text(text)
    return scripts, netlists


def use_listings(scripts: list[tuple[str, str]], netlists: dict[str, str], folder: Path) -> None:
    """Those that no command names: netlists are right, blocks run, scripts run."""
    whole = re.compile("^(blocks|ports):", re.MULTILINE)
    models = [title for title, text in netlists.items() if title.endswith(".yaml") and whole.search(text)]
    if models:
        call("check", *models, "--allow-code", "--quiet", cwd=folder)
    for title, text in scripts:
        if title and "(Block)" in text:
            use_all_blocks(folder / title)
    space: dict[str, object] = {}
    for title, script in scripts:
        if not title:
            exec(compile(script, title, "exec"), space)


@hours_as_plain_python
@pytest.mark.usefixtures("methods")
@pytest.mark.parametrize("name", PAGES)
def test_docs_run_as_they_stand(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scripts, netlists = write_listings(name, tmp_path)
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for program, *words in commands(name):
        if program == "make":
            assert set(words) <= set(targets)
            continue
        assert program == "luff", f"{program}: what no test runs has no place among the commands"
        call(*words, cwd=tmp_path)
        for option, word in pairwise(words):
            if option in ("-o", "--output", "--plot") and word.endswith(WRITTEN):
                assert (tmp_path / word).is_file()
    named = {word for words in commands(name) for word in words}
    monkeypatch.setattr(registry, "_loaded_files", {})
    use_listings(scripts, {title: text for title, text in netlists.items() if title not in named}, tmp_path)


def use_all_blocks(path: Path) -> None:
    """Each block that a listing defines runs by itself, and what it gives is no NaN, nor nothing."""
    for cls in registry.load_file(path):
        inputs = {key: "1 + t" for key, port in cls.class_ports.items() if port.direction == "in"}
        result = luff.alone(cls, inputs, stop=0.1)
        outputs = [column for column in result.columns if column.startswith("it.")]
        assert outputs, cls
        assert all(np.isfinite(result[column]).all() for column in outputs), cls


def test_docs_show_what_there_is() -> None:
    """Pictures and pages that are linked to exist."""
    for name in PAGES:
        text = re.sub(r"```.*?```", "", (ROOT / name).read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if target.startswith("live/"):  # made with the site
                assert live.source_of(Path(target).stem).is_file(), f"{name}: {target}"
            elif not target.startswith(("http", "blocks/", "changelog.md", "notebooks/")):
                assert ((ROOT / name).parent / target).exists(), f"{name}: {target}"


def test_speed_in_the_pages_is_what_was_measured() -> None:
    """Both by `make bench`, which writes them together."""
    from luff.bench.trees import into_page

    measured = [
        line for line in (ROOT / "bench/results/trees.md").read_text().splitlines() if line.startswith("|")
    ]
    text = (ROOT / "docs/speed.md").read_text()
    assert len(measured) > 2
    assert "\n".join(measured) in text
    assert into_page(text, "| other |") == text.replace("\n".join(measured), "| other |")
