"""What luff gives to authors of blocks: a package to begin with, and mistakes in three lines."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.tests.conftest import about_compiling
from luff.tests.process import call

ROOT = Path(luff.__file__).resolve().parent
# `luff gui`, which looks at its canvas where it would wait for the user
LOOK = """
import sys
from PySide6.QtWidgets import QApplication
from luff.__main__ import main
from luff.gui.window.window import Window
def look(*_):
    (window,) = Window.open_windows
    level = window.levels[-1]
    print(sorted(level.view.canvas.blocks), level.document.problems)
    return 0
QApplication.exec = look
main()
"""


def commands_of_the_page() -> list[list[str]]:
    page = (ROOT / "docs" / "write_a_block.md").read_text()
    (text,) = re.findall(r"^```shell\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return [shlex.split(line) for line in text.splitlines()]


def test_seven_commands_of_the_page_lead_to_a_block_on_the_canvas(tmp_path: Path) -> None:
    """Each as it stands there; only that the package goes to a folder of its own, and that a look ends the window."""
    folder, site, told = tmp_path, tmp_path / "site", []
    install = ["--quiet", "--no-deps", "--no-build-isolation", "--target", str(site)]
    env = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(site), os.environ.get("PYTHONPATH", "")]),
        "QT_QPA_PLATFORM": "offscreen",
        **{f"XDG_{name}_HOME": str(tmp_path / name) for name in ("DATA", "CONFIG")},
    }
    for program, *words in commands_of_the_page():
        if program == "cd":
            folder /= words[0]
            continue
        if program == "pip":
            assert words == ["install", "-e", ".[test]"]
            words = ["install", *install, "."]
        ways = {
            "pip": ["-m", "pip"],
            "pytest": ["-m", "pytest", "-p", "no:cacheprovider"],
            "luff": ["-m", "luff"],
        }
        way = ["-c", LOOK] if words[0:1] == ["gui"] else ways[program]
        done = subprocess.run(
            [sys.executable, *way, *words], cwd=folder, env=env, text=True, capture_output=True
        )
        assert done.returncode == 0, f"{program} {words}: {done.stdout}{done.stderr}"
        told.append(done.stdout)
    written, _, tested, described, ran, drawn = told
    assert written.startswith("wrote luff-low_pass; next: cd luff-low_pass && pip install -e '.[test]'")
    assert "1 passed" in tested
    assert "A first-order lag" in described
    assert ran.endswith("wrote low_pass.png\n")
    assert (folder / "low_pass.png").is_file()
    assert drawn == "['lag', 'step'] []\n"  # on the canvas, and no problems
    assert len(told) + 1 == 7  # with cd


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


def test_block_runs_alone_with_what_it_is_given() -> None:
    """An expression of the time, a list, a mechanism on the world; against what is known by hand."""
    turned = luff.alone("integrator", {"u": "cos(3*t)"}, stop=2.0, initial=0.5)
    # RK4 with 3 rad/s and steps of 1 ms is off by less than 1e-13
    assert turned["it.y"] == pytest.approx(0.5 + np.sin(3 * turned.time) / 3, abs=1e-11)
    many = luff.alone("gain", {"u": [1, 2.5]}, stop=0.01, k=4)
    assert many["it.y"][-1].tolist() == [4, 10]
    boom = luff.alone("rfem_link", stop=0.01, length=2, section={"shape": "circle", "diameter": "5 cm"}, E="210 GPa",
                      rho=7850)  # fmt: skip
    assert np.isfinite(boom["it.tip_deflection"]).all()
    with pytest.raises(luff.LuffError, match=r"it has no port \"w\""):
        luff.alone("gain", {"w": 1.0})


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
