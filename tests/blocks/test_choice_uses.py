"""What choices say that they need and do not use is what the checks of blocks refuse and what equations do not read."""

from __future__ import annotations

import json

import pytest

from luff.blocks.geometry.body_shapes import SIZES, Shape
from luff.blocks.geometry.cross_sections import COEFFICIENTS, SHAPES, Section
from luff.blocks.params import Choice
from luff.blocks.planning.motion_law import MotionLaw
from luff.blocks.planning.path_motion import Path
from luff.blocks.planning.time_scaling import LAWS, law
from luff.solver.flatten.diagram import check_text

VALUES = {
    "size": 1.0, "file": "none.stl", "heights": [[0, 0], [0, 0]], "scale": 1.0, "round": 0.01, "density": 1.0,
}  # fmt: skip


def choice(params: dict, name: str) -> Choice:
    found = params[name]
    assert isinstance(found, Choice)
    return found


@pytest.mark.parametrize("shape", [None, *SHAPES])
def test_a_section_needs_and_refuses_what_its_shape_says(shape: str | None) -> None:
    use = choice(Section.params, "shape").use({} if shape is None else {"shape": shape})
    sizes = Section.params.keys() - {"shape"}
    blank = dict.fromkeys(sizes) | {"shape": shape}
    for name in sizes:
        given = Section({**blank, **dict.fromkeys(use.needed, 0.01), name: 0.01}, frozenset([name]))
        refused = [
            problem for problem in given.problems() if problem.path == f".section.{name}" and problem.key
        ]
        assert bool(refused) == (name in use.unused)
        left = Section({**blank, **dict.fromkeys(use.needed - {name}, 0.01)})
        missing = [problem for problem in left.problems() if problem.message.endswith(f"{name} is missing")]
        assert bool(missing) == (name in use.needed)
    assert use.needed | use.unused | (set() if shape else {*COEFFICIENTS}) == sizes


def problem_places(shape: dict) -> set[str]:
    text = f"luff: 1\nblocks: {{a: {{type: rigid_link, shape: {json.dumps(shape)}}}}}\n"
    found = check_text(text, "").problems
    return {problem.path.partition("shape")[2] for problem in found if "shape" in problem.path}


@pytest.mark.parametrize("kind", choice(Shape.params, "kind").choices)
def test_a_shape_needs_and_refuses_what_its_kind_says(kind: str) -> None:
    use = choice(Shape.params, "kind").use({"kind": kind})
    size = [1.0] * (SIZES.get(kind, "").count(",") + 1)
    values = VALUES | {"size": size if kind in SIZES else 1.0}
    whole = {"kind": kind} | {name: values[name] for name in use.needed}
    for name, value in values.items():
        refused = f".{name}" in problem_places({**whole, name: value})
        assert refused == (name in use.unused or name == "file"), name  # there is no such file
    for name in use.needed:
        assert "" in problem_places({key: value for key, value in whole.items() if key != name})


@pytest.mark.parametrize("word", LAWS)
def test_a_law_reads_the_ramps_that_it_uses(word: str) -> None:
    use = choice(MotionLaw.params, "law").use({"law": word})
    code, shares = LAWS.index(word), {"ramp": 0.25, "rounding": 0.5}
    for name in shares:
        other = shares | {name: 0.3}
        same = law(code, 0.1, 0.1, *shares.values()) == law(code, 0.1, 0.1, *other.values())
        assert same == (name in use.unused)


@pytest.mark.parametrize("shape", choice(Path.params, "shape").choices)
def test_a_path_follows_from_what_its_shape_uses(shape: str) -> None:
    use = choice(Path.params, "shape").use({"shape": shape})
    rows = ((0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (3.0, 3.0), (2.0, 5.0), (0.0, 1.0), (0.0, 0.0))
    values = {name: param.default for name, param in Path.params.items()} | {"shape": shape, "points": rows}
    legs = len(Path("p", values).corners()) - 1
    other = {
        "leg_durations": (0.3,) * legs, "dwell": 0.5, "radius": 3.0, "end_radius": 2.0, "start_angle": 0.2,
        "turns": 2.0, "direction": "cw", "size": (2.0, 3.0), "points": (*rows[:3], *rows[4:]), "spline": "cubic",
    }  # fmt: skip
    before = Path("p", values).derived()
    for name, value in other.items():
        assert (Path("p", {**values, name: value}).derived() == before) == (name in use.unused), name


def test_a_leg_uses_the_ramps_of_its_own_law() -> None:
    of_law = choice(MotionLaw.params, "law")
    assert of_law.use({}).unused == {"ramp", "rounding"}
    assert of_law.use({"legs": [{"to": 1}, {"to": 2, "law": "trapezoidal"}]}).unused == {"rounding"}
