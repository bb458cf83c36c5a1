"""Code that comes with the package: used as it is where it fits, and not at all where it does not."""

import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

import luff
from luff.solver.codegen import cross_compile, jit, prebuilt_objects
from luff.solver.codegen.cache_folder import cache_dir
from luff.solver.codegen.jit import ENTRY_POINTS
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.fmi.object_symbols import global_symbols
from luff.solver.kernels.articulated_body import articulated_inertias
from luff.solver.kernels.newton_euler import stored_energies
from luff.solver.kernels.passive_forces import applied_forces
from luff.solver.simulation import ahead_of_time
from luff.tests.conftest import about_compiling
from luff.tests.shared.relocations import of_others, relocations

MODEL = "luff: 1\nname: one\nblocks: {s: {type: sine}}\nsimulation: {stop: 0.1, step: 0.01}\n"
LAGGING = """luff: 1
name: one
blocks: {s: {type: sine}, lag: {type: transfer_function, num: [1], den: [1, 2]}}
connect: [s.y -> lag.u]
simulation: {stop: 0.1, step: 0.01}
"""

# compiles what the model needs as a wheel's code is compiled, and gathers it
MADE = """
import sys
from pathlib import Path
import luff
from luff.solver.simulation import ahead_of_time as ahead
ahead.target_baseline(Path(sys.argv[2]))
from luff.solver.integrators.preload import entry_points_of_run
sim = luff.compile(sys.argv[1])
units = entry_points_of_run([], "rk4") + [call.code for table in sim.program.tables.values() for call in table.calls]
from luff.solver.codegen import jit, cross_compile as portable, prebuilt_objects as shipped
units += [each for each in jit.ENTRY_POINTS if isinstance(each, jit.Elementary)]
if "forms" in sys.argv:  # of the operations, of the method, and of what goes through them
    from luff.solver.integrators import runge_kutta as explicit, group_stepping as groups, run_loop as loop
    operations = [call.code for table in sim.program.tables.values() for call in table.calls]
    forms = ahead.lane_and_dual_variants([*operations, explicit.rk4, loop.advance, loop.evaluate_many])
    units += [loop.evaluate_many, groups.advance_groups, *forms]
units = ahead.with_callees(units)
made = ahead.compiled(units)
if "translated" in sys.argv:  # by LLVM alone, of bitcode
    made = ahead._translated(portable.bitcode(units, whole=False), ahead.WHEELS[ahead.this_wheel()].target)
ahead.write_archives(made, units, Path(sys.argv[3]) / shipped.key())
"""
# says what had to be compiled, whether the compiler was imported, and a number of the run
RUN = """
import sys
from pathlib import Path
import luff
from luff.solver.codegen import object_loader as objects, prebuilt_objects as shipped
shipped.FOLDER = Path(sys.argv[2])
seen = []
objects.listener = lambda done, total, what: done and seen.append(what)
result = luff.compile(sys.argv[1]).run()
print(len(seen), "numba" in sys.modules, repr(result["s.y"][-1]))
"""
# the same of a batch in lanes, and of derivatives
FORMS = (
    RUN[: RUN.index("result =")]
    + """
sim = luff.compile(sys.argv[1])
table = luff.batch(sim, {"s.amplitude": [1.0, 2.0, 3.0, 4.0]}, "*", lanes=True, threads=1)
slopes = sim.jacobian(0.0, sim.x0)
print(len(seen), "numba" in sys.modules, table.lanes, repr(table["lag.y"][0, -1].item()), slopes.item())
"""
)


def script(text: str, *words: object, cache: Path | None = None, least: bool = False) -> list[str]:
    """Its words; `least`: as if the processor were the least of its family, whose lanes a wheel has."""
    kept = {"LUFF_CACHE_DIR": str(cache)} if cache else {}
    if least:
        kept |= {"NUMBA_CPU_NAME": prebuilt_objects.baseline().processor, "NUMBA_CPU_FEATURES": ""}
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


@about_compiling
@pytest.mark.parametrize("way", ["numba", "translated"])
def test_first_batch_in_lanes_and_first_derivatives_compile_nothing(way: str, tmp_path: Path) -> None:
    model = tmp_path / "one.yaml"
    model.write_text(LAGGING)
    script(MADE, model, cache_dir(), tmp_path / "code", "forms", way)
    alone = repr(luff.compile(model).run()["lag.y"][-1].item())
    for _ in range(2):  # the second finds the code of packs in its own cache
        told = script(FORMS, model, tmp_path / "code", cache=tmp_path / "cache", least=True)
        assert told == ["0", "False", "4", alone, "-2.0"]
        for pack in (tmp_path / "code").rglob("*.pack"):
            pack.unlink()


@pytest.fixture
def code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder of the right name."""
    monkeypatch.setattr(prebuilt_objects, "FOLDER", tmp_path.resolve())
    prebuilt_objects.folder.cache_clear()
    found = tmp_path.resolve() / prebuilt_objects.key()
    found.mkdir(mode=0o700)
    yield found
    prebuilt_objects.folder.cache_clear()


def test_code_of_this_compiler_and_processor_is_used(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prebuilt_objects, "processor_runs", lambda least: True)
    assert prebuilt_objects.folder() == code


def test_code_for_a_greater_processor_is_not_used(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    least = prebuilt_objects.Baseline(
        prebuilt_objects.baseline().processor, frozenset({"a feature of tomorrow"})
    )
    monkeypatch.setattr(prebuilt_objects, "baseline", lambda machine="": least)
    assert prebuilt_objects.folder() is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="no such rights here")
def test_code_where_others_may_write_is_not_used(code: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prebuilt_objects, "processor_runs", lambda least: True)
    code.chmod(0o777)
    assert prebuilt_objects.folder() is None


@pytest.mark.parametrize("other", ["numba", "llvmlite"])
def test_code_of_another_compiler_has_another_name(other: str, monkeypatch: pytest.MonkeyPatch) -> None:
    key, version = prebuilt_objects.key(), prebuilt_objects.version_of
    monkeypatch.setattr(prebuilt_objects, "version_of", lambda name: "0" if name == other else version(name))
    assert prebuilt_objects.key() != key


@pytest.mark.parametrize("package", ["numba", "llvmlite"])
def test_versions_are_those_of_the_packages(package: str) -> None:
    assert prebuilt_objects.version_of(package) == metadata.version(package)


def test_a_package_without_code_looks_nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(prebuilt_objects, "FOLDER", tmp_path / "none")
    prebuilt_objects.folder.cache_clear()
    assert prebuilt_objects.folder() is None
    prebuilt_objects.folder.cache_clear()


def test_wheel_is_for_one_platform() -> None:
    """Each wheel has a name of its own, and its code one that is looked for there alone."""
    wheels = ahead_of_time.WHEELS.values()
    assert len({wheel.tag for wheel in wheels}) == len(
        {prebuilt_objects.key(wheel.system, wheel.machine) for wheel in wheels}
    )
    assert all("-" not in wheel.tag and wheel.tag != "any" for wheel in wheels)
    if sys.platform == "linux":
        assert prebuilt_objects.key() == prebuilt_objects.key(
            ahead_of_time.WHEELS[ahead_of_time.this_wheel()].system, platform.machine()
        )


# --- code for other machines ------------------------------------------------------------------------------------------

# luff brings its own mathematics: names of what is exact everywhere, that the systems' own libraries have: of Windows
# ucrtbase and ntdll, of macOS libSystem, of Linux glibc 2.17 (`sqrt` is called for numbers below zero alone)
C_LIBRARY = {
    "ceil", "floor", "fmax", "fmin", "fmod", "ldexp", "memcpy", "memmove", "memset", "rint", "round", "sqrt", "trunc",
}  # fmt: skip
BESIDE = {
    "linux-x86_64": set(),
    "linux-aarch64": set(),
    "windows-x86_64": {"__chkstk", "_fltused"},  # the last is a mark for linkers, to which nothing refers
    "macos-arm64": {"bzero", "memset_pattern16"},
    "macos-x86_64": {"__bzero", "memset_pattern16"},
}
# kind of file, and where its header says which processor
HEADS = {
    "linux-x86_64": (b"\x7fELF", 18, b"\x3e\0"),
    "linux-aarch64": (b"\x7fELF", 18, b"\xb7\0"),
    "windows-x86_64": (b"\x7fELF", 18, b"\x3e\0"),
    "macos-arm64": (b"\xcf\xfa\xed\xfe", 4, b"\x0c\0\0\x01"),
    "macos-x86_64": (b"\xcf\xfa\xed\xfe", 4, b"\x07\0\0\x01"),
}
# what the loader of LLVM puts in (RuntimeDyld): an address of 64 bits; a distance, for which it makes a stub
# where a name is farther than 2 GB (or 128 MB on ARM); places in tables of addresses that it makes
KINDS = {
    "linux-x86_64": {1, 2, 4, 9, 24, 25, 41, 42},
    "linux-aarch64": {
        257,
        260,
        261,
        264,
        266,
        268,
        269,
        275,
        277,
        278,
        282,
        283,
        284,
        285,
        286,
        299,
        311,
        312,
    },
    "windows-x86_64": {1, 2, 4, 9, 24, 25, 41, 42},
    "macos-arm64": {0, 1, 2, 3, 4, 5, 6, 7, 10},
    "macos-x86_64": {0, 1, 2, 3, 4, 5, 6, 7, 8},
}


@pytest.fixture(scope="module")
def bitcode() -> ahead_of_time.Code:
    """Of a model with closed loops, contacts of friction and hydraulics; of some of it for other numbers."""
    from luff.solver.integrators.preload import entry_points_of_run

    sim = luff.compile(LIBRARY / "crane_knuckle_boom_hydraulic.yaml")
    entries = entry_points_of_run([], "rk4")
    entries += [call.code for table in sim.program.tables.values() for call in table.calls]
    return cross_compile.bitcode(
        [*entries, *ahead_of_time.lane_and_dual_variants([articulated_inertias, applied_forces])]
    )


@about_compiling
@pytest.mark.parametrize("name", ahead_of_time.WHEELS)
def test_code_for_another_machine_calls_what_is_there(name: str, bitcode: ahead_of_time.Code) -> None:
    """Nothing here runs it: kind of file, processor, its own names, and those that it needs."""
    made = cross_compile.native_objects(bitcode, ahead_of_time.WHEELS[name].target)
    kind, at, processor = HEADS[name]
    for code in made.values():
        assert code.startswith(kind)
        assert code[at:].startswith(processor)
    known = [dict(global_symbols(code)) for code in made.values()]
    defined = {symbol for one in known for symbol, here in one.items() if here}
    assert set(made) <= defined
    needed = {symbol for one in known for symbol, here in one.items() if not here}
    assert needed - defined <= C_LIBRARY | BESIDE[name]
    kinds = {kind for code in made.values() for kind, _ in relocations(code)}
    assert kinds
    assert kinds <= KINDS[name]
    if name == "linux-x86_64":  # loaded in one piece, with room for a table but for no stubs
        assert {kind for code in made.values() for kind in of_others(code)} <= {9, 41, 42}


@about_compiling
@pytest.mark.skipif(ahead_of_time.this_wheel() != "linux-x86_64", reason="loads code for Linux on x86-64")
def test_code_that_llvm_made_of_bitcode_gives_the_numbers_of_numbas_own(tmp_path: Path) -> None:
    """As the wheels for other machines hold it, but for this one: loaded, and run to the same bits."""
    model = tmp_path / "one.yaml"
    model.write_text(MODEL)
    script(MADE, model, cache_dir(), tmp_path / "code", "translated")
    compiled, numba, value = script(RUN, model, tmp_path / "code", cache=tmp_path / "cache")
    assert (compiled, numba) == ("0", "False")
    assert value == repr(luff.compile(model).run()["s.y"][-1])


@about_compiling
def test_fmus_and_pages_are_made_of_bitcode_that_came_with_the_package(
    bitcode: ahead_of_time.Code, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [entry for entry in ENTRY_POINTS if entry.symbol in bitcode][:3]
    content = {entry.symbol: bitcode[entry.symbol] for entry in entries}
    ahead_of_time.write_archives(content, entries, tmp_path / "beside", apart=False)
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setattr(cross_compile, "folder", lambda: empty)
    monkeypatch.setattr(prebuilt_objects, "bitcode", lambda: tmp_path / "beside")
    monkeypatch.setattr(
        cross_compile, "make", lambda missing, *_: pytest.fail(f"{missing[0].symbol} was compiled")
    )
    monkeypatch.setattr(jit, "ENTRY_POINTS", entries)  # what these call is not asked for
    assert cross_compile.bitcode(entries) == content


@about_compiling
def test_code_for_a_target_does_not_hang_on_what_was_made_before() -> None:
    """LLVM's target machine of WebAssembly would change all code of its process."""
    code = cross_compile.bitcode([stored_energies])
    assert code
    before, _, after = (
        cross_compile.native_objects(code, cross_compile.MACHINES[name])
        for name in ("linux64", "wasm32", "linux64")
    )
    assert before == after
