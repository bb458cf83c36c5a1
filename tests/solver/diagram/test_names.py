"""Names mean what they say, whatever Python would make of them."""

from __future__ import annotations

import pytest

import luff


def values(blocks: str, wires: str = "") -> dict[str, float]:
    return luff.compile(luff.loads(f"luff: 1\nblocks:\n{blocks}connect: [{wires}]\n")).evaluate()


def test_blocks_that_python_takes_for_one_name_stay_two() -> None:
    """Python reads the micro sign U+00B5 and the letter mu U+03BC as the same identifier."""
    found = values("  \u00b5: {type: constant, value: 1}\n  \u03bc: {type: constant, value: 2}\n")
    assert (found["\u00b5.y"], found["\u03bc.y"]) == (1.0, 2.0)


def test_constants_that_an_expression_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(luff.NetlistError, match='"\uff4b" is read as "k"'):
        values('  f: {type: expression, expr: "k + 10*\uff4b", constants: {k: 1, \uff4b: 2}}\n')


def test_parameters_that_an_expression_cannot_tell_apart_are_refused() -> None:
    text = "luff: 1\nparameters: {k: 1, \uff4b: 2}\nblocks: {a: {type: constant, value: =k}}\n"
    with pytest.raises(luff.NetlistError, match='"\uff4b" is read as "k"'):
        luff.compile(luff.loads(text))


def test_inputs_may_be_called_like_modules_and_types() -> None:
    found = values(
        "  one: {type: constant, value: 4}\n"
        '  f: {type: expression, inputs: [math, float], expr: "sqrt(math) + float"}\n',
        "one.y -> f.math, one.y -> f.float",
    )
    assert found["f.y"] == 6.0


RUNNING = """
luff: 1
blocks:
  s: {type: sine, frequency: 1}
  f: {type: transfer_function, num: [1], den: [1, 1]}
  g: {type: gain, k: 2}
connect: [s.y -> f.u, f.y -> g.u]
simulation: {stop: 2, step: 10 ms}
"""


def test_change_of_structure_leaves_a_run_under_way_alone() -> None:
    alone = luff.compile(luff.loads(RUNNING)).run()
    sim = luff.compile(luff.loads(RUNNING))
    session = sim.start()
    session.advance(steps=50)
    sim.set("f.den", [1.0, 2.0, 3.0, 1.0])
    while session.advance(steps=50) == "running":
        pass
    _, rows = session.take()
    assert rows.tolist() == alone.table.tolist()
    # and the next run has it
    assert len(sim.state_names) == 3
    assert sim.run()["g.y"][-1] != alone["g.y"][-1]


def test_number_that_is_set_reaches_a_run_under_way() -> None:
    sim = luff.compile(luff.loads(RUNNING))
    session = sim.start()
    session.advance(steps=50)
    sim.set("g.k", 4.0)
    session.advance(steps=1)
    row = dict(zip(session.columns, session.take()[1][-1], strict=True))
    assert row["g.y"] == 4.0 * row["f.y"]


def test_sessions_of_one_simulation_share_nothing() -> None:
    sim = luff.compile(luff.loads(RUNNING))
    alone = sim.run().table.tolist()
    pair = [sim.start(), sim.start()]
    while "running" in [session.advance(steps=7) for session in pair]:
        pass
    for session in pair:
        assert session.take()[1].tolist() == alone
