"""What studies cost beside their runs, and what lanes save: `python -m luff.bench.studies` writes results/studies.md.

Variants of about 50 ms run in processes of this machine, and on a scheduler of Dask with as many workers. Processor
time of all processes counts, so that others on the machine do not: that of a long study less that of a short one is
what variants cost, and the rest is what a study costs to start. The runs' own steps are measured in between.

The same study with lanes and without is told by the processor time of both, with all that a study does beside steps.
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

from .systems import chain, netlist
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
    luff.study(study, folder / f"{count}{on or 'here'}.h5", on=on)
    return spent() - began


def in_lanes(folder: Path, name: str, model: str, draw: str, stop: float, count: int) -> list[str]:
    """A row: a study of one process without lanes, and with them; how many variants were in them."""
    folder.mkdir()
    (folder / "model.yaml").write_text(model, encoding="utf-8")
    study = folder / "study.yaml"
    study.write_text(
        f"luff: 1\nmodel: ./model.yaml\nset: {{simulation.stop: {stop!r}, simulation.output_step: 0.02}}\n"
        f"variants: {{random: {{count: {count}, draw: {{{draw}}}}}}}\n",
        encoding="utf-8",
    )
    luff.study(study, folder / "warm.h5", jobs=1, lanes=True)  # compiles
    seconds, together = [], 0
    for lanes in (False, True):
        began = spent()
        results = luff.study(study, folder / f"{lanes}.h5", jobs=1, lanes=lanes)
        seconds.append(spent() - began)
        together = [*results.alone.values()].count("")
    alone, beside = seconds
    return [name, str(count), f"{alone:.1f} s", f"{beside:.1f} s", f"{beside / alone:.2f}", str(together)]


def contests(folder: Path, count: int) -> list[list[str]]:
    crane = (ROOT / "library" / "crane_knuckle_boom.yaml").read_text(encoding="utf-8")
    rows = [
        in_lanes(
            folder / "crane",
            "crane_knuckle_boom, 20 s",
            crane,
            "outer.mass: {uniform: [9 t, 11 t]}",
            20.0,
            count,
        )
    ]
    links = netlist(chain(18)).to_yaml()
    return [
        *rows,
        in_lanes(
            folder / "chain", "chain of 18, 20 s", links, "l17.mass: {uniform: [0.3, 0.4]}", 20.0, count
        ),
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=120)
    parser.add_argument("--lanes", type=int, default=64, help="variants of the studies in lanes")
    args = parser.parse_args()
    count, variants = int(args.variants), int(args.lanes)
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
        rows = contests(folder, variants)
    lines += ["", "| study, one process | variants | without lanes | in lanes | ratio | variants in lanes |"]
    lines += ["|---|---|---|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    keep("studies.md", lines)


if __name__ == "__main__":
    main()
