"""Units of the parameters of netlists that are blocks: in the words of the netlist, and meaning what a run takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import luff
from luff.cli import app

INNER = """
luff: 1
parameters: {push: 3 kN, softness: 2 mm/kN, oil: 20 bar, twice: =2*push, share: 0.5}
blocks:
  source: {type: constant, value: =push, unit: N}
  other: {type: constant, value: =oil, unit: Pa}
outputs: {y: source.y, p: other.y}
"""
OUTER = (
    "luff: 1\nblocks:\n  it: {type: ./inner.yaml, push: 7, oil: 9}\nsimulation: {stop: 1 s, step: 0.1 s}\n"
)


def test_parameters_of_a_netlist_have_units_that_a_person_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner.yaml").write_text(INNER)
    (tmp_path / "outer.yaml").write_text(OUTER)
    monkeypatch.chdir(tmp_path)
    diagram = luff.load("outer.yaml")
    units = {name: param.unit for name, param in diagram.block_class("it").params.items()}
    assert units == {"push": "N", "softness": "m/N", "oil": "Pa", "twice": "N", "share": ""}
    # a bare number is one of that unit
    values = luff.compile(diagram).evaluate()
    assert (float(values["it.source.y"]), float(values["it.other.y"])) == (7.0, 9.0)


def test_the_catalogue_tells_them() -> None:
    told = CliRunner().invoke(app, ["blocks", "boom_with_hydraulics", "--json"]).output
    assert "kg/m/s^2" not in told
    assert '"Pa"' in json.dumps(json.loads(told))
