"""What is compiled, when, and where it is kept. Counted, never timed."""

import importlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core.dispatcher import Dispatcher

import luff
from luff.solver import jit
from luff.solver.jit import ENABLED, GENERATIONS, prune

ROOT = Path(luff.__file__).resolve().parent
DEMO = ROOT / "library" / "crane_demo.yaml"

jitted = pytest.mark.skipif(not ENABLED, reason="nothing is compiled")

# prints how many functions numba compiled; loading one from the cache is no compilation
COUNTED_RUN = """
import sys
import luff
from luff.solver.netlist import read_value
from numba.core.event import RecordingListener, register
seen = RecordingListener()
register("numba:compile", seen)
sim = luff.compile(sys.argv[1])
for change in sys.argv[2:]:
    path, value = change.split("=")
    sim.set(path, read_value(value))
sim.run(stop=0.01)
sim.derivative(0.0, sim.x0)
print(len(seen.buffer))
"""


def compilations(*changes: str) -> int:
    command = [sys.executable, "-c", COUNTED_RUN, str(DEMO), *changes]
    return int(subprocess.run(command, check=True, text=True, capture_output=True).stdout)


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
    assert compilations(*changes) == 0


@jitted
def test_counter_sees_a_compilation(tmp_path: Path) -> None:
    """The other side of the test above: a diagram never seen before is compiled, once."""
    name = f"crane {tmp_path}"
    path = tmp_path / "crane.yaml"
    path.write_text(DEMO.read_text().replace("name: telescopic crane", f"name: {name}"))
    run = [sys.executable, "-c", COUNTED_RUN, str(path)]
    first, second = (
        int(subprocess.run(run, check=True, text=True, capture_output=True).stdout) for _ in range(2)
    )
    assert first > 0
    assert second == 0


def test_edited_kernel_makes_a_new_cache_key(tmp_path: Path) -> None:
    package = tmp_path / "luff"
    parts = ["__init__.py", "blocks", "solver"]
    package.mkdir()
    for part in parts:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, package / part, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, package / part)
    code = (
        "import luff; from luff.solver import jit\n"
        "files = [jit.SOLVER / 'kernels' / 'tree.py', jit.SOLVER / 'integrators' / 'explicit.py']\n"
        "stamps = [jit._digest(*sorted(jit._sources(file))) for file in files]\n"
        "print(luff.__file__, jit.KERNEL_DIGEST + ''.join(stamps))"
    )

    def key() -> str:
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, check=True, text=True, capture_output=True
        )
        file, digest = done.stdout.split()
        assert Path(file).parent == package
        return digest

    first = key()
    assert key() == first
    # the module itself, one that it takes functions from, the arrays that all share, a step method
    for edited in ("kernels/tree.py", "kernels/forces.py", "layout.py", "integrators/explicit.py"):
        with (package / "solver" / edited).open("a") as file:
            file.write("# edited\n")
        assert key() != first
        first = key()


@jitted
def test_every_part_of_a_kernel_is_compiled_anew_when_a_module_it_calls_changes() -> None:
    """Numba itself looks at a function's own file alone, and would go on with what it took from another before."""
    parts = {}
    for file in [
        *(ROOT / "solver" / "kernels").glob("*.py"),
        *(ROOT / "solver" / "integrators").glob("*.py"),
    ]:
        module = importlib.import_module(f"luff.solver.{file.parent.name}.{file.stem}")
        parts |= {
            f"{file.stem}.{name}": value
            for name, value in vars(module).items()
            if isinstance(value, Dispatcher)
        }
    assert len(parts) > 100
    assert [name for name, part in parts.items() if not isinstance(part._cache, jit._Cache)] == []


def test_prune_keeps_the_newest_and_what_is_not_its_own(tmp_path: Path) -> None:
    import os

    names = [f"{number:016x}" for number in range(6)]
    for age, name in enumerate(names):
        (tmp_path / name).mkdir()
        (tmp_path / name / "code.nbc").touch()
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    (tmp_path / "models").mkdir()
    (tmp_path / "notes.txt").touch()
    prune(tmp_path, current="f" * 16)
    # the current one is about to be made: it counts as one of those that stay
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *names[: GENERATIONS - 1],
        "models",
        "notes.txt",
    ]
