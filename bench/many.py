"""Memory and time of a study of ten thousand variants: `python -m luff.bench.many` writes results/studies_many.md.

Memory is what is resident of the process that asked for the study, and of the largest of its workers, at shares of the
variants that are done. The report reads the numbers that were measured as the variants were written, and no rows.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import luff
from luff.bench.report import keep
from luff.solver.study import Outcome, report
from luff.solver.study.spec import load

from .studies import spent, written
from .timing import machine

MARKS = (0.01, 0.1, 0.25, 0.5, 0.75, 1.0)
REPORT = """\
statistics: [{title: Spread, columns: [{metric: maximum, of: pin.position}, {metric: final, of: pin.position}]}]
histograms: [{title: Greatest angle, columns: [{metric: maximum, of: pin.position}]}]
scatters: [{title: Angle and length, x: length, columns: [{metric: final, of: pin.position}]}]
require: [{title: swing, metric: maximum, of: pin.position, below: 10 rad}]
"""


def resident(process: int) -> float:
    """MB."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def largest_worker() -> float:
    tasks = Path(f"/proc/{os.getpid()}/task").iterdir()
    children = {int(child) for task in tasks for child in (task / "children").read_text().split()}
    return max((resident(child) for child in children), default=0.0)


def watch(rows: list[tuple[int, float, float]]) -> Callable[[Sequence[Outcome], Outcome | None], None]:
    """Notes memory whenever the next share of the variants is done."""
    marks, done = list(MARKS), 0

    def look(outcomes: Sequence[Outcome], ended: Outcome | None) -> None:
        nonlocal done
        done += ended is not None
        if marks and done >= marks[0] * len(outcomes):
            marks.pop(0)
            rows.append((done, resident(os.getpid()), largest_worker()))

    return look


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of a clock, and of processors."""
    wall, own = time.perf_counter(), spent()
    work()
    return time.perf_counter() - wall, spent() - own


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=10_000)
    count = parser.parse_args().variants
    rows: list[tuple[int, float, float]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = written(folder, 1.0, count)
        file.write_text(file.read_text(encoding="utf-8") + REPORT, encoding="utf-8")
        output = folder / "many.h5"
        ran = timed(lambda: luff.study(file, output, progress=watch(rows)))
        rows.append((count, resident(os.getpid()), 0.0))
        results = luff.read(output)
        wrote = timed(lambda: report(load(file), results, folder / "report"))
        size = output.stat().st_size / 1e6
    lines = [f"# A study of {count} variants", ""]
    lines += ["`python -m luff.bench.many` on " + ", ".join(f"{k} {v}" for k, v in machine().items()), ""]
    lines += ["| variants done | memory of the study | memory of a worker |", "|---|---|---|"]
    lines += [
        f"| {done} | {own:.0f} MB | {f'{other:.0f} MB' if other else ''} |" for done, own, other in rows
    ]
    lines += ["", "| | time | processor time |", "|---|---|---|"]
    for title, (wall, own) in (("runs and results", ran), ("report", wrote)):
        lines.append(f"| {title} | {wall:.1f} s | {own:.1f} s |")
    lines += ["", f"The last row of memory is after the results were written, {size:.1f} MB."]
    keep("studies_many.md", lines)


if __name__ == "__main__":
    main()
