"""What studies cost beside their runs: `python -m luff.bench.studies` writes results/studies.md.

Variants of about 50 ms run in processes of this machine, and on a scheduler of Dask with as many workers. The sum of
what the runs themselves take is measured in the same way, in one process, before and after; wall time of an engine is
compared with its share on the processors. On a machine that others use the ratios are upper bounds.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import luff
from luff.solver.study.running import processors

from .timing import machine

ROOT = Path(luff.__file__).parent
RESULTS = Path(__file__).parent / "results"
RUN = 0.05  # seconds of a variant


def written(folder: Path, stop: float, count: int) -> Path:
    text = (ROOT / "library" / "templates" / "pendulum.yaml").read_text(encoding="utf-8")
    (folder / "pendulum.yaml").write_text(text, encoding="utf-8")
    study = folder / "study.yaml"
    study.write_text(
        "luff: 1\nmodel: ./pendulum.yaml\n"
        f"set: {{simulation.stop: {stop!r}, simulation.output_step: 0.1}}\n"
        f"variants: {{random: {{count: {count}, draw: {{length: {{uniform: [0.5 m, 2 m]}}}}}}}}\n",
        encoding="utf-8",
    )
    return study


def seconds_of_a_run(stop: float) -> float:
    """Median wall time of the steps, without what is made around them."""
    sim = luff.compile(ROOT / "library" / "templates" / "pendulum.yaml")
    found = []
    for _ in range(9):
        session = sim.start(stop=stop, output_step=0.1)
        began = time.perf_counter()
        while session.advance(seconds=10.0) == "running":
            pass
        found.append(time.perf_counter() - began)
    return statistics.median(found)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=100)
    count = parser.parse_args().variants
    stop = 1.0
    while seconds_of_a_run(stop) < RUN:
        stop *= 1.3
    lines = ["# What studies cost beside their runs", ""]
    lines += ["`python -m luff.bench.studies` on " + ", ".join(f"{k} {v}" for k, v in machine().items()), ""]
    lines += [
        "| engine | variants | a run | a variant, wall time on one processor | overhead |",
        "|---|---|---|---|---|",
    ]
    jobs = processors()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = written(folder, stop, count)
        for engine, on in (("processes", None), ("Dask, local", "local")):
            before = seconds_of_a_run(stop)
            luff.study(written(folder, stop, 2), folder / f"{jobs}{engine[:2]}.h5", on=on)  # imports, caches
            study = written(folder, stop, count)
            began = time.perf_counter()
            luff.study(study, folder / f"{engine[:2]}.h5", on=on)
            wall = (time.perf_counter() - began) * jobs / count
            run = 0.5 * (before + seconds_of_a_run(stop))
            lines.append(
                f"| {engine} | {count} | {1e3 * run:.0f} ms | {1e3 * wall:.0f} ms | {100 * (wall / run - 1):.0f} % |"
            )
    text = "\n".join(lines) + "\n"
    (RESULTS / "studies.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
