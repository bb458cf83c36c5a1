"""What luff gives to authors of blocks: a package to begin with, and mistakes in three lines."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from luff.tests.conftest import about_compiling
from luff.tests.process import call


def test_new_block_is_a_package_that_works(tmp_path: Path) -> None:
    """As its page says: written, installed, tested, looked up, run."""
    told = call("new", "low_pass", "--block", cwd=tmp_path).stdout
    assert told == "wrote luff-low_pass; next: cd luff-low_pass && pip install -e '.[test]' && pytest\n"
    package, site = tmp_path / "luff-low_pass", tmp_path / "site"
    install = [
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        str(site),
        str(package),
    ]
    subprocess.run([sys.executable, "-m", *install], check=True, capture_output=True)
    env = {"PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")])}
    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    done = subprocess.run(tests, cwd=package, env={**os.environ, **env}, text=True, capture_output=True)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "A first-order lag" in call("blocks", "low_pass", cwd=package, env=env).stdout
    told = call("run", "low_pass.yaml", "-o", "a.csv", cwd=package, env=env).stdout
    assert told.endswith("wrote a.csv\n")


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Low-Pass", 'found "Low-Pass", expected lower-case letters, digits and underscores'),
        ("gain", 'there is a block "gain" already'),
        ("there", "luff-there: there is such a file or folder already"),
    ],
)
def test_new_block_refuses_names(tmp_path: Path, name: str, told: str) -> None:
    (tmp_path / "luff-there").mkdir()
    assert told in call("new", name, "--block", cwd=tmp_path, code=2).stderr
    assert [path.name for path in tmp_path.rglob("*")] == ["luff-there"]


BLOCK = '''"""A block with a mistake."""

from luff.blocks import Block, In, Out, Param


class Wrong(Block):
    """A gain: y = k u."""

    u, y = In(), Out()
    k = Param(1.0, doc="gain")
    derived_names = ("twice",)

    def derived(self):
        return {"twice": (2.0 / 1.0,)}

    def out(u, k, twice):
        v = k * u
        return v * twice[0]
'''
NETLIST = """
luff: 1
name: wrong
blocks:
  files: [mine.py]
  wave: {type: sine}
  it: {type: wrong}
connect: [wave.y -> it.u]
simulation: {stop: 0.1 s, step: 1 ms}
"""


@about_compiling
def test_function_that_cannot_be_compiled_is_told_in_three_lines(tmp_path: Path) -> None:
    lines = _told(tmp_path, BLOCK.replace("v * twice[0]", "v.nope * twice[0]"))
    assert lines == [
        "wrong.yaml:7:7: it: its function out cannot be compiled",
        f"  {tmp_path / 'mine.py'}:18: return v.nope * twice[0]",
        "  Unknown attribute 'nope' of type float64",
    ]


def test_method_that_fails_is_told_in_three_lines(tmp_path: Path) -> None:
    lines = _told(tmp_path, BLOCK.replace("2.0 / 1.0", "2.0 / 0.0"))
    assert lines == [
        "wrong.yaml:7:7: it: its derived() fails",
        f'  {tmp_path / "mine.py"}:14: return {{"twice": (2.0 / 0.0,)}}',
        "  ZeroDivisionError: float division by zero",
    ]


def test_check_that_fails_is_told_in_three_lines(tmp_path: Path) -> None:
    lines = _told(tmp_path, BLOCK + "\n    def check(self):\n        return [self.nothing]\n")
    assert lines[1:] == [
        f"  {tmp_path / 'mine.py'}:21: return [self.nothing]",
        "  AttributeError: 'Wrong' object has no attribute 'nothing'",
    ]
    assert lines[0].endswith("it: its check() fails")


def _told(folder: Path, block: str) -> list[str]:
    (folder / "mine.py").write_text(block)
    (folder / "wrong.yaml").write_text(NETLIST)
    return call("run", "wrong.yaml", "--allow-code", "--quiet", cwd=folder, code=1).stderr.splitlines()
