"""Every command, netlist and script of the README and of docs/cli.md runs as it stands there."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

import luff
from luff.cli import app

ROOT = Path(luff.__file__).resolve().parent


def fenced(name: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)


def commands(name: str) -> list[list[str]]:
    lines = [shlex.split(line, comments=True) for block in fenced(name, "sh") for line in block.splitlines()]
    return [words[1:] for words in lines if words and words[0] == "luff"]


@pytest.mark.parametrize("name", ["docs/cli.md", "README.md"])
def test_docs_run_as_they_stand(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for text in fenced(name, "yaml"):
        (tmp_path / f"{luff.loads(text).name}.yaml").write_text(text)
    found = commands(name)
    assert found
    for words in found:
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, f"luff {' '.join(words)}: {done.output}"
        for word in words:
            if word.endswith((".h5", ".csv", ".mat", ".png", ".svg")):
                assert (tmp_path / word).is_file()
    for script in fenced(name, "python"):
        exec(compile(script, name, "exec"), {})
