"""What friction under the joints' own reactions costs: the crane of the library against real time, and long links.

    python -m luff.bench.friction [--write]

The crane has a flexible link of 3 divisions, three joints that rub, and two ideal constraints; its step is 0.25 ms
of RK4. The second table hangs a flexible link on a hinge that rubs, with 2 to 100 divisions. `--write` keeps both in
bench/results/friction.md.
"""

from __future__ import annotations

import argparse
import math
import re
import time
from pathlib import Path

import luff
from luff.bench import flexible
from luff.bench.report import keep
from luff.bench.timing import machine_words

HERE = Path(__file__).parent
CRANE = HERE.parent / "library" / "crane_gpme.yaml"
LAW = "friction: {{model: lugre, diameter: 0.1}}"
HINGE = flexible.MODEL.replace("axis: y}}", f"axis: y, {LAW}}}}}")
DIVISIONS = [2, 5, 10, 20, 50, 100]


def crane(model: str, rigid: bool) -> str:
    """The netlist of the crane with another law of friction; `none` leaves it out."""
    text = CRANE.read_text(encoding="utf-8")
    if model == "none":
        text = re.sub(r"\n +friction: .*", "", text)
    elif model == "dahl":
        text = re.sub(
            r"friction: \{model: lugre(, mu_s: \S+).*(, diameter: .*)\}",
            r"friction: {model: dahl\1 sigma_0: 200\2}",
            text,
        )
    return text.replace("divisions: 3", "rigid: true") if rigid else text


def step_time(text: str, rounds: int = 15) -> tuple[float, float]:
    """Processor time of one step with its share of outputs, and its length, both in seconds."""
    sim = luff.compile(luff.loads(text))
    session = sim.start(stop=60.0)
    best, steps = math.inf, 1000
    for _ in range(rounds):
        began = time.thread_time()
        session.advance(steps=steps)
        best = min(best, (time.thread_time() - began) / steps)
        session.take()
    return best, session.step_size


def report() -> list[str]:
    lines = ["# Friction under the joints' own reactions", ""]
    lines += [
        "| crane | friction | us per step | us per evaluation | times real time |",
        "|---|---|---:|---:|---:|",
    ]
    for rigid in (True, False):
        for model in ("none", "dahl", "lugre"):
            spent, step = step_time(crane(model, rigid))
            lines.append(
                f"| {'rigid' if rigid else 'flexible'} | {model} | {1e6 * spent:.1f} | {1e6 * spent / 4:.2f} | "
                f"{step / spent:.1f} |"
            )
    smooth = [flexible.measure(n) for n in DIVISIONS]
    rubbing = [flexible.measure(n, model=HINGE) for n in DIVISIONS]
    lines += [
        "",
        "| divisions | us per evaluation | with a hinge that rubs | ratio |",
        "|---:|---:|---:|---:|",
    ]
    for a, b in zip(smooth, rubbing, strict=True):
        lines.append(f"| {a['divisions']} | {a['us']:.2f} | {b['us']:.2f} | {b['us'] / a['us']:.2f} |")
    powers = f"{flexible.growth(smooth):.2f}, with friction {flexible.growth(rubbing):.2f}"
    lines += ["", f"Time grows with divisions to the power {powers} (between the two largest).", ""]
    return [*lines, machine_words() + "."]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="keep the tables in bench/results")
    options = parser.parse_args()
    keep("friction.md", report(), options.write)


if __name__ == "__main__":
    main()
