"""`luff blocks`: every type with its parameters and ports, those of a netlist, words that are looked for."""

import json
import re
from pathlib import Path

import pytest

import luff
from luff.tests.cli.test_commands import call


def test_blocks_lists_every_type_and_explains_each() -> None:
    from luff.blocks import registered

    listed = call("blocks").stdout
    for name in registered():
        assert re.search(rf"^  {name} ", listed, re.MULTILINE)
        explained = call("blocks", name).stdout
        for param in registered()[name].params.values():
            assert param.doc in explained
    assert 'did you mean "revolute"?' in call("blocks", "revolut", code=2).stderr
    assert (
        "(known: load_sensing_section, pump, accumulator, "
        in call("blocks", "load_sensing_pump", code=2).stderr
    )


def test_blocks_tells_the_comments_of_a_composites_parameters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "leg.yaml").write_text("""
luff: 1
parameters:
  length: 2 m   # from pin to pin,
                # without the shoe
  # of the lower part alone
  mass: "3 kg"  # 'steel' # not wood
  turn: 0 deg
blocks:
  it: {type: rigid_link, mass: =mass, com: [=length/2, 0, 0]}
  more:
    type:
      parameters: {stiff: 1, soft: 2}   # of both
      blocks: {one: {type: constant}}
ports: {top: it.frame_a}
""")
    found = json.loads(call("blocks", "./leg.yaml", "--json").stdout)["parameters"]
    assert {one["name"]: one["doc"] for one in found} == {
        "length": "from pin to pin, without the shoe", "mass": "'steel' # not wood", "turn": "",
    }  # fmt: skip
    inside = luff.load(tmp_path / "leg.yaml").block_params("more")
    assert [inside[name].doc for name in ("stiff", "soft")] == ["", ""]


def test_blocks_finds_words() -> None:
    out = call("blocks", "valve").stdout
    for name in ("check_valve", "counterbalance_valve", "proportional_valve", "relief_valve"):
        assert f"  {name} " in out
    assert "revolute" not in out
    assert "check_valve" in json.loads(call("blocks", "valve", "--json").stdout)["families"]["hydraulics"]


@pytest.mark.parametrize(
    ("name", "ports"),
    [
        ("base_support", {"force_1", "deflection_1", "lifted_1", "z"}),
        ("state_space", {"u", "y"}), ("sum", {"u1", "u2", "y"}), ("mux", {"u1", "u2", "y"}), ("demux", {"u", "y1"}),
        ("table", {"u", "y", "trajectory"}), ("hydraulic_cylinder", {"cap", "rod", "effort"}),
        ("revolute", {"follow", "effort", "bristle"}),
    ],
)  # fmt: skip
def test_blocks_names_ports_that_hang_on_parameters(name: str, ports: set[str]) -> None:
    from luff.solver.diagram.block_reference import describe_block

    assert ports <= {port["name"] for port in describe_block(name)["ports"]}


def test_blocks_json_says_units_and_bounds() -> None:
    found = json.loads(call("blocks", "rigid_link", "--json").stdout)
    mass = next(param for param in found["parameters"] if param["name"] == "mass")
    assert (mass["unit"], mass["bounds"], mass["required"]) == ("kg", ">= 0 kg", False)
