"""Every library model as an FMU, run by FMPy, against `luff run`: `python -m luff.bench.fmu_models`.

Each goes its first 500 steps in both versions of FMI, and every recorded number is compared, to the last bit.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import fmpy
import numpy as np
from fmpy.validation import validate_fmu

import luff
from luff.bench.report import keep
from luff.bench.timing import machine_words

ROOT = Path(luff.__file__).resolve().parent
STEPS, ROWS = 500, 20


def differing(model: Path, version: int, folder: Path) -> tuple[int, int, int, int]:
    """Columns, those that differ, what FMPy finds wrong, and bytes of the file."""
    sim = luff.compile(model)
    stop, every = STEPS * sim.settings.step, STEPS // ROWS * sim.settings.step
    result = sim.run(stop=stop, output_step=every)
    file = luff.export_fmu(model, folder / f"{version}.fmu", fmi=version, parameters=["world.*"])
    rows = fmpy.simulate_fmu(str(file), stop_time=stop, output_interval=every, fmi_type="CoSimulation")
    assert len(rows) == len(result.time)
    apart = [
        name
        for name in result.columns
        if not np.array_equal(np.ravel(result[name]), rows[name], equal_nan=True)
    ]
    return len(result.columns), len(apart), len(validate_fmu(str(file))), file.stat().st_size


def main() -> None:
    lines = [
        "# Library models as FMUs", "",
        f"The first {STEPS} steps of each, run by FMPy {fmpy.__version__}, against `luff run`, to the last bit.", "",
        "| model | FMI | signals | differ | found by validate_fmu | size [kB] |", "|---|--:|--:|--:|--:|--:|",
    ]  # fmt: skip
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in sorted((ROOT / "library").glob("*.yaml")):
            if luff.load(model).ports:
                continue  # a part, which does not run by itself
            for version in (2, 3):
                columns, apart, differences, size = differing(model, version, Path(folder))
                wrong += apart + differences
                lines.append(
                    f"| {model.stem} | {version} | {columns} | {apart} | {differences} | {size / 1000:.0f} |"
                )
                print(lines[-1], flush=True)
    facts = machine_words()
    keep("fmu_models.md", [*lines, "", "By `python -m luff.bench.fmu_models`.", "", facts])
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
