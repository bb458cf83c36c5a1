"""The JSON Schema agrees with what netlists may say, as an independent validator sees it."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import luff
from luff.blocks import registered
from luff.solver.diagram.composite_types import LIBRARY
from luff.solver.diagram.json_schema import schema
from luff.solver.netlist import read_netlist

BROKEN = Path(__file__).parent / "broken"
VALIDATOR = jsonschema.Draft202012Validator(schema())


def valid(text: str) -> bool:
    return VALIDATOR.is_valid(read_netlist(text).data)


def test_schema_is_a_schema_and_json() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert json.loads(json.dumps(schema(), allow_nan=False)) == schema()


def test_schema_describes_every_block_and_parameter() -> None:
    definitions = schema()["$defs"]
    for name, cls in registered().items():
        found = definitions["world" if name == "world" else f"block_{name}"]
        assert found["description"].startswith((cls.__doc__ or "").strip()[:20])
        own = {"type"} if name == "world" else {"type", "enabled"}
        assert set(found["properties"]) == own | set(cls.params)
        for key, param in cls.params.items():
            assert found["properties"][key]["description"].startswith(param.doc)


def test_schema_tells_units_and_bounds() -> None:
    mass = schema()["$defs"]["block_rigid_link"]["properties"]["mass"]
    assert "[kg]" in mass["description"]
    assert mass["anyOf"][0] == {"type": "number", "minimum": 0}


GOOD = """\
luff: 1
name: all sections
parameters: {l: 6 m}
blocks:
  world: {gravity: [0, 0, 0]}
  files: [mine.py]
  j: {type: revolute, axis: -z, initial: {position: 30 deg}, limits: {upper: 2}}
  b: {type: rigid_link, mass: =l, com: [0, 0, =l/2], frames: {pin: {at: [0, 1, 2], rotate: [[x, 90 deg]]}}}
  c: {type: ./boom.yaml, anything: 5}
  g: {type: gain, k: [1, 2]}
connect: [world.frame -- j.frame_a, "g.y[0] -> j.effort", c.a.b -- b.pin]
ports: {tip: b.frame_b}
initial: {solve: static, hold: [j]}
simulation: {stop: 60 s, method: rk4, constraints: {method: baumgarte, alpha: 5}}
record: ["*"]
plots: [{title: x, y: [j.position]}]
layout: {j: [1, 2], b: [1, 2, 90], wires: {j.frame_b -- b.frame_a: [[1, 2], [3, 4]]}}
"""


def test_schema_accepts_every_section() -> None:
    VALIDATOR.validate(read_netlist(GOOD).data)


def test_schema_accepts_empty_sections() -> None:
    assert valid("luff: 1\nconnect:\nblocks:\n")


OTHERS = ("studies", "assessments", "plans", "factors")  # files about models, and of factors
NETLISTS = [path for path in sorted(LIBRARY.rglob("*.yaml")) if path.parent.name not in OTHERS]


@pytest.mark.parametrize("path", NETLISTS, ids=lambda path: path.stem)
def test_schema_accepts_the_library(path: Path) -> None:
    VALIDATOR.validate(luff.load(path).data)


# what a schema can see: shapes and words, not units, names of blocks, or what is wired
SEEN = [
    *("version_missing", "version_future", "section_unknown", "section_wrong_kind", "name_is_a_list"),
    *("block_is_a_word", "block_without_type", "type_unknown", "type_is_a_number", "parameter_unknown"),
    *("parameter_unknown_nested", "mass_is_true", "mass_is_a_word", "vector_too_long", "vector_is_a_number"),
    *("axis_bad", "flag_is_a_word", "choice_bad", "rotation_flat", "world_gravity_bad", "record_number"),
    *("initial_unknown_mode", "simulation_unknown_entry", "simulation_method_unknown", "plots_without_y"),
    *(
        "plots_unknown_entry",
        "wire_nonsense",
        "wire_without_port",
        "wire_backwards",
        "connection_is_a_mapping",
    ),
]


@pytest.mark.parametrize("name", SEEN)
def test_schema_refuses_what_it_can_see(name: str) -> None:
    (path,) = BROKEN.glob(f"???_{name}.yaml")
    assert not valid(path.read_text())


def test_every_default_fits_its_own_schema() -> None:
    definitions = schema()["$defs"]

    def check(found: Any) -> None:
        if isinstance(found, dict):
            if found.get("default") is not None and "description" in found:
                part = {**found, "$defs": definitions}
                jsonschema.Draft202012Validator(part).validate(found["default"])
            for below in found.values():
                check(below)

    check({name: entry for name, entry in definitions.items() if name != "quantity"})
