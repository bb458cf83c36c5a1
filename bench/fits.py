"""Fits of the worked pages by exact derivatives and by differences of runs, in one process.

    python -m luff.bench.fits

It writes results/fits.md and the table of docs/fit.md. A pass with derivatives is one run; times are those of second
fits, whose code is loaded.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import luff
from luff.bench.report import keep, show
from luff.solver.tuning.run_backends import DerivedRun, ThreadBackend

DOCS = Path(luff.__file__).parent / "docs"
PAGES = {"fit.md": "friction.yaml", "fit_boom.md": "stiffness.yaml"}
OFF = DerivedRun("switched off", 0)


def unpack(page: str, folder: Path) -> None:
    """Write the files of a page, and make its measurements."""
    text = (DOCS / page).read_text()
    for name, body in re.findall(r'```yaml title="([^"]+)"\n(.*?)```', text, re.DOTALL):
        (folder / name).write_text(body)
    for line in re.findall(r"^luff (run .* -o .*)$", text, re.MULTILINE):
        subprocess.run([sys.executable, "-m", "luff", *shlex.split(line)], cwd=folder, check=True)


def row(page: str, task: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        unpack(page, Path(folder))
        cells = []
        for patched in (False, True):
            off = mock.patch.object(ThreadBackend, "derivatives", return_value=OFF)
            with off if patched else nullcontext():
                luff.fit(Path(folder) / task)
                began = time.perf_counter()
                found = luff.fit(Path(folder) / task)
                cells.append((found.runs, time.perf_counter() - began))
        (exact, fast), (differences, slow) = cells
        unknowns = len(found.parameters) + len(found.shifts)
        counts = f"{differences} | {exact} | {exact / differences:.2f}"
        return f"| {page} | {unknowns} | {counts} | {fast / slow:.2f} |"


def main() -> None:
    lines = [
        "| page | unknowns | runs by differences | runs by gradients | their ratio | ratio of times |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
        *(row(page, task) for page, task in PAGES.items()),
    ]
    keep("fits.md", lines)
    show("docs/fit.md", lines)


if __name__ == "__main__":
    main()
