"""A motion that is prescribed needs its rate and acceleration; a pulse needs a step in which it is there."""

from __future__ import annotations

import pytest

import luff

ROD = """
  pin: {type: revolute, axis: y, driven: true}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5]}
"""
WIRED = "world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a"


def prescribed(blocks: str, wires: str) -> luff.Diagram:
    return luff.loads(
        f"luff: 1\nblocks:{ROD}{blocks}\nconnect: [{WIRED}, {wires}]\nsimulation: {{stop: 0.1 s}}\n"
    )


VALUE = '  angle: {type: expression, expr: "0.5*t^2"}\n  make: {type: make_trajectory}\n'


@pytest.mark.parametrize(
    ("more", "wires", "lacks"),
    [
        (
            "",
            "make.y -> pin.follow",
            "without its rate and acceleration: it would have no velocity and no effort",
        ),
        (
            '  rate: {type: expression, expr: "t"}',
            "rate.y -> make.rate, make.y -> pin.follow",
            "without its acceleration: it would have no effort",
        ),
        # also behind a bundle
        (
            "  two: {type: mux, kind: trajectory, sizes: [1]}",
            "make.y -> two.u1, two.y -> pin.follow",
            "make.y brings a value without its rate and acceleration",
        ),
    ],
)
def test_motion_by_a_value_alone_is_an_error_at_check(more: str, wires: str, lacks: str) -> None:
    with pytest.raises(luff.LuffError) as told:
        luff.compile(prescribed(VALUE + more, f"angle.y -> make.value, {wires}"))
    assert lacks in str(told.value)
    assert "-> pin.follow" in str(told.value)
    assert "derivative" in str(told.value)


def test_it_is_told_beside_mistakes_of_other_sections() -> None:
    diagram = prescribed(VALUE, "angle.y -> make.value, make.y -> pin.follow")
    with pytest.raises(luff.LuffError) as told:
        luff.compile(luff.loads(diagram.to_yaml().replace("0.1 s", "0.1 kg")))
    assert "without its rate" in str(told.value)
    assert "0.1 kg" in str(told.value)


def test_motion_with_all_that_it_needs_has_its_effort() -> None:
    """phi = t^2/2 about a pin: m l^2 phi'' + m g l sin(phi), the inertia of a point."""
    rates = '  rate: {type: expression, expr: "t"}\n  one: {type: constant, value: 1}'
    wires = "angle.y -> make.value, rate.y -> make.rate, one.y -> make.acceleration, make.y -> pin.follow"
    result = luff.compile(prescribed(VALUE + rates, wires)).run()
    # 2 kg at 0.5 m; sin(0.005) = 0.005, g = 9.81 within 1e-4 of the standard one
    assert result["pin.required_effort"][-1] == pytest.approx(0.5 + 9.81 * 0.005, rel=1e-3)
    assert result["pin.velocity"][-1] == pytest.approx(0.1, rel=1e-12)


def test_joint_that_is_held_by_a_constant_needs_no_rates() -> None:
    held = "  at: {type: constant, value: 0.3}\n  make: {type: make_trajectory}"
    result = luff.compile(prescribed(held, "at.y -> make.value, make.y -> pin.follow")).run()
    assert result["pin.position"][-1] == 0.3


@pytest.mark.parametrize(("duration", "is_lost"), [("0.4 ms", True), ("0.6 ms", False), ("2 ms", False)])
def test_pulse_that_no_step_sees_is_told(duration: str, is_lost: bool) -> None:
    text = f"""
luff: 1
blocks:
  blow: {{type: pulse, start: 50 ms, duration: {duration}, height: 10}}
  sum: {{type: integrator}}
connect: [blow.y -> sum.u]
simulation: {{stop: 0.1 s, step: 1 ms}}
"""
    session = luff.compile(luff.loads(text)).start()
    session.advance(steps=100)
    assert (session.x[0] == 0.0) == is_lost  # the area of the pulse
    told = [str(remark) for remark in session.remarks]
    assert any("is lost" in words and "blow" in words for words in told) == is_lost, told


@pytest.mark.parametrize(("sample_time", "doubted"), [("0.4 ms", True), ("0.6 ms", False)])
def test_noise_is_doubted_below_half_a_step(sample_time: str, doubted: bool) -> None:
    text = f"luff: 1\nblocks: {{n: {{type: noise, sample_time: {sample_time}}}}}\nsimulation: {{step: 1 ms}}"
    warnings = [str(each) for each in luff.compile(luff.loads(text)).remarks]
    assert any("far below the step" in words for words in warnings) == doubted
