"""A study on a scheduler whose four workers are killed at random: `python -m luff.bench.faults`.

Scheduler and workers are processes. At ten random moments a worker is killed and another one started; once the client
is killed too, and started again. A log of the runs, written by the workers, says what ran how often. Results are
compared, bit for bit, with those of this machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import luff
from luff.solver.study import read

from .studies import seconds_of_a_run, written

WORKERS, KILLS = 4, 10
PATIENCE = 60.0  # s, for the scheduler to begin
LOG = """
import os
import luff.solver.study.cluster as cluster
run = cluster.run
def logged(order, tell):
    def note(word):
        with open({log!r}, "a") as file:
            file.write(f"{{word}} {{order['hash']}}\\n")
    note("begun")
    answer = run(order, tell)
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
            time.sleep(0.05)
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

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def client(folder: Path, address: str) -> subprocess.Popen[bytes]:
    words = ["study", str(folder / "study.yaml"), "-o", str(folder / "there.h5"), "--on", address, "-q"]
    return subprocess.Popen([sys.executable, "-m", "luff", *words])


def runs(site: Site) -> tuple[Counter[str], Counter[str]]:
    """How often each variant was begun, and ended."""
    lines = [line.split() for line in site.log.read_text().splitlines()]
    begun = Counter(name for word, name in lines if word == "begun")
    return begun, Counter(name for word, name in lines if word == "ended")


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
        site = Site(folder)
        try:
            faults(site, folder, draw)
        finally:
            site.end()
        begun, ended = runs(site)
        luff.study(study, folder / "here.h5", jobs=os.cpu_count())
        here, there = read(folder / "here.h5"), read(folder / "there.h5")
        alike = [each for each in here if here[each].table.tobytes() == there[each].table.tobytes()]
    twice = sum(count > 1 for count in ended.values())
    print(f"seed {args.seed}: {args.variants} variants, {KILLS} workers and the client killed")
    print(f"{len(alike)} variants have the bits of this machine")
    print(
        f"{sum(begun.values())} runs begun, {sum(ended.values())} ended, {twice} variants ended more than once"
    )


def faults(site: Site, folder: Path, draw: random.Random) -> None:
    running = client(folder, site.address)
    fatal = draw.randrange(KILLS)
    for k in range(KILLS):
        time.sleep(draw.uniform(0.3, 1.5))
        victim = draw.randrange(WORKERS)
        site.workers[victim].kill()
        site.workers[victim].wait()
        site.workers[victim] = site.worker()
        if k == fatal:
            running.kill()
            running.wait()
            running = client(folder, site.address)
    if running.wait(600) != 0:
        raise SystemExit("the study has failed")


if __name__ == "__main__":
    main()
