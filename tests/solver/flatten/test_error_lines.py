"""What only compiling or running finds names its line in the file too."""

from __future__ import annotations

from pathlib import Path

import pytest

import luff
from luff.blocks import LuffError, RunError
from luff.solver.flatten.diagram import check_text, load
from luff.tests.shared.loop_cases import FOUR_BAR

PENDULUM = """\
luff: 1
blocks:
  pin:
    type: revolute
    axis: y
  rod: {type: rigid_link, mass: 2, com: [0, 0, -0.5], inertia: [0.17, 0.17, 0]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
simulation: {stop: 0.01, step: 1 ms}
"""
RING = """\
luff: 1
blocks:
  a: {type: rigid_link, mass: 1, frame_b: {at: [1, 0, 0]}}
  free: {type: free}
connect: [world.frame -- free.frame_a, free.frame_b -- a.frame_a, a.frame_b -- a.frame_a]
"""
SIGNALS = """\
luff: 1
blocks:
  a: {type: gain, k: 2}
  b: {type: gain, k: 3}
connect:
  - a.y -> b.u
  - b.y -> a.u
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "model.yaml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (PENDULUM.replace("  - world.frame -- pin.frame_a\n", ""), 3, "no chain of joints"),
        (RING, 3, "a ring that does not close"),
        (PENDULUM.replace("mass: 2, com: [0, 0, -0.5], inertia: [0.17, 0.17, 0]", "mass: 0"), 3, "no mass"),
        (PENDULUM + "record: [pin.*, nothing]\n", 11, "no signal matches"),
        (SIGNALS, 3, "algebraic loop"),
        (FOUR_BAR.replace("at: [2, 0, 0]", "at: [20, 0, 0]"), 12, "cannot be closed"),
        (FOUR_BAR.replace("step: 1 ms", "constraints: {redundant: refuse}"), 24, "redundant constraints"),
        (FOUR_BAR.replace("step: 1 ms", "constraints: {dependent: [q]}"), 24, "no coordinate"),
    ],
    ids=["grounded", "ring", "mass", "record", "algebraic", "closed", "refuse", "dependent"],
)
def test_what_compiling_refuses_names_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(LuffError) as caught:
        luff.compile(load(path))
    problem = caught.value.problems[0]
    assert problem.mark is not None
    assert (problem.mark.file, problem.mark.line) == (str(path), line)
    assert words in problem.message
    assert f"model.yaml:{line}:" in str(caught.value)


def test_what_compiling_remarks_names_its_line_and_block(tmp_path: Path) -> None:
    sim = luff.compile(load(written(tmp_path, FOUR_BAR)))
    over = [remark for remark in sim.remarks if "over-constrains" in remark.message]
    assert over
    assert {(remark.path, remark.mark and remark.mark.line) for remark in over} == {("D", 12)}
    assert all(not remark.message.startswith("D ") for remark in over), "its path says which block"


def test_block_inside_a_block_is_named_in_its_own_file(tmp_path: Path) -> None:
    path = written(tmp_path, SIGNALS + "ports: {y: a.y}\n")
    outer = tmp_path / "outer.yaml"
    outer.write_text("luff: 1\nblocks:\n  inner: {type: ./model.yaml}\n")
    with pytest.raises(LuffError) as caught:
        luff.compile(load(outer))
    mark = caught.value.problems[0].mark
    assert mark is not None
    assert (mark.file, mark.line) == (str(path.resolve()), 3)
    assert "inner.a <- inner.b <- inner.a" in str(caught.value)


def test_state_that_leaves_names_its_block_in_the_file(tmp_path: Path) -> None:
    text = "luff: 1\nblocks:\n  x: {type: integrator, initial: 1}\n  p: {type: product}\n"
    text += "connect: [x.y -> p.u1, x.y -> p.u2, p.y -> x.u]\nsimulation: {stop: 3, step: 1 ms}\n"
    with pytest.raises(RunError, match=r"model.yaml:3:6: x.x: this state is not finite after t = 1"):
        luff.compile(load(written(tmp_path, text))).run()
    with pytest.raises(RunError, match=r"model.yaml:3:6: x.x: its rate is not finite at the start"):
        luff.compile(load(written(tmp_path, text.replace("initial: 1", "initial: 1e300")))).run()


def test_edited_diagram_has_no_lines(tmp_path: Path) -> None:
    diagram = load(written(tmp_path, SIGNALS))
    diagram.set_value("a.k", 5)
    with pytest.raises(LuffError) as caught:
        luff.compile(diagram)
    assert caught.value.problems[0].mark is None


def test_plot_of_no_signal_is_remarked_at_its_line(tmp_path: Path) -> None:
    text = (
        PENDULUM
        + "plots:\n  - {y: [pin.position, rod.*]}\n  - {x: pin.velocity, y: ['pin.total_*[2]', pin.angle]}\n"
    )
    remarks = luff.compile(load(written(tmp_path, text))).remarks
    assert [(r.path, r.mark and r.mark.line) for r in remarks] == [("plots[0]", 12), ("plots[1]", 13)]
    assert [r.severity for r in remarks] == ["warning", "warning"]
    assert 'matches "rod.*"' in remarks[0].message
    assert 'matches "pin.angle"' in remarks[1].message


LOOP = PENDULUM.replace(
    "connect:\n",
    "  twice: {type: gain, k: 2}\nconnect:\n  - pin.total_torque[1] -> twice.u\n  - twice.y -> pin.effort\n",
)


def test_algebraic_loop_through_the_mechanism_has_a_place(tmp_path: Path) -> None:
    with pytest.raises(LuffError) as caught:
        luff.compile(written(tmp_path, LOOP))
    (problem,) = caught.value.problems
    assert problem.message.startswith("algebraic loop: mechanism <- ")
    assert (problem.mark.line, problem.path.partition(".")[0]) == (3, "pin")


@pytest.mark.parametrize(
    "form", ["record: 3", "plots: 3", "name: [a]", "layout: 3", "nonsense: 1", "ports: {p: 1}"]
)
def test_section_of_wrong_shape_leaves_all_other_mistakes_their_places(form: str, tmp_path: Path) -> None:
    text = PENDULUM.replace("mass: 2", "mass: 2 s").replace("0.01, ", "-1, ") + form + "\n"
    with pytest.raises(LuffError) as caught:
        load(written(tmp_path, text))
    assert [problem.mark.line for problem in caught.value.problems if problem.mark] == [6, 10, 11]
    assert len(caught.value.problems) == 3


BOUNDLESS = """\
luff: 1
blocks:
  big: {type: constant, value: 1.7e308}
  a: {type: integrator}
  b: {type: integrator}
connect: [big.y -> a.u, big.y -> b.u]
simulation: {stop: 2, step: 1 ms, method: euler}
"""


@pytest.mark.parametrize(
    "text",
    [
        BOUNDLESS,
        BOUNDLESS.replace("big.y -> b.u", "big.y -> b.u, a.y -> a.u").replace("[big.y -> a.u, ", "["),
    ],
)
def test_signals_alone_fail_without_a_word_on_a_mechanism(text: str, tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        luff.compile(written(tmp_path, text)).run()
    (problem,) = caught.value.problems
    assert problem.mark is not None
    assert not {"mechanism", "masses", "inertias"} & set(str(problem).replace(",", "").split())


def test_every_warning_has_a_place(tmp_path: Path) -> None:
    for text in (FOUR_BAR, PENDULUM + "plots: [{y: [nothing]}]\n", PENDULUM.replace("0.01,", "0.0105,")):
        remarks = luff.compile(written(tmp_path, text)).remarks
        assert all(remark.mark is not None for remark in remarks), remarks
    flat = luff.compile(written(tmp_path, PENDULUM)).program.flat
    assert flat.remark("the joints rod and pin are in line").mark.line == 6
    assert flat.remark("a sentence on nothing").mark.line == 10


@pytest.mark.parametrize(
    ("first", "second", "fix"),
    [
        ("u", "u", 'did you mean "u1"?'),
        ("u1", "u", 'did you mean "u2"?'),
        ("u2", "u", 'did you mean "u1"?'),
        ("u1", "uu2", 'did you mean "u2"?'),
        ("u2", "uu2", "u2 has a wire already"),
    ],
)
def test_the_nearest_input_that_is_free_is_proposed(first: str, second: str, fix: str) -> None:
    blocks = "blocks: {c: {type: constant, value: 1}, s: {type: sum}}"
    text = f"luff: 1\n{blocks}\nconnect: [c.y -> s.{first}, c.y -> s.{second}]\n"
    *_, last = check_text(text, "", Path(), False, (), None).problems
    assert (last.path, str(last.fix)) == (f"s.{second}", fix)


def test_no_input_is_proposed_where_all_have_wires() -> None:
    blocks = "blocks: {c: {type: constant, value: 1}, s: {type: sum}}"
    text = f"luff: 1\n{blocks}\nconnect: [c.y -> s.u1, c.y -> s.u2, c.y -> s.u]\n"
    (problem,) = check_text(text, "", Path(), False, (), None).problems
    assert problem.fix == "u2 has a wire already"
