"""Random trees: drawn by hypothesis, written as netlists, and built again in Pinocchio from the same numbers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pinocchio as pin  # pyright: ignore[reportMissingImports]
from hypothesis import strategies as st

import luff
from luff.blocks.geometry import rotations

AXES = {"x": np.eye(3)[0], "y": np.eye(3)[1], "z": np.eye(3)[2]}
SIZE = {"revolute": 1, "prismatic": 1, "universal": 2, "spherical": 3, "free": 6, "fixed": 0}
ENTRIES = ("frame_a", "frame_b", "hook")


@dataclass
class Placed:
    at: np.ndarray
    rotate: list[tuple[str, float]]

    def se3(self) -> pin.SE3:
        R = np.eye(3)
        for axis, angle in self.rotate:
            R = R @ pin.exp3(AXES[axis] * angle)
        return pin.SE3(R, self.at)

    def text(self) -> dict[str, Any]:
        return {"at": self.at.tolist(), "rotate": [[axis, angle] for axis, angle in self.rotate]}


@dataclass
class Limb:
    """A joint and the link that it carries."""

    kind: str
    parent: int  # -1: the world
    perch: str  # frame of the parent that it hangs on
    entry: str  # frame of its own link
    flipped: bool  # frame_b of the joint nearer the world
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    frames: dict[str, Placed]
    axes: list[np.ndarray]
    at: Placed  # of a fixed joint
    q: np.ndarray
    v: np.ndarray
    turn: list[tuple[str, float]]  # orientation of a free joint
    effort: float
    stiffness: float
    damping: float
    rest: float
    number: int = field(default=0)

    @property
    def name(self) -> str:
        return f"j{self.number}"

    @property
    def springy(self) -> bool:
        return self.kind in ("revolute", "prismatic", "universal", "spherical")

    def rates(self) -> list[str]:
        """Names of its velocity states, in the order of Pinocchio's coordinates."""
        suffixes = {
            "revolute": ["velocity"],
            "prismatic": ["velocity"],
            "universal": ["alpha_rate", "beta_rate"],
            "spherical": ["psi_rate", "theta_rate", "phi_rate"],
            "free": [f"{w}[{k}]" for w in ("velocity", "angular_velocity") for k in range(3)],
            "fixed": [],
        }[self.kind]
        return [f"{self.name}.{suffix}" for suffix in (reversed(suffixes) if self.flipped else suffixes)]


def physical_inertia(rng: np.random.Generator, mass: float) -> np.ndarray:
    a, b, c = rng.uniform(0.02, 0.2, 3) * mass
    R = rotations.rotation_of_turns([(AXES[k], rng.uniform(-3, 3)) for k in "zyx"])
    return R @ np.diag([b + c, a + c, a + b]) @ R.T


def random_placed(rng: np.random.Generator) -> Placed:
    return Placed(
        rng.uniform(-0.6, 0.6, 3), [(str(rng.choice(list("xyz"))), rng.uniform(-3, 3)) for _ in range(2)]
    )


def unit(rng: np.random.Generator) -> np.ndarray:
    n = rng.normal(size=3)
    return n / np.linalg.norm(n)


@st.composite
def trees(
    draw: st.DrawFn, kinds: tuple[str, ...] = tuple(SIZE), largest: int = 7, light: bool = True
) -> list[Limb]:
    """Topology and wiring are drawn (and shrink); numbers come from a drawn seed. `light`: with massless links."""
    shapes = []
    for k in range(draw(st.integers(1, largest))):
        kind = draw(st.sampled_from(kinds))
        shapes.append(
            (
                kind,
                draw(st.integers(-1, k - 1)),
                draw(st.sampled_from(("frame_b", "hook"))),
                draw(st.sampled_from(ENTRIES)),
                draw(st.booleans()) and kind != "free",
                light and draw(st.integers(0, 3)) == 0,
            )
        )
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    parents = {shape[1] for shape in shapes}
    limbs = []
    for number, (kind, parent, perch, entry, flipped, massless) in enumerate(shapes):
        # a massless link must carry something to have an equation of motion
        mass = 0.0 if massless and number in parents else rng.uniform(0.5, 3.0)
        first = unit(rng)
        second = np.cross(first, unit(rng))
        axes = {
            "revolute": [first],
            "prismatic": [first],
            "universal": [first, second / np.linalg.norm(second)],
            "spherical": [AXES["z"], AXES["y"], AXES["x"]],
        }.get(kind, [])
        n = max(SIZE[kind], 1)
        limbs.append(
            Limb(
                kind, parent, perch, entry, flipped, mass,
                com=rng.uniform(-0.3, 0.3, 3) if mass else np.zeros(3),
                inertia=physical_inertia(rng, mass),
                frames={"frame_b": random_placed(rng), "hook": random_placed(rng)},
                axes=axes, at=random_placed(rng), q=rng.uniform(-1, 1, n), v=rng.uniform(-1, 1, n),
                turn=[(a, rng.uniform(-3, 3)) for a in "zxy"], effort=rng.uniform(-5, 5),
                stiffness=rng.uniform(0, 5), damping=rng.uniform(0, 2), rest=rng.uniform(-1, 1), number=number,
            )
        )  # fmt: skip
    return limbs


# --- luff ---------------------------------------------------------------------------------------------------------


def netlist(limbs: list[Limb], gravity: np.ndarray) -> luff.Diagram:
    blocks: dict[str, Any] = {"world": {"gravity": gravity.tolist()}}
    connect: list[str] = []
    for limb in limbs:
        k, I = limb.number, limb.inertia
        blocks[limb.name] = joint_block(limb)
        blocks[f"b{k}"] = {
            "type": "rigid_link",
            "mass": limb.mass,
            "com": limb.com.tolist(),
            "inertia": [float(I[k]) for k in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))],
            "frame_b": limb.frames["frame_b"].text(),
            "frames": {"hook": limb.frames["hook"].text()},
        }
        near = "world.frame" if limb.parent < 0 else f"b{limb.parent}.{limb.perch}"
        a, b = ("frame_b", "frame_a") if limb.flipped else ("frame_a", "frame_b")
        connect += [f"{near} -- {limb.name}.{a}", f"{limb.name}.{b} -- b{k}.{limb.entry}"]
        if SIZE[limb.kind] == 1:
            blocks[f"e{k}"] = {"type": "constant", "value": limb.effort}
            connect.append(f"e{k}.y -> {limb.name}.effort")
    return luff.loads(json.dumps({"luff": 1, "name": "tree", "blocks": blocks, "connect": connect}))


def joint_block(limb: Limb) -> dict[str, Any]:
    block: dict[str, Any] = {"type": limb.kind}
    if limb.springy:
        block |= {"stiffness": limb.stiffness, "damping": limb.damping}
    q, v = limb.q.tolist(), limb.v.tolist()
    if SIZE[limb.kind] == 1:
        block |= {"axis": limb.axes[0].tolist(), "rest": limb.rest}
        block["initial"] = {"position": q[0], "velocity": v[0]}
    elif limb.kind == "universal":
        block |= {"axis_a": limb.axes[0].tolist(), "axis_b": limb.axes[1].tolist()}
        block["initial"] = {"alpha": q[0], "beta": q[1], "alpha_rate": v[0], "beta_rate": v[1]}
    elif limb.kind == "spherical":
        names = ("psi", "theta", "phi")
        block["initial"] = dict(zip(names, q, strict=True)) | {
            f"{n}_rate": x for n, x in zip(names, v, strict=True)
        }
    elif limb.kind == "free":
        block["initial"] = {
            "position": q[:3],
            "rotate": [[axis, angle] for axis, angle in limb.turn],
            "velocity": v[:3],
            "angular_velocity": v[3:],
        }
    else:
        block |= limb.at.text()
    return block


# --- Pinocchio ----------------------------------------------------------------------------------------------------


def depth_first(limbs: list[Limb], parent: int = -1) -> list[Limb]:
    """Pinocchio's mass matrix needs the joints of a branch to stand together."""
    return [
        each for limb in limbs if limb.parent == parent for each in (limb, *depth_first(limbs, limb.number))
    ]


class Twin:
    """The same tree in Pinocchio. A fixed joint is a revolute one whose acceleration is held at zero, so that its
    wrench can be asked for."""

    def __init__(self, limbs: list[Limb], gravity: np.ndarray):
        self.limbs = limbs
        self.model = model = pin.Model()
        model.gravity.linear = gravity
        self.last = [0] * len(limbs)  # Pinocchio's joint at the far end of each limb
        self.first = [0] * len(limbs)
        self.names: list[str] = []  # of luff's velocity states, "" for held coordinates
        self.beyond = [pin.SE3.Identity()] * len(limbs)  # the luff joint's far frame in the last joint's
        links = [pin.SE3.Identity()] * len(limbs)  # link's frame_a in its Pinocchio joint
        q: list[float] = []
        v: list[float] = []
        tau: list[float] = []
        self.elastic = 0.0
        for limb in depth_first(limbs):
            parent, base = 0, pin.SE3.Identity()
            if limb.parent >= 0:
                parent = self.last[limb.parent]
                base = links[limb.parent] * limbs[limb.parent].frames[limb.perch].se3()
            first = len(model.joints)
            for joint in self._chain(limb):
                parent = model.addJoint(parent, joint, base, f"{limb.name} {len(model.joints)}")
                base = pin.SE3.Identity()
            beyond = pin.SE3.Identity()
            if limb.kind == "fixed":
                beyond = limb.at.se3().inverse() if limb.flipped else limb.at.se3()
            entry = limb.frames[limb.entry].se3() if limb.entry != "frame_a" else pin.SE3.Identity()
            link = beyond * entry.inverse()
            model.appendBodyToJoint(parent, pin.Inertia(limb.mass, limb.com, limb.inertia), link)
            k = limb.number
            self.first[k], self.last[k], self.beyond[k], links[k] = first, parent, beyond, link
            self._state(limb, q, v, tau)
        self.q, self.v, self.tau = np.array(q), np.array(v), np.array(tau)
        self.free = [i for i, name in enumerate(self.names) if name]
        self.data = model.createData()
        M = np.triu(pin.crba(model, self.data, self.q))
        self.M = (M + np.triu(M, 1).T)[np.ix_(self.free, self.free)]

    def _chain(self, limb: Limb) -> list[Any]:
        if limb.kind == "free":
            return [pin.JointModelFreeFlyer()]
        if limb.kind == "fixed":
            return [pin.JointModelRX()]
        cls = (
            pin.JointModelPrismaticUnaligned if limb.kind == "prismatic" else pin.JointModelRevoluteUnaligned
        )
        axes = [-axis for axis in reversed(limb.axes)] if limb.flipped else limb.axes
        return [cls(axis) for axis in axes]

    def _state(self, limb: Limb, q: list[float], v: list[float], tau: list[float]) -> None:
        if limb.kind == "fixed":
            for each in (q, v, tau):
                each.append(0.0)
            self.names.append("")
            return
        self.names += limb.rates()
        if limb.kind == "free":
            R = Placed(np.zeros(3), limb.turn).se3().rotation
            q += [*limb.q[:3], *pin.Quaternion(R).coeffs()]
            v += [*(R.T @ limb.v[:3]), *limb.v[3:]]
            tau += [0.0] * 6
            return
        rest = limb.rest if SIZE[limb.kind] == 1 else 0.0
        effort = limb.effort if SIZE[limb.kind] == 1 else 0.0
        efforts = effort - limb.stiffness * (limb.q - rest) - limb.damping * limb.v
        self.elastic += 0.5 * limb.stiffness * float(np.sum((limb.q - rest) ** 2))
        turn = slice(None, None, -1) if limb.flipped else slice(None)
        q += limb.q[turn].tolist()
        v += limb.v[turn].tolist()
        tau += efforts[turn].tolist()

    def condition(self) -> float:
        return float(np.linalg.cond(self.M)) if self.free else 1.0

    def solve(self) -> None:
        """Accelerations from M and h alone; held coordinates stay at zero. Then the wrenches, by inverse dynamics."""
        model, data, f = self.model, self.data, self.free
        h = pin.nonLinearEffects(model, data, self.q, self.v)
        self.a = np.zeros(model.nv)
        if f:
            self.a[f] = np.linalg.solve(self.M, (self.tau - h)[f])
        pin.rnea(model, data, self.q, self.v, self.a)
        self.forces = [data.f[j].copy() for j in range(len(model.joints))]

    def free_axes(self) -> np.ndarray:
        """Rates of luff -> rates of Pinocchio, on free coordinates: a free joint's velocity is in frame_a there."""
        B = np.eye(len(self.free))
        for limb in self.limbs:
            if limb.kind == "free":
                k = [self.names[i] for i in self.free].index(f"{limb.name}.velocity[0]")
                B[k : k + 3, k : k + 3] = self._turn(limb).T
        return B

    def _turn(self, limb: Limb) -> np.ndarray:
        return Placed(np.zeros(3), limb.turn).se3().rotation

    def accelerations(self) -> dict[str, float]:
        """By the name of luff's velocity state."""
        found = {name: float(a) for name, a in zip(self.names, self.a, strict=True) if name}
        for limb in self.limbs:
            if limb.kind == "free":
                k = self.names.index(f"{limb.name}.velocity[0]")
                # d(R v)/dt = R (a + w x v)
                a = self._turn(limb) @ (self.a[k : k + 3] + np.cross(limb.v[3:], self.v[k : k + 3]))
                found |= {f"{limb.name}.velocity[{i}]": float(a[i]) for i in range(3)}
        return found

    def mass_matrix(self) -> np.ndarray:
        B = self.free_axes()
        return B.T @ self.M @ B

    def wrench(self, limb: Limb) -> np.ndarray:
        """(force; torque) of a's side on b's body, at frame_b, in frame_b."""
        k = limb.number
        f = self.beyond[k].actInv(self.forces[self.last[k]])  # on the far body, at the luff joint's far frame
        if limb.flipped:
            across = pin.SE3.Identity()  # the far frame of the joint in its near frame
            pin.forwardKinematics(self.model, self.data, self.q)
            for j in range(self.first[k], self.last[k] + 1):
                across = across * self.model.jointPlacements[j].inverse() * self.data.liMi[j]
            f = -(across * self.beyond[k]).act(f)
        return np.concatenate([f.linear, f.angular])

    def energies(self) -> tuple[float, float]:
        kinetic = pin.computeKineticEnergy(self.model, self.data, self.q, self.v)
        return kinetic, pin.computePotentialEnergy(self.model, self.data, self.q)
