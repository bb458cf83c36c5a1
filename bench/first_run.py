"""What a user waits for after `pip install`: the first run of each model with an empty cache, from a wheel.

`make wheel-check` runs this. First the way of a newcomer, from an empty home to a crane that moves and to one in a
page; then each run is a process of its own, with a cache of its own, and so is what loads the same model's code for
runs in lanes and for derivatives. Processor time counts, with that of all processes beside; on a quiet machine the
clock shows hardly more.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import luff
from luff.bench.report import keep
from luff.bench.timing import machine_words
from luff.solver.codegen.prebuilt_objects import baseline

ROOT = Path(luff.__file__).resolve().parent
GOALS = {"pendulum": 2.0, "": 3.0}  # s
COMPILED = "compiling functions"
CRANE = "library/crane_demo.yaml"
# what a newcomer types behind the environment, and the seconds from the beginning that it may take
INSTALL = ["-m", "pip", "install", "--no-compile", "--quiet", "--disable-pip-version-check"]
WAY = (
    ("pip install --no-compile WHEEL", [*INSTALL, "{wheel}"], 60.0),
    (f"luff animate {CRANE} -o crane.html", ["-m", "luff", "animate", CRANE, "-o", "crane.html"], 60.0),
    ("pip install --no-compile WHEEL[fmi]", [*INSTALL, "{wheel}[fmi]"], 90.0),
    (f"luff export {CRANE} -o page.html", ["-m", "luff", "export", CRANE, "-o", "page.html"], 90.0),
)

# a wheel's code in lanes is for the least processor of a family
LEAST = {"NUMBA_CPU_NAME": baseline().processor, "NUMBA_CPU_FEATURES": ""}
# code in lanes and with derivatives, as a first batch and a first linear model load it; says what had to be compiled
OTHER_NUMBERS = """
import sys, luff
from luff.solver.codegen import object_loader as objects
from luff.solver.codegen.jit import NoCode
from luff.solver.batch import simd_memory as lanes
from luff.solver.simulation import jacobian as slopes
seen = []
objects.listener = lambda done, total, what: done and seen.append(what)
instance = luff.compile(sys.argv[1]).start().instance
for load, asked in ((objects.load, [lanes.step_entry_points(instance)]), (slopes.load, [instance, True])):
    try:
        load(*asked)
    except NoCode as reason:
        print(reason)
print(*seen, sep=", ")
"""


def newcomer(wheel: Path, home: Path) -> tuple[Path, list[str], int]:
    """The command luff of an environment that is made on the way, what each step took, and how many came late."""
    known = {
        key: value for key, value in os.environ.items() if not key.startswith(("LUFF_", "XDG_", "PYTHON"))
    }
    environment = {**known, "HOME": str(home), "USERPROFILE": str(home)}
    began, before, rows, late = time.perf_counter(), processor_time(), [], 0
    venv.create(home / "venv", with_pip=True)
    binaries = home / "venv" / ("Scripts" if os.name == "nt" else "bin")
    for typed, words, goal in WAY:
        words = [word.format(wheel=wheel) for word in words]
        subprocess.run(
            [binaries / "python", *words], cwd=home, env=environment, check=True, capture_output=True
        )
        clock, spent = time.perf_counter() - began, processor_time() - before
        late += clock > goal
        rows.append(f"| `{typed}` | {spent:.1f} | {clock:.1f} | {goal:.0f} |")
        print(rows[-1], flush=True)
    return binaries / "luff", rows, late


def processor_time() -> float:
    """Of all processes that have ended, of those that this one started."""
    now = os.times()
    return now.children_user + now.children_system


def models(luff_command: Path, folder: Path) -> list[Path]:
    """A pendulum of the template, and every netlist of the library that runs."""
    subprocess.run([luff_command, "new", "pendulum", "--template", "pendulum"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return [folder / "pendulum.yaml", *sorted((ROOT / "library").glob("*.yaml"))]


def first_run(luff_command: Path, model: Path) -> tuple[float, float, bool, int]:
    """Processor time and time on the clock of a short run, whether something was compiled, exit code."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "LUFF_CACHE_DIR": cache}
        began, before = time.perf_counter(), processor_time()
        done = subprocess.run(
            [luff_command, "run", model, "--stop", "0.01"], cwd=cache, env=environment, text=True,
            capture_output=True,
        )  # fmt: skip
        spent = processor_time() - before
        return spent, time.perf_counter() - began, COMPILED in done.stderr, done.returncode


def other_numbers(luff_command: Path, model: Path) -> tuple[float, str]:
    """Processor time of a process that loads that code, and what it said."""
    with tempfile.TemporaryDirectory() as cache:
        before = processor_time()
        done = subprocess.run(
            [luff_command.with_name("python"), "-c", OTHER_NUMBERS, model], cwd=cache, text=True,
            env={**os.environ, **LEAST, "LUFF_CACHE_DIR": cache}, capture_output=True,
        )  # fmt: skip
        said = done.stdout.strip() or (done.stderr.strip().splitlines() or [""])[-1]
        return processor_time() - before, said


def table(way: list[str], rows: list[str]) -> None:
    facts = machine_words()
    keep("first_run.md", [
        "# First run after `pip install`", "",
        *way_of(way),
        "`luff run MODEL --stop 0.01` from a wheel, in an environment with nothing else, with an empty cache.", "",
        "| model | processor time [s] | clock [s] | goal [s] | lanes, derivatives [s] | remarks |",
        "|---|--:|--:|--:|--:|---|", *rows, "",
        "By `make wheel-check`. The clock has what others did on the machine. Lanes, derivatives: processor time of",
        "another process with an empty cache, which opens the model and loads its code for runs in lanes and for",
        "derivatives.", "", facts,
    ])  # fmt: skip


def way_of(rows: list[str]) -> list[str]:
    """Its table."""
    if not rows:
        return []
    return [
        "A newcomer, from an empty home: seconds since the environment was begun, with what pip has to fetch.", "",
        "| | processor time [s] | clock [s] | goal [s] |", "|---|--:|--:|--:|", *rows, "",
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="a wheel, or the command luff of an environment that has it")
    asked = parser.parse_args()
    bad, way, rows = 0, [], []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel = asked.wheel.absolute()
        command = wheel
        if wheel.suffix == ".whl":
            command, way, bad = newcomer(wheel, place)
        for model in models(command, place):
            spent, clock, compiled, code = first_run(command, model)
            if code == 1:
                continue  # a part, which does not run by itself
            goal = GOALS.get(model.stem, GOALS[""])
            late = spent > goal
            loading, other = other_numbers(command, model)
            bad += compiled or late or code != 0 or other != ""
            said = " compiled" * compiled + " late" * late + f" exit code {code}" * (code != 0)
            said += f" lanes, derivatives: {other}" * (other != "")
            print(
                f"{model.stem:32} {spent:6.2f} s, {clock:6.2f} s on the clock, {loading:.2f} s{said}",
                flush=True,
            )
            rows.append(
                f"| {model.stem} | {spent:.2f} | {clock:.2f} | {goal:.1f} | {loading:.2f} | {said.strip()} |"
            )
    table(way, rows)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
