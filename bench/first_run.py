"""What a user waits for after `pip install`: the first run of each model with an empty cache, from a wheel.

`make wheel-check` installs the wheel into an environment of its own and runs this; each run is a process of its own,
with a cache of its own. Processor time counts, with that of all processes beside; on a quiet machine the clock shows
hardly more.
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
from luff.bench.timing import machine

ROOT = Path(luff.__file__).resolve().parent
GOALS = {"pendulum": 2.0, "": 3.0}  # s
COMPILED = "compiling functions"


def installed(wheel: Path, where: Path) -> Path:
    """The command `luff` of an environment with nothing but the wheel and what it asks for."""
    venv.create(where, with_pip=True)
    binaries = where / ("Scripts" if os.name == "nt" else "bin")
    pip = [binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, wheel], check=True)
    return binaries / "luff"


def models(luff_command: Path, folder: Path) -> list[Path]:
    """A pendulum of the template, and every netlist of the library that runs."""
    subprocess.run([luff_command, "new", "pendulum", "--template", "pendulum"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    return [folder / "pendulum.yaml", *sorted((ROOT / "library").glob("*.yaml"))]


def first_run(luff_command: Path, model: Path) -> tuple[float, float, bool, int]:
    """Processor time and time on the clock of a short run, whether something was compiled, exit code."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "LUFF_CACHE_DIR": cache}
        began, before = time.perf_counter(), os.times()
        done = subprocess.run(
            [luff_command, "run", model, "--stop", "0.01"], cwd=cache, env=environment, text=True,
            capture_output=True,
        )  # fmt: skip
        now = os.times()
        spent = now.children_user + now.children_system - before.children_user - before.children_system
        return spent, time.perf_counter() - began, COMPILED in done.stderr, done.returncode


def table(rows: list[str]) -> None:
    facts = ", ".join(f"{name} {value}" for name, value in machine().items())
    keep("first_run.md", [
        "# First run after `pip install`", "",
        "`luff run MODEL --stop 0.01` from a wheel, in an environment with nothing else, with an empty cache.", "",
        "| model | processor time [s] | clock [s] | goal [s] | remarks |", "|---|--:|--:|--:|---|", *rows, "",
        "By `make wheel-check`. The clock has what others did on the machine.", "", facts,
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("wheel", type=Path, help="a wheel, or the command luff of an environment that has it")
    asked = parser.parse_args()
    bad, rows = 0, []
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel = asked.wheel.absolute()
        command = installed(wheel, place / "venv") if wheel.suffix == ".whl" else wheel
        for model in models(command, place):
            spent, clock, compiled, code = first_run(command, model)
            if code == 1:
                continue  # a part, which does not run by itself
            goal = GOALS.get(model.stem, GOALS[""])
            late = spent > goal
            bad += compiled or late or code != 0
            said = " compiled" * compiled + " late" * late + f" exit code {code}" * (code != 0)
            print(f"{model.stem:32} {spent:6.2f} s, {clock:6.2f} s on the clock{said}", flush=True)
            rows.append(f"| {model.stem} | {spent:.2f} | {clock:.2f} | {goal:.1f} | {said.strip()} |")
    table(rows)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
