"""Fits and optima of the worked pages by exact derivatives and without them, in one process.

    python -m luff.bench.fits

It writes results/fits.md and the table of docs/fit.md. A pass with derivatives is one run; times are those of second
searches, whose code is loaded.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from unittest import mock

import luff
from luff import Fit, Optimum
from luff.bench.report import keep, show
from luff.solver.tuning.run_backends import DerivedRun, ThreadBackend

DOCS = Path(luff.__file__).parent / "docs"
TASKS = (
    ("fit.md", "friction.yaml", luff.fit),
    ("fit_boom.md", "stiffness.yaml", luff.fit),
    ("optimise.md", "shaper.yaml", luff.optimise),
    ("optimise.md", "gains.yaml", luff.optimise),
    ("crane_jobs.md", "robust.yaml", luff.optimise),
)
OFF = DerivedRun("switched off", 0)


def unpack(page: str, folder: Path) -> None:
    """Write the files of a page, and make its measurements."""
    text = (DOCS / page).read_text()
    for name, body in re.findall(r'```yaml title="([^"]+)"\n(.*?)```', text, re.DOTALL):
        (folder / name).write_text(body)
    for line in re.findall(r"^luff (run .* -o .*)$", text, re.MULTILINE):
        subprocess.run([sys.executable, "-m", "luff", *shlex.split(line)], cwd=folder, check=True)


def row(page: str, task: str, search: Callable[[Path], Fit | Optimum]) -> str:
    with tempfile.TemporaryDirectory() as folder:
        unpack(page, Path(folder))
        cells = []
        for patched in (False, True):
            off = mock.patch.object(ThreadBackend, "derivatives", return_value=OFF)
            with off if patched else nullcontext():
                search(Path(folder) / task)
                began = time.process_time()
                found = search(Path(folder) / task)
                cells.append((found.runs, time.process_time() - began, len(found.values)))
        (exact, fast, unknowns), (without, slow, _) = cells
        counts = f"{without} | {exact} | {exact / without:.2f}"
        return f"| {page} | {task} | {unknowns} | {counts} | {fast / slow:.2f} |"


def main() -> None:
    lines = [
        "| page | task | unknowns | runs without derivatives | runs with them | their ratio | of processor times |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
        *(row(*task) for task in TASKS),
    ]
    keep("fits.md", lines)
    show("docs/fit.md", lines)


if __name__ == "__main__":
    main()
