"""Models that chance draws: what a run of each says of its step, and what a run with shorter steps says of that."""

from __future__ import annotations

import numpy as np

import luff

FINER = 10  # times: what is taken as true
Draw = np.random.Generator


def between(draw: Draw, low: float, high: float) -> float:
    """Log-uniform, with three digits."""
    return float(f"{np.exp(draw.uniform(np.log(low), np.log(high))):.3g}")


def springs(draw: Draw, place: str) -> tuple[str, str, float, float]:
    """Two carts in a row, between springs and dampers: blocks, wires, rate [rad/s], end [s]."""
    blocks, last, wires, fastest, slowest = "", "mast.frame_b", [], 0.0, np.inf
    for k in range(int(draw.integers(1, 3))):
        mass, rate, ratio = between(draw, 0.1, 1e4), between(draw, 1.0, 300.0), between(draw, 1e-3, 0.5)
        stiffness, damping = mass * rate**2, 2 * ratio * mass * rate
        blocks += (
            f"  s{k}: {{type: prismatic, axis: x, stiffness: {stiffness!r}, damping: {damping!r}, "
            f"initial: {{position: {between(draw, 1e-4, 0.1)!r}}}}}\n  c{k}: {{type: rigid_link, mass: {mass!r}}}\n"
        )
        wires += [f"{last} -- s{k}.frame_a", f"s{k}.frame_b -- c{k}.frame_a"]
        last, fastest, slowest = f"c{k}.frame_a", max(fastest, rate), min(slowest, rate)
    return blocks, ", ".join(wires), fastest, 20.0 / slowest


def pendulum(draw: Draw, place: str) -> tuple[str, str, float, float]:
    """A pendulum with a damper and one more at its end, out of the plane."""
    length, mass = between(draw, 0.02, 20.0), between(draw, 0.1, 1e4)
    second = length * between(draw, 0.1, 1.0)
    blocks = (
        f"  pin: {{type: revolute, axis: y, damping: {1e-2 * mass * length**1.5!r}, "
        f"initial: {{position: {between(draw, 0.01, 1.0)!r}}}}}\n"
        f"  rod: {{type: rigid_link, mass: {mass!r}, com: [0, 0, {-length!r}], frame_b: {{at: [0, 0, {-length!r}]}}}}\n"
        f"  hook: {{type: revolute, axis: x, initial: {{position: {between(draw, 0.01, 0.5)!r}}}}}\n"
        f"  load: {{type: rigid_link, mass: {0.3 * mass!r}, com: [0, 0, {-second!r}]}}\n"
    )
    wires = "mast.frame_b -- pin.frame_a, pin.frame_b -- rod.frame_a, rod.frame_b -- hook.frame_a"
    return (
        blocks,
        wires + ", hook.frame_b -- load.frame_a",
        1.5 * (9.81 / second) ** 0.5,
        12.0 * (length / 9.81) ** 0.5,
    )


def bounces(draw: Draw, place: str) -> tuple[str, str, float, float]:
    """A mass that falls on an end stop with a loss, twice or three times."""
    mass, rate, height = between(draw, 0.1, 1e3), between(draw, 30.0, 1e3), between(draw, 0.05, 2.0)
    blocks = (
        f"  fall: {{type: prismatic, axis: z, initial: {{position: {height!r}}}, "
        f"limits: {{lower: 0, upper: 9, stiffness: {mass * rate**2!r}, damping: {0.4 * mass * rate!r}}}}}\n"
        f"  ball: {{type: rigid_link, mass: {mass!r}}}\n"
    )
    return (
        blocks,
        "mast.frame_b -- fall.frame_a, fall.frame_b -- ball.frame_a",
        rate,
        3.0 * (2 * height / 9.81) ** 0.5,
    )


def oil(draw: Draw, place: str) -> tuple[str, str, float, float]:
    """Two vessels, one of them small, that a third one with gas fills by orifices; it flows off to a tank."""
    small, area = between(draw, 1e-5, 1e-3), between(draw, 1e-6, 1e-4)
    pressure = between(draw, 10.0, 200.0)
    blocks = (
        f"  acc: {{type: accumulator, size: 10 l, precharge: {0.5 * pressure!r} bar, initial: {pressure!r} bar}}\n"
        f"  a: {{type: orifice, area: {area!r}}}\n  one: {{type: volume, size: {small!r}}}\n"
        f"  b: {{type: orifice, area: {area * between(draw, 0.3, 30.0)!r}}}\n"
        f"  two: {{type: volume, size: {small * between(draw, 0.1, 10.0)!r}}}\n"
        f"  c: {{type: orifice, area: {area * between(draw, 0.3, 30.0)!r}}}\n  t: {{type: tank}}\n"
    )
    wires = (
        "acc.port -- a.a, a.b -- one.port, one.port -- b.a, b.b -- two.port, two.port -- c.a, c.b -- t.port"
    )
    # K Q / (V p), about; its slope by the pressure grows as the drop falls
    speed = 1.2e9 * area * (2e5 * pressure / 850.0) ** 0.5 / (small * pressure * 1e5)
    return blocks, wires, speed, 30.0 / speed


def filters(draw: Draw, place: str) -> tuple[str, str, float, float]:
    """A sine through an oscillator and a lag of other sizes and rates."""
    rate, size, slow = between(draw, 1.0, 1e3), between(draw, 1e-6, 1e6), between(draw, 0.05, 3.0)
    ratio = between(draw, 1e-3, 1.0)
    blocks = (
        f"  u: {{type: sine, frequency: {between(draw, 0.1, 0.8) * rate!r} rad/s, amplitude: {size!r}}}\n"
        f"  o: {{type: transfer_function, num: [{rate**2!r}], den: [1, {2 * ratio * rate!r}, {rate**2!r}]}}\n"
        f"  l: {{type: transfer_function, num: [1e-3], den: [{1 / (slow * rate)!r}, 1]}}\n"
    )
    return blocks, "u.y -> o.u, o.y -> l.u", rate, 40.0 / rate


KINDS = {each.__name__: each for each in (springs, pendulum, bounces, oil, filters)}


def drawn(
    kind: str, seed: int, place: str = "at: [0, 0, 0]", gravity: str = "[0, 0, -9.81]"
) -> tuple[str, float, str]:
    """A netlist whose step is anywhere about what it needs; its step and method."""
    draw = np.random.default_rng([seed, [*KINDS].index(kind)])
    blocks, wires, rate, stop = KINDS[kind](draw, place)
    method = str(draw.choice(["rk4", "rk4", "heun", "implicit"]))
    steps = max(int(stop * rate / between(draw, 0.02, 3.0)), 30)
    step = float(f"{stop / steps:.3g}")
    text = (
        f"luff: 1\nblocks:\n  world: {{gravity: {gravity}}}\n  mast: {{type: fixed, {place}}}\n{blocks}"
        f"connect: [world.frame -- mast.frame_a, {wires}]\n"
        f"simulation: {{stop: {steps * step!r}, step: {step!r}, method: {method}}}\n"
    )
    if kind in ("oil", "filters"):
        text = text.replace(f"  mast: {{type: fixed, {place}}}\n", "").replace(
            "world.frame -- mast.frame_a, ", ""
        )
        text = text.replace(f"  world: {{gravity: {gravity}}}\n", "")
    return text, step, method


def walked(sim: luff.Simulation, step: float, method: str, every: int) -> np.ndarray:
    """States and the work behind them after every so many steps; as far as they are finite."""
    session = sim.start(step=step, method=method)
    rows = [session.x.copy()]
    while session.advance(steps=every) == "running" or len(rows) * every <= session.done:
        rows.append(session.x.copy())
    return np.array(rows)


def true_errors(sim: luff.Simulation, step: float, method: str) -> tuple[float, float]:
    """Error over its range of the state that is furthest off, RMS and at most, against steps of a tenth.

    The kinds of work share the largest of their ranges.
    """
    long, fine = walked(sim, step, method, 1), walked(sim, step / FINER, method, FINER)
    if long.shape != fine.shape:
        return float("inf"), float("inf")
    span, n = np.ptp(fine, axis=0), len(sim.x0)
    span[n:] = span[n:].max(initial=0.0)
    moves = span > 1e-9 * abs(fine).max(axis=0)
    off = abs(long - fine)[:, moves] / span[moves]
    return float(np.sqrt(np.mean(off**2, axis=0)).max()), float(off.max())
