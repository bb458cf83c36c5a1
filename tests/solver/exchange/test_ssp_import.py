"""Systems of FMUs as SSP files: written, held to the standard's schema, run by FMPy, and read again."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest
from fmpy.ssp.simulation import simulate_ssp
from fmpy.ssp.ssd import read_ssd

import luff
from luff.blocks import LuffError
from luff.tests.conftest import about_compiling
from luff.tests.process import call

pytestmark = about_compiling

# a mass on a spring, and what pushes it back: together a damped swing, from rest at 0 pushed by an input
MASS = """luff: 1
name: mass
inputs: {push: {unit: N}, brake: {unit: N}}
outputs: {position: rail.position, velocity: rail.velocity}
blocks:
  rail: {type: prismatic, axis: x, stiffness: 40, effort_limit: none}
  load: {type: rigid_link, mass: 2, com: [0, 0, 0], inertia: [1, 1, 1]}
  all: {type: sum, signs: ++}
connect:
  - world.frame -- rail.frame_a
  - rail.frame_b -- load.frame_a
  - inputs.push -> all.u1
  - inputs.brake -> all.u2
  - all.y -> rail.effort
simulation: {stop: 1 s, step: 1 ms}
""".replace(", effort_limit: none", "")
DAMPER = """luff: 1
name: damper
inputs: {velocity: {unit: m/s}}
outputs: {force: less.y}
blocks: {less: {type: gain, k: -3}}
connect: [inputs.velocity -> less.u]
simulation: {stop: 1 s, step: 1 ms}
"""
WHOLE = """luff: 1
name: whole
inputs: {push: {unit: N, default: 5}}
outputs: {position: mass.position}
blocks:
  mass: {type: fmu, file: mass.fmu, step: 10 ms, start: [{name: load.mass, value: 4}]}
  damper: {type: fmu, file: damper.fmu, step: 10 ms}
connect: [inputs.push -> mass.push, mass.velocity -> damper.velocity, damper.force -> mass.brake]
simulation: {stop: 1 s, step: 10 ms}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ssp")
    for name, text in (("mass", MASS), ("damper", DAMPER), ("whole", WHOLE)):
        (made / f"{name}.yaml").write_text(text)
    luff.export_fmu(made / "mass.yaml", made / "mass.fmu", parameters=["load.mass"])
    luff.export_fmu(made / "damper.yaml", made / "damper.fmu", parameters=())
    call("export", "whole.yaml", "-o", "whole.ssp", cwd=made)
    return made


def run(path: Path) -> luff.Result:
    return luff.compile(luff.load(path, allow_code=True)).run()


def test_another_program_runs_what_was_written(folder: Path) -> None:
    """FMPy holds it to the schema, and steps the FMUs as luff does: outputs are handed on at each point."""
    rows = simulate_ssp(
        str(folder / "whole.ssp"), stop_time=1.0, step_size=0.01, input={"push": lambda t: 5.0}
    )
    assert rows is not None
    own = run(folder / "whole.yaml")["mass.position"]
    # FMPy gives no parameters that stand in the file: the mass is 2 there
    (folder / "light.yaml").write_text(WHOLE.replace(", start: [{name: load.mass, value: 4}]", ""))
    light = np.asarray(run(folder / "light.yaml")["mass.position"])
    column = next(name for name in rows.dtype.names or () if name.endswith("position"))
    told = np.asarray(rows[column])
    at = np.round(np.asarray(rows["time"]) / 0.01).astype(int)
    assert np.ptp(light) > 0.1
    assert not np.allclose(own, light, rtol=0.05)
    # its loop names the time at which a step begins, or ends; which of the two is no matter here
    assert min(np.abs(told[at < 98] - light[at[at < 98] + k]).max() for k in (0, 1)) < 1e-12


def test_structure_names_units_values_and_files(folder: Path) -> None:
    described = read_ssd(str(folder / "whole.ssp"))  # held to the schema
    assert sorted(one.source for one in described.system.elements) == [
        "resources/damper.fmu", "resources/mass.fmu",
    ]  # fmt: skip
    with zipfile.ZipFile(folder / "whole.ssp") as archive:
        text = archive.read("SystemStructure.ssd").decode()
        assert archive.read("resources/mass.fmu") == (folder / "mass.fmu").read_bytes()
    assert '<ssc:BaseUnit kg="1" m="1" s="-2" />' in text
    assert '<ssv:Parameter name="load.mass">' in text
    again = luff.export_ssp(folder / "whole.yaml", folder / "again.ssp")
    assert again.read_bytes() == (folder / "whole.ssp").read_bytes()


def test_what_was_written_is_read_again(folder: Path, tmp_path: Path) -> None:
    """To the same numbers, from a folder of its own."""
    (tmp_path / "whole.ssp").write_bytes((folder / "whole.ssp").read_bytes())
    told = call("import", "whole.ssp", "-o", "made.yaml", cwd=tmp_path)
    assert "stepped every 10 ms" in told.stderr
    text = (tmp_path / "made.yaml").read_text().replace("push: {}", "push: {default: 5}")
    (tmp_path / "made.yaml").write_text(text)
    made, own = run(tmp_path / "made.yaml"), run(folder / "whole.yaml")
    assert np.array_equal(made["position"], own["position"])


def nested(folder: Path, path: Path, change: dict[str, str]) -> None:
    """A system in a system, with a factor and an offset on its way in, and a value from outside."""
    text = """<?xml version="1.0"?>
<a:SystemStructureDescription xmlns:a="http://ssp-standard.org/SSP1/SystemStructureDescription"
 xmlns:c="http://ssp-standard.org/SSP1/SystemStructureCommon"
 xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="nested">
<a:System name="outer">
 <a:Connectors><a:Connector name="pull" kind="input"/><a:Connector name="x" kind="output"/></a:Connectors>
 <a:ParameterBindings><a:ParameterBinding source="values.ssv" prefix="in."/></a:ParameterBindings>
 <a:Elements><a:System name="in">
   <a:Connectors><a:Connector name="f" kind="input"/><a:Connector name="x" kind="output"/></a:Connectors>
   <a:Elements><a:Component name="m" source="resources/mass.fmu"><a:Connectors>
     <a:Connector name="push" kind="input"/><a:Connector name="position" kind="output"/></a:Connectors></a:Component>
   </a:Elements>
   <a:Connections>
    <a:Connection startConnector="f" endElement="m" endConnector="push"/>
    <a:Connection startElement="m" startConnector="position" endConnector="x"/></a:Connections>
 </a:System></a:Elements>
 <a:Connections>
  <a:Connection startConnector="pull" endElement="in" endConnector="f"><c:LinearTransformation factor="2" offset="1"/>
  </a:Connection>
  <a:Connection startElement="in" startConnector="x" endConnector="x"/></a:Connections>
</a:System></a:SystemStructureDescription>"""
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    values = """<v:ParameterSet version="1.0" name="v"
 xmlns:v="http://ssp-standard.org/SSP1/SystemStructureParameterValues">
<v:Parameters><v:Parameter name="m.load.mass"><v:Real value="4"/></v:Parameter></v:Parameters></v:ParameterSet>"""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("SystemStructure.ssd", text)
        archive.writestr("values.ssv", values)
        archive.write(folder / "mass.fmu", "resources/mass.fmu")


def test_systems_inside_are_followed_to_their_components(folder: Path, tmp_path: Path) -> None:
    nested(folder, tmp_path / "n.ssp", {})
    diagram = luff.import_model(tmp_path / "n.ssp")
    (tmp_path / "n.yaml").write_text(diagram.to_yaml().replace("pull: {}", "pull: {default: 2}"))
    (tmp_path / "by_hand.yaml").write_text(
        """luff: 1
blocks:
  five: {type: constant, value: 5}
  m: {type: fmu, file: n/mass.fmu, step: 10 ms, start: [{name: load.mass, value: 4}]}
connect: [five.y -> m.push]
simulation: {stop: 1 s, step: 10 ms}
"""
    )
    expected = run(tmp_path / "by_hand.yaml")["m.position"]
    assert np.array_equal(run(tmp_path / "n.yaml")["x"], expected)
    assert np.ptp(expected) > 0.05


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"resources/mass.fmu": "../mass.fmu"}, 'source: found "../mass.fmu"'),
        ({"resources/mass.fmu": "/etc/mass.fmu"}, "expected an .fmu inside of the archive"),
        ({"resources/mass.fmu": "resources/other.fmu"}, "other.fmu cannot be read out of it"),
        ({'source="values.ssv"': 'source="../values.ssv"'}, "cannot be read out of it"),
        ({'version="1.0" name="nested"': 'version="9" name="nested"'}, 'found "9", expected 1.0'),
        ({'startConnector="f" endElement="m"': 'endElement="m"'}, 'no attribute "startConnector"'),
    ],
)
def test_mistakes_of_a_system_are_told(
    change: dict[str, str], told: str, folder: Path, tmp_path: Path
) -> None:
    nested(folder, tmp_path / "n.ssp", change)
    with pytest.raises(LuffError) as caught:
        luff.import_model(tmp_path / "n.ssp")
    assert told in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["n.ssp"]


def test_what_is_no_archive_is_told(tmp_path: Path) -> None:
    (tmp_path / "no.ssp").write_text("nothing")
    with pytest.raises(LuffError, match="not an SSP"):
        luff.import_model(tmp_path / "no.ssp")


@pytest.mark.parametrize("option", ["--touch", "--floating"])
def test_options_of_robots_are_refused(option: str, tmp_path: Path) -> None:
    (tmp_path / "a.ssp").write_bytes(b"")
    told = call("import", "a.ssp", option, cwd=tmp_path, code=1).stderr
    assert "system of FMUs" in told


def test_only_fmus_are_exported(folder: Path, tmp_path: Path) -> None:
    text = WHOLE.replace("connect:", "  more: {type: constant, value: 1}\nconnect:")
    (folder / "more.yaml").write_text(text)
    told = call("export", "more.yaml", "-o", str(tmp_path / "more.ssp"), cwd=folder, code=1).stderr
    assert "found a block constant, and an SSP holds FMUs alone" in told
    assert "export that part as an FMU of its own" in told
