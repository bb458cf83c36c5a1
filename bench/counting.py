"""What it costs to count cycles within a run, and to record every step, as shares of a step.

    python -m luff.bench.counting [--write]

The same model with and without the block `rainflow` on a signal that needs dynamics takes turns; and with a row of all
its signals each step. `alone` has the evaluation after each step computed apart from that of the next step's first
stage.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import luff
from luff.bench.report import keep
from luff.bench.timing import race, ratio
from luff.solver.integrators.run_data import SHARED

LIBRARY = Path(luff.__file__).parent / "library"
TURNS = 41
STEPS = 200
MODELS = {
    "bridge_crane_hoist": "crab_place.acceleration[2]",
    "tower_crane": "slew.acceleration",
    "crane_gpme": "",
}


def advancing(sim: luff.Simulation, shared: bool) -> Callable[[int], None]:
    """So many times `STEPS` steps of one session."""
    session = sim.start()
    session.instance.number[SHARED] *= shared
    return lambda count: (session.advance(steps=count * STEPS), None)[1]


def costs(name: str, signal: str) -> list[str]:
    path = LIBRARY / f"{name}.yaml"
    diagram = luff.load(path)
    given = {"simulation.stop": 1e4, "simulation.output_step": 1e3, "initial.solve": "assemble"}
    if not signal:
        columns = luff.compile(diagram).signal_names
        signal = next(one for one in columns if one.endswith(".acceleration") and "trajectory" not in one)
    plain = luff.compile(diagram, **given)
    diagram.add_block("cycles", {"type": "rainflow"})
    diagram.connect(signal, "cycles.u")
    counting = luff.compile(diagram, **given)
    rows = luff.compile(
        luff.load(path), **given | {"simulation.stop": 200.0, "simulation.output_step": plain.settings.step}
    )
    works = {
        "plain": advancing(plain, True),
        "counting": advancing(counting, True),
        "counting alone": advancing(counting, False),
        "rows": advancing(rows, True),
        "rows alone": advancing(rows, False),
    }
    times = race(works, TURNS)
    return [f"{100 * (ratio(times, one, 'plain') - 1):.1f} %" for one in list(works)[1:]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    lines = ["| model | counting | alone | a row each step | alone |", "|---|---:|---:|---:|---:|"]
    for name, signal in MODELS.items():
        print(name, flush=True)
        lines.append(f"| {name} | {' | '.join(costs(name, signal))} |")
    if parser.parse_args().write:
        keep("counting.md", lines)
    else:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
