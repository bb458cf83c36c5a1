"""Every command as it is typed: with its argument, as a process from nothing, and without. A new command without a test
fails here."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import luff
from luff.cli import app
from luff.tests.process import call, luff_script
from luff.tests.shared.planted_programs import plant

ROOT = Path(luff.__file__).resolve().parent
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
PAGES = ["README.md", *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md")))]

STUDY = """\
luff: 1
name: lengths
model: ./pendulum.yaml
variants: {list: {short: {simulation.stop: 20 ms}}}
"""

FIT = """\
luff: 1
model: ./pendulum.yaml
fit:
  parameters: {pin.damping: {lower: 0, upper: 1}}
  data: [{file: a.h5, signals: {pin.position: pin.position}}]
"""
OPTIMISE = """\
luff: 1
model: ./pendulum.yaml
set: {simulation.stop: 20 ms}
optimise:
  parameters: {pin.damping: {lower: 0, upper: 1}}
  minimise: {metric: peak, of: pin.position}
  method: local
  evaluations: 5
"""

PLAN = """\
luff: 1
model: ./cart.yaml
plan:
  controls: {u: {lower: -1, upper: 1}}
  end: {x.x: 1, at_rest: true}
  intervals: 4
"""
CART = """\
luff: 1
inputs: {u: {}}
blocks: {v: {type: integrator}, x: {type: integrator}}
connect: [inputs.u -> v.u, v.y -> x.u]
"""

# what each command says when it is given an argument: the words, and what stdout then holds
GIVEN: dict[str, tuple[str, str]] = {
    "run": ("run pendulum.yaml --stop 0.01 -o b.h5", "wrote b.h5"),
    "study": ("study study.yaml", "wrote study.h5"),
    "assess": ("assess desk.yaml", "wrote desk.h5"),
    "chart": ("chart held.yaml --load load=0kg:9kg --over arm=1,2 --limit pin.position<0.05", "2 places"),
    "tornado": ("tornado pendulum.yaml --of pin.position --over rod.mass=10% --stop 0.02", "rod.mass"),
    "fit": ("fit fit.yaml", "standard error"),
    "optimise": ("optimise optimise.yaml", "peak of pin.position"),
    "plan": ("plan plan.yaml", "2.000000 s (finished"),
    "check": ("check pendulum.yaml", "pendulum.yaml: fine"),
    "diff": ("diff pendulum.yaml pendulum.yaml", "nothing differs"),
    "merge": ("merge pendulum.yaml pendulum.yaml pendulum.yaml", "luff: 1"),
    "info": ("info pendulum.yaml", "degrees of freedom   1 of 1"),
    "compile": ("compile pendulum.yaml --show", "kinematics"),
    "static": ("static pendulum.yaml", "at rest"),
    "modes": ("modes pendulum.yaml", "Hz"),
    "linearize": ("linearize pendulum.yaml", "states: pin.position"),
    "plot": ("plot a.h5", "wrote a.png"),
    "animate": ("animate a.h5 -o a.html", "wrote a.html"),
    "export": ("export a.h5 -o a.csv", "wrote a.csv"),
    "blocks": ("blocks revolute", "revolute (joints)"),
    "schema": ("schema", '"$schema"'),
    "warmup": ("warmup", "functions ready in"),
    "reduce": ("reduce beam.yaml -o beam.npz", "clamped at frame_a"),
    "import": ("import robot.urdf -o robot.yaml", "robot.yaml"),
    "buckling": ("buckling column.yaml --load F.value -o mode.png", "wrote mode.png"),
    "invert": ("invert led.yaml -o plan.csv", "wrote plan.csv"),
    "bode": ("bode pendulum.yaml --from pin.effort --to pin.position -o bode.png", "wrote bode.png"),
    "margins": ("margins late.yaml --cut k.u -o late.png", "phase margin: "),
    "locus": ("locus late.yaml --over k.k=-6..1 --points 5", "late-locus.png"),
    "lqr": ("lqr pendulum.yaml --from pin.effort=5N*m --to pin.position=2deg -o k.json", "wrote k.json"),
    "kalman": (
        "kalman pendulum.yaml --measured pin.position=1deg --noise pin.effort=0.1N*m",
        "the error is stable",
    ),
    "new": ("new mine --template pendulum", "wrote mine.yaml"),
}
# without weight, which would bend it: what bends already does not buckle
COLUMN = """\
luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  column: {type: rfem_link, length: 1 m, section: {shape: circle, diameter: 1 cm}, divisions: 2}
  tip: {type: applied_force}
  F: {type: constant, value: [-1 kN, 0, 0]}
connect: [world.frame -- column.frame_a, column.frame_b -- tip.frame_b, F.y -> tip.force]
"""
LED = """\
luff: 1
blocks:
  law: {type: motion_law, law: poly7, start: 0.4 s, duration: 0.2 s, end_value: 0.1, unit: rad}
  a: {type: revolute, axis: z}
  arm: {type: rigid_link, mass: 1, inertia: [1, 1, 1], frame_b: {at: [1, 0, 0]}}
  b: {type: revolute, axis: z, stiffness: 99, guess: {position: 0}}
  tip: {type: rigid_link, mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}
  keep: {type: programmed_constraint, joints: [a, b], relation: x + 2*y, realised_by: [a]}
connect: [law.y -> keep.target, world.frame -- a.frame_a, a.frame_b -- arm.frame_a, arm.frame_b -- b.frame_a,
  b.frame_b -- tip.frame_a]
simulation: {stop: 1 s, step: 10 ms}
"""
DESK = """\
luff: 1
model: ./pendulum.yaml
set: {simulation.stop: 20 ms}
cases: {swing: {}}
limits: [{metric: maximum, of: pin.position, below: 10}]
"""
LATE = """\
luff: 1
blocks:
  k: {type: gain, k: -3}
  plant: {type: transfer_function, num: [1], den: [1, 1]}
connect: [k.y -> plant.u, plant.y -> k.u]
"""
HELD = """\
luff: 1
parameters: {load: 1 kg, arm: 1 m}
blocks:
  pin: {type: revolute, axis: y, stiffness: 1 kN*m/rad}
  rod: {type: rigid_link, mass: =load, com: [=arm, 0, 0], inertia: [1, 1, 1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a]
"""
BEAM = """\
nodes: [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]
members: [[0, 1], [1, 2]]
section: {A: 4.0e-4, I_y: 1.3e-8, I_z: 1.3e-8, J: 2.2e-8}
interfaces: {frame_a: [0], tip: [2]}
"""
ROBOT = """<robot name="arm">
  <link name="base"/>
  <link name="rod">
    <inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="pin" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/></joint>
</robot>
"""
# without an argument: exit code, and what stdout, or stderr in small letters, then holds
ALONE: dict[str, tuple[int, str]] = {
    **dict.fromkeys(
        (
            "run",
            "study",
            "assess",
            "chart",
            "tornado",
            "fit",
            "optimise",
            "plan",
            "info",
            "compile",
            "static",
            "modes",
            "linearize",
        ),
        (2, "missing argument 'file'"),
    ),
    "check": (2, "missing argument 'files"),
    "diff": (2, "missing argument 'first'"),
    "merge": (2, "missing argument 'base'"),
    "plot": (2, "missing argument 'result'"),
    "animate": (2, "missing argument 'file'"),
    "export": (2, "missing argument 'file'"),
    "new": (2, "missing argument 'name'"),
    "import": (2, "missing argument 'file'"),
    "reduce": (2, "missing argument 'mesh'"),
    "buckling": (2, "missing argument 'file'"),
    "invert": (2, "missing argument 'file'"),
    "bode": (2, "missing argument 'file'"),
    "margins": (2, "missing argument 'file'"),
    "locus": (2, "missing argument 'file'"),
    "lqr": (2, "missing argument 'file'"),
    "kalman": (2, "missing argument 'file'"),
    "blocks": (0, "revolute"),
    "schema": (0, '"$schema"'),
    "warmup": (0, "functions ready in"),
}
ELSEWHERE = {"gui": "tests/gui/window/test_entry_points.py", "mcp": "tests/cli/test_mcp_server.py"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a user's: a netlist, a study of it, a result."""
    folder = tmp_path_factory.mktemp("user")
    call("new", "pendulum", "--template", "pendulum", cwd=folder)
    (folder / "study.yaml").write_text(STUDY)
    (folder / "desk.yaml").write_text(DESK)
    (folder / "held.yaml").write_text(HELD)
    (folder / "late.yaml").write_text(LATE)
    (folder / "fit.yaml").write_text(FIT)
    (folder / "optimise.yaml").write_text(OPTIMISE)
    (folder / "plan.yaml").write_text(PLAN)
    (folder / "cart.yaml").write_text(CART)
    (folder / "robot.urdf").write_text(ROBOT)
    (folder / "beam.yaml").write_text(BEAM)
    (folder / "column.yaml").write_text(COLUMN)
    (folder / "led.yaml").write_text(LED)
    call("run", "pendulum.yaml", "--stop", "0.01", "-o", "a.h5", cwd=folder)
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_every_command_has_its_tests() -> None:
    assert set(COMMANDS) == GIVEN.keys() | ELSEWHERE.keys() == ALONE.keys() | ELSEWHERE.keys()
    for command, file in ELSEWHERE.items():
        assert f'"{command}"' in (ROOT / file).read_text()


@pytest.mark.parametrize("command", GIVEN)
def test_command_with_its_argument_runs_nothing_of_the_folder(command: str, here: Path) -> None:
    ran = here / "ran"
    plant(here, ran)
    words, told = GIVEN[command]
    done = call(*shlex.split(words), cwd=here, command=luff_script)
    assert told in done.stdout, done.stdout + done.stderr
    assert not ran.exists(), ran.read_text()


@pytest.mark.parametrize("command", ALONE)
def test_command_alone(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, told = ALONE[command]
    monkeypatch.setenv("COLUMNS", "100")
    done = call(command, cwd=tmp_path, code=code)
    said = done.stderr.lower() if code else done.stdout
    assert told in said, done.stdout + done.stderr


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_of_every_command_tells_its_options(command: str) -> None:
    done = CliRunner().invoke(app, [*command.split(), "--help"], env={"COLUMNS": "100", "NO_COLOR": "1"})
    assert done.exit_code == 0, done.output
    if not command:
        assert set(COMMANDS) <= set(re.findall(r"[\w-]+", done.stdout))
    else:
        options = [name for param in COMMANDS[command].params for name in param.opts if name[:2] == "--"]
        assert all(name in done.stdout for name in options), done.stdout


def test_luff_alone_shows_its_commands_and_version_its_version(tmp_path: Path) -> None:
    done = call(cwd=tmp_path, code=2)
    assert set(COMMANDS) <= set(re.findall(r"[\w-]+", done.stdout + done.stderr))
    assert call("run", "--help", cwd=tmp_path).returncode == 0
    assert call("--version", cwd=tmp_path).stdout.split()[:2] == ["luff", luff.__version__]
    assert "no-such" in call("no-such", cwd=tmp_path, code=2).stderr


def in_line(page: str) -> list[list[str]]:
    """Commands inside sentences of a page: `luff gui crane.yaml`."""
    text = re.sub(r"```.*?```", "", (ROOT / page).read_text(), flags=re.DOTALL)
    return [shlex.split(words) for words in re.findall(r"`(luff [^`]+)`", text)]


def test_commands_inside_sentences_exist() -> None:
    """Their command and their options; those of the pages' listings are run in test_cli_docs.py."""
    seen = [(page, words) for page in PAGES for words in in_line(page)]
    assert len(seen) > 5
    for page, (_, command, *rest) in seen:
        if command.startswith("-"):
            continue
        assert command in COMMANDS, f"{page}: luff {command}"
        known = {name for param in COMMANDS[command].params for name in param.opts}
        rest = (
            rest[: rest.index("|")] if "|" in rest else rest
        )  # what stands behind a pipe is another program's
        assert {word for word in rest if word.startswith("-")} - {"-"} <= known, (
            f"{page}: luff {command} {rest}"
        )
