"""FMUs of luff in FMPy, an importer that is not this code: what their files hold, and what their functions answer."""

from __future__ import annotations

import re
import struct
import zipfile
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu

import luff
from luff.solver.codegen import cross_compile, object_store
from luff.solver.codegen.jit import EntryPoint
from luff.solver.fmi import object_symbols
from luff.tests.conftest import about_compiling
from luff.tests.shared.netlists import SWINGING_ROD
from luff.tests.solver.fmi.fmpy_runs import running

pytestmark = about_compiling
INERTIA = 0.2 + 2 * 0.5**2  # of the rod about the pin


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("fmi")
    (found / "rod.yaml").write_text(SWINGING_ROD)
    luff.export_fmu(found / "rod.yaml", found / "rod.fmu", inputs=["pin.effort"], derivatives=True)
    luff.export_fmu(found / "rod.yaml", found / "rod3.fmu", fmi=3, inputs=["pin.effort"])
    return found


def test_model_description_says_what_the_model_says(folder: Path) -> None:
    about = fmpy.read_model_description(str(folder / "rod.fmu"))
    variables = {one.name: one for one in about.modelVariables}
    assert about.modelName == "swinging rod"
    assert (about.defaultExperiment.stopTime, about.defaultExperiment.stepSize) == ("1.0", "0.01")
    assert (variables["rod.mass"].start, variables["rod.mass"].unit) == ("2.0", "kg")
    assert (variables["rod.mass"].causality, variables["rod.mass"].variability) == ("parameter", "tunable")
    assert variables["pin.initial.position"].variability == "constant"  # the start hangs on it
    assert (variables["pin.effort"].causality, variables["pin.effort"].unit) == ("input", "N*m")
    torque = next(unit for unit in about.unitDefinitions if unit.name == "N*m").baseUnit
    assert (torque.kg, torque.m, torque.s) == (1, 2, -2)
    with zipfile.ZipFile(folder / "rod.fmu") as archive:
        inside = archive.read("resources/netlist.yaml").decode()
    assert inside == "# exported with --input pin.effort\n" + (folder / "rod.yaml").read_text()


def test_equal_models_make_equal_files(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where no object code is kept that could be used again."""
    read = object_store.read_object

    def forgetful(
        entry: EntryPoint, where: Path | None = None, *more: Path
    ) -> tuple[list[str], bytes] | None:
        return None if where and where.name.startswith("linux64") else read(entry, where, *more)

    monkeypatch.setattr(cross_compile.object_store, "read_object", forgetful)
    again = luff.export_fmu(
        folder / "rod.yaml", tmp_path / "rod.fmu", inputs=["pin.effort"], derivatives=True
    )
    assert again.read_bytes() == (folder / "rod.fmu").read_bytes()


def test_parameters_set_before_and_during_a_run(folder: Path) -> None:
    """As luff's own live parameters. Rounding alone differs: luff sums up inertias, an FMU a straight line of them."""
    sim = luff.compile(folder / "rod.yaml")
    session = sim.start()
    sim.set("rod.mass", 5.0)
    session.advance(steps=300)
    sim.set("pin.damping", 1.5)
    session.advance(steps=200)
    with running(folder / "rod.fmu", begin=False) as (slave, number):
        slave.setReal([number["rod.mass"]], [5.0])
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        slave.doStep(0.0, 0.3)
        slave.setReal([number["pin.damping"]], [1.5])
        slave.doStep(0.3, 0.2)
        found = slave.getReal([number["pin.position"], number["rod.mass"]])
    assert found == pytest.approx([session.x[0], 5.0], rel=1e-12)


def test_parameters_that_share_a_number_add_up(folder: Path) -> None:
    """Mass and inertia of a link are summed about the pin: qdd = -m g l sin(q) / (I + m l^2), by hand."""
    with running(folder / "rod.fmu", begin=False) as (slave, number):
        slave.setReal([number["rod.mass"], number["rod.inertia[1]"], number["pin.damping"]], [4.0, 0.7, 0.0])
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        (found,) = slave.getReal([number["pin.acceleration"]])
    assert found == pytest.approx(-4 * 9.81 * 0.5 * np.sin(0.5) / (0.7 + 4 * 0.5**2), rel=1e-12)


def test_input_moves_the_model(folder: Path) -> None:
    """An effort that the importer gives is the same as one that a wire gives."""
    wired = luff.load(folder / "rod.yaml")
    wired.add_block("push", {"type": "constant", "value": 3.0, "unit": "N*m"})
    wired.connect("push.y", "pin.effort")
    result = luff.compile(wired).run()
    for name in ("rod.fmu", "rod3.fmu"):
        rows = fmpy.simulate_fmu(
            str(folder / name),
            start_values={"pin.effort": 3.0},
            output_interval=0.01,
            fmi_type="CoSimulation",
        )
        assert np.array_equal(rows["pin.position"], result["pin.position"])


def test_inputs_and_outputs_of_the_netlist_are_those_of_the_fmu(tmp_path: Path) -> None:
    """Driven by the importer from step to step as by a script; other signals are there to be looked at."""
    (tmp_path / "driven.yaml").write_text(
        SWINGING_ROD.replace("connect:\n", "connect:\n  - inputs.push[1] -> pin.effort\n")
        + "inputs: {push: {unit: N*m, width: 2, default: [0, 1.5], doc: efforts}}\noutputs: {angle: pin.position}\n"
    )
    session = luff.compile(tmp_path / "driven.yaml").start()
    pushes = [None, 4.0, -2.0]
    expected = [session.step(None if push is None else {"push[1]": push}, steps=50)[0] for push in pushes]
    for version in (2, 3):
        file = luff.export_fmu(tmp_path / "driven.yaml", tmp_path / "driven.fmu", fmi=version, parameters=())
        assert validate_fmu(str(file)) == []
        about = {one.name: one for one in fmpy.read_model_description(str(file)).modelVariables}
        assert [name for name, one in about.items() if one.causality == "output"] == ["angle"]
        assert [name for name, one in about.items() if one.causality == "input"] == ["push[0]", "push[1]"]
        given = about["push[1]"]
        assert (float(given.start), given.unit, given.description) == (1.5, "N*m", "efforts")
        assert about["pin.velocity"].causality == "local"
        signals = np.array(
            [(0.0, 1.5), (0.05, 1.5), (0.05, 4.0), (0.1, 4.0), (0.1, -2.0), (0.15, -2.0)],
            dtype=[("time", float), ("push[1]", float)],
        )
        rows = fmpy.simulate_fmu(
            str(file), stop_time=0.15, output_interval=0.05, input=signals, fmi_type="CoSimulation",
            output=["angle", "pin.position"],
        )  # fmt: skip
        assert rows["angle"][1:].tolist() == expected
        assert np.array_equal(rows["angle"], rows["pin.position"])


def test_two_instances_share_nothing(folder: Path) -> None:
    """Steps of two instances in turn, with other inputs, and each alone."""

    def alone(effort: float) -> list[float]:
        with running(folder / "rod.fmu") as (slave, number):
            slave.setReal([number["pin.effort"]], [effort])
            found = []
            for k in range(20):
                slave.doStep(0.05 * k, 0.05)
                found += slave.getReal([number["pin.position"]])
            return found

    efforts, paths = (2.0, -7.0), ([], [])
    with running(folder / "rod.fmu") as (one, number), running(folder / "rod.fmu") as (two, _):
        for k in range(20):
            for slave, effort, path in zip((one, two), efforts, paths, strict=True):
                slave.setReal([number["pin.effort"]], [effort])
                slave.doStep(0.05 * k, 0.05)
                path += slave.getReal([number["pin.position"]])
    assert list(paths) == [alone(effort) for effort in efforts]


def test_state_comes_back_and_goes_to_another_instance(folder: Path) -> None:
    with running(folder / "rod.fmu") as (one, number), running(folder / "rod.fmu") as (two, _):
        wanted = [number["pin.position"], number["pin.velocity"], number["pin.total_force[0]"]]
        one.setReal([number["rod.mass"]], [3.0])
        one.doStep(0.0, 0.3)
        state = one.getFMUstate()
        one.doStep(0.3, 0.4)
        first = one.getReal(wanted)
        one.setFMUstate(state)
        one.doStep(0.3, 0.4)
        assert one.getReal(wanted) == first
        two.setFMUstate(two.deSerializeFMUstate(one.serializeFMUstate(state)))
        two.doStep(0.3, 0.4)
        assert two.getReal([*wanted, number["rod.mass"]]) == [*first, 3.0]
        one.freeFMUstate(state)


def test_reset_begins_anew(folder: Path) -> None:
    with running(folder / "rod.fmu") as (slave, number):
        slave.setReal([number["rod.mass"]], [9.0])
        slave.doStep(0.0, 0.5)
        slave.reset()
        slave.setupExperiment(startTime=0.0)
        slave.enterInitializationMode()
        slave.exitInitializationMode()
        slave.doStep(0.0, 0.5)
        found = slave.getReal([number["pin.position"], number["rod.mass"]])
    expected = luff.compile(folder / "rod.yaml").run(stop=0.5)
    assert found == [expected["pin.position"][-1], 2.0]


@pytest.mark.parametrize("name", ["rod.fmu", "rod3.fmu"])
def test_model_exchange_gives_the_same_motion(folder: Path, name: str) -> None:
    """CVode of the importer and luff's own method, both far more exact than what is asked."""
    rows = fmpy.simulate_fmu(
        str(folder / name), fmi_type="ModelExchange", relative_tolerance=1e-10, output_interval=0.01
    )
    result = luff.compile(folder / "rod.yaml").run()
    # with steps of 1 ms RK4 is off by some 1e-12; CVode keeps 1e-10 a step
    assert rows["pin.position"] == pytest.approx(result["pin.position"], abs=1e-7)


def test_directional_derivatives(folder: Path) -> None:
    """d acceleration / d effort = 1 / I; d acceleration / d position = -m g l cos(q) / I, by hand."""
    about = fmpy.read_model_description(str(folder / "rod.fmu"))
    number = {one.name: one.valueReference for one in about.modelVariables}
    with running(folder / "rod.fmu") as (slave, _):
        rate = [number["der(pin.velocity)"], number["pin.acceleration"]]
        by_effort = slave.getDirectionalDerivative(rate, [number["pin.effort"]], [2.0])
        by_position = slave.getDirectionalDerivative(rate, [number["state(pin.position)"]], [1.0])
        by_mass = slave.getDirectionalDerivative(rate, [number["rod.mass"]], [1.0])
    # exact, so to rounding
    assert by_effort == pytest.approx([2 / INERTIA] * 2, rel=1e-14)
    assert by_position == pytest.approx([-2 * 9.81 * 0.5 * np.cos(0.5) / INERTIA] * 2, rel=1e-13)
    acceleration = -2 * 9.81 * 0.5 * np.sin(0.5) / INERTIA
    slope = (-9.81 * 0.5 * np.sin(0.5) - acceleration * 0.25) / INERTIA  # m l g sin q / (I + m l^2) by m
    assert by_mass == pytest.approx([slope] * 2, rel=1e-13)


def test_derivatives_are_offered_where_their_code_is(folder: Path) -> None:
    for name, offered in (("rod.fmu", "true"), ("rod3.fmu", "false")):
        with zipfile.ZipFile(folder / name) as archive:
            text = archive.read("modelDescription.xml").decode()
        assert set(re.findall(r'providesDirectionalDerivatives?="(\w+)"', text)) == {offered}
    with running(folder / "rod.fmu") as (slave, number):
        acceleration, effort = [number["der(pin.velocity)"]], [number["pin.effort"]]
        before = slave.getReal([*acceleration, number["pin.position"]])
        with pytest.raises(Exception, match="fmi2GetDirectionalDerivative"):
            slave.getDirectionalDerivative(acceleration, acceleration, [1.0])
        slave.getDirectionalDerivative(acceleration, effort, [1.0])
        assert slave.getReal([*acceleration, number["pin.position"]]) == before


def test_steps_between_steps(folder: Path) -> None:
    """Communication points beside the grid of steps: shorter ones reach them."""
    with running(folder / "rod.fmu") as (slave, number):
        slave.doStep(0.0, 0.0125)
        slave.doStep(0.0125, 0.30004)
        slave.doStep(0.31254, 0.18746)
        (found,) = slave.getReal([number["pin.position"]])
    expected = luff.compile(folder / "rod.yaml").run(stop=0.5)["pin.position"][-1]
    assert found == pytest.approx(expected, abs=1e-11)  # RK4's own error at 1 ms


def test_what_cannot_be_is_told(folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with running(folder / "rod.fmu") as (slave, number):
        for name, value in (("rod.mass", -1.0), ("rod.mass", float("nan")), ("pin.initial.position", 1.0)):
            with pytest.raises(fmpy.fmi1.FMICallException):
                slave.setReal([number[name]], [value])
        with pytest.raises(fmpy.fmi1.FMICallException):
            slave.doStep(0.2, 0.1)
        with pytest.raises(fmpy.fmi1.FMICallException):
            slave.getReal([9999])
        assert slave.getReal([number["rod.mass"]]) == [2.0]
    told = capfd.readouterr().out
    for words in (
        "found -1 for rod.mass, expected a number >= 0",
        "found nan for rod.mass, expected a finite number",
        "pin.initial.position cannot be set",
        "a step was asked for at 0.2 s, and the model is at 0 s",
        "there is no variable with the value reference 9999",
    ):
        assert words in told


def test_binaries_for_other_machines(folder: Path, tmp_path: Path) -> None:
    """Windows, macOS and aarch64: built and linked, with FMI's functions in them; nothing here runs them."""
    platforms = ["linux64", "win64", "linux-aarch64", "macos-arm64", "macos-x86_64"]
    for version, places in (
        (2, ("linux64/", "win64/", "aarch64-linux/", "aarch64-darwin/", "darwin64/")),
        (3, ("x86_64-linux/", "x86_64-windows/", "aarch64-linux/", "aarch64-darwin/", "x86_64-darwin/")),
    ):
        file = luff.export_fmu(
            folder / "rod.yaml", tmp_path / "all.fmu", fmi=version, platforms=platforms, parameters=()
        )
        assert validate_fmu(str(file)) == []
        with zipfile.ZipFile(file) as archive:
            files = {name: archive.read(name) for name in archive.namelist() if name.startswith("binaries/")}
        suffixes = (".so", ".dll", ".so", ".dylib", ".dylib")
        names = [
            f"binaries/{place}swinging_rod{suffix}" for place, suffix in zip(places, suffixes, strict=True)
        ]
        assert sorted(files) == sorted(names)
        linux, windows, arm, *macs = (files[name] for name in names)
        for code, processor in zip(macs, (0x100000C, 0x1000007), strict=True):
            check_dylib(code, processor)
        assert struct.unpack_from("<H", linux, 18) == (62,)  # EM_X86_64
        assert struct.unpack_from("<H", arm, 18) == (183,)  # EM_AARCH64
        (header,) = struct.unpack_from("<I", windows, 60)
        assert windows[header : header + 6] == b"PE\0\0\x64\x86"
        assert all(b"fmi2DoStep" in code and b"fmi3DoStep" in code for code in files.values())
        assert b"api-ms-win-crt" in windows  # the C library that Windows brings


def check_dylib(code: bytes, processor: int) -> None:
    """A library of macOS for a processor: FMI's functions, and names of the system's own C library alone."""
    magic, own, _, kind, count = struct.unpack_from("<IIIII", code)
    assert (magic, own, kind) == (0xFEEDFACF, processor, 6)  # MH_DYLIB
    at, commands = 32, {}
    for _ in range(count):
        command, size = struct.unpack_from("<II", code, at)
        commands.setdefault(command, []).append(code[at : at + size])
        at += size
    named = [one[24:].rstrip(b"\0") for one in (*commands[0xD], *commands[0xC])]  # its own, and what it loads
    assert named == [b"@rpath/swinging_rod.dylib", b"/usr/lib/libSystem.B.dylib"]
    if processor == 0x100000C:
        assert 0x1D in commands  # a signature, without which nothing is loaded there
    assert struct.unpack_from("<II", commands[0x32][0], 8) == (1, 11 << 16)  # for macOS 11 and newer
    known = dict(object_symbols.global_symbols(code))
    assert {"fmi2DoStep", "fmi3DoStep"} <= {name for name, here in known.items() if here}
    outside = {name.strip("_") for name, here in known.items() if not here}
    assert outside <= {
        "bzero", "calloc", "ceil", "cos", "dyld_stub_binder", "floor", "fmod", "free", "isfinite", "malloc", "memcmp",
        "memcpy", "memmove", "memset", "memset_pattern16", "pow", "sin", "sincos_stret", "strcmp", "strcpy", "strlen",
        "vsnprintf", "snprintf",
    }  # fmt: skip


def test_nothing_of_python_is_needed(folder: Path) -> None:
    """The names that the library takes from elsewhere: those of a C library."""
    with zipfile.ZipFile(folder / "rod.fmu") as archive:
        code = archive.read("binaries/linux64/swinging_rod.so")
    assert not [word for word in (b"Py_", b"PyErr", b"numba", b"libpython", b"NRT_") if word in code]


PRODUCT = '''"""A block whose numbers depend on two parameters together."""

from luff.blocks import Block, In, Out, Param


class Both(Block):
    """A gain of two factors: y = a b u."""

    u, y = In(), Out()
    a = Param(2.0, doc="one factor")
    b = Param(3.0, doc="the other")
    derived_names = ("both",)

    def derived(self):
        return {"both": (self.a * self.b,)}

    def out(u, both):
        return both[0] * u
'''


def test_of_parameters_that_multiply_one_is_tunable(tmp_path: Path) -> None:
    """Each alone moves the product in a straight line; both together do not, and so the second is a constant."""
    (tmp_path / "both.py").write_text(PRODUCT)
    (tmp_path / "both.yaml").write_text(
        "luff: 1\nname: both\nblocks:\n  files: [both.py]\n  one: {type: constant, value: 1}\n  it: {type: both}\n"
        "connect: [one.y -> it.u]\nsimulation: {stop: 1 s, step: 0.1 s}\n"
    )
    diagram = luff.load(tmp_path / "both.yaml", allow_code=True)
    file = luff.export_fmu(diagram, tmp_path / "both.fmu", parameters=["it.*"])
    about = {one.name: one.variability for one in fmpy.read_model_description(str(file)).modelVariables}
    assert (about["it.a"], about["it.b"]) == ("tunable", "constant")
    with running(file) as (slave, number):
        slave.setReal([number["it.a"]], [5.0])
        assert slave.getReal([number["it.y"]]) == [15.0]


def test_diagram_is_in_the_file_as_a_picture(folder: Path) -> None:
    found = []
    for file, name in (("rod.fmu", "model.png"), ("rod3.fmu", "documentation/diagram.png")):
        with zipfile.ZipFile(folder / file) as archive:
            found.append(archive.read(name))
    assert found[0].startswith(b"\x89PNG")
    assert found[0] == found[1]  # equal models make equal pictures
