"""Compare imported robots with the engines that their files are written for: `python -m luff.bench.robots FOLDER...`.

Every .urdf is imported and compared with Pinocchio's `aba`, every .xml with a <mujoco> in it with MuJoCo's
`mj_forward`, in random states. What the import names as not taken over is switched off in the other engine as well:
contacts, actuators, tendons, fluids, constraints; and, since each engine has laws of its own, end stops and dry
friction.
Run it with NUMBA_DISABLE_JIT=1: robots by the dozen are sooner evaluated in plain Python than compiled.
"""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import luff
from luff.blocks.geometry import rotations
from luff.solver.exchange import Imported, read_model

pin: Any = import_module("pinocchio")
mujoco: Any = import_module("mujoco")  # names of both are not to be seen without running them
ROOT = "the root that luff.bench.robots adds"
BOUND = 1e-9  # largest difference of an acceleration, over the largest acceleration of the robot
STATES = 5
STILL = 1e-3  # m/s^2, rad/s^2: a robot that nothing accelerates, like wheels on axes that hold
OWN_LAWS = ("limits", "friction")


class Robot:
    """An imported model, compiled without end stops and dry friction, and evaluated by joint."""

    def __init__(self, path: Path, floating: bool = False):
        self.imported: Imported = read_model(path, floating, path.parent)
        diagram = luff.loads(self.imported.text, base=path.parent)
        for name, raw in list(diagram.blocks.items()):
            # MuJoCo's constraints are soft, and Pinocchio's `aba` knows none; drives are off there
            if raw.get("cut") or raw.get("type") in ("programmed_constraint", "expression"):
                diagram.remove_block(name)
        self.kinds = {}
        for name, raw in diagram.blocks.items():
            self.kinds[name] = raw.get("type", "world")
            for law in OWN_LAWS:
                raw.pop(law, None)
            raw.pop("initial", None)
        self.sim = luff.compile(diagram)
        self.place = {name: k for k, name in enumerate(self.sim.state_names)}

    def joints(self) -> Iterator[tuple[str, str, str]]:
        """Name in the source, block, and type of the block."""
        for source, block in self.imported.joints.items():
            if self.kinds[block] != "fixed":
                yield source, block, self.kinds[block]

    def damping(self, block: str) -> float:
        return float(str(self.sim.diagram.blocks[block].get("damping", "0")).split()[0])

    def random(self, rng: np.random.Generator) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Positions and velocities of each joint; of a free one place, quaternion, velocity and angular velocity."""
        state = {}
        for _, block, kind in self.joints():
            if kind == "free":
                quaternion = rng.normal(size=4)
                q = np.concatenate([rng.uniform(-1, 1, 3), quaternion / np.linalg.norm(quaternion)])
                state[block] = q, rng.uniform(-1, 1, 6)
            else:
                size, wide = (3, 1.0) if kind == "spherical" else (1, 2.0)
                if self.by_quaternion(block):
                    turn = rng.normal(size=4)
                    state[block] = turn / np.linalg.norm(turn), rng.uniform(-1, 1, 3)
                    continue
                wide = 0.2 if kind == "prismatic" else wide
                # a brake in the shape of a huge damper would leave no digits to the others
                fast = 1.0 if self.damping(block) < 1e6 else 0.0
                state[block] = rng.uniform(-wide, wide, size), rng.uniform(-fast, fast, size)
        return state

    def accelerations(self, state: dict[str, tuple[np.ndarray, np.ndarray]]) -> dict[str, np.ndarray]:
        x = np.array(self.sim.x0)
        for _, block, kind in self.joints():
            for values, names in zip(state[block], self._names(block, kind), strict=True):
                x[[self.place[name] for name in names]] = values
        dx = self.sim.derivative(0.0, x)
        return {
            block: dx[[self.place[name] for name in self._names(block, kind)[1]]]
            for _, block, kind in self.joints()
        }

    def by_quaternion(self, block: str) -> bool:
        """True if the orientation of a spherical or free joint is a quaternion."""
        return f"{block}.orientation[0]" in self.place

    def _names(self, block: str, kind: str) -> tuple[list[str], list[str]]:
        if self.by_quaternion(block):
            vectors = [("orientation", 4)], [("angular_velocity", 3)]
            if kind == "free":
                vectors = [("position", 3), *vectors[0]], [("velocity", 3), *vectors[1]]
            q, v = ([f"{block}.{name}[{k}]" for name, n in group for k in range(n)] for group in vectors)
            return q, v
        if kind == "spherical":
            angles = ("psi", "theta", "phi")
            return [f"{block}.{a}" for a in angles], [f"{block}.{a}_rate" for a in angles]
        return [f"{block}.position"], [f"{block}.velocity"]


def spin(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of a spherical joint: orientation, angular velocity in b, and the matrix that takes rates to it."""
    _, theta, phi = q
    E = np.array(
        [
            [-np.sin(theta), 0.0, 1.0],
            [np.sin(phi) * np.cos(theta), np.cos(phi), 0.0],
            [np.cos(phi) * np.cos(theta), -np.sin(phi), 0.0],
        ]
    )
    R = rotations.rotation_of_turns(
        [((0.0, 0.0, 1.0), q[0]), ((0.0, 1.0, 0.0), theta), ((1.0, 0.0, 0.0), phi)]
    )
    return R, E @ v, E


def spin_rate(q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Angular acceleration in b: the angular velocity's derivative, by a complex step along the motion."""
    h = 1e-20
    _, theta, phi = q + 1j * h * v
    E = np.array(
        [
            [-np.sin(theta), 0.0, 1.0],
            [np.sin(phi) * np.cos(theta), np.cos(phi), 0.0],
            [np.cos(phi) * np.cos(theta), -np.sin(phi), 0.0],
        ]
    )
    return (E @ (v + 1j * h * a)).imag / h


def difference(ours: list[np.ndarray], theirs: list[np.ndarray]) -> float:
    a, b = np.concatenate(ours), np.concatenate(theirs)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), STILL))


def against_pinocchio(path: Path, floating: bool, seed: int) -> tuple[int, float]:
    """Freedoms, and the largest relative difference of joint accelerations over the random states."""
    robot = Robot(path, floating)
    root = [pin.JointModelFreeFlyer(), ROOT] if floating else []
    model = pin.buildModelFromUrdf(str(path), *root)
    data = model.createData()

    def ident(source: str) -> int:
        return model.getJointId(source if model.existJointName(source) else ROOT)

    held = [model.joints[ident(note.name)] for note in robot.imported.notes if note.what == "motion"]
    free = np.setdiff1d(np.arange(model.nv), [k for j in held for k in range(j.idx_v, j.idx_v + j.nv)])
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(STATES):
        state = robot.random(rng)
        q, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
        for source, block, kind in robot.joints():
            joint = model.joints[ident(source)]
            (position, velocity), iq, iv = state[block], joint.idx_q, joint.idx_v
            if kind == "free":
                w, xyz = position[3], position[4:]
                q[iq : iq + 7] = [*position[:3], *xyz, w]
                R = pin.Quaternion(w, *xyz).toRotationMatrix()
                v[iv : iv + 6] = [*(R.T @ velocity[:3]), *velocity[3:]]
                continue
            angle = position[0]
            q[iq : iq + joint.nq] = [angle] if joint.nq == 1 else [np.cos(angle), np.sin(angle)]
            v[iv] = velocity[0]
            tau[iv] = -robot.damping(block) * velocity[0]
        if held:  # rows without inertia: Pinocchio's mass matrix without them
            a = np.zeros(model.nv)
            M, bias = pin.crba(model, data, q), pin.rnea(model, data, q, v, np.zeros(model.nv))
            a[free] = np.linalg.solve(M[np.ix_(free, free)], (tau - bias)[free])
        else:
            a = pin.aba(model, data, q, v, tau)
        accelerations = robot.accelerations(state)
        ours, theirs = [], []
        for source, block, kind in robot.joints():
            joint = model.joints[ident(source)]
            iv = joint.idx_v
            expected = a[iv : iv + joint.nv]
            if kind == "free":  # Pinocchio's are spatial, in the body's axes
                w, xyz = state[block][0][3], state[block][0][4:]
                R = pin.Quaternion(w, *xyz).toRotationMatrix()
                linear = expected[:3] + np.cross(v[iv + 3 : iv + 6], v[iv : iv + 3])
                expected = np.concatenate([R @ linear, expected[3:]])
            ours.append(accelerations[block])
            theirs.append(expected)
        if ours:
            worst = max(worst, difference(ours, theirs))
    return len(free), worst


def against_mujoco(path: Path, seed: int) -> tuple[int, float]:
    """Freedoms, and the largest relative difference of joint accelerations over the random states."""
    robot = Robot(path)
    model = mujoco.MjModel.from_xml_path(str(path))
    switch_off(model)
    data = mujoco.MjData(model)
    joints = list(robot.joints())
    if len(joints) != model.njnt:
        raise luff.LuffError(f"{len(joints)} joints here, {model.njnt} in MuJoCo", path=str(path))
    rng = np.random.default_rng(seed)
    worst = 0.0
    for _ in range(STATES if joints else 0):
        state = robot.random(rng)
        data.qpos[:] = model.qpos0
        for k, (_, block, kind) in enumerate(joints):
            iq, iv = model.jnt_qposadr[k], model.jnt_dofadr[k]
            position, velocity = state[block]
            if robot.by_quaternion(block):
                data.qpos[iq : iq + len(position)] = position
            elif kind == "spherical":
                R, velocity, _ = spin(position, velocity)
                data.qpos[iq : iq + 4] = rotations.quaternion(R)
            else:
                data.qpos[iq] += position[0]
            data.qvel[iv : iv + len(velocity)] = velocity
        mujoco.mj_forward(model, data)
        accelerations = robot.accelerations(state)
        ours = [
            spin_rate(*state[block], accelerations[block])
            if kind == "spherical" and not robot.by_quaternion(block)
            else accelerations[block]
            for _, block, kind in joints
        ]
        worst = max(worst, difference(ours, [np.array(data.qacc)]))
    return model.nv, worst


def switch_off(model: Any) -> None:
    """What luff does not take over, and the laws that differ."""
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT | off.mjDSBL_ACTUATION
    model.opt.density = model.opt.viscosity = 0.0
    # of ball and free joints; the others' rotors are taken over
    for first, kind in zip(model.jnt_dofadr, model.jnt_type, strict=True):
        size = {mujoco.mjtJoint.mjJNT_FREE: 6, mujoco.mjtJoint.mjJNT_BALL: 3}.get(
            mujoco.mjtJoint(int(kind)), 0
        )
        model.dof_armature[first : first + size] = 0.0
    for array in ("body_gravcomp", "tendon_stiffness", "tendon_damping", "tendon_armature"):
        getattr(model, array)[:] = 0.0
    mujoco.mj_setConst(model, mujoco.MjData(model))  # diagonals of the mass matrix that it keeps


def files(folders: list[Path]) -> Iterator[tuple[Path, Callable[[Path, int], tuple[int, float]]]]:
    paths = [path for top in folders for path in ([top] if top.is_file() else sorted(top.rglob("*")))]
    for path in paths:
        if path.suffix == ".urdf":
            yield path, lambda path, seed: against_pinocchio(path, False, seed)
            yield path, lambda path, seed: against_pinocchio(path, True, seed)
        elif path.suffix == ".xml" and re.search(
            rb"<mujoco\b.*<body\b|<mujoco\b.*<include\b", path.read_bytes(), re.DOTALL
        ):
            yield path, against_mujoco


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"seed {options.seed}, {STATES} random states each; differences over the largest acceleration\n")
    print("| file | freedoms | difference | |\n|---|--:|--:|---|")
    wrong, good = 0, []
    for path, compare in files(options.folders):
        nv, worst, remark = 0, float("nan"), ""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                nv, worst = compare(path, options.seed)
            mended = [note.name for note in read_model(path).notes if note.what == "inertia"]
            if worst <= BOUND and nv:
                good.append(worst)
            if worst > BOUND:
                remark = f"inertia mended: {', '.join(mended)}" if mended else "DIFFERS"
                wrong += not mended
        except luff.LuffError as error:
            remark = f"not compared: {str(error.problems[0])[-160:]}"
        except ValueError as error:  # how both engines refuse a file
            remark = f"refused by the other engine: {str(error).splitlines()[0][:120]}"
        print(f"| {path.name} | {nv} | {worst:.1e} | {remark} |", flush=True)
    if good:
        print(f"\n{len(good)} models with freedoms agree, the worst to {max(good):.1e}; {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
