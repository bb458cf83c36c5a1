"""Every command, netlist and script of the README and of the pages in docs/ runs as it stands there."""

import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

import luff
from luff.tests.conftest import hours_as_plain_python
from luff.tests.process import call

ROOT = Path(luff.__file__).resolve().parent
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]
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


@hours_as_plain_python
@pytest.mark.parametrize("name", PAGES)
def test_docs_run_as_they_stand(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "library").symlink_to(ROOT / "library")
    for path in (ROOT / "docs" / "models").iterdir():  # what pages take from there
        (tmp_path / path.name).write_text(path.read_text())
    scripts = fenced(name, "python")
    for title, text in scripts:
        if title:
            (tmp_path / title).write_text(text)
    for title, text in fenced(name, "xml"):
        (tmp_path / title).write_text(text)
    for title, text in fenced(name, "yaml"):
        (tmp_path / (title or f"{luff.loads(text).name}.yaml")).write_text(text)
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
    space: dict[str, object] = {}
    for title, script in scripts:
        if not title:
            exec(compile(script, name, "exec"), space)


def test_docs_show_what_there_is() -> None:
    """Pictures and pages that are linked to exist."""
    for name in PAGES:
        text = re.sub(r"```.*?```", "", (ROOT / name).read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
            if not target.startswith(("http", "blocks/")):
                assert ((ROOT / name).parent / target).exists(), f"{name}: {target}"


def test_speed_in_the_readme_is_what_was_measured() -> None:
    """Both by `make bench`, which writes them together."""
    from luff.bench.trees import into_readme

    measured = [
        line for line in (ROOT / "bench/results/trees.md").read_text().splitlines() if line.startswith("|")
    ]
    text = (ROOT / "README.md").read_text()
    assert len(measured) > 2
    assert "\n".join(measured) in text
    assert into_readme(text, "| other |") == text.replace("\n".join(measured), "| other |")
