"""The commands: what they print, where, and how they end."""

import errno
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

import luff
from luff.cli import app

ROOT = Path(luff.__file__).resolve().parent
DEMO = ROOT / "library" / "crane_demo.yaml"
BROKEN = sorted((ROOT / "tests" / "solver" / "diagram" / "broken").glob("*.yaml"))

PENDULUM = """\
luff: 1
name: pendulum
blocks:
  pin: {type: revolute, axis: y, initial: {position: 60 deg}}
  rod: {type: rigid_link, mass: 2 kg, com: [0, 0, -0.5], inertia: [0.2, 0.2, 0]}
connect:
  - world.frame -- pin.frame_a
  - pin.frame_b -- rod.frame_a
simulation: {stop: 0.1 s, step: 1 ms}
plots: [{y: [pin.position]}]
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "pendulum.yaml").write_text(PENDULUM)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: object, code: int = 0):
    done = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == code, done.output
    return done


# --- run -----------------------------------------------------------------------------------------------------------


def test_run_writes_every_format_and_the_plot(here: Path) -> None:
    names = ["a.h5", "a.csv", "a.mat", "a.npz"]
    outputs = [word for name in names for word in ("-o", name)]
    done = call("run", "pendulum.yaml", *outputs, "--plot", "a.png")
    assert sorted(path.name for path in here.iterdir()) == sorted([*names, "a.png", "pendulum.yaml"])
    assert done.stdout.splitlines()[-1] == "wrote a.h5, a.csv, a.mat, a.npz, a.png"
    tables = [luff.read(name).table for name in ("a.h5", "a.csv", "a.npz")]
    assert (tables[0] == tables[1]).all()
    assert (tables[0] == tables[2]).all()
    assert len(tables[0]) == 101


def test_run_without_h5_leaves_no_partial_file(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor on Windows, which removes no file that is mapped; where there is no /proc, the system refuses by itself."""
    unlink, maps = Path.unlink, Path("/proc/self/maps")

    def refused(path: Path, missing_ok: bool = False) -> None:
        if maps.exists() and str(path.resolve()) in maps.read_text():
            raise PermissionError(errno.EACCES, "Sharing violation")
        unlink(path, missing_ok)

    monkeypatch.setattr(Path, "unlink", refused)
    call("run", "pendulum.yaml", "-o", "a.csv", "--plot", "a.png")
    assert sorted(path.name for path in here.iterdir()) == ["a.csv", "a.png", "pendulum.yaml"]


def test_run_takes_settings_from_the_command(here: Path) -> None:
    options = ["--stop", "0.5 s", "--step", "2 ms", "--method", "heun", "--output-step", "0.1", "--json"]
    found = json.loads(call("run", "pendulum.yaml", *options, "-o", "a.h5").stdout)
    assert (found["time"], found["steps"], found["method"], found["rows"]) == (0.5, 250, "heun", 6)
    assert luff.read("a.h5").time.tolist() == pytest.approx([0, 0.1, 0.2, 0.3, 0.4, 0.5], abs=1e-12)


def test_run_sets_parameters_as_a_netlist_would(here: Path) -> None:
    call(
        "run", "pendulum.yaml", "--set", "rod.mass=4000 g", "--set", "pin.initial.position=0.25", "-o", "a.h5"
    )
    result = luff.read("a.h5")
    assert result.parameters["rod.mass"] == 4.0
    assert result["pin.position"][0] == 0.25


def test_run_sets_one_element_of_a_list_that_the_netlist_leaves_out(here: Path) -> None:
    call("run", "pendulum.yaml", "--set", "world.gravity[2]=0", "-o", "weightless.h5")
    assert set(luff.read("weightless.h5")["pin.velocity"].tolist()) == {0.0}


def test_run_json_is_one_object_with_the_balance(here: Path) -> None:
    done = call("run", "pendulum.yaml", "--json", "-o", "a.h5")
    found = json.loads(done.stdout)
    assert found["status"] == "finished"
    assert found["files"] == ["a.h5"]
    # a conservative system under RK4 at a step of a thousandth of the period: far below single precision
    assert found["quality"]["energy"]["relative_residual"] < 1e-9
    assert done.stderr == ""


def test_quiet_run_prints_nothing(here: Path) -> None:
    done = call("run", "pendulum.yaml", "--quiet")
    assert done.output == ""


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-o", "a.xyz"], 'found ".xyz", expected .h5, .csv, .mat, .npz or .parquet'),
        (["-o", "nowhere/a.h5"], "the folder nowhere does not exist (mkdir -p nowhere)"),
        (["-o", "pendulum.yaml/a.h5"], "is a file, not a folder"),
        (["-o", "folder.h5"], "folder.h5 is a folder, expected a file to write"),
        (["--plot", "a.gif"], 'found ".gif", expected .png, .svg, .pdf'),
        (["--stop", "-1"], "--stop: found -1, expected a number > 0 s"),
        (["--stop", "1 kg"], "--stop: "),
        (["--step", "nan"], "--step: "),
        (["--method", "rk5"], 'did you mean "rk4"?'),
        (["--set", "rod.mass"], '--set: found "rod.mass", expected block.param=value'),
        (["--set", "rod.mas=1"], "--set rod.mas: "),
        (["--set", "rod.mass=-1"], "--set rod.mass: found -1, expected a number >= 0 kg"),
        (["--set", "rood.mass=1"], 'did you mean "rod"?'),
        (["--set", "world.gravity[3]=1"], "gravity expects a list of 3 numbers in m/s^2"),
        (["--set", "simulation.stop[1]=1"], "stop expects a number in s"),
    ],
)
def test_wrong_command_is_told_before_anything_runs(here: Path, options: list[str], told: str) -> None:
    (here / "folder.h5").mkdir()
    before = sorted(here.iterdir())
    done = call("run", "pendulum.yaml", *options, code=2)
    assert told in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.stdout == ""
    assert sorted(here.iterdir()) == before


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="root may write anywhere")
def test_folder_without_permission_is_told_before_the_run(here: Path) -> None:
    (here / "closed").mkdir(mode=0o500)
    assert "not writable" in call("run", "pendulum.yaml", "-o", "closed/a.h5", code=2).stderr


@pytest.mark.parametrize(
    ("file", "code"), [("missing.yaml", 2), (".", 1), ("binary.yaml", 1), ("empty.yaml", 1)]
)
def test_unreadable_netlist_is_one_line(here: Path, file: str, code: int) -> None:
    (here / "binary.yaml").write_bytes(bytes(range(256)))
    (here / "empty.yaml").write_text("")
    done = call("run", file, code=code)
    assert len(done.stderr.splitlines()) == 1


def test_plot_of_what_is_not_recorded_is_told_before_the_run(here: Path) -> None:
    text = PENDULUM.replace("y: [pin.position]", "y: [pin.positon]")
    (here / "pendulum.yaml").write_text(text)
    done = call("run", "pendulum.yaml", "--plot", "a.png", "-o", "a.h5", code=1)
    assert "pin.position" in done.stderr
    assert not (here / "a.h5").exists()


def test_diverging_run_keeps_what_was_computed(here: Path) -> None:
    stiff = PENDULUM.replace("axis: y,", "axis: y, stiffness: 1e12,")
    (here / "pendulum.yaml").write_text(stiff)
    done = call("run", "pendulum.yaml", "-o", "a.csv", code=3)
    assert "is not finite" in done.stderr
    assert "rows are kept in a.csv" in done.stderr
    result = luff.read("a.csv")
    assert 1 <= len(result.time) < 101
    found = json.loads(call("run", "pendulum.yaml", "--json", "-o", "a.h5", code=3).stdout)
    assert found["status"] == "failed"
    assert "is not finite" in found["problems"][0]["message"]
    assert luff.read("a.h5").status == "failed"


# --- check, info, compile ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", BROKEN, ids=[path.stem for path in BROKEN])
def test_broken_netlist_ends_with_one_and_lines_that_say_where(path: Path) -> None:
    done = call("check", path, code=1)
    assert done.stdout == ""
    assert all(": " in line for line in done.stderr.splitlines())
    found = json.loads(call("check", path, "--json", code=1).stdout)
    assert found["status"] == "error"
    errors = [problem for problem in found["problems"] if problem["severity"] == "error"]
    assert errors
    assert all(problem["message"] for problem in errors)


def test_check_tells_every_file(here: Path) -> None:
    (here / "bad.yaml").write_text(PENDULUM.replace("revolute", "revolut"))
    done = call("check", "pendulum.yaml", "bad.yaml", code=1)
    assert done.stdout == "pendulum.yaml: fine\n"
    assert re.fullmatch(r'bad\.yaml:4:15: blocks\.pin\.type: .*did you mean "revolute"\?\)\n', done.stderr)


def test_check_lets_a_netlist_that_is_a_block_leave_its_ports_open(here: Path) -> None:
    text = "luff: 1\nblocks:\n  g: {type: gain}\nports: {u: g.u, y: g.y}\n"
    (here / "block.yaml").write_text(text)
    assert call("check", "block.yaml").stdout == "block.yaml: fine\n"
    assert "nothing is connected" in call("run", "block.yaml", code=1).stderr


def test_info_counts_and_draws_the_tree() -> None:
    found = json.loads(call("info", DEMO, "--json").stdout)
    # slew, luff, telescope and the two turns of the sling
    assert found["degrees_of_freedom"] == 5
    assert found["tree"] == [
        "world",
        "  slew (revolute) carries column",
        "    luff (revolute) carries boom",
        "      telescope (prismatic) carries jib",
        "        sling (universal) carries load",
    ]
    text = call("info", DEMO).stdout
    assert "slew.position = 0 rad" in text
    assert "(--all)" in text
    assert "(--all)" not in call("info", DEMO, "--all").stdout


def test_info_advises_on_the_step_and_on_divisions(here: Path) -> None:
    """A bar on a spring swings at sqrt(k / I) = 50 rad/s, for which RK4 is stable up to sqrt(8) / 50 s = 56.6 ms."""
    text = """luff: 1
blocks:
  world: {gravity: [0, 0, 0]}
  pin: {type: revolute, axis: z, stiffness: 2500}
  bar: {type: rigid_link, mass: 1, inertia: [1, 1, 1]}
connect: [world.frame -- pin.frame_a, pin.frame_b -- bar.frame_a]
simulation: {stop: 1 s, step: 60 ms, output_step: 60 ms}
"""
    (here / "swing.yaml").write_text(text)
    found = json.loads(call("info", "swing.yaml", "--json").stdout)["advice"]
    assert found["frequency"] == pytest.approx(50.0, rel=1e-8)
    assert found["largest_rk4_step"] == pytest.approx(8**0.5 / 50.0, rel=1e-8)
    shown = call("info", "swing.yaml").stdout
    assert "largest RK4 step     0.0566 s" in shown
    assert "the step of 0.06 s is too long" in shown
    assert "implicit steps" not in shown
    (here / "swing.yaml").write_text(text.replace("stop: 1 s", "method: implicit, stop: 1 s"))
    told = "implicit steps       whole Jacobian of 2 states by 2 differences, the largest of 1 block has 2\n"
    assert told in call("info", "swing.yaml").stdout

    beam = text.replace(
        "{type: rigid_link, mass: 1, inertia: [1, 1, 1]}", "{type: rfem_link, length: 2, divisions: 2}"
    )
    beam = beam.replace("divisions: 2", "divisions: 2, section: {shape: circle, diameter: 0.1}")
    (here / "beam.yaml").write_text(beam)
    advice = json.loads(call("info", "beam.yaml", "--json").stdout)["advice"]
    assert advice["links"]["bar"]["divisions"] == 2
    assert advice["links"]["bar"]["enough"] > 2
    assert advice["links"]["bar"]["shear"] < 0.01
    assert "bar, shear" not in call("info", "beam.yaml").stdout
    (here / "beam.yaml").write_text(beam.replace("length: 2", "length: 0.4, damping: {ratio: 0.01}"))
    shown = call("info", "beam.yaml").stdout
    assert "bar, shear           left out: a bending frequency of its first two is 1" in shown
    assert "bar, damping         1, " in shown
    (here / "beam.yaml").write_text(
        beam.replace("length: 2", "length: 0.4, shear: true, damping: {ratio: [0.01]}")
    )
    shown = call("info", "beam.yaml").stdout
    assert "bar, shear" not in shown
    assert "bar, damping" not in shown
    (here / "beam.yaml").write_text(beam)
    assert (
        "bar, divisions       2 put its second bending frequency off by" in call("info", "beam.yaml").stdout
    )


def test_compile_shows_the_tables_of_operations(here: Path) -> None:
    told = call("compile", "--show", "pendulum.yaml").stdout
    for title in ("rates: ", "outputs: ", "updates: "):
        assert f"\n{title}" in told
    # in their order: the motion first, then the forces and accelerations
    assert re.search(r"\n +1  kinematics +the mechanism\n +2  dynamics +the mechanism\n", told)


# --- the rest ------------------------------------------------------------------------------------------------------


def test_plot_draws_what_is_asked_for(here: Path) -> None:
    call("run", "pendulum.yaml", "-o", "a.h5")
    call("plot", "a.h5", "-o", "b.svg", "pin.position", "pin.vel*")
    drawn = (here / "b.svg").read_text()
    assert "<svg" in drawn
    call("plot", "a.h5")
    assert (here / "a.png").stat().st_size > 1000
    call("run", "pendulum.yaml", "-o", "b.h5", "--set", "rod.mass=3")
    call("plot", "a.h5", "b.h5", "pin.position", "-o", "c.svg")
    # text of figures is drawn as paths, with the words in comments
    assert all(f"<!-- {name}: pin.position -->" in (here / "c.svg").read_text() for name in "ab")
    assert "no such file" in call("plot", "a.h5", "c.h5", code=2).stderr
    assert "pin.position" in call("plot", "a.h5", "pin.positio", code=1).stderr
    assert "no such file" in call("plot", "nix.h5", code=2).stderr


def test_export_writes_the_same_numbers_elsewhere(here: Path) -> None:
    call("run", "pendulum.yaml", "-o", "a.h5")
    assert call("export", "a.h5", "-o", "a.csv", "-o", "a.npz").stdout == "wrote a.csv, a.npz\n"
    there = luff.read("a.h5")
    for name in ("a.csv", "a.npz"):
        again = luff.read(name)
        assert again["pin.position"].tolist() == there["pin.position"].tolist()
        assert again.units["pin.position"] == "rad"
    assert "no such file" in call("export", "nix.h5", "-o", "b.csv", code=2).stderr
    assert "found no -o" in call("export", "a.h5", code=2).stderr
    assert "the source itself" in call("export", "a.h5", "-o", here / "a.h5", code=2).stderr
    assert ".txt" in call("export", "a.h5", "-o", "b.txt", code=2).stderr


@pytest.mark.parametrize("template", ["crane", "pendulum", "empty"])
def test_new_writes_a_netlist_that_runs(here: Path, template: str) -> None:
    call("new", "mine", "--template", template)
    assert luff.load("mine.yaml").name == "mine"
    call("check", "mine.yaml")
    call("run", "mine.yaml", "--stop", "0.01")


def test_new_overwrites_nothing(here: Path) -> None:
    before = (here / "pendulum.yaml").read_text()
    assert "there is such a file" in call("new", "pendulum", code=2).stderr
    assert (here / "pendulum.yaml").read_text() == before
    assert 'did you mean "crane"?' in call("new", "other", "-t", "crain", code=2).stderr


NAMED = (
    "run x.yaml", "check x.yaml", "info x.yaml", "compile x.yaml", "static x.yaml", "modes x.yaml", "linearize x.yaml",
    "bode x.yaml --from a --to b", "study x.yaml", "fit x.yaml", "optimise x.yaml", "animate x.yaml",
    "export x.yaml -o x.fmu", "plot x.h5 y", "import x.urdf", "buckling x.yaml --load F.value", "invert x.yaml",
)  # fmt: skip


@pytest.mark.parametrize("words", NAMED)
def test_a_file_that_is_not_there_has_one_exit_code(words: str) -> None:
    assert re.search(r"there is no (such )?file", call(*words.split(), code=2).stderr)


PIPED = """luff: 1
blocks: {rail: {type: prismatic, axis: x, initial: {velocity: 2}}, cart: {type: rigid_link, mass: 1}}
connect: [world.frame -- rail.frame_a, rail.frame_b -- cart.frame_a]
outputs: {place: rail.position}
simulation: {stop: 1, step: 0.1}
record: []
"""


def test_netlist_and_rows_go_through_pipes(tmp_path: Path) -> None:
    temporary = {"TMPDIR": str(tmp_path)}

    def through(*words: str, code: int = 0) -> str:
        env = {**os.environ, **temporary}
        done = subprocess.run(
            [sys.executable, "-m", "luff", *words],
            input=PIPED,
            text=True,
            capture_output=True,
            env=env,
            cwd=tmp_path,
        )
        assert done.returncode == code, done.stderr
        return done.stdout

    assert through("check", "-") == "-: fine\n"
    rows = through("run", "-", "-o", "-").splitlines()
    assert rows[0] == "time [s],rail.position [m],place [m]"
    assert len(rows) == 12
    assert [float(word) for word in rows[-1].split(",")] == pytest.approx([1.0, 2.0, 2.0], rel=1e-12)
    through("run", "-", "-o", "out.h5", "-q")
    assert through("export", "out.h5", "-o", "-").splitlines() == rows
    through("run", "-", "-o", "-", "--json", code=2)
    assert [path.name for path in tmp_path.iterdir()] == ["out.h5"]


def test_schema_is_json() -> None:
    assert json.loads(call("schema").stdout)["title"] == "luff netlist"


def test_gui_without_a_display_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert "no display" in call("gui", code=2).stderr


def test_version() -> None:
    commit = r"( \([0-9a-f]{10,}(-dirty)?\))?"
    assert re.fullmatch(rf"luff {re.escape(luff.__version__)}{commit}\n", call("--version").stdout)


def test_unknown_option_is_usage() -> None:
    call("run", DEMO, "--nonsense", code=2)
    call("nonsense", code=2)


def test_the_table_of_commands_says_which_options_they_have() -> None:
    table = (ROOT / "docs" / "cli.md").read_text().partition("## All commands")[2].partition("\n## ")[0]
    rows = [
        [cell.strip(" `") for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("| `")
    ]
    told = {name: tuple(cell == "yes" for cell in options) for name, _, *options in rows}
    asked = ("--json", "--quiet", "-o")
    assert told == {
        name: tuple(option in {word for param in command.params for word in param.opts} for option in asked)
        for name, command in typer.main.get_command(app).commands.items()  # type: ignore[attr-defined]
    }


def test_commands_that_write_files_name_them_as_json(here: Path) -> None:
    call("run", "pendulum.yaml", "-o", "a.h5", "-q")

    def told(*words: str) -> list[str]:
        made = json.loads(call(*words, "--json").stdout)
        assert made["status"] == "fine"
        assert all((here / name).exists() for name in made["files"])
        return made["files"]

    assert told("plot", "a.h5", "-o", "a.png") == ["a.png"]
    assert told("export", "a.h5", "-o", "a.csv", "-o", "a.npz") == ["a.csv", "a.npz"]
    assert told("animate", "a.h5", "-o", "a.html") == ["a.html"]
    assert told("new", "begun") == ["begun.yaml"]
    refused = json.loads(call("plot", "a.h5", "nothing", "--json", code=1).stdout)
    assert refused["problems"][0]["path"] == "nothing"


def test_compile_tells_as_json_and_can_be_quiet(here: Path) -> None:
    made = json.loads(call("compile", "pendulum.yaml", "--json").stdout)
    assert made["status"] == "fine"
    assert made["seconds"] > 0
    shown = json.loads(call("compile", "pendulum.yaml", "--show", "--json").stdout)
    assert any(line.startswith("rates:") for line in shown["tables"])
    done = call("compile", "pendulum.yaml", "--quiet")
    assert (done.stdout, done.stderr) == ("", "")


def test_rows_and_json_do_not_share_an_output(here: Path) -> None:
    call("run", "pendulum.yaml", "-o", "a.h5", "-q")
    done = call("export", "a.h5", "-o", "-", "--json", code=2)
    assert "found --json with rows on standard output" in json.loads(done.stdout)["problems"][0]["message"]
