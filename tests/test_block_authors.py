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
from luff.blocks import Block, In, Out, registry
from luff.blocks.class_checks import WRITE
from luff.blocks.registry import register, registered
from luff.blocks.text.in_place_writes import lost_writes
from luff.tests.conftest import about_compiling
from luff.tests.process import call

ROOT = Path(luff.__file__).resolve().parent
# `luff gui`, which looks at its canvas where it would wait for the user
LOOK = """
import sys
from PySide6.QtWidgets import QApplication
from luff.__main__ import main
from luff.gui.window.main_window import Window
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
        **{f"XDG_{name}_HOME": str(tmp_path / name) for name in ("DATA", "CONFIG", "CACHE")},
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
        '  a number has no attribute "nope"',
    ]
    page = (ROOT / "docs" / "write_a_block.md").read_text()
    assert "\n".join([lines[0], f"  mine.py:18: {lines[1].partition(': ')[2]}", lines[2]]) in page


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


ONE_LINE = """
from math import fsum
import math
import numpy as np
from luff.blocks import Block, In, Memory, Out

LIST = [1.0, 2.0]

def inner(u):
    return u.real_part

class Wrong(Block):
    \"\"\"Wrong.\"\"\"
    u, y = In(), Out()
    m = Memory()
    def update(m, u): m[0] = u
    BODY
"""
ADVICE = "numbers, tuples and arrays of numbers, functions, math and numpy can be read"


@about_compiling
@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("def out(u): return fsum((u, u))", "the compiler does not know fsum"),
        ("def out(u): return math.fsum((u,))", "the compiler does not know math.fsum"),
        ("z = Out(); out = lambda u: u", "out has to be written with def"),
        ("z = Out()\n    def out(u): return u", "it returns a number, expected 2 numbers (y, z)"),
        ("def out(u): y = u", "it returns nothing, expected one number (y)"),
        ("def out(u): return u, u", "it returns 2 numbers, expected one number (y)"),
        ("def out(m): return m", "it returns an array, expected one number (y)"),
        ("y = Out(3)\n    def out(u): return u, u", "it returns 2 numbers, expected 3 numbers (y)"),
        ("def out(u): return [u, 1.0][0]", "it makes a list, a dictionary or an array"),
        ("def out(u): return np.array([u])[0]", "it makes a list, a dictionary or an array"),
        ("def out(u): return u[0]", "a number cannot be indexed"),
        ("u = In(3)\n    def update(m, u): m[0] = u[0]\n    def out(u): return u + 1",
         "it computes 3 numbers + a number"),
        ("def out(u): return math.sin(u, u)", "sin() does not take a number and a number"),
        ("def out(u): return inner(u)", 'a number has no attribute "real_part"'),
        ("def out(u): return u * nowhere", 'it reads "nowhere", which is neither declared nor in its module'),
        ("def out(u): return u * LIST[0]", f'it reads "LIST", which is of type list ({ADVICE})'),
        ("def out(m): return m[0]\n    def update(m, u): return u",
         "Wrong.update returns u, which is not used; it has to write: m[0] = ..."),
        ("def out(m): return m[0]\n    def update(m, u): m = u",
         'Wrong.update sets the name "m", which changes no memory; it has to write: m[0] = ...'),
    ],
)  # fmt: skip
def test_mistakes_of_functions_are_told_with_file_line_and_cause(
    tmp_path: Path, body: str, cause: str
) -> None:
    """By `check` as by `run`."""
    text = ONE_LINE.replace("BODY", body)
    (tmp_path / "mine.py").write_text(text)
    source = "{type: constant, value: [1, 2, 3]}" if "In(3)" in body else "sine"
    (tmp_path / "wrong.yaml").write_text(
        NETLIST.replace("{type: sine}", source.replace("sine", "{type: sine}"))
    )
    told = call("check", "wrong.yaml", "--allow-code", cwd=tmp_path, code=1).stderr
    assert cause in told
    assert re.search(r"mine\.py:(\d+)", told), told
    assert "literal arguments" not in told
    if "inner(u)" in body:
        assert "mine.py:10: return u.real_part" in told


def test_block_sees_what_its_module_has(tmp_path: Path) -> None:
    """Numbers, arrays, functions of math and numpy, functions beside it; and other values are other code."""
    (tmp_path / "wrong.yaml").write_text(NETLIST.replace("{type: sine}", "{type: constant, value: 2}"))
    text = SEEN
    for gravity in (9.81, 1.62):
        (tmp_path / "mine.py").write_text(text.replace("GRAVITY", str(gravity)))
        call("run", "wrong.yaml", "--allow-code", "-q", "-o", "out.npz", cwd=tmp_path)
        it = luff.read(tmp_path / "out.npz")["it.y"][-1]
        # sin(pi/2) + G + 3 + 3 + 3 + cos(0) + sqrt(4) + (2 G + 100) + 0: sums of nine numbers, rounded
        assert it == pytest.approx(1 + gravity + 3 + 3 + 3 + 1 + 2 + 2 * gravity + 100, rel=1e-14)


SEEN = """
import math as m
import numpy as np
from math import pi, sin as sine
from luff.blocks import Block, In, Out, registry

G = GRAVITY
POINTS = np.array([[0.0, 1.0], [2.0, 3.0]])
PAIRS = ((1.0, 2.0), (3.0, 4.0))
N = np.float64(3)
INF = float("inf")

def twice(x, by=G):
    return by * x

def deep(x: np.ndarray) -> float:
    return twice(x) + LATER

class Wrong(Block):
    \"\"\"y = many things.\"\"\"
    u, y = In(), Out()
    def out(u):
        here = sine(pi / 2) + G + POINTS[1, 1] + PAIRS[1][0] + N
        return here + np.cos(0.0) + m.sqrt(4.0) + deep(u) + min(INF, 0.0)

LATER = 100.0
"""


def test_file_of_the_same_size_and_second_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python takes byte code for that of a file whose size and whole second of change it has."""
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(registry, "_loaded_files", {})
    path = tmp_path / "mine.py"
    for factor in ("2.0", "8.0"):
        path.write_text(TIMES.format(factor))
        os.utime(path, (1e9, 1e9))
        (cls,) = registry.load_file(path)
        assert luff.alone(cls, {"u": 3.0}, stop=0.01)["it.y"][-1] == 3.0 * float(factor)


TIMES = """
from luff.blocks import Block, In, Out, registry

class Times(Block):
    \"\"\"y = k u.\"\"\"
    u, y = In(), Out()
    def out(u): return {} * u
"""


def test_value_that_changes_in_the_module_is_seen_by_the_next_run() -> None:
    """In a notebook a module's constant is set anew, and the function is the same object."""
    global FACTOR
    register(Scaled)
    for FACTOR in (2.0, 5.0):
        assert luff.alone("scaled", {"u": 3.0}, stop=0.01)["it.y"][-1] == 3.0 * FACTOR


FACTOR = 1.0


class Scaled(Block):
    """y = FACTOR u."""

    u, y = In(), Out()

    def out(u):
        return FACTOR * u


def test_two_meanings_of_one_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # the current folder is not looked in
    (tmp_path / "beside_wrong.py").write_text("G = 2.0\ndef scaled(x):\n    return G * x\n")
    lines = _told(tmp_path, BLOCK.replace("class Wrong", "from beside_wrong import scaled\nG = 3.0\n\n\nclass Wrong")
                  .replace("v = k * u", "v = G * scaled(u)"))  # fmt: skip
    assert 'two modules mean different things by "G"' in "\n".join(lines)


def test_functions_of_luffs_own_blocks_write_their_memories() -> None:
    """For others it is looked at when they are defined."""
    for cls in registered().values():
        for role in set(WRITE) & cls.functions.keys():
            assert lost_writes(cls.functions[role], cls.memories) == "", cls.type_name


def _told(folder: Path, block: str) -> list[str]:
    (folder / "mine.py").write_text(block)
    (folder / "wrong.yaml").write_text(NETLIST)
    return call("run", "wrong.yaml", "--allow-code", "--quiet", cwd=folder, code=1).stderr.splitlines()


@pytest.mark.parametrize("how", ["raise ValueError(u)", "assert u < 1.0"])
@pytest.mark.parametrize("role", ["out", "der", "update", "helper"])
def test_functions_that_would_raise_are_refused(tmp_path: Path, how: str, role: str) -> None:
    """Before, the exception was lost: the run went on with what had been there, and ended well."""
    bodies = {
        name: "    if u > 1.0:\n            " + how + "\n    " if name == role else ""
        for name in ("out", "der", "update")
    }
    (tmp_path / "blocks.py").write_text(f"""
from luff.blocks import Block, In, Memory, Out, State
def beside(u):
    {"if u > 1.0:" if role == "helper" else "if u > 2.0:"}
        {how if role == "helper" else "u = 2.0"}
    return u
class Raising(Block):
    \"\"\"y = u, and no more than one.\"\"\"
    u, y = In(), Out()
    x, m = State(0.0), Memory(0.0)
    def der(u):
    {bodies["der"]}    return beside(u)
    def out(u, x, m):
    {bodies["out"]}    return u + x + m[0]
    def update(u, m):
    {bodies["update"]}    m[0] = u
""")
    netlist = "luff: 1\nblocks: {files: [blocks.py], u: {type: constant}, it: {type: raising}}\nconnect: [u.y -> it.u]"
    (tmp_path / "model.yaml").write_text(netlist)
    with pytest.raises(luff.LuffError, match="compiled functions cannot raise") as told:
        luff.compile(luff.load(tmp_path / "model.yaml", allow_code=True))
    assert re.search(r"blocks\.py:\d+", str(told.value))


def test_what_only_the_compiler_has_is_refused(tmp_path: Path) -> None:
    """A function of `math` that is no C function: a run, in a process without the compiler, would be aborted."""
    (tmp_path / "blocks.py").write_text(
        "from math import gamma\nfrom luff.blocks import Block, In, Out\n\n\nclass Factorial(Block):\n"
        '    """y = (u - 1)!"""\n    u, y = In(), Out()\n    def out(u):\n        return gamma(u)\n'
    )
    (tmp_path / "model.yaml").write_text(
        "luff: 1\nblocks: {files: [blocks.py], u: {type: constant}, it: {type: factorial}}\n"
        "connect: [u.y -> it.u]\nsimulation: {stop: 1}\n"
    )
    done = call("run", "model.yaml", "--allow-code", cwd=tmp_path, code=1)
    assert "gamma cannot be called in compiled functions" in done.stderr
