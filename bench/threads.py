"""Eight threads on eight sessions of one simulation: `python -m luff.bench.threads` runs them for a minute.

Each thread drives its own session by single steps, chunks, snapshots and resets, and what it sees is compared, bit for
bit, with a run in one thread alone.
"""

from __future__ import annotations

import argparse
import itertools
import random
import threading
import time
from pathlib import Path

import numpy as np

import luff

MODEL = Path(luff.__file__).parent / "library" / "templates" / "crane.yaml"
STEPS = 400


def alone(sim: luff.Simulation) -> np.ndarray:
    """The outputs after each step."""
    session = sim.start()
    return np.array([session.step() for _ in range(STEPS)])


def driven(session: luff.Session, draw: random.Random) -> dict[int, np.ndarray]:
    """Outputs by step: on the way some steps are taken again from a mark, or many at once."""
    session.reset()
    results: dict[int, np.ndarray] = {}
    at = 0
    while at < STEPS:
        count = min(draw.choice((1, 1, 3, 20)), STEPS - at)
        if draw.random() < 0.2:
            mark = session.snapshot()
            session.step(steps=count)
            session.restore(mark)
        y = session.step(steps=count)
        at += count
        results[at - 1] = y
    return results


def agree(seconds: float, threads: int = 8, rounds: int = 0, seed: int = 1) -> tuple[int, list[str]]:
    """Runs that were made, and what differed; each thread makes so many rounds, or goes on for so long."""
    sim = luff.compile(MODEL)
    expected = alone(sim)
    until = time.monotonic() + seconds
    made, wrong = [0] * threads, []

    def work(number: int) -> None:
        session, draw = sim.start(), random.Random(f"{seed} {number}")
        for turn in itertools.count():
            if turn >= rounds and time.monotonic() >= until:
                return
            for step, y in driven(session, draw).items():
                if y.tobytes() != expected[step].tobytes():
                    wrong.append(f"thread {number}, run {turn}, step {step}")
            made[number] += 1

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sum(made), wrong


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    args = parser.parse_args()
    runs, wrong = agree(args.seconds, args.threads, seed=args.seed)
    print(
        f"seed {args.seed}: {args.threads} threads, {runs} runs of {STEPS} steps, {len(wrong)} steps differ"
    )
    for words in wrong[:10]:
        print(words)


if __name__ == "__main__":
    main()
