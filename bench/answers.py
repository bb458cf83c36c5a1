"""What this Python's luff says of library models: rates and derivatives at states, runs alone and in lanes.

`python -P bench/answers.py OUT [STATES]` writes `OUT.npz`, and `OUT.json` with what had to be compiled for each. STATES
is the `.npz` of another Python, at whose states rates and derivatives are taken; without it they are taken at states of
the own run. `bench/processors.py` compares two; nothing but luff has to be there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import luff
from luff.solver.codegen import object_loader

STEPS = 200  # of each run
PARTS = 4  # of it, with a state at each end
RUNS = 5  # side by side, each under a gravity of its own


def run_of(sim: luff.Simulation) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All signals of a run, and states on its way with their times."""
    step = sim.settings.step
    session = sim.start(stop=STEPS * step, output_step=step)
    times, states = [0.0], [sim.x0]
    while session.status == "running":
        session.advance(steps=STEPS // PARTS)
        times.append(session.done * step)
        states.append(session.x[: len(sim.x0)].copy())
    return session.take()[1], np.array(times), np.array(states)


def in_lanes(sim: luff.Simulation) -> tuple[int, bool]:
    """How many runs went side by side, and whether all gave what they give alone."""
    gravity = np.array([[0.0, 0.0, -9.8 - 0.01 * k] for k in range(RUNS)])
    stop = STEPS * sim.settings.step
    together, alone = (
        luff.batch(sim, {"world.gravity": gravity}, stop=stop, lanes=lanes) for lanes in (True, False)
    )
    return together.lanes, np.array_equal(together.table, alone.table, equal_nan=True)


def answers(path: Path, given: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    sim = luff.compile(path)
    signals, times, states = run_of(sim)
    times, places = given.get(f"{path.stem} times", times), given.get(f"{path.stem} states", states)
    rates = np.array([sim.derivative(t, x) for t, x in zip(times, places, strict=True)])
    slopes = np.array([sim.jacobian(t, x) for t, x in zip(times, places, strict=True)])
    count, equal = in_lanes(sim)
    return {
        "signals": signals, "times": times, "states": places, "rates": rates, "slopes": slopes,
        "lanes": np.array([count, equal]), "units": np.array([sim.units[name] for name in sim.signal_names]),
        "state units": np.array(sim.program.state_units),
    }  # fmt: skip


def main() -> None:
    out, *rest = sys.argv[1:]
    given = dict(np.load(rest[0])) if rest else {}
    compiled: list[str] = []
    object_loader.listener = lambda done, total, what: compiled.append(what)
    found: dict[str, np.ndarray] = {}
    said: dict[str, list[str]] = {}
    for path in sorted((Path(luff.__file__).parent / "library").glob("*.yaml")):
        compiled.clear()
        try:
            parts = answers(path, given)
        except luff.NetlistError:
            continue  # a part of other models
        found |= {f"{path.stem} {part}": values for part, values in parts.items()}
        said[path.stem] = list(dict.fromkeys(compiled))
        print(path.stem, *said[path.stem], file=sys.stderr, flush=True)
    np.savez(f"{out}.npz", allow_pickle=False, **found)
    Path(f"{out}.json").write_text(json.dumps(said), encoding="utf-8")


if __name__ == "__main__":
    main()
