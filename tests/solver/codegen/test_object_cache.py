"""What is compiled, when, and where it is kept. Counted, never timed."""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import luff
from luff.solver.codegen import cross_compile, object_store
from luff.solver.codegen.jit import ENABLED, ENTRY_POINTS
from luff.tests.process import call

ROOT = Path(luff.__file__).resolve().parent
DEMO = ROOT / "library" / "crane_demo.yaml"

jitted = pytest.mark.skipif(not ENABLED, reason="nothing is compiled")

# prints how many functions were compiled, and which heavy modules were imported
COUNTED_RUN = """
import sys
import luff
from luff.solver.codegen import object_loader as objects
from luff.solver.netlist import read_value
seen = []
objects.listener = lambda done, total, what: done and seen.append(what)
sim = luff.compile(sys.argv[1])
for change in sys.argv[2:]:
    path, value = change.split("=")
    sim.set(path, read_value(value))
sim.run(stop=0.01)
sim.derivative(0.0, sim.x0)
print(len(seen), *(name for name in ("numba", "scipy") if name in sys.modules))
"""


def counted(model: Path, *changes: str) -> list[str]:
    command = [sys.executable, "-c", COUNTED_RUN, str(model), *changes]
    return subprocess.run(command, check=True, text=True, capture_output=True).stdout.split()


@jitted
def test_changed_parameter_compiles_nothing() -> None:
    luff.compile(DEMO).run(stop=0.01)
    changes = [
        "load.mass=3 t",
        "boom.com=[5, 0, 0.1]",
        "slew_drive.kp=1e6",
        "slew_plan.duration=9",
        "world.gravity=[0,0,-1.62]",
    ]
    assert counted(DEMO, *changes) == ["0"]


@jitted
def test_structure_never_seen_before_compiles_nothing_and_loads_no_compiler(tmp_path: Path) -> None:
    luff.compile(DEMO).run(stop=0.01)
    path = tmp_path / "crane.yaml"
    text = DEMO.read_text().replace("name: telescopic crane", f"name: crane {tmp_path}")
    hook = "  tail_pin: {type: revolute, axis: x}\n  tail: {type: rigid_link, mass: 50, com: [0, 0, -1]}\n"
    text = text.replace("blocks:\n", f"blocks:\n{hook}", 1)
    wires = "  - load.frame_b -- tail_pin.frame_a\n  - tail_pin.frame_b -- tail.frame_a\n"
    path.write_text(text.replace("connect:\n", f"connect:\n{wires}", 1))
    assert counted(path) == ["0"]


USER_BLOCK = '''
from luff.blocks import Block, In, Out, Param


class Cube(Block):
    """A power: y = k u^3."""

    u, y = In(), Out()
    k = Param(1.0, doc="factor")

    def out(u, k):
        return k * u * u * u{more}
'''


@jitted
def test_changed_block_of_the_user_is_compiled_anew_and_nothing_else(tmp_path: Path) -> None:
    model = tmp_path / "model.yaml"
    model.write_text(
        "luff: 1\nname: cube\nblocks:\n  files: [mine.py]\n"
        "  s: {type: ramp, slope: 1}\n  c: {type: cube, k: 2}\n"
        "connect:\n  - s.y -> c.u\nsimulation: {stop: 1, step: 0.1}\n"
    )
    code = (
        "import sys, luff\nfrom luff.solver.codegen import object_loader as objects\nseen = []\n"
        "objects.listener = lambda done, total, what: done and seen.append(what)\n"
        "r = luff.compile(luff.load(sys.argv[1], allow_code=True)).run()\n"
        "print(r['c.y'][-1], *seen)"
    )
    (tmp_path / "mine.py").write_text(USER_BLOCK.format(more=""))

    def run() -> list[str]:
        done = subprocess.run([sys.executable, "-c", code, str(model)], text=True, capture_output=True)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    first = run()
    assert float(first[0]) == pytest.approx(2.0)
    assert run()[1:] == []
    # a text that no earlier run has left in the cache
    (tmp_path / "mine.py").write_text(USER_BLOCK.format(more=f" + 1.0 + 1e-30 * {time.time_ns()}"))
    changed = run()
    assert float(changed[0]) == pytest.approx(3.0)
    assert changed[1:] == ["cube_out"]


def test_edited_kernel_makes_a_new_digest(tmp_path: Path) -> None:
    package = tmp_path / "luff"
    package.mkdir()
    for part in ("__init__.py", "version.py", "blocks", "solver"):
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, package / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, package / part)
    code = (
        "import luff\nfrom luff.solver.codegen import jit, object_store as store\n"
        "from luff.solver.kernels import tree_dynamics as tree\n"
        "from luff.solver.integrators import runge_kutta as explicit\n"
        "digests = {u.__name__: u.digest for u in jit.ENTRY_POINTS}\n"
        "print(luff.__file__, digests['dynamics'], digests['rk4'], store.folder())"
    )
    environment = {**os.environ, "LUFF_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}

    def keys() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, check=True, text=True, capture_output=True,
            env=environment,
        )  # fmt: skip
        file, *digests = done.stdout.split()
        assert Path(file).parent == package
        return digests

    first = keys()
    assert keys() == first
    # the module itself, one that it takes functions from, the arrays that all share, a method, the compiler's part
    for edited, which in (
        ("kernels/tree_dynamics.py", {0}),
        ("kernels/passive_forces.py", {0}),
        ("kernels/model_data.py", {0}),
        ("integrators/runge_kutta.py", {1}),
        ("codegen/numba_compile.py", {2}),
        ("codegen/lowering.py", {2}),
    ):
        with (package / "solver" / edited).open("a") as file:
            file.write("# edited\n")
        now = keys()
        assert {k for k in range(3) if now[k] != first[k]} >= which, edited
        first = now


@jitted
def test_entry_points_call_each_other_and_are_compiled_once() -> None:
    """What a kernel needs of others stands in its file as a name, not as code."""
    luff.compile(DEMO).run(stop=0.01)
    known = {unit.symbol: unit for unit in ENTRY_POINTS}
    dynamics = next(unit for unit in ENTRY_POINTS if unit.symbol == "luff_kernels_tree_dynamics_dynamics")
    kept = object_store.read_object(dynamics)
    assert kept is not None
    assert {"luff_kernels_articulated_body_articulated_inertias", "luff_kernels_kinematics_inertias"} <= set(
        kept[0]
    )
    assert all(name in known for name in kept[0] if name.startswith("luff_"))


def test_oldest_folders_go_when_the_machine_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"{number:016x}" for number in range(6)]
    for age, name in enumerate(names):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    (tmp_path / "notes").mkdir()
    current = tmp_path / ("f" * 16)
    current.mkdir()
    object_store.drop_old_folders(current)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *names[: object_store.GENERATIONS], "f" * 16, "notes",
    ]  # fmt: skip


@jitted
def test_broken_file_of_the_cache_is_made_anew(tmp_path: Path) -> None:
    environment = {**os.environ, "LUFF_CACHE_DIR": str(tmp_path)}
    model = tmp_path / "one.yaml"
    model.write_text("luff: 1\nname: one\nblocks: {s: {type: sine}}\nsimulation: {stop: 0.1, step: 0.01}\n")
    command = [sys.executable, "-c", COUNTED_RUN, str(model)]

    def run() -> int:
        done = subprocess.run(command, check=True, text=True, capture_output=True, env=environment)
        return int(done.stdout.split()[0])

    assert run() > 0
    for file in tmp_path.rglob(f"*sine_out*{object_store.SUFFIX}"):
        file.write_bytes(b"")
    for file in tmp_path.rglob(f"luff_operation_*{object_store.SUFFIX}"):
        file.write_bytes(b"[]")
    assert run() > 0
    assert run() == 0


@jitted
def test_flipped_bit_is_never_loaded(tmp_path: Path, seed: int) -> None:
    """Wherever in the file: it is as if nothing were there, and is made anew."""
    luff.compile(DEMO).run(stop=0.01)
    dynamics = next(unit for unit in ENTRY_POINTS if unit.symbol == "luff_kernels_tree_dynamics_dynamics")
    kept = object_store.read_object(dynamics)
    assert kept is not None
    name = object_store.name_of(dynamics)
    whole = object_store.packed(*kept, name)
    assert object_store.unpacked(whole, name) == kept
    pick = random.Random(seed)
    for bit in [*range(8 * 80), *(pick.randrange(8 * len(whole)) for _ in range(300))]:
        changed = bytearray(whole)
        changed[bit // 8] ^= 1 << bit % 8
        assert object_store.unpacked(bytes(changed), name) is None, bit
    # nor is it code of another function, of this one before its source changed, or another kind of it
    for other in (name.replace("dynamics", "kinematics"), name.replace(name.split(".")[1], "0" * 16), ""):
        assert object_store.unpacked(whole, other) is None
    for size in (0, 1, object_store.DIGEST, len(whole) - 1):
        assert object_store.unpacked(whole[:size], name) is None, size


@jitted
def test_run_with_damaged_code_gives_the_numbers_of_a_sound_one(tmp_path: Path) -> None:
    """One bit of each file of the cache, in the middle of its machine code."""
    environment = {**os.environ, "LUFF_CACHE_DIR": str(tmp_path / "cache")}
    (tmp_path / "one.yaml").write_text(
        "luff: 1\nblocks: {s: {type: sine}}\nsimulation: {stop: 0.1, step: 0.01}\n"
    )

    def last() -> str:
        call("run", "one.yaml", "-q", "-o", "a.csv", cwd=tmp_path, env=environment)
        return (tmp_path / "a.csv").read_text()

    sound = last()
    files = [*(tmp_path / "cache").rglob(f"*{object_store.SUFFIX}")]
    assert len(files) > 2
    before = {}
    for file in files:
        data = bytearray(file.read_bytes())
        before[file] = bytes(data)
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    assert last() == sound
    assert {file for file in files if object_store.unpacked(file.read_bytes(), file.name) is not None} == set(
        files
    )


COMPILED_ELSEWHERE = """
import os
from pathlib import Path
from luff.solver.codegen import cross_compile as portable, object_store as store
from luff.solver.codegen.source_functions import function
from luff.solver.codegen.compile_pool import make

def unit(k):
    return function(f"def operation(w, a):\\n    w[0] += {k}.0\\n", (), "adds")

store.folder()
folder = Path("left")
folder.mkdir()
os.chdir(folder)
make([unit(1)])
os.chdir("..")
folder.rmdir()  # what compiles has begun in it
make([unit(2)])
print(store.read_object(unit(1)) is not None, store.read_object(unit(2)) is not None, *Path("kept/objects").iterdir())
"""


@jitted
def test_compiling_goes_on_where_its_folder_is_gone(tmp_path: Path) -> None:
    """As of a notebook in a temporary folder; a cache folder that is named from the current one stays where it was."""
    environment = {**os.environ, "LUFF_CACHE_DIR": "kept"}
    command = [sys.executable, "-c", COMPILED_ELSEWHERE]
    done = subprocess.run(command, cwd=tmp_path, check=True, text=True, capture_output=True, env=environment)
    first, second, *folders = done.stdout.split()
    assert (first, second, len(folders)) == ("True", "True", 1)


def test_code_that_another_process_wrote_meanwhile_stays(tmp_path: Path) -> None:
    """With and without links; a broken file does not count as written."""
    one = object_store.BitcodeObject("one", "0" * 16)
    object_store.write_object(one, ["sin"], b"first", tmp_path)
    object_store.write_object(one, ["sin"], b"second", tmp_path)
    assert object_store.read_object(one, tmp_path) == (["sin"], b"first")
    object_store.path_of(one, tmp_path).write_bytes(b"broken")
    object_store.write_object(one, ["sin"], b"third", tmp_path)
    assert object_store.read_object(one, tmp_path) == (["sin"], b"third")
    assert [path.name for path in tmp_path.iterdir()] == [object_store.path_of(one, tmp_path).name]


def test_objects_are_kept_by_the_bitcode_that_they_were_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two compilations of one entry point differ in their bytes; what is made of one is never taken for the other's."""
    monkeypatch.setattr(cross_compile, "folder", lambda: tmp_path)
    monkeypatch.setattr(
        cross_compile,
        "native_objects",
        lambda codes, machine: {name: b"of " + code for name, (_, code) in codes.items()},
    )
    for code in (b"one", b"other", b"one"):
        assert cross_compile.objects({"entry": ([], code)}, "linux64") == {"entry": b"of " + code}


def test_code_that_is_used_outlives_what_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entries = [object_store.BitcodeObject(f"entry_{k}", "0" * 16) for k in range(4)]
    for age, entry in enumerate(entries):
        object_store.write_object(entry, [], b"code", tmp_path)
        os.utime(object_store.path_of(entry, tmp_path), (1000 + age, 1000 + age))
    assert object_store.read_object(entries[0], tmp_path) is not None  # the oldest, in use
    monkeypatch.setattr(object_store, "KEPT", 2)
    object_store.drop_oldest(tmp_path)
    left = [entry for entry in entries if object_store.path_of(entry, tmp_path).exists()]
    assert left == [entries[0], entries[3]]
