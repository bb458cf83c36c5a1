"""What a result follows from may change while a study runs: nothing of that is kept, whatever kind of file it is."""

from __future__ import annotations

import ast
import base64
import json
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.text.safe_read import recording_reads
from luff.solver.flatten.diagram import Diagram
from luff.solver.flatten.flatten import flatten
from luff.solver.studies import load, read_study, study_run
from luff.solver.studies.variant_fingerprint import fingerprint
from luff.solver.studies.variant_outcome import VariantOutcome

ROOT = Path(luff.__file__).resolve().parent
EXAMPLES = ROOT / "docs" / "examples"
CORNERS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1)]
FACES += [(2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]


def obj(side: float) -> str:
    points = [" ".join(f"{side * c:.3f}" for c in corner) for corner in CORNERS]
    faces = [" ".join(str(k + 1) for k in face) for face in FACES]
    return "".join(f"v {one}\n" for one in points) + "".join(f"f {one}\n" for one in faces)


def positions(side: float) -> bytes:
    return (side * np.array(CORNERS, "<f4")).tobytes()


def gltf() -> str:
    """Its numbers lie in a file beside it."""
    sides = np.array(FACES, "<u2").tobytes()
    within = "data:application/octet-stream;base64," + base64.b64encode(sides).decode()
    return json.dumps({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "buffers": [{"byteLength": 96, "uri": "box.bin"}, {"byteLength": len(sides), "uri": within}],
        "bufferViews": [{"buffer": 0, "byteLength": 96}, {"buffer": 1, "byteLength": len(sides)}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 8, "type": "VEC3"},
            {"bufferView": 1, "componentType": 5123, "count": 36, "type": "SCALAR"},
        ],
    })  # fmt: skip


def fmu(path: Path, start: float) -> None:
    variable = (
        f'<Float64 name="y" valueReference="1" causality="output"/><Float64 name="u" valueReference="2" \
causality="input" start="0"/><Float64 name="k" valueReference="3" causality="parameter" start="{start}"/>'
    )
    with zipfile.ZipFile(path, "w") as archive:
        text = (
            f'<fmiModelDescription fmiVersion="3.0" instantiationToken="x"><CoSimulation modelIdentifier="m"/>\
<ModelVariables>{variable}</ModelVariables></fmiModelDescription>'
        )
        # with a date of its own: that of the clock would be another content
        archive.writestr(zipfile.ZipInfo("modelDescription.xml"), text)


SLIDER = """\
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  {files}
  push: {push}
  slide: {{type: prismatic, axis: x}}
  body: {body}
connect: [world.frame -- slide.frame_a, slide.frame_b -- body.frame_a, push.y -> slide.effort]
simulation: {{stop: 10 ms, step: 1 ms}}
"""
PUSH, BODY = "{type: constant, value: 600, unit: N}", "{type: rigid_link, mass: 2 kg}"
MESH = "{{type: rigid_link, shape: {{kind: mesh, file: {}, density: 1000}}}}"
PART = "luff: 1\nports: {{frame_a: body.frame_a}}\nblocks: {{body: {{type: rigid_link, mass: {} kg}}}}\n"
OWN = '''\
from luff.blocks import Block, Frame
from luff.blocks.multibody_parts import Body

class ChangingBody(Block):
    """A point mass."""
    family = "bodies"
    frame_a = Frame("at its centre")
    def parts(self): return [Body("frame_a", {}, (0.0, 0.0, 0.0))]
'''


def write(folder: Path, files: str = "", push: str = PUSH, body: str = BODY) -> None:
    (folder / "model.yaml").write_text(SLIDER.format(files=files, push=push, body=body))


def netlist(folder: Path, changed: bool) -> None:
    write(folder, body=BODY.replace("2 kg", "8 kg") if changed else BODY)


def composite(folder: Path, changed: bool) -> None:
    write(folder, body="{type: ./part.yaml}")
    (folder / "part.yaml").write_text(PART.format(8 if changed else 2))


def table(folder: Path, changed: bool) -> None:
    write(folder, push="{type: table, file: force.csv, unit: N}")
    (folder / "force.csv").write_text("0, 1200\n1, 1200\n" if changed else "0, 600\n1, 600\n")


def mesh(folder: Path, changed: bool) -> None:
    write(folder, body=MESH.format("box.obj"))
    (folder / "box.obj").write_text(obj(0.2 if changed else 0.1))


def numbers_of_a_mesh(folder: Path, changed: bool) -> None:
    write(folder, body=MESH.format("box.gltf"))
    if not (folder / "box.gltf").exists():  # which does not change
        (folder / "box.gltf").write_text(gltf())
    (folder / "box.bin").write_bytes(positions(0.2 if changed else 0.1))


def heights_of_a_ground(folder: Path, changed: bool) -> None:
    write(folder)
    field = "{kind: height_field, size: [2, 2], file: ground.csv}"
    blocks = f"""ground: {{type: fixture, shape: {field}}}
  free: {{type: free}}
  ball: {{type: rigid_link, mass: 1, inertia: [1, 1, 1], shape: {{kind: sphere, size: 0.1, at: [0, 0, 1]}}}}
  rest: {{type: touch, of: [ball], against: [ground]}}
  slide:"""
    text = (folder / "model.yaml").read_text().replace("slide:", blocks, 1)
    wires = "connect: [world.frame -- free.frame_a, free.frame_b -- ball.frame_a, "
    (folder / "model.yaml").write_text(text.replace("connect: [", wires, 1))
    (folder / "ground.csv").write_text("\n".join([f"0, {0.1 if changed else 0.0}, 0"] * 3))


def own_block(folder: Path, changed: bool) -> None:
    write(folder, files="files: [mine.py]", body="{type: changing_body}")
    (folder / "mine.py").write_text(OWN.format("8.0" if changed else "2.0"))


def fmu_block(folder: Path, changed: bool) -> None:
    write(folder)
    text = (folder / "model.yaml").read_text()
    (folder / "model.yaml").write_text(text.replace("slide:", "other: {type: fmu, file: m.fmu}\n  slide:", 1))
    fmu(folder / "m.fmu", 2.0 if changed else 1.0)


def reduced_body(folder: Path, changed: bool) -> None:
    """One bending mode, across the way on which it slides."""
    write(folder, body="{type: flexible_body, file: beam.npz}")
    section = {"A": 4e-4, "I_y": 1.3e-8, "I_z": 2.6e-8, "J": 2.2e-8, "rho": 20000.0 if changed else 5000.0}
    beam = {"nodes": [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]], "members": [[0, 1], [1, 2]], "section": section}
    luff.reduce(beam, folder / "beam.npz", interfaces={"frame_a": [0]}, modes=1, stiffening=False)


def files_of_wamit(folder: Path, ending: str, changed: bool) -> None:
    write(folder)
    model = (folder / "model.yaml").read_text()
    hull = """
  sea: {type: free}
  hull: {type: rigid_link, mass: 8200, inertia: [9e3, 12e3, 14e3]}
  water: {type: floating_body, wamit: barge, volume: 8}
  slide:"""
    wires = (
        "connect: [world.frame -- sea.frame_a, sea.frame_b -- hull.frame_a, hull.frame_a -- water.frame_b, "
    )
    (folder / "model.yaml").write_text(model.replace("\n  slide:", hull, 1).replace("connect: [", wires, 1))
    rows = {".1": "3 3 3 {}e-1 1\n6 3 3 5e-1 1", ".3": "3 0 3 {} 0 1 0\n6 0 3 2 0 2 0", ".hst": "3 3 {}"}
    for one, text in rows.items():
        (folder / f"barge{one}").write_text(text.format(4 if changed and one == ending else 3) + "\n")


def radiation(folder: Path, changed: bool) -> None:
    files_of_wamit(folder, ".1", changed)


def excitation(folder: Path, changed: bool) -> None:
    files_of_wamit(folder, ".3", changed)


def hydrostatics(folder: Path, changed: bool) -> None:
    files_of_wamit(folder, ".hst", changed)


def gains(folder: Path, changed: bool) -> None:
    """A design as `luff lqr` writes it, beside the model."""
    write(folder)
    text = (folder / "model.yaml").read_text()
    regulator = "state: {type: constant, value: [1, 1]}\n  regulator: {type: lqr, file: gain.json}\n  slide:"
    text = text.replace("slide:", regulator, 1).replace(
        "connect: [", "connect: [state.y -> regulator.state, ", 1
    )
    (folder / "model.yaml").write_text(text)
    points = [{"value": 0.0, "gain": [[2.0 if changed else 1.0, 3.0]]}]
    design = {"luff": "lqr", "inputs": ["a"], "sample_time": 0.0, "points": points}
    (folder / "gain.json").write_text(json.dumps(design))


def model_of_an_observer(folder: Path, changed: bool) -> None:
    write(folder)
    text = (folder / "model.yaml").read_text()
    observer = """angle: {type: constant, value: 0.1, unit: rad}
  seen:
    type: observer
    model: swing.yaml
    step: 10 ms
    measured: [{signal: pin.position, noise: 1 deg}]
    uncertain: [{state: pin.position, deviation: 1 deg}]
  slide:"""
    text = text.replace("slide:", observer, 1).replace("connect: [", "connect: [angle.y -> seen.y, ", 1)
    (folder / "model.yaml").write_text(text)
    swing = (EXAMPLES / "models" / "swing.yaml").read_text()
    (folder / "swing.yaml").write_text(swing.replace("length: 2 m", f"length: {3 if changed else 2} m"))


Kind = Callable[[Path, bool], None]
RUN: list[Kind] = [netlist, composite, table, mesh, numbers_of_a_mesh, own_block, reduced_body]
KINDS: list[Kind] = [
    *RUN,
    fmu_block,
    radiation,
    excitation,
    hydrostatics,
    gains,
    model_of_an_observer,
    heights_of_a_ground,
]
STUDY = """\
luff: 1
model: ./model.yaml
variants: {list: {first: {}, second: {simulation.stop: 20 ms}}}
"""


def identity(folder: Path) -> str:
    return fingerprint(flatten(Diagram.load(folder / "model.yaml", allow_code=True)), ["*"])


@pytest.mark.parametrize("kind", KINDS)
def test_fingerprint_follows_what_files_hold(kind: Kind, tmp_path: Path) -> None:
    kind(tmp_path, False)
    before = identity(tmp_path)
    kind(tmp_path, True)
    changed = identity(tmp_path)
    kind(tmp_path, False)
    assert (identity(tmp_path) == before, changed == before) == (True, False)


@pytest.mark.parametrize("kind", RUN)
def test_change_during_a_study_is_told_and_nothing_of_it_is_kept(
    kind: Kind, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind(tmp_path, False)
    (tmp_path / "study.yaml").write_text(STUDY)
    study, output = load(tmp_path / "study.yaml", allow_code=True), tmp_path / "study.h5"
    identify = study_run._identify

    def then_change(*words: object) -> None:
        identify(*words)
        kind(tmp_path, True)

    with monkeypatch.context() as patch:
        patch.setattr(study_run, "_identify", then_change)
        outcomes = study_run.run(study, output, jobs=1)
    assert [outcome.status for outcome in outcomes] == ["failed", "failed"]
    assert all("has changed since the study began (run the study again)" in one.message for one in outcomes)
    assert [*read_study(output)] == []
    kind(tmp_path, False)

    def again() -> list[VariantOutcome]:
        return study_run.run(load(tmp_path / "study.yaml", allow_code=True), output, jobs=1)

    assert [outcome.status for outcome in again()] == ["finished", "finished"]
    # 600 N, and 2 kg or 1 kg as in a mesh of 0.1 m at 1000 kg/m^3
    mass = 1.0 if kind in (mesh, numbers_of_a_mesh) else 2.0
    # a mesh holds single precision
    assert read_study(output)["first"]["slide.acceleration"][0] == pytest.approx(600.0 / mass, rel=1e-6)
    assert [outcome.status for outcome in again()] == ["kept", "kept"]


_opened: list[str] = []
_hooked = False


def opened_by(call: Callable[[], object]) -> list[Path]:
    """Files that the interpreter opens, whoever does it."""
    global _hooked
    if not _hooked:
        sys.addaudithook(lambda event, words: _opened.append(str(words[0])) if event == "open" else None)
        _hooked = True
    _opened.clear()
    call()
    return [Path(name) for name in _opened]


@pytest.mark.parametrize("kind", KINDS)
def test_files_that_a_model_opens_are_in_its_fingerprint(kind: Kind, tmp_path: Path) -> None:
    kind(tmp_path, False)
    model = tmp_path / "model.yaml"
    with recording_reads() as noted:
        found = opened_by(lambda: luff.compile(luff.load(model, allow_code=True)))
    opened = {
        path for path in found if tmp_path in path.parents and path.suffix not in (".yaml", ".py", ".pyc")
    }
    flat = flatten(Diagram.load(model, allow_code=True))
    known = {digest for block in flat.blocks.values() for digest in block.reads()}
    assert opened == {path for path in noted if path.suffix != ".yaml"}
    # a model that a block reads is a netlist too
    models = {one.digest for path, one in noted.items() if path.suffix == ".yaml"}
    assert {noted[path].digest for path in opened} == known - models


# which modules of blocks and solver open what a netlist names; each is met by a kind above
READERS = {
    "blocks/text/data_files.py",
    "blocks/foreign/fmu_description.py",
    "blocks/geometry/gltf.py",
    "blocks/geometry/height_fields.py",
    "blocks/geometry/mesh_readers.py",
    "blocks/geometry/body_shapes.py",
    "blocks/reduction/reduced_body.py",
    "blocks/environment/wamit_files.py",
    "blocks/signals/design_file.py",
    "blocks/external_block.py",
}
WORDS = {
    "file_content",
    "named_file",
    "digest_of",
    "read_once",
    "open",
    "read_bytes",
    "read_text",
    "fromfile",
    "loadtxt",
}
APART = {
    "blocks/text/safe_read.py",  # in which they are written
    "blocks/registry.py",  # code, and what is installed
    "blocks/foreign/fmu_cosimulation.py",  # which refuses another FMU than the one that was read
}


def test_a_new_reader_of_files_has_its_kind_here() -> None:
    found = set()
    for room in (
        "blocks",
        "solver/flatten",
        "solver/mechanism",
        "solver/initial",
        "solver/program",
        "solver/program",
    ):
        for path in (ROOT / room).rglob("*.py"):
            calls = [
                node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)
            ]
            words = {ast.unparse(call.func).rpartition(".")[2] for call in calls}
            imported = "safe_read import" in path.read_text("utf-8") or words & {
                "named_file",
                "open",
                "fromfile",
            }
            if words & WORDS and imported:
                found.add(path.relative_to(ROOT).as_posix())
    assert found - APART == READERS
