"""FMUs of luff under valgrind: a small importer in C finds no fault in how they use memory, and nothing is left over.

`python -m luff.bench.fmu_memory` wants valgrind and a C compiler (that of the extra `fmi` will do). fmu_host.c runs two
instances side by side, one in each version of FMI, takes their state through bytes, differentiates, resets, is refused
what cannot be, and frees everything. First it forgets to free an instance, which valgrind has to notice.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import fmpy

import luff
from luff.bench.report import keep
from luff.bench.timing import machine_words
from luff.solver.fmi.toolchain import compiler, this_machine

ROOT = Path(luff.__file__).resolve().parent
HOST = Path(__file__).with_name("fmu_host.c")
LUGRE = {"model": "lugre", "mu_s": 0.2, "mu_k": 0.15, "stribeck": 0.1, "diameter": 0.25}
FRICTION = {f"{joint}.friction": LUGRE for joint in ("king.slew", "inner.hinge", "outer.hinge")}
CASES: tuple[tuple[str, str, dict[str, Any], int], ...] = (
    ("templates/pendulum", "a pendulum", {}, 500),
    ("crane_knuckle_boom", "a crane of two closed loops with LuGre friction in its hinges", FRICTION, 200),
    ("crane_knuckle_boom_hydraulic", "its cylinders with oil, valves and a pump", {}, 200),
    ("crane_overhead", "a crane with sampled control", {}, 500),
)
VALGRIND = ("valgrind", "--leak-check=full", "--show-leak-kinds=all", "--errors-for-leak-kinds=all",
            "--keep-debuginfo=yes", "--error-exitcode=9")  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What valgrind counted, and the host's own line."""

    errors: int
    lost: int  # bytes
    blocks: int  # that were asked for
    said: str
    told: str  # all that valgrind wrote


def host(folder: Path) -> Path:
    """The importer, compiled."""
    made = folder / "fmu_host"
    # -g1: valgrind 3.19 does not read all that newer compilers write of variables
    words = [
        *compiler(this_machine()),
        "-std=gnu17",
        "-O1",
        "-g1",
        "-gdwarf-4",
        "-w",
        "-o",
        made,
        HOST,
        "-ldl",
    ]
    subprocess.run(words, check=True, cwd=folder)
    return made


def examined(importer: Path, file: Path, steps: int, *more: str, under: Iterable[str] = VALGRIND) -> Found:
    """Run an FMU in it; ends with the host's words where it meets what it does not expect."""
    about = fmpy.read_model_description(str(file))
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(file) as archive:
        name = next(name for name in archive.namelist() if name.startswith("binaries/linux64/"))
        library = archive.extract(name, folder)
        tunable = [v for v in about.modelVariables if v.variability == "tunable" and float(v.start or 0) > 0]
        words = [library, about.guid, len(about.modelVariables), about.numberOfContinuousStates,
                 about.defaultExperiment.stepSize, steps, tunable[0].valueReference if tunable else -1]  # fmt: skip
        done = subprocess.run(
            [*under, importer, *map(str, words), *more], text=True, capture_output=True, check=False
        )
    if done.returncode not in (0, 9):
        raise RuntimeError(done.stderr)
    return Found(
        _number(r"ERROR SUMMARY: ([\d,]+) errors", done.stderr),
        _number(r"in use at exit: ([\d,]+) bytes", done.stderr),
        _number(r"total heap usage: ([\d,]+) allocs", done.stderr),
        done.stdout.strip(),
        done.stderr,
    )


def _number(pattern: str, text: str) -> int:
    match = re.search(pattern, text)
    return int(match[1].replace(",", "")) if match else 0


def main() -> None:
    if shutil.which("valgrind") is None:
        sys.exit("valgrind is not installed")
    bad = 0
    lines = ["# Memory of FMUs", "", "| model | what is run | blocks of memory | left over [bytes] | errors |",
             "|---|---|--:|--:|--:|"]  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        importer = host(folder)
        for model, what, overrides, steps in CASES:
            file = luff.export_fmu(
                ROOT / f"library/{model}.yaml",
                folder / "model.fmu",
                parameters=["world.*"],
                derivatives=True,
                **overrides,
            )
            if model == CASES[0][0] and not examined(importer, file, 2, "leak").lost:
                sys.exit("an instance that was not freed was not noticed")
            counts = examined(importer, file, steps)
            if counts.errors or counts.lost:
                print(counts.told, file=sys.stderr)
                bad += 1
            lines.append(
                f"| {model}: {what} | {counts.said} | {counts.blocks} | {counts.lost} | {counts.errors} |"
            )
            print(lines[-1], flush=True)
    version = subprocess.run(["valgrind", "--version"], text=True, capture_output=True, check=True).stdout
    facts = machine_words("processor", "system", "luff")
    keep(
        "fmu_memory.md",
        [*lines, "", "By `python -m luff.bench.fmu_memory`.", "", f"{version.strip()}, {facts}"],
    )
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
