"""What studies cost beside their runs: `python -m luff.bench.studies` writes results/studies.md.

Variants of about 50 ms run in processes of this machine, and on a scheduler of Dask with as many workers. Processor
time of all processes counts, so that others on the machine do not: that of a long study less that of a short one is
what variants cost, and the rest is what a study costs to start. The runs' own steps are measured in between.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from pathlib import Path

import luff
from luff.bench.report import keep

from .timing import machine

ROOT = Path(luff.__file__).parent
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
    """Median processor time of the steps, without what is made around them."""
    sim = luff.compile(ROOT / "library" / "templates" / "pendulum.yaml")
    seconds = []
    for _ in range(9):
        session = sim.start(stop=stop, output_step=0.1)
        session.trust.due = lambda _: 2**62  # type: ignore[method-assign]
        began = time.thread_time()
        while session.advance(seconds=10.0) == "running":
            pass
        seconds.append(time.thread_time() - began)
    return statistics.median(seconds)


def spent() -> float:
    """Processor time of this process and of all that it has waited for."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def seconds_of_a_study(folder: Path, stop: float, count: int, on: str | None) -> float:
    study = written(folder, stop, count)
    began = spent()
    luff.study(study, folder / f"{count}{on or 'here'}.h5", on=on, lanes=False)
    return spent() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=120)
    count = parser.parse_args().variants
    short = max(1, count // 6)
    stop = 1.0
    while seconds_of_a_run(stop) < RUN:
        stop *= 1.3
    lines = ["# What studies cost beside their runs", ""]
    lines += ["`python -m luff.bench.studies` on " + ", ".join(f"{k} {v}" for k, v in machine().items()), ""]
    lines += ["| engine | variants | steps of a run | a variant | overhead | start of a study |"]
    lines += ["|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for engine, on in (("processes", None), ("Dask, local", "local")):
            before = seconds_of_a_run(stop)
            few = seconds_of_a_study(folder, stop, short, on)
            many = seconds_of_a_study(folder, stop, count, on)
            run = 0.5 * (before + seconds_of_a_run(stop))
            each = (many - few) / (count - short)
            over = f"{100 * (each / run - 1):.0f} %"
            start = f"{few - short * each:.1f} s"
            lines.append(
                f"| {engine} | {count} | {1e3 * run:.0f} ms | {1e3 * each:.0f} ms | {over} | {start} |"
            )
    keep("studies.md", lines)


if __name__ == "__main__":
    main()
