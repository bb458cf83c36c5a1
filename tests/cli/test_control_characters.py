"""Texts of files on a terminal: escape sequences and marks of direction are shown, and obeyed by none."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from luff.cli.console import COMMANDS
from luff.tests.process import call
from luff.tests.test_entry_points import COMMANDS as ALL

# a title of the terminal, red, an eight-bit sequence, a bell, a rewritten line, and a word that reads backwards
EVIL = "a\x1b]0;owned\x07b\x1b[31mc\x9b1md\re\u202ef\u2066g\u200fh\x7fi\x00j\u2028k"
IN_YAML = EVIL.encode("unicode_escape").decode().replace('"', r"\"").replace(r"\t", "\t")

PENDULUM = f"""\
luff: 1
name: "{IN_YAML}"
doc: "{IN_YAML}"
parameters: {{m: 2 kg}}
blocks:
  pin: {{type: revolute, axis: y, stiffness: 10, damping: 0.5}}
  rod: {{type: rigid_link, mass: =m, com: [0, 0, -1], inertia: [1, 1, 1]}}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
outputs: {{angle: pin.position}}
inputs: {{push: {{unit: "N*m", doc: "{IN_YAML}"}}}}
plots: [{{title: "{IN_YAML}", y: [pin.position]}}]
simulation: {{stop: 20 ms, step: 1 ms}}
"""
STUDY = f"""\
luff: 1
name: "{IN_YAML}"
model: ./model.yaml
variants: {{list: {{"v{IN_YAML}": {{m: 3 kg}}, lost: {{pin.damping: "{IN_YAML}"}}}}}}
"""
ASSESS = f"""\
luff: 1
name: "{IN_YAML}"
model: ./model.yaml
cases: {{"c{IN_YAML}": {{doc: "{IN_YAML}"}}}}
limits: [{{title: "{IN_YAML}", metric: maximum, of: pin.position, below: -1}}]
"""
FIT = f"""\
luff: 1
name: "{IN_YAML}"
model: ./model.yaml
fit:
  parameters: {{m: {{lower: 1, upper: 3}}}}
  data: [{{file: a.csv, signals: {{pin.position: "{IN_YAML}"}}}}]
"""
OPTIMISE = f"""\
luff: 1
name: "{IN_YAML}"
model: ./model.yaml
optimise:
  parameters: {{m: {{lower: 1, upper: 3}}}}
  minimise: {{metric: peak, of: pin.position, title: "{IN_YAML}"}}
  method: local
  evaluations: 3
"""
PLAN = f"""\
luff: 1
name: "{IN_YAML}"
model: ./model.yaml
plan: {{controls: {{push: {{}}}}, end: {{pin.position: 1}}}}
"""
FRAME = f"""\
nodes: [[0, 0, 0], [1, 0, 0]]
members: [[0, 1]]
section: {{A: 4.0e-4, I_y: 1.3e-8, I_z: 1.3e-8, J: 2.2e-8}}
interfaces: {{frame_a: [0], "{IN_YAML}": [1]}}
"""
MESH = """\
*NODE
1, 0, 0, 0
2, 1, 0, 0
3, 0, 1, 0
4, 0, 0, 1
*ELEMENT, TYPE=C3D4
1, 1, 2, 3, 4
*NSET, NSET=a\x1b[31m\u202e
1, 2, 3
"""
ROBOT = """<robot name="arm&#155;&#8238;"><link name="base&#8238;"/><link name="rod&#155;"/>
<joint name="p&#8238;" type="continuous"><parent link="base&#8238;"/><child link="rod&#155;"/></joint></robot>
"""
WORDS: dict[str, list[str]] = {
    "run": [
        "run model.yaml -o a.h5",
        "run model.yaml -o -",
        "run wrong.yaml",
        "run model.yaml --input push=a.csv:x",
    ],
    "study": ["study study.yaml", "study study.yaml --list", "study study.yaml --json"],
    "assess": ["assess assess.yaml", "assess assess.yaml --list"],
    "chart": ["chart model.yaml --load m=1:3 --over m=1,2 --limit pin.position<1"],
    "tornado": ["tornado model.yaml --of pin.position --over m=1:3"],
    "fit": ["fit fit.yaml"],
    "optimise": ["optimise optimise.yaml"],
    "plan": ["plan plan.yaml", "plan plan.yaml --json"],
    "check": ["check model.yaml", "check wrong.yaml", "check wrong.yaml --json", "check tags.yaml"],
    "info": ["info model.yaml", "info model.yaml --all", "info model.yaml --json"],
    "compile": ["compile model.yaml --show"],
    "static": ["static model.yaml", "static wrong.yaml"],
    "modes": ["modes model.yaml"],
    "linearize": ["linearize model.yaml"],
    "bode": ["bode model.yaml --from pin.effort --to pin.position -o b.png"],
    "margins": ["margins model.yaml --cut pin.effort -o m.png"],
    "lqr": ["lqr model.yaml --from pin.effort=1 --to pin.position=1 -o g.json"],
    "kalman": ["kalman model.yaml --measured pin.position=1 --noise pin.effort=1 -o k.json"],
    "locus": ["locus model.yaml --over m=1..2 --points 3"],
    "buckling": ["buckling model.yaml --load push -o c.png"],
    "reduce": [
        "reduce frame.yaml -o b.npz",
        "reduce frame.yaml --json -o b.npz",
        "reduce wrong.yaml -o b.npz",
        "reduce mesh.inp --interface frame_a=x -o b.npz",
    ],
    "invert": ["invert model.yaml -o c.csv"],
    "import": ["import robot.urdf -o robot.yaml"],
    "plot": ["plot a.csv", "plot wrong.yaml"],
    "animate": ["animate a.csv -o a.html"],
    "export": ["export a.csv -o b.csv", "export wrong.yaml -o b.ssp"],
    "diff": ["diff model.yaml wrong.yaml", "diff model.yaml other.yaml", "diff model.yaml other.yaml --json"],
    "merge": ["merge model.yaml other.yaml wrong.yaml"],
    "new": ["new model.yaml"],
}
# read no file of others, or open a window (tests/gui), or serve a program (tests/cli/test_mcp_server.py)
SILENT = ("blocks", "schema", "warmup", "gui", "mcp")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("evil")
    (made / "model.yaml").write_text(PENDULUM)
    (made / "other.yaml").write_text(PENDULUM.replace('name: "', 'name: "x', 1).replace("m: 2 kg", "m: 3 kg"))
    (made / "wrong.yaml").write_text(PENDULUM.replace("axis: y", f'axis: "{IN_YAML}", "{IN_YAML}": 3'))
    (made / "tags.yaml").write_text(
        f"luff: 1\nblocks:\n  a: !{chr(0x202E)}evil {{type: gain}}\n  \u202eb: 3\n"
    )
    (made / "mesh.inp").write_text(MESH)
    (made / "robot.urdf").write_text(ROBOT)
    (made / "a.csv").write_text(f"time,x{chr(0x1B)}[31m,x\n0,1,2\n1,2,3\n")
    for name, text in (
        ("study", STUDY),
        ("assess", ASSESS),
        ("fit", FIT),
        ("optimise", OPTIMISE),
        ("plan", PLAN),
        ("frame", FRAME),
    ):
        (made / f"{name}.yaml").write_text(text)
    return made


def test_every_command_is_asked() -> None:
    assert {*WORDS, *SILENT} == {*ALL}


@pytest.mark.parametrize("words", [words for each in WORDS.values() for words in each])
def test_no_command_lets_a_file_speak_to_the_terminal(words: str, folder: Path) -> None:
    done = call(*words.split(), cwd=folder, code=None)
    for said in (done.stdout, done.stderr):
        if words.startswith("run") and "-o -" in words and said is done.stdout:
            continue  # a table for another program
        found = COMMANDS.search(said)
        assert found is None, (hex(ord(found[0])), said[max(0, found.start() - 60) : found.end() + 20])


def test_what_is_spelled_is_there(folder: Path) -> None:
    """Nothing is dropped: a reader sees what stands in the file, and JSON gives the very text."""
    said = call("info", "model.yaml", cwd=folder).stdout
    assert r"a\x1b]0;owned\x07b\x1b[31mc\x9b1md\re\u202ef\u2066g\u200fh\x7fi\x00j\u2028k" in said
    told = json.loads(call("info", "model.yaml", "--json", cwd=folder).stdout)
    assert told["name"] == EVIL
    assert re.search(r"\\u202e|\\u009b", call("info", "model.yaml", "--json", cwd=folder).stdout)
