"""Logic and sequences: expressions against Python's own, blocks bit for bit against the same rules by hand."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import luff
from luff.blocks.errors import LuffError
from luff.blocks.text.expressions import parse
from luff.tests.shared.netlists import HELD_WAVES

STEP = 0.01


def waves(blocks: str, wires: str, more: str = "") -> luff.Result:
    return luff.compile(luff.loads(HELD_WAVES.format(blocks=blocks, wires=wires, stop=3) + more)).run()


# --- expressions ---------------------------------------------------------------------------------------------------


def random_number(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return draw.choice(["a", "b", "0.3", "-1.5", "2"])
    kind = draw.randrange(6)
    parts = [random_number(draw, depth - 1) for _ in range(2)]
    if kind < 2:
        return f"({parts[0]} {draw.choice('+-*')} {parts[1]})"
    if kind == 2:
        return f"({parts[0]} if {random_truth(draw, depth - 1)} else {parts[1]})"
    if kind == 3:
        return f"{draw.choice(['sign', 'abs', 'round', 'floor'])}({parts[0]})"
    if kind == 4:
        return f"mod({parts[0]}, 0.7)"
    return f"({random_truth(draw, depth - 1)})"


def random_truth(draw: random.Random, depth: int) -> str:
    if depth == 0:
        return (
            f"{draw.choice('ab')} {draw.choice(['<', '<=', '>', '>='])} {draw.choice(['0.2', '-0.4', 'a'])}"
        )
    kind = draw.randrange(4)
    if kind == 0:
        return f"not ({random_truth(draw, depth - 1)})"
    if kind == 1:
        parts = [random_number(draw, depth - 1) for _ in range(3)]
        return f"{parts[0]} < {parts[1]} <= {parts[2]}"
    return f"({random_truth(draw, depth - 1)}) {draw.choice(['and', 'or'])} ({random_truth(draw, 0)})"


def nearest(a: float) -> float:
    return math.copysign(math.floor(abs(a) + 0.5), a)


TWINS = {
    "sign": lambda a: float(np.sign(float(a))),
    "round": nearest,
    "mod": lambda a, b: a - b * math.floor(a / b),
    "floor": math.floor,
    "abs": abs,
}


def test_random_expressions_are_pythons_own_at_each_step() -> None:
    """What is decided at the start of a step is what Python says of the values there, which are held over it."""
    draw = random.Random(7)
    texts = [random_number(draw, 4) for _ in range(40)]
    blocks = "\n".join(
        f"  e{k}: {{type: expression, inputs: [a, b], expr: {text!r}}}" for k, text in enumerate(texts)
    )
    wires = ", ".join(f"a.y -> e{k}.a, b.y -> e{k}.b" for k in range(len(texts)))
    result = waves(blocks, wires)
    jumps = 0
    for k, text in enumerate(texts):
        code = compile(text, "<text>", "eval")
        for row in range(301):
            known = {"a": float(result["a.y"][row]), "b": float(result["b.y"][row])}
            assert result[f"e{k}.y"][row] == float(eval(code, {"__builtins__": {}, **TWINS}, known)), text
        jumps += len(np.unique(result[f"e{k}.y"])) > 1
    assert jumps >= 5  # enough of them say something


def test_time_is_compared_exactly_on_the_grid() -> None:
    result = waves("  e: {type: expression, expr: '1 if 0.5 <= t < 1 else 0'}", "")
    assert result.time[np.flatnonzero(np.diff(result["e.y"]))] == pytest.approx([0.49, 0.99])
    assert result["e.y"][50] == 1.0
    assert result["e.y"][100] == 0.0


@pytest.mark.parametrize(
    "expr", ["1 if x < 0.5 else 2", "1.5 + 0.5*sign(x - 0.5)", "(x <= 0.5) + 2*(x > 0.5)"]
)
def test_a_comparison_is_located(expr: str) -> None:
    """dx/dt = 1 - 0.2 t up to x = 0.5, then another rate: the time from the closed form."""
    text = f"""luff: 1
blocks:
  e: {{type: expression, inputs: [x], expr: "({expr}) - 0.2*t"}}
  x: {{type: integrator, initial: -0.3}}
  hit: {{type: expression, inputs: [x], expr: "x > 0.5"}}
  stay: {{type: latch}}
  late: {{type: integrator}}
connect: [x.y -> e.x, e.y -> x.u, x.y -> hit.x, hit.y -> stay.set, stay.y -> late.u]
simulation: {{stop: 1.5 s, step: 0.01, events: locate, method: rk4}}
"""
    result = luff.compile(luff.loads(text)).run()
    # the first piece: x = -0.3 + t - 0.1 t^2, which a fourth order method integrates exactly
    there = brentq(lambda t: -0.3 + t - 0.1 * t * t - 0.5, 0, 2)
    assert 1.5 - result["late.y"][-1] == pytest.approx(there, abs=1e-9)


def test_logic_that_has_no_place_is_told() -> None:
    for text, message in (
        ("a < b", "a comparison has no place"), ("a if b else 1", "if has no place"), ("not a", "not has no place"),
    ):  # fmt: skip
        with pytest.raises(LuffError, match=message):
            parse(text)
        parse(text, logic=True)
    for text in ("a is b", "a in b", "a = b", "a < (b := 1)", "a and lambda: 1"):
        with pytest.raises(LuffError):
            parse(text, logic=True)


def test_an_algebraic_loop_through_a_comparison_is_told() -> None:
    with pytest.raises(LuffError, match="algebraic loop"):
        waves("  e: {type: expression, inputs: [a], expr: 'a > 1'}", "e.y -> e.a")


# --- blocks against the same rules by hand ---------------------------------------------------------------------------


def test_latch_edge_and_counter_are_their_rules() -> None:
    blocks = """
  hi: {type: expression, inputs: [a], expr: a > 0.6}
  lo: {type: expression, inputs: [a], expr: a < -0.3}
  l: {type: latch}
  first: {type: latch, wins: set, initial: 1}
  up: {type: edge, edge: rising}
  both: {type: edge, edge: either}
  n: {type: counter, initial: 2, upper: 2.5}
  m: {type: counter}
  k: {type: expression, inputs: [a], expr: a > -0.9}
"""
    result = waves(
        blocks,
        "a.y -> hi.a, b.y -> lo.a, hi.y -> l.set, lo.y -> l.reset, hi.y -> first.set, hi.y -> first.reset, "
        "l.y -> up.u, l.y -> both.u, hi.y -> n.u, lo.y -> n.down, a.y -> k.a, l.y -> m.u, k.y -> m.reset",
    )
    state, first, before, n, hi_before, lo_before, kept = 0.0, 1.0, 0.0, 2.0, False, False, []
    either_before = 0.0
    for a, b in zip(result["a.y"], result["b.y"], strict=True):
        hi, lo = a > 0.6, b < -0.3
        state = 0.0 if lo else 1.0 if hi else state
        first = 1.0 if hi else first
        n = min(n + (hi and not hi_before) - (lo and not lo_before), 2.5)
        kept.append((state, first, float(state > before), float(state != either_before), n))
        before, either_before, hi_before, lo_before = state, state, hi, lo
    names = ("l.y", "first.y", "up.y", "both.y", "n.y")
    np.testing.assert_array_equal(np.column_stack([result[name] for name in names]), kept)
    assert len({row[0] for row in kept}) == 2
    assert max(row[4] for row in kept) == 2.5
    assert result["m.y"].max() == 0.0  # held by its reset while a > -0.9 where l rises


def test_what_is_true_at_the_start_is_an_edge_unless_it_was_before() -> None:
    blocks = """
  one: {type: constant, value: 1}
  e: {type: edge}
  no: {type: edge, initial: 1}
  n: {type: counter}
  m: {type: counter}
"""
    result = waves(blocks, "one.y -> e.u, one.y -> no.u, e.y -> n.u, no.y -> m.u")
    assert (result["n.y"][-1], result["m.y"][-1]) == (1.0, 0.0)


@pytest.mark.parametrize("kind", ["on_delay", "off_delay", "pulse"])
@pytest.mark.parametrize("duration", [0.07, 0.25, 0.0])
def test_timers_are_exact_on_the_grid(kind: str, duration: float) -> None:
    result = waves(
        "  hi: {type: expression, inputs: [a], expr: a > 0.4}\n"
        f"  t: {{type: timer, kind: {kind}, duration: {duration}}}",
        "a.y -> hi.a, hi.y -> t.u",
    )
    steps = round(duration / STEP)
    since, before, wanted, told = None, False, [], []
    for k, a in enumerate(result["a.y"]):
        u = a > 0.4
        if kind == "on_delay":
            since = k if u and not before else since
            y, running = u and k - since >= steps, u
        elif kind == "off_delay":
            since = k if before and not u else since
            running = not u and since is not None
            y = u or (running and k - since < steps)
        else:
            since = k if u and not before and (since is None or k - since >= steps) else since
            y = running = since is not None and k - since < steps
        wanted.append(float(y))
        told.append((k - since) * STEP if running else 0.0)
        before = u
    np.testing.assert_array_equal(result["t.y"], wanted)
    np.testing.assert_allclose(result["t.elapsed"], told, rtol=0, atol=1e-12)
    assert duration == 0.0 or 0 < sum(wanted) < 301


def test_a_timer_ends_between_steps_where_events_are_located() -> None:
    text = """luff: 1
blocks:
  x: {type: integrator}
  one: {type: constant, value: 1}
  hit: {type: expression, inputs: [x], expr: x > 0.1234}
  t: {type: timer, duration: 0.2222}
  late: {type: integrator}
connect: [one.y -> x.u, x.y -> hit.x, hit.y -> t.u, t.y -> late.u]
simulation: {stop: 1 s, step: 0.01, events: locate}
"""
    result = luff.compile(luff.loads(text)).run()
    assert 1.0 - result["late.y"][-1] == pytest.approx(0.1234 + 0.2222, abs=1e-9)


SEQUENCE = """luff: 1
blocks:
  s: {type: sine, amplitude: 1, frequency: 1.3 Hz}
  hi: {type: expression, inputs: [a], expr: 'a > 0.4 and not a > 0.9'}
  l: {type: latch}
  c: {type: counter}
  e: {type: edge, edge: falling}
  t: {type: timer, duration: 50 ms}
connect: [s.y -> hi.a, hi.y -> c.u, hi.y -> t.u, hi.y -> e.u, t.y -> l.set, e.y -> l.reset]
outputs: {count: c.y, on: t.y, held: l.y, fell: e.y}
simulation: {stop: 3 s, step: 10 ms, output_step: 10 ms}
"""


def test_a_snapshot_in_the_middle_goes_on_with_the_same_bits() -> None:
    session = luff.compile(luff.loads(SEQUENCE)).start()
    for _ in range(77):
        session.step()
    mark = session.snapshot()
    first = [np.array(session.step()) for _ in range(150)]
    session.restore(mark)
    np.testing.assert_array_equal([np.array(session.step()) for _ in range(150)], first)
    assert np.ptp(first, axis=0).all()


def test_an_fmu_has_the_same_bits(tmp_path: Path) -> None:
    import fmpy

    luff.export_fmu(luff.loads(SEQUENCE), tmp_path / "s.fmu")
    names = ["count", "on", "held", "fell"]
    rows = fmpy.simulate_fmu(str(tmp_path / "s.fmu"), stop_time=3, output_interval=0.01, output=names)
    result = luff.compile(luff.loads(SEQUENCE)).run()
    for name in names:
        np.testing.assert_array_equal(rows[name], result[name])


def test_a_latch_that_hangs_on_itself_sees_what_was_decided_before() -> None:
    """A ring through a comparison and a latch is no algebraic loop, wherever the order begins."""
    result = waves(
        "  both: {type: expression, inputs: [a, on], expr: a > 0.6 and not on}\n  l: {type: latch}",
        "a.y -> both.a, l.y -> both.on, both.y -> l.set",
    )
    np.testing.assert_array_equal(result["l.y"], np.maximum.accumulate(result["a.y"] > 0.6))
    assert 0.0 < result["l.y"].mean() < 1.0
