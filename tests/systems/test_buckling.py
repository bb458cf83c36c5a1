"""Loads at which columns lose their stability, against the theory of the chain of rigid elements itself."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import luff
from luff.solver.analysis.buckling import _Search, loaded_point
from luff.tests.process import call

LIBRARY = Path(luff.__file__).resolve().parent / "library"
LENGTH, WIDTH, HEIGHT, E, RHO = 2.0, 0.02, 0.05, 2.1e11, 7800.0
EI = E * HEIGHT * WIDTH**3 / 12.0  # of the weaker plane


def column(divisions: int, force: float = 1.0, resolve: str = "world", more: str = "") -> str:
    """A column along x, clamped at one end and pressed at the other, without weight."""
    return f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  column:
    type: rfem_link
    length: {LENGTH}
    section: {{shape: rectangle, width: {WIDTH}, height: {HEIGHT}}}
    E: {E}
    rho: {RHO}
    divisions: {divisions}
    {more}
  tip: {{type: applied_force, resolve: {resolve}}}
  F: {{type: constant, value: [{-force!r}, 0, 0]}}
connect: [world.frame -- column.frame_a, column.frame_b -- tip.frame_b, F.y -> tip.force]
"""


@pytest.mark.parametrize("divisions", [2, 5, 12])
def test_column_of_euler_buckles_where_its_chain_does(divisions: int) -> None:
    """n hinges of stiffness E I n / l, half elements at the ends: P = (2 n)^2 E I / l^2 sin(pi / 4 n)^2."""
    n = divisions
    chain = (2.0 * n) ** 2 * EI / LENGTH**2 * math.sin(math.pi / (4.0 * n)) ** 2
    found = luff.buckling(luff.compile(luff.loads(column(n, force=700.0))), load="F.value")
    assert found.kind == "divergence"
    assert found.factor * 700.0 == pytest.approx(chain, rel=1e-9)
    # the mode of the chain: angles of the hinges follow cos(i pi / 2 n) from element to element
    psi = [found.shape[f"column.psi[{i}]"] for i in range(n)]
    angles = np.sin(np.arange(n + 1) * math.pi / (2 * n))
    wanted = np.diff(angles) / np.diff(angles)[0]
    np.testing.assert_allclose(np.real(psi) / np.real(psi[0]), wanted, atol=1e-4)


def beck_of_chain(n: int) -> tuple[float, float]:
    """Load and frequency at which the plane chain with a follower force flutters, from its own matrices."""
    d = LENGTH / n
    springs = (np.arange(1, n + 1) - 0.5) * d
    edges = np.array([0.0, *springs, LENGTH])
    lengths, centres = np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    shift = np.maximum(centres[:, None] - springs, 0.0)  # of each element's centre, by each hinge
    turn = (centres[:, None] > springs).astype(float)
    mass = RHO * WIDTH * HEIGHT * lengths
    # the inertia about the axis of bending of a block of that length
    inertia = mass * (lengths**2 + WIDTH**2) / 12.0
    M = shift.T @ (mass[:, None] * shift) + turn.T @ (inertia[:, None] * turn)
    K = EI / d * np.eye(n)
    # work of P on a small change: shortening of the chain, and P across it along the last element
    arms = LENGTH - springs
    shortened = np.minimum(arms[:, None], arms[None, :])
    across = np.tile(arms[:, None], (1, n))

    def squares(P: float) -> np.ndarray:
        return np.linalg.eigvals(np.linalg.solve(M, K - P * (shortened - across)))

    low, high = 0.0, 60.0 * EI / LENGTH**2
    while high - low > 1e-10 * high:
        middle = 0.5 * (low + high)
        real = abs(squares(middle).imag).max() <= 1e-6 * abs(squares(middle)).max()
        low, high = (middle, high) if real else (low, middle)
    values = squares(high)
    return high, float(np.sqrt(values[np.argmax(abs(values.imag))]).real)


@pytest.mark.parametrize("divisions", [3, 8])
def test_column_of_beck_flutters_where_its_chain_does(divisions: int) -> None:
    load, frequency = beck_of_chain(divisions)
    found = luff.buckling(luff.compile(luff.loads(column(divisions, 1000.0, "b"))), load="F.value")
    assert found.kind == "flutter"
    # the chain's own matrices, where eigenvalues meet, are good to the root of rounding
    assert found.factor * 1000.0 == pytest.approx(load, rel=1e-5)
    assert found.frequency == pytest.approx(frequency, rel=1e-3)
    # the chain converges to Beck's 20.05 E I / l^2
    assert load * LENGTH**2 / EI == pytest.approx(20.05, rel=0.5 / divisions)


@pytest.mark.parametrize(
    ("damping", "wanted", "within"),
    # the square of the damping moves the load; what grows less than its error bound does not count yet
    [
        (0.0, 3.5 - math.sqrt(2.0), 1e-8),
        (1e-2, 41.0 / 28.0, 1e-6),
        (1e-4, 41.0 / 28.0, 1e-8),
        (1e-6, 41.0 / 28.0, 1e-6),
    ],
)
def test_damping_takes_a_third_of_the_load_of_ziegler_s_column(
    damping: float, wanted: float, within: float
) -> None:
    """Bars of 1 m with 2 m and m at their ends, springs c and equal dampers, however small; P l / c (Ziegler, 1952).

    With dampers it begins to grow slowly: from the error bound of its eigenvalue on that is told.
    """
    c = 100.0
    joint = f"type: revolute, axis: z, stiffness: {c}, damping: {damping}"
    bar = "type: rigid_link, com: [1, 0, 0], inertia: [1e-9, 1e-9, 1e-9], frame_b: {at: [1, 0, 0]}"
    found = luff.buckling(
        luff.compile(
            luff.loads(f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  foot: {{{joint}}}
  one: {{{bar}, mass: 2}}
  knee: {{{joint}}}
  two: {{{bar}, mass: 1}}
  tip: {{type: applied_force, resolve: b}}
  F: {{type: constant, value: [-10, 0, 0]}}
connect: [world.frame -- foot.frame_a, foot.frame_b -- one.frame_a, one.frame_b -- knee.frame_a,
          knee.frame_b -- two.frame_a, two.frame_b -- tip.frame_b, F.y -> tip.force]
""")
        ),
        load="F.value",
    )
    assert found.kind == "flutter"
    assert found.factor * 10.0 / c == pytest.approx(wanted, rel=within)


def test_column_falls_by_its_own_weight_as_greenhill_says() -> None:
    """q l^3 / E I = 7.8373, where gravity is the load; the chain comes near it with the square of the divisions."""
    off = []
    for n in (5, 10):
        text = column(n).replace("[0, 0, 0]", "[-9.81, 0, 0]")
        text = text.replace(", F.y -> tip.force", "").replace(", column.frame_b -- tip.frame_b", "")
        text = "\n".join(line for line in text.splitlines() if not line.startswith(("  tip:", "  F:")))
        found = luff.buckling(luff.compile(luff.loads(text)), load="world.gravity")
        assert found.kind == "divergence"
        off.append(found.factor * 9.81 * RHO * WIDTH * HEIGHT * LENGTH**3 / EI / 7.8373 - 1.0)
    assert off[1] == pytest.approx(-0.5 / 10**2, rel=0.1)
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.05)


HALF, RISE, SPRING = 1.0, 0.2, 1e4


def truss(force: float) -> str:
    """Of von Mises: two springs to a point at a height; one stands for both, and a guide for what they leave out."""
    return f"""
luff: 1
blocks:
  world: {{gravity: [0, 0, 0]}}
  guide: {{type: prismatic, axis: z, initial: {{position: {RISE}}}, damping: 10}}
  point: {{type: rigid_link, mass: 1, inertia: [1, 1, 1]}}
  pin: {{type: fixed, at: [{HALF}, 0, 0]}}
  spring: {{type: line_spring, stiffness: {2 * SPRING}, free_length: {math.hypot(HALF, RISE)!r}}}
  tip: {{type: applied_force}}
  F: {{type: constant, value: [0, 0, {-force}]}}
connect:
  - world.frame -- guide.frame_a
  - guide.frame_b -- point.frame_a
  - world.frame -- pin.frame_a
  - pin.frame_b -- spring.frame_a
  - point.frame_a -- spring.frame_b
  - point.frame_a -- tip.frame_b
  - F.y -> tip.force
"""


@pytest.mark.parametrize("force", [10.0, 1e5])
def test_shallow_truss_snaps_through_at_the_maximum_of_its_resistance(force: float, tmp_path: Path) -> None:
    """However far the first look goes past it: there is a second equilibrium, hanging, for any load."""
    (tmp_path / "truss.yaml").write_text(truss(force))
    z = np.linspace(0.0, RISE, 200001)
    resistance = 2.0 * SPRING * (math.hypot(HALF, RISE) / np.hypot(HALF, z) - 1.0) * z
    done = call("buckling", "truss.yaml", "--load", "F.value", "--json", "-o", "mode.png", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert found["kind"] == "limit point"
    assert not found["notes"]
    # to where Newton's method still finds what is there: the square root of its own tolerance
    assert found["factor"] * force == pytest.approx(resistance.max(), rel=1e-3)
    assert (tmp_path / "mode.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("load", "force", "told"),
    [
        ("G.value", 1.0, 'there is no block "G"'),
        ("F.valu", 1.0, "did you mean"),
        ("Q", 1.0, 'the netlist has no parameter "Q"'),
        ("world.gravity", 1.0, "this load is zero"),
        ("F.value", -1.0, "still stable at"),
        ("column.E", 1.0, "not stable without this load"),
    ],
)
def test_load_that_cannot_be_is_told(load: str, force: float, told: str, tmp_path: Path) -> None:
    (tmp_path / "column.yaml").write_text(column(2, force))
    done = call("buckling", "column.yaml", "--load", load, cwd=tmp_path, code=1)
    assert told in done.stderr.replace("\n", " ")


def test_column_that_leans_already_is_not_told_to_buckle() -> None:
    """From half of a load twice Euler's, a long step meets a second equilibrium, bent the other way and unstable."""
    sim = luff.compile(LIBRARY / "column.yaml", **{"column.divisions": 2})
    told = (
        r"bends with the load, and is still stable .*psi\[0\] has moved by 3.14 rad: what leans"  # it hangs
    )
    with pytest.raises(luff.LuffError, match=told):
        luff.buckling(sim, load="head.mass")


def test_bending_is_told_of_a_loss_along_it_alone() -> None:
    sim = luff.compile(LIBRARY / "column.yaml", **{"column.divisions": 1})
    search = _Search(sim, "head.mass", 0.0, lambda factor: None)
    nothing, here = search.begin(), loaded_point(sim, "head.mass", 900.0, 0.0)
    k, j = (here.sim.state_names.index(name) for name in ("column.psi", "column.theta"))
    here.x[k] = nothing.point.x[k] + 0.25
    along, across = np.eye(len(here.x))[[k, j]]
    assert search._bending(nothing, here, along) == "column.psi has moved by 0.25 rad"
    assert search._bending(nothing, here, across) == ""  # as of a beam that sags and leaves its plane
    here.x[k] = nothing.point.x[k]
    assert search._bending(nothing, here) == ""


def test_a_load_under_which_rest_is_not_found_anew_takes_the_state_that_is_known() -> None:
    sim = luff.compile(LIBRARY / "column.yaml", **{"column.divisions": 1})
    with pytest.raises(luff.LuffError, match="no equilibrium"):
        loaded_point(sim, "head.mass", 3e8, 0.0, known=False)
    assert loaded_point(sim, "head.mass", 3e8, 0.0).sim.program.flat.blocks["head"].values["mass"] == 3e8


def test_column_of_the_library_leans_by_the_secant_and_gives_way_where_its_chain_does() -> None:
    """A tube with hardly any weight of its own, and a load beside its axis: lean = e (sec(k l) - 1)."""
    path, n, light = LIBRARY / "column.yaml", 4, {"column.rho": 100.0, "column.divisions": 4}
    stiff = 2.1e11 * math.pi / 64.0 * (0.08**4 - 0.072**4)
    chain = (2.0 * n) ** 2 * stiff / 6.0**2 * math.sin(math.pi / (4.0 * n)) ** 2 / 9.81
    found = luff.buckling(luff.compile(path, eccentricity=0.0, **light), load="head.mass")
    # 0.3 of the tube's 0.57 kg count as load at its head
    assert found.value + 0.3 * 0.573 == pytest.approx(chain, rel=1e-4)
    for load in (200.0, 900.0):
        lean = luff.compile(path, load=load, **light).run(stop=0.01)["top.position"][0, 1]
        secant = 0.01 * (1.0 / math.cos(0.5 * math.pi * math.sqrt(load / chain)) - 1.0)
        # hinges in place of a curve, and at 900 kg a lean of 0.1 m that stiffens it
        assert lean == pytest.approx(secant, rel=0.02)


def test_a_parameter_of_the_netlist_is_a_load(tmp_path: Path) -> None:
    """A rod of L = 2 m on a spring of k = 500 N m/rad falls at k/L, by the parameter's own value or another one."""
    (tmp_path / "rod.yaml").write_text("""luff: 1
parameters: {base: 50 N, P: =2*base}
blocks:
  world: {gravity: [0, 0, 0]}
  pin: {type: revolute, axis: y, stiffness: 500}
  rod: {type: rigid_link, mass: 1, com: [0, 0, 1], inertia: [0.1, 0.1, 0.1], frame_b: {at: [0, 0, 2]}}
  f: {type: constant, value: [0, 0, =-P]}
  push: {type: applied_force}
connect: [world.frame -- pin.frame_a, pin.frame_b -- rod.frame_a, rod.frame_b -- push.frame_b, f.y -> push.force]
""")
    for changes, full in (([], 100.0), (["--set", "base=20 N"], 40.0), (["--set", "P=10 N"], 10.0)):
        done = call("buckling", "rod.yaml", "--load", "P", "--json", *changes, cwd=tmp_path)
        assert json.loads(done.stdout)["factor"] * full == pytest.approx(250.0, rel=1e-6)
    told = call("buckling", "rod.yaml", "--load", "P", cwd=tmp_path).stdout
    assert told.startswith("load factor 2.5 (P = 250 kg*m/s^2)\n")
