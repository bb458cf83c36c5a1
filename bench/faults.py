"""A study whose workers and client are killed at random: `python -m luff.bench.faults` writes results/faults.md.

Scheduler and workers are processes. At ten random moments a worker that is at a variant is killed and another one
started; once the client is killed too, and started again. A log of the runs, written by the workers, says what ran how
often and what was under way at each death. Results are compared, bit for bit, with those of this machine.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from distributed import Client, Worker

import luff
from luff.bench.report import keep
from luff.solver.study import read_study

from .studies import seconds_of_a_run, written
from .timing import machine

WORKERS, KILLS = 4, 10
PAUSE = 0.01  # s, between looks
PATIENCE = 120.0  # s, for processes to begin
LONGEST = 900.0  # s, for the study to end after the last kill
# Dask loads a preload more than once: what it wraps is taken from where it is made
LOG = """
import os
import luff.solver.study.cluster as cluster
from luff.solver.study.worker import run
def logged(order, model, tell):
    def note(word):
        with open({log!r}, "a") as file:
            file.write(f"{{word}} {{os.getpid()}} {{order['hash']}}\\n")
    note("begun")
    answer = run(order, model, tell)
    note("ended")
    return answer
cluster.run = logged
"""


class Site:
    """A scheduler and workers."""

    def __init__(self, folder: Path):
        self.folder, self.file, self.log = folder, folder / "scheduler.json", folder / "runs.log"
        self.log.touch()
        (folder / "log_runs.py").write_text(LOG.format(log=str(self.log)))
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        limit = time.monotonic() + PATIENCE
        while not self.file.exists() or not self.file.read_text():
            if self.scheduler.poll() is not None or time.monotonic() > limit:
                sys.exit(f"the scheduler did not begin: {(folder / 'scheduler.log').read_text()}")
            time.sleep(PAUSE)
        self.address = json.loads(self.file.read_text())["address"]
        self.workers = [self.worker() for _ in range(WORKERS)]

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        more = ["--no-dashboard", "--scheduler-file", str(self.file)]
        with (self.folder / f"{words[0]}.log").open("ab") as log:
            command = [sys.executable, "-m", "dask", *words, *more]
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)

    def worker(self) -> subprocess.Popen[bytes]:
        preload = ("--preload", str(self.folder / "log_runs.py"))
        return self._start(
            "worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(self.folder), *preload
        )

    def said(self) -> list[tuple[str, int, str]]:
        """What the workers have written: a word, a process and a variant each."""
        lines = (
            line.split() for line in self.log.read_text().splitlines(keepends=True) if line.endswith("\n")
        )
        return [(word, int(process), variant) for word, process, variant in lines]

    def at(self) -> dict[int, str]:
        """The latest variant of each worker: it may have ended, and its answer be on its way."""
        alive = {worker.pid for worker in self.workers}
        return {process: variant for _, process, variant in self.said() if process in alive}

    def busy(self) -> list[int]:
        """Places of the workers that are at a variant."""
        at = self.at()
        return [k for k, worker in enumerate(self.workers) if worker.pid in at]

    def settle(self) -> None:
        """Until no worker holds a task: nobody is there any more who wants one."""
        until = time.monotonic() + PATIENCE
        with Client(self.address) as asked:
            while any(cast("dict[str, int]", asked.run(tasks_of)).values()):
                if time.monotonic() > until:
                    sys.exit("workers do not let go of a study whose client has died")
                time.sleep(PAUSE)

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def tasks_of(dask_worker: Worker) -> int:
    """On a worker."""
    return len(dask_worker.state.tasks)


@contextlib.contextmanager
def client(folder: Path, address: str) -> Iterator[subprocess.Popen[bytes]]:
    words = ["study", str(folder / "study.yaml"), "-o", str(folder / "there.h5"), "--on", address, "-q"]
    running = subprocess.Popen([sys.executable, "-m", "luff", *words])
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def faults(site: Site, folder: Path, draw: random.Random) -> set[str]:
    """Kill at random, and wait for the end; returns the variants that were under way at a death."""
    under_way: set[str] = set()
    fatal = draw.randrange(KILLS)
    with client(folder, site.address) as running:
        kill_workers(site, running, draw, fatal + 1, under_way)
        before = len(site.said())
        under_way.update(site.at().values())
    # whatever is taken before the scheduler has noticed was under way as well
    site.settle()
    under_way.update(variant for word, _, variant in site.said()[before:] if word == "begun")
    with client(folder, site.address) as running:
        kill_workers(site, running, draw, KILLS - fatal - 1, under_way)
        if running.wait(LONGEST) != 0:
            sys.exit("the study has failed")
    return under_way


def kill_workers(
    site: Site, running: subprocess.Popen[bytes], draw: random.Random, times: int, under_way: set[str]
) -> None:
    for _ in range(times):
        time.sleep(draw.uniform(0.3, 1.5))  # a death comes at any moment
        until = time.monotonic() + PATIENCE
        while not (victims := site.busy()):
            if running.poll() is not None or time.monotonic() > until:
                sys.exit("no worker is at a variant any more: ask for more --variants")
            time.sleep(PAUSE)
        victim = draw.choice(victims)
        site.workers[victim].kill()
        site.workers[victim].wait()
        under_way.add(site.at()[site.workers[victim].pid])
        site.workers[victim] = site.worker()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.2, help="of a variant")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    draw, stop = random.Random(args.seed), 20.0
    while seconds_of_a_run(stop) < args.seconds:
        stop *= 1.3
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        study = written(folder, stop, args.variants)
        # first, so that all is compiled: the deaths are to hit runs
        luff.study(study, folder / "here.h5", jobs=os.cpu_count())
        site = Site(folder)
        try:
            under_way = faults(site, folder, draw)
            said = site.said()
        finally:
            site.end()
        here, there = read_study(folder / "here.h5"), read_study(folder / "there.h5")
        alike = [each for each in there if here[each].table.tobytes() == there[each].table.tobytes()]
    begun, ended = (
        Counter(variant for word, _, variant in said if word == kind) for kind in ("begun", "ended")
    )
    again = {variant for variant, times in begun.items() if times > 1}
    rows = {
        "variants": args.variants,
        "with the bits of this machine": len(alike),
        "lost": args.variants - len(alike),
        "under way when their worker or the client was killed": len(under_way),
        "runs begun": sum(begun.values()),
        "variants begun more than once": len(again),
        "of these not under way at a death": len(again - under_way),
        "variants ended more than once": sum(times > 1 for times in ended.values()),
    }
    words = ", ".join(f"{k} {v}" for k, v in machine().items())
    lines = ["# A study whose workers and client are killed", ""]
    given = f"--variants {args.variants} --seconds {args.seconds:g} --seed {args.seed}"
    lines += [f"`python -m luff.bench.faults {given}` on {words}:"]
    lines += [
        f"{WORKERS} workers, {KILLS} of them killed and replaced at random moments, the client once.",
        "",
    ]
    lines += ["| | |", "|---|---|", *(f"| {title} | {count} |" for title, count in rows.items())]
    keep("faults.md", lines)
    if len(alike) < args.variants or again - under_way:
        sys.exit(1)


if __name__ == "__main__":
    main()
