"""Values and wires of another kind than the wires ask for are told; what does not follow, and what fits, is not."""

from __future__ import annotations

import random
import re
from functools import cache
from pathlib import Path

import pint
import pytest
from typer.testing import CliRunner

import luff
from luff.blocks.block import Block
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.blocks.registry import is_own, registered
from luff.cli import app
from luff.solver.flatten.diagram import check_text
from luff.solver.flatten.unit_flow import powers_of_law

MODEL = """\
luff: 1
parameters: {far: 10 m, stiff: 3 kN*m/rad, near: =far}
blocks:
  pin: {type: revolute, axis: y}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5], inertia: [0.1, 0.1, 0.01]}
  pd: {type: pd, kp: %s, kd: %s}
  wave: {type: sine, amplitude: %s}
  a: {type: constant, value: %s}
  b: {type: constant, value: 2%s}
  both: {type: sum, signs: ++}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
  - wave.trajectory -> pd.target
  - pin.trajectory -> pd.measured
  - a.y -> both.u1
  - b.y -> both.u2
  - both.y -> pd.feedforward
  - pd.effort -> pin.effort
"""
FITS = ("=stiff", "10 N*m*s", "5 deg", "1 kN*m", "")


def warnings_of(text: str) -> list[str]:
    return [str(problem) for problem in check_text(text, "", Path(), False).problems]


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (
            1,
            "10 m",
            (
                "blocks.pd.kd: 10 m is a length; from the wires kd is in N*m*s/rad: pin.effort takes N*m, "
                "pin.trajectory gives rad (write 10 N*m*s/rad if that is its unit)"
            ),
        ),
        (0, "=near", "6:22: warning: blocks.pd.kp: =near is a length; from the wires kp is in N*m/rad"),
        (0, "[10 m]", "6:23: warning: blocks.pd.kp[0]: 10 m is a length; from the wires kp[0] is in N*m/rad"),
        (
            2,
            "0.5 m",
            (
                "blocks.wave.amplitude: 0.5 m is a length; from the wires amplitude is in rad: pd.target takes "
                "rad, as pin.trajectory (write 0.5 rad if that is its unit)"
            ),
        ),
        (
            3,
            "1 kg",
            (
                "blocks.a.value: 1 kg is a mass; from the wires value is in N*m: both.u1 takes N*m, as "
                "pin.effort"
            ),
        ),
        (
            4,
            " N, unit: N",
            "warning: pd.feedforward: both.y [N, as b.y] brings a force, and pd.feedforward [N*m, as pin.effort] takes",
        ),
    ],
)
def test_a_value_of_another_kind_is_told_with_what_the_wires_ask_for(
    place: int, value: str, words: str
) -> None:
    values = [*FITS]
    values[place] = value
    told = warnings_of(MODEL % tuple(values))
    assert any(words in line for line in told), told
    assert all("warning" in line for line in told)


@pytest.mark.parametrize(
    "values",
    [
        FITS,
        ("1", "2", "0.5", "1", ""),  # a bare number is in SI
        ("2 MN*m", "1e3 N*m*s", "0.5", "50 %", ""),  # per radian or not is a matter of taste
        ("=2*far", "=far*stiff", "0.5", "1", ""),  # numbers in expressions may have units that no one wrote
    ],
)
def test_what_fits_or_does_not_follow_is_not_told(values: tuple[str, ...]) -> None:
    assert warnings_of(MODEL % values) == []


def test_the_command_line_tells_it_and_a_run_does_not(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text(MODEL % ("1", "10 m", "1", "1", "") + "simulation: {stop: 1 ms}\n")
    done = CliRunner().invoke(app, ["check", str(path)])
    assert done.exit_code == 0
    assert done.stderr.count("10 m is a length") == 1
    assert [*map(str, luff.compile(path).remarks)] == []


def test_each_law_of_a_block_names_what_the_block_has() -> None:
    wrong, several = [], 0
    for name, cls in registered().items():
        if cls.unit_laws is Block.unit_laws or not is_own(cls):
            continue
        block = cls("one", convert_all(cls.params, cls.example, Scope(), "", name))
        for text in block.unit_laws():
            laws = powers_of_law(text, tuple(block.ports()))
            names = {re.split(r"[.\[]", one)[0] for powers, _ in laws for one in powers}
            wrong += [f"{name}: {text}: {one}" for one in names - {*block.ports(), *cls.params}]
            several += len(laws)
    assert wrong == []
    assert several > 50


@cache
def registry() -> pint.UnitRegistry:
    return pint.UnitRegistry(cache_folder=None)


def by_chance(seed: int) -> tuple[list[str], list[str], dict[str, pint.Unit]]:
    """Blocks and wires by chance, units where a block takes one, and by pint the unit of each output."""
    chance, pints = random.Random(seed), registry()
    blocks, wires, known = [], [], dict[str, pint.Unit]()

    def add(name: str, entry: str, unit: pint.Unit, *inputs: str) -> None:
        blocks.append(f"  {name}: {{{entry}}}")
        ports = ["u"] if len(inputs) == 1 else ["u1", "u2"]
        wires.extend(f"{one}.y -> {name}.{port}" for one, port in zip(inputs, ports, strict=False))
        known[name] = (1.0 * unit).to_base_units().units

    for k in range(3):
        unit = chance.choice(UNITS)
        add(f"c{k}", f"type: constant, value: {k} {unit}", pints(unit).units)
    for k in range(10):
        one, two, unit = chance.choice([*known]), chance.choice([*known]), chance.choice(UNITS)
        like = chance.choice([name for name in known if known[name] == known[one]])
        made = {
            "gain": (f"k: 2 {unit}", known[one] * pints(unit).units, one),
            "integrator": ("initial: 0", known[one] * pints.second, one),
            "derivative": ("initial: 0", known[one] / pints.second, one),
            "sum": ("signs: +-", known[one], one, like),
            "product": ('operations: "*/"', known[one] / known[two], one, two),
        }
        kind = chance.choice([*made])
        entry, whole, *inputs = made[kind]
        add(f"g{k}", f"type: {kind}, {entry}", whole, *inputs)
    return blocks, wires, known


UNITS = ("m", "kg", "s", "kN", "bar", "mm^2", "1/s", "m/s", "N*m")


@pytest.mark.parametrize("seed", range(12))
def test_units_of_chains_by_chance_are_those_of_pint(seed: int) -> None:
    blocks, wires, known = by_chance(seed)

    def told(wrong: str) -> list[str]:
        """Warnings where the unit of every output is declared behind it, of one with a length too many."""
        ends = [
            f"  e{name}: {{type: rms, unit: {format(unit, '~').replace('**', '^') or 'm/m'}{'*m' * (name == wrong)}}}"
            for name, unit in known.items()
        ]
        lines = "\n".join([*blocks, *ends])
        reads = [f"{name}.y -> e{name}.u" for name in known]
        return warnings_of(f"luff: 1\nblocks:\n{lines}\nconnect: [{', '.join([*wires, *reads])}]\n")

    assert told("") == []
    for name in ("c0", "g4", "g9"):
        assert told(name), name
