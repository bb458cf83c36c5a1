"""Modules in the current folder: no process of luff runs them. `test_entry_points.py` plants them for each command."""

from __future__ import annotations

import ast
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

import luff
from luff.tests.conftest import about_compiling
from luff.tests.process import call, luff_script
from luff.tests.shared.planted_programs import plant

ROOT = Path(luff.__file__).resolve().parent

# a function that no cache has
BLOCK = """\
from luff.blocks import Block, In, Out

class Fresh{name}(Block):
    \"\"\"What it is given, and a little.\"\"\"
    u = In()
    y = Out()
    def out(u):
        of_{name} = 0.5
        return u + of_{name}
"""
MODEL = """\
luff: 1
blocks: {{files: [sub/fresh.py], c: {{type: constant, value: 1}}, f: {{type: fresh{name}}}}}
connect: [c.y -> f.u]
simulation: {{stop: 0.1 s, step: 0.1 s}}
"""
STUDY = "luff: 1\nmodel: ./model.yaml\nvariants: {list: {one: {c.value: 1}, two: {c.value: 2}}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model whose block has to be compiled."""
    name = "x" + uuid.uuid4().hex[:8]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "fresh.py").write_text(BLOCK.format(name=name))
    (tmp_path / "model.yaml").write_text(MODEL.format(name=name))
    (tmp_path / "study.yaml").write_text(STUDY)
    plant(tmp_path, tmp_path / "ran")
    return tmp_path


def nothing_ran(folder: Path) -> None:
    ran = folder / "ran"
    assert not ran.exists(), ran.read_text()


@about_compiling
def test_what_compiles_imports_nothing_of_the_folder(folder: Path) -> None:
    call("run", "model.yaml", "--allow-code", "-q", "-o", "a.csv", cwd=folder, command=luff_script)
    assert (folder / "a.csv").read_text().splitlines()[-1].endswith("1.5")
    nothing_ran(folder)


@pytest.mark.parametrize("on", [(), ("--on", "local")])
def test_workers_of_a_study_import_nothing_of_the_folder(on: tuple[str, ...], folder: Path) -> None:
    if on:  # Dask is sent no blocks of the user
        plain = "luff: 1\nblocks: {c: {type: constant}}\nsimulation: {stop: 0.1 s}\n"
        (folder / "model.yaml").write_text(plain)
    words = ("study", "study.yaml", "--allow-code", "-j", "1", *on)
    told = call(*words, cwd=folder, command=luff_script).stdout
    assert "2 variants: 2 run" in told
    nothing_ran(folder)


def test_python_dash_m_drops_the_folder_before_it_imports_more(folder: Path) -> None:
    """Python itself looks there for `luff`, and for what runs it, before luff is asked."""
    (folder / "sub" / "shown.py").write_text("import sys; print(*sys.modules)")
    asked = subprocess.run(
        [sys.executable, "-S", "-m", "shown"], cwd=folder / "sub", capture_output=True, check=True
    )
    for name in ["luff", *asked.stdout.decode().split()]:
        (folder / f"{name}.py").unlink(missing_ok=True)
    call("info", "model.yaml", "--allow-code", cwd=folder)
    call("run", "model.yaml", "--allow-code", "-q", "-o", "a.csv", cwd=folder)
    nothing_ran(folder)


def test_what_python_reads_before_it_drops_the_folder_imports_only_os() -> None:
    """In any installation: what a `.pth` file has loaded already is looked for nowhere."""
    for name in ("__init__.py", "version.py"):
        body = ast.parse((ROOT / name).read_text("utf-8")).body
        assert [one.names[0].name for one in body if isinstance(one, ast.Import)] == ["os"]
        above = {one.module for one in body if isinstance(one, ast.ImportFrom)}
        assert above <= {"version"}


def test_interpreters_are_started_in_one_place() -> None:
    """Each start of Python that does not take its words from `codegen/python_subprocess.py` is told `-P` here, or
    starts no luff."""
    places = [path for room in ("blocks", "solver", "gui", "cli") for path in (ROOT / room).rglob("*.py")]
    texts = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in places}
    starters = {name: text for name, text in texts.items() if "sys.executable" in text}
    assert starters.keys() == {"solver/codegen/python_subprocess.py", "solver/fmi/toolchain.py"}
    for text in starters.values():
        assert text.count("sys.executable") == text.count('[sys.executable, "-P", ') == 1, text
