"""`inputs:` and `outputs:` of a netlist: where they go, what they do alone and nested, and every mistake."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

import luff
from luff.solver.diagram.json_schema import schema
from luff.tests.process import call

# a wheel about its own centre of mass, which nothing but the input turns: q = T t^2 / (2 I)
WHEEL = """
luff: 1
inputs:
  torque: {unit: N*m, default: 3 N*m, doc: on the axle}
  wind: {width: 2, default: [1, 2]}
blocks:
  axle: {type: revolute, axis: z}
  disc: {type: rigid_link, mass: 2, inertia: [1, 1, 1.5]}
  both: {type: gain, k: 10}
connect:
  - world.frame -- axle.frame_a
  - axle.frame_b -- disc.frame_a
  - inputs.torque -> axle.effort
  - inputs.wind -> both.u
outputs: {angle: axle.position, push: both.y}
simulation: {stop: 2 s, step: 10 ms, method: rk4}
record: [axle.velocity]
"""
OUTER = """
luff: 1
inputs: {t: {unit: N*m, default: 6}}
blocks:
  machine: {type: ./wheel.yaml}
  half: {type: gain, k: 0.5}
  sum: {type: gain, k: 1}
connect:
  - inputs.t -> half.u
  - half.y -> machine.torque
  - machine.push[1] -> sum.u
simulation: {stop: 2 s, step: 10 ms}
"""


def test_an_input_acts_with_its_default_until_another_is_set(tmp_path: Path) -> None:
    (tmp_path / "wheel.yaml").write_text(WHEEL)
    call("run", "wheel.yaml", "-o", "a.csv", "--quiet", cwd=tmp_path)
    call("run", "wheel.yaml", "-o", "b.csv", "--quiet", "--set", "inputs.torque.default=6 N*m", cwd=tmp_path)
    one, two = luff.read(tmp_path / "a.csv"), luff.read(tmp_path / "b.csv")
    # constant acceleration: RK4 has no error but rounding
    assert one["axle.velocity"][-1] == pytest.approx(3 / 1.5 * 2, rel=1e-12)
    assert two["axle.velocity"][-1] == pytest.approx(6 / 1.5 * 2, rel=1e-12)
    # what `outputs` names is recorded, whatever `record` says
    assert one["axle.position"][-1] == pytest.approx(3 / 1.5 * 2**2 / 2, rel=1e-12)
    assert one["both.y[1]"][-1] == 20.0


def test_a_nested_netlist_has_its_inputs_and_outputs_as_ports(tmp_path: Path) -> None:
    (tmp_path / "wheel.yaml").write_text(WHEEL.replace("[1, 2]", "4"))
    (tmp_path / "outer.yaml").write_text(OUTER)
    call("check", "outer.yaml", cwd=tmp_path)
    result = luff.compile(tmp_path / "outer.yaml").run()
    assert result["machine.axle.position"][-1] == pytest.approx(3 / 1.5 * 2**2 / 2, rel=1e-12)
    ports = luff.load(tmp_path / "outer.yaml").block_ports("machine")
    assert {name: port.direction for name, port in ports.items()} == {
        "angle": "out",
        "push": "out",
        "torque": "in",
        "wind": "in",
    }
    assert ports["torque"].unit == "N*m"


def test_a_nested_input_that_is_left_open_has_its_default_or_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "wheel.yaml").write_text(WHEEL)  # a port has no two defaults
    (tmp_path / "outer.yaml").write_text(OUTER.replace("  - half.y -> machine.torque\n", ""))
    done = call("check", "outer.yaml", cwd=tmp_path, code=1)
    said = done.stdout + done.stderr
    assert "machine.wind: missing wire" in said, said
    assert "outer.yaml:5:3" in said, said
    (tmp_path / "wheel.yaml").write_text(WHEEL.replace("[1, 2]", "4"))
    sim = luff.compile(tmp_path / "outer.yaml")
    assert sim.evaluate()["machine.axle.acceleration"] == pytest.approx(3 / 1.5, rel=1e-12)
    assert sim.evaluate()["sum.y"] == 40.0


MISTAKES = [
    ("default: 3 N*m", "default: 3 m", "torque", "N*m"),
    ("default: 3 N*m", "default: much", "torque", "much"),
    ("unit: N*m", "unit: kN*m", "inputs.torque.unit", "SI unit"),
    ("unit: N*m", "unit: 7", "inputs.torque.unit", "7"),
    ("unit: N*m, default: 3 N*m", "unit: m", "axle.effort", "takes N*m"),
    ("width: 2", "width: 3", "inputs.wind.default", "2 numbers for 3"),
    ("width: 2", "breadth: 2", "inputs.wind.breadth", "breadth"),
    ("torque: {", "2nd: {", "inputs.2nd", "letters"),
    ("  both: {", "  inputs: {type: gain}\n  both: {", "blocks.inputs", "another name"),
    ("inputs.wind ->", "inputs.wint ->", "inputs.wint", "wind"),
    ("angle: axle.position", "angle: axle.place", "outputs.angle", "position"),
    ("angle: axle.position", "angle: axle.frame_b", "outputs.angle", "frame"),
    ("angle: axle.position", "angle: axle.effort", "outputs.angle", "expected an output"),
    ("angle: axle.position", "angle: 3", "outputs.angle", "block.port"),
    ("angle: axle.position", "wind: axle.position", "outputs.wind", "inputs already"),
]


@pytest.mark.parametrize(("right", "wrong", "where", "what"), MISTAKES)
def test_a_mistake_says_where_and_what(right: str, wrong: str, where: str, what: str) -> None:
    assert right in WHEEL
    with pytest.raises(luff.LuffError) as caught:
        luff.compile(luff.loads(WHEEL.replace(right, wrong, 1)))
    problem = next((p for p in caught.value.problems if where in str(p)), None)
    assert problem is not None, caught.value
    assert what in str(problem)
    assert problem.mark is not None


def test_the_schema_knows_inputs() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    found = json.loads(json.dumps(schema()))
    from luff.solver.netlist import read_netlist

    jsonschema.validate(read_netlist(WHEEL).data, found)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(read_netlist(WHEEL.replace("width: 2", "breadth: 2")).data, found)


def test_saving_keeps_inputs_and_renaming_follows_outputs() -> None:
    diagram = luff.loads(WHEEL)
    diagram.rename_block("axle", "shaft")
    assert diagram.outputs["angle"] == "shaft.position"
    assert luff.loads(diagram.to_yaml()).inputs == diagram.inputs
    assert math.isfinite(luff.compile(diagram).run(stop=0.1)["shaft.position"][-1])


def test_a_linear_model_has_the_inputs_among_its_own() -> None:
    lin = luff.linearise(luff.compile(luff.loads(WHEEL)), inputs=["inputs.torque"])
    # d(rate of the angle) / d(torque) = 1 / I
    assert lin.B[lin.state_names.index("axle.velocity"), 0] == pytest.approx(1 / 1.5, rel=1e-6)
