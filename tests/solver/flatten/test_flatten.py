"""Flattening: nesting, parameters, widths and units are gone, and every wire leads from element to element."""

from pathlib import Path
from typing import Any

import pytest

import luff
from luff.blocks import In, LuffError, NetlistError, Out, Param, State
from luff.blocks.block import Block
from luff.blocks.ports import ANY
from luff.solver.flatten.flatten import Bond, Flat, PortRef, flatten


class NetSource(Block):
    """y = k, as wide as its reader."""

    y = Out(ANY)
    k = Param((1.0,), shape=(None,), doc="value")

    def width(self) -> int | None:
        return None if self.k == (1.0,) else len(self.k)

    def out(k):
        return k


class NetLag(Block):
    """T dx/dt = u - x, element by element."""

    u, y = In(ANY), Out(ANY)
    T = Param(1.0, "s", gt=0, doc="time constant")
    x = State(width=ANY)

    def der(x, u, T):
        return (u - x) / T

    def out(x):
        return x


class NetPair(Block):
    """y = u0 + u1, of which the second may be left open."""

    u = In(2, "m")
    v = In(2, "m", default=3.0)
    y = Out(1, "m")

    def out(u, v):
        return u[0] + v[1]


@pytest.fixture(autouse=True)
def blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    from luff.blocks import registry

    known = {cls.type_name: cls for cls in (NetSource, NetLag, NetPair)}
    monkeypatch.setattr(registry, "_loaded_files", {**registry._loaded_files, **known})


def flat(text: str, **overrides: Any) -> Flat:
    return flatten(
        luff.loads("luff: 1\n" + text), {name.replace("__", "."): raw for name, raw in overrides.items()}
    )


def problems(text: str) -> list[str]:
    return [str(problem).removeprefix("<text>:") for problem in luff.loads("luff: 1\n" + text).check()]


def test_flatten_converts_parameters() -> None:
    found = flat(
        "parameters: {T: 20 ms}\nblocks: {s: {type: net_source}, a: {type: net_lag, T: =2*T}}\nconnect: [s.y -> a.u]\n"
    )
    assert found.blocks["a"].values == {"T": 0.04}
    assert "world" in found.blocks
    assert found.blocks["a"].given == {"T"}


@pytest.mark.parametrize("raw", ["3 s", 3, "=1.5*T"])
def test_overrides_replace_parameters(raw: Any) -> None:
    text = (
        "parameters: {T: 2 s}\nblocks: {s: {type: net_source}, a: {type: net_lag}}\nconnect: [s.y -> a.u]\n"
    )
    assert flat(text, a__T=raw).blocks["a"].values["T"] == 3.0
    assert flat(text, T="3 s", a__T="=T").blocks["a"].values["T"] == 3.0
    assert flat(text, simulation__stop="5 s").simulation.stop == 5.0
    assert flat(text, world__gravity=[0, 0, 0]).blocks["world"].values["gravity"] == (0, 0, 0)


@pytest.mark.parametrize("name", ["b.T", "a.TT", "simulation.stp", "nothing"])
def test_overrides_of_nothing_are_refused(name: str) -> None:
    diagram = luff.loads(
        "luff: 1\nblocks: {s: {type: net_source}, a: {type: net_lag}}\nconnect: [s.y -> a.u]\n"
    )
    with pytest.raises(LuffError):
        flatten(diagram, {name: 1})
    assert not diagram.modified


CHAIN = (
    "blocks: {{s: {{type: net_source{k}}}, a: {{type: net_lag}}, b: {{type: net_lag}}}}\nconnect: [{wires}]\n"
)


@pytest.mark.parametrize(
    ("k", "wires", "width"),
    [
        ("", "s.y -> a.u, a.y -> b.u", 1),
        (", k: [1, 2, 3]", "s.y -> a.u, a.y -> b.u", 3),
        (", k: [1, 2, 3]", "a.y -> b.u, s.y -> a.u", 3),
        ("", '"s.y[0:2] -> a.u", a.y -> b.u', 2),
        ("", '"s.y[4] -> a.u[1]", "s.y[0] -> a.u[0]", a.y -> b.u', 2),
    ],
)
def test_widths_follow_the_wires(k: str, wires: str, width: int) -> None:
    found = flat(CHAIN.format(k=k, wires=wires))
    assert found.widths["a", "u"] == found.widths["a", "y"] == found.widths["b", "y"] == width


def test_widths_follow_readers_too() -> None:
    found = flat("blocks: {s: {type: net_source}, p: {type: net_pair}}\nconnect: [s.y -> p.u]\n")
    assert found.widths["s", "y"] == 2
    assert found.units["s", "y"] == "m"


def test_wires_list_their_elements() -> None:
    blocks = "blocks: {s: {type: net_source, k: [1, 2, 3]}, p: {type: net_pair}}\n"
    text = f'{blocks}connect: ["s.y[1:3] -> p.u", "s.y[2] -> p.v[0]"]\n'
    first, second = flat(text).wires
    assert (first.source, first.source_elements) == (PortRef("s", "y"), (1, 2))
    assert (first.target, first.target_elements) == (PortRef("p", "u"), (0, 1))
    assert (second.source_elements, second.target_elements) == ((2,), (0,))
    assert first.mark is not None
    assert first.mark.line == 3


def test_widths_that_disagree_are_told() -> None:
    text = "blocks: {s: {type: net_source, k: [1, 2, 3]}, p: {type: net_pair}}\nconnect: [s.y -> p.u]\n"
    assert ["p.u: takes 2 elements, s.y gives 3 elements" in line for line in problems(text)] == [True]


def test_open_inputs_need_a_default() -> None:
    text = 'blocks: {s: {type: net_source}, p: {type: net_pair}}\nconnect: ["s.y -> p.u[1]"]\n'
    (line,) = problems(text)
    assert "p.u: missing wire: nothing is connected to its element 0" in line


def test_inputs_take_one_wire_an_element() -> None:
    text = 'blocks: {s: {type: net_source}, p: {type: net_pair}}\nconnect: ["s.y[0:2] -> p.u", "s.y[0] -> p.u[1]"]\n'
    (line,) = problems(text)
    assert "p.u: is driven twice in its element 1" in line


def test_bonds_and_the_world() -> None:
    text = "blocks: {j: {type: revolute}, world: {gravity: [0, -9.81, 0]}}\nconnect: [world.frame -- j.frame_a]\n"
    found = flat(text)
    assert found.bonds == [
        Bond(PortRef("world", "frame"), PortRef("j", "frame_a"), "frame", found.bonds[0].mark)
    ]
    assert found.blocks["world"].values["gravity"] == (0.0, -9.81, 0.0)


def test_a_wire_that_is_there_twice_is_a_warning() -> None:
    text = "blocks: {j: {type: revolute}}\nconnect: [world.frame -- j.frame_a, j.frame_a -- world.frame]\n"
    (warning,) = flat(text).warnings
    assert "is here twice, the first time as connection 1" in warning.message


def test_marks_tell_where_entries_stand() -> None:
    found = flat("blocks:\n  j: {type: revolute,\n      axis: z}\nconnect:\n  - world.frame -- j.frame_a\n")
    assert found.marks["blocks.j.axis"][1:] == (4, 13)
    assert found.marks["connect[0]"][1:] == (6, 5)
    assert found.mark("blocks.j.friction.mu_s") == found.marks["blocks.j"]


def test_sections_are_converted() -> None:
    blocks = "blocks: {a: {type: constant}}\n"
    model = flat(
        f"{blocks}simulation: {{stop: 2 min, step: 2 ms}}\ninitial: {{solve: static}}\nrecord: [a.*]\n"
    )
    assert (model.simulation.stop, model.simulation.output_step) == (120.0, 0.002)
    assert model.simulation.constraints.method == "reduced"
    assert (model.initial.solve, model.initial.hold) == ("static", ())
    assert model.record == ["a.*"]
    assert flat("name: x\n").record == ["*"]


# nested netlists

LINK = """\
luff: 1
name: link
parameters: {l: 6 m, m: 100 kg, k: 2}
blocks:
  pin: {type: revolute}
  body: {type: rigid_link, mass: =m, inertia: [1, 1, 1], frame_b: {at: [=l, 0, 0]}}
  lag: {type: net_lag, T: =k}
connect:
  - pin.frame_b -- body.frame_a
  - lag.y -> pin.effort
ports: {root: pin.frame_a, tip: body.frame_b, command: lag.u, angle: pin.position}
"""
ARM = """\
luff: 1
parameters: {reach: 4 m}
blocks:
  upper: {type: ./link.yaml, l: =reach/2}
  lower: {type: ./link.yaml, m: 0.2 t}
  drive: {type: net_source}
connect:
  - upper.tip -- lower.root
  - drive.y -> upper.command
ports: {root: upper.root, tip: lower.tip, command: lower.command, angle: lower.angle}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "link.yaml").write_text(LINK)
    (tmp_path / "parts" / "arm.yaml").write_text(ARM)
    return tmp_path


def crane(folder: Path, text: str) -> luff.Diagram:
    path = folder / "crane.yaml"
    path.write_text("luff: 1\n" + text)
    return luff.load(path)


TWO_ARMS = """\
blocks:
  a: {type: ./parts/arm.yaml, reach: 10 m}
  b: {type: ./parts/arm.yaml}
  s: {type: net_source}
  j: {type: revolute}
connect:
  - world.frame -- a.root
  - a.tip -- b.root
  - s.y -> a.command
  - a.angle -> b.command
  - j.frame_a -- b.tip
"""


def test_nested_blocks_have_dotted_names_and_own_parameters(folder: Path) -> None:
    found = flatten(crane(folder, TWO_ARMS))
    assert found.blocks["a.upper.body"].values["frame_b"].at == (5.0, 0.0, 0.0)
    assert found.blocks["b.upper.body"].values["frame_b"].at == (2.0, 0.0, 0.0)
    assert found.blocks["a.lower.body"].values["mass"] == 200.0
    assert found.blocks["a.upper.body"].values["mass"] == 100.0
    assert PortRef("a.lower.body", "frame_b") in {bond.a for bond in found.bonds}
    (wire,) = [wire for wire in found.wires if wire.target == PortRef("b.lower.lag", "u")]
    assert wire.source == PortRef("a.lower.pin", "position")
    assert sorted(name for name in found.blocks if name.count(".") == 0) == ["j", "s", "world"]


def test_nested_marks_lead_into_the_inner_file(folder: Path) -> None:
    found = flatten(crane(folder, TWO_ARMS))
    mark = found.marks["blocks.a.upper.body.mass"]
    assert Path(mark.file).name == "link.yaml"
    assert mark.line == 6


def test_nested_overrides_reach_through(folder: Path) -> None:
    diagram = crane(folder, TWO_ARMS)
    found = flatten(diagram, {"a.upper.body.mass": "3 t", "b.reach": "8 m", "a.upper.m": 5})
    assert found.blocks["a.upper.body"].values["mass"] == 3000.0
    assert found.blocks["b.upper.body"].values["frame_b"].at == (4.0, 0.0, 0.0)
    with pytest.raises(NetlistError, match=r'nothing named "a\.uper\.body\.mass" to set'):
        flatten(diagram, {"a.uper.body.mass": 1})


def test_inner_mistakes_are_told_once_with_their_file(folder: Path) -> None:
    (folder / "parts" / "link.yaml").write_text(LINK.replace("=m, inertia", "=l, inertia"))
    (problem,) = crane(folder, TWO_ARMS).check()
    assert problem.mark is not None
    assert (Path(problem.mark.file).name, problem.mark.line) == ("link.yaml", 6)
    assert problem.path == "blocks.a.upper.body.mass"


def test_an_inner_input_left_open_is_told(folder: Path) -> None:
    diagram = crane(folder, TWO_ARMS.replace("  - s.y -> a.command\n", ""))
    (problem,) = diagram.check()
    assert problem.path == "a.lower.lag.u"
    assert "missing wire" in problem.message


def test_each_input_left_open_is_told_where_the_block_is_one_line() -> None:
    problems = luff.loads("luff: 1\nblocks:\n  drive: {type: pd, kp: 3, kd: 1}\n").check()
    assert {problem.path for problem in problems} >= {"drive.target", "drive.measured"}


def test_a_composite_may_be_checked_alone_but_not_run(folder: Path) -> None:
    diagram = luff.load(folder / "parts" / "arm.yaml")
    assert diagram.check() == []
    with pytest.raises(NetlistError, match="missing wire"):
        flatten(diagram)


def test_composites_look_like_block_classes(folder: Path) -> None:
    diagram = crane(folder, TWO_ARMS)
    cls = diagram.block_class("a")
    assert list(cls.params) == ["reach"]
    assert cls.params["reach"].unit == "m"
    assert {name: port.kind for name, port in diagram.block_ports("a").items()} == {
        "root": "frame",
        "tip": "frame",
        "command": "signal",
        "angle": "signal",
    }
    diagram.check_connect("j.frame_b", "b.tip")
    assert diagram.connect("j.effort", "a.angle") == "a.angle -> j.effort"


def test_inner_ports_are_reached_by_their_inner_name_if_listed(folder: Path) -> None:
    text = TWO_ARMS.replace("a.tip -- b.root", "a.lower.tip -- b.root")
    assert flatten(crane(folder, text)).bonds == flatten(crane(folder, TWO_ARMS)).bonds


def test_changed_inner_files_are_read_again(folder: Path) -> None:
    diagram = crane(folder, TWO_ARMS)
    assert diagram.check() == []
    (folder / "parts" / "arm.yaml").write_text(ARM.replace("reach: 4 m", "reach: 400 m"))
    assert flatten(diagram).blocks["b.upper.body"].values["frame_b"].at == (200.0, 0.0, 0.0)


def test_parents_are_reached_by_dots(folder: Path) -> None:
    (folder / "parts" / "deep").mkdir()
    path = folder / "parts" / "deep" / "x.yaml"
    path.write_text(
        "luff: 1\nblocks: {a: {type: ../arm.yaml}, s: {type: net_source}}\n"
        "connect: [world.frame -- a.root, s.y -> a.command]\n"
    )
    assert luff.load(path, files=[folder / "parts"]).check() == []


def test_a_text_without_folder_says_so() -> None:
    assert "this netlist has no folder yet" in problems("blocks: {a: {type: ./x.yaml}}\n")[0]


def test_a_nested_world_counts_for_nothing(folder: Path) -> None:
    inner = "luff: 1\nblocks: {world: {gravity: [0, 0, 0]}, j: {type: revolute}}\nconnect: [world.frame -- j.frame_a]\n"
    (folder / "parts" / "ground.yaml").write_text(inner)
    found = flatten(crane(folder, "blocks: {g: {type: ./parts/ground.yaml}}\n"))
    assert found.bonds[0].a == PortRef("world", "frame")
    assert found.blocks["world"].values["gravity"] == (0.0, 0.0, -9.81)
    assert ["cannot change the world" in warning.message for warning in found.warnings] == [True]


# code

CODE = '''
from luff.blocks import Block, Out, Param

class NetCounter(Block):
    """y = k"""
    y = Out()
    k = Param(1.0, doc="value")
    def out(k): return k

open(__file__ + ".ran", "w").close()
'''


def test_code_runs_only_if_allowed(folder: Path) -> None:
    (folder / "mine.py").write_text(CODE)
    text = "blocks:\n  files: [mine.py]\n  c: {type: net_counter, k: 2}\n"
    diagram = crane(folder, text)
    (problem,) = diagram.check()
    assert "--allow-code" in problem.fix
    assert not (folder / "mine.py.ran").exists()
    allowed = luff.load(folder / "crane.yaml", allow_code=True)
    assert not (folder / "mine.py.ran").exists()
    assert flatten(allowed).blocks["c"].values == {"k": 2.0}
    assert allowed.to_yaml() == "luff: 1\n" + text
