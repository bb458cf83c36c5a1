"""Code that comes with the package: used as it is where it fits, and not at all where it does not."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import luff
from luff.solver.machine import shipped
from luff.solver.machine.cache_folder import cache_dir
from luff.solver.run import ahead
from luff.tests.conftest import about_compiling

MODEL = "luff: 1\nname: one\nblocks: {s: {type: sine}}\nsimulation: {stop: 0.1, step: 0.01}\n"

# compiles what the model needs as a wheel's code is compiled, and gathers it
MADE = """
import sys
from pathlib import Path
import luff
from luff.solver.run import ahead
ahead.prepare(Path(sys.argv[2]))
from luff.solver.integrators.together import called_in_runs, load_together
sim = luff.compile(sys.argv[1])
units = called_in_runs({}, "rk4") + [call.code for table in sim.program.tables.values() for call in table.calls]
load_together(units)
ahead.gather(units, Path(sys.argv[3]))
"""
# says what had to be compiled, whether the compiler was imported, and a number of the run
RUN = """
import sys
from pathlib import Path
import luff
from luff.solver.machine import objects, shipped
shipped.FOLDER = Path(sys.argv[2])
seen = []
objects.listener = lambda done, total, what: done and seen.append(what)
result = luff.compile(sys.argv[1]).run()
print(len(seen), "numba" in sys.modules, repr(result["s.y"][-1]))
"""


def script(text: str, *words: object, cache: Path | None = None) -> list[str]:
    kept = {"LUFF_CACHE_DIR": str(cache)} if cache else {}
    command = [sys.executable, "-c", text, *map(str, words)]
    done = subprocess.run(command, text=True, capture_output=True, env={**os.environ, **kept})
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@about_compiling
def test_first_run_with_an_empty_cache_compiles_nothing(tmp_path: Path) -> None:
    model = tmp_path / "one.yaml"
    model.write_text(MODEL)
    script(MADE, model, cache_dir(), tmp_path / "code")
    compiled, numba, value = script(RUN, model, tmp_path / "code", cache=tmp_path / "cache")
    assert (compiled, numba) == ("0", "False")
    # the least processor rounds as this one does
    assert value == repr(luff.compile(model).run()["s.y"][-1])


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of the right name."""
    monkeypatch.setattr(shipped, "FOLDER", tmp_path.resolve())
    shipped.folder.cache_clear()
    found = tmp_path.resolve() / shipped.key()
    found.mkdir(mode=0o700)
    yield found
    shipped.folder.cache_clear()


def test_code_of_this_compiler_and_processor_is_used(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "runs", lambda least: True)
    assert shipped.folder() == code


def test_code_for_a_greater_processor_is_not_used(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    least = shipped.Baseline(shipped.baseline().processor, frozenset({"a feature of tomorrow"}))
    monkeypatch.setattr(shipped, "baseline", lambda: least)
    assert shipped.folder() is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no such rights here")
def test_code_where_others_may_write_is_not_used(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "runs", lambda least: True)
    code.chmod(0o777)
    assert shipped.folder() is None


@pytest.mark.parametrize("other", ["numba", "llvmlite"])
def test_code_of_another_compiler_has_another_name(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key, version = shipped.key(), metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "0" if name == other else version(name))
    assert shipped.key() != key


def test_a_package_without_code_looks_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shipped, "FOLDER", tmp_path / "none")
    shipped.folder.cache_clear()
    assert shipped.folder() is None
    shipped.folder.cache_clear()


def test_wheel_is_for_one_platform() -> None:
    tag = ahead.platform_tag()
    assert tag != "any"
    assert "-" not in tag
