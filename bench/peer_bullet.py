"""Benchmarks in PyBullet: minimal coordinates (Featherstone) and steps of first order; trees alone."""

from __future__ import annotations

import tempfile
import time
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from luff.blocks.geometry.rotations import angles_of_rotation

from .rigid_model import THIN, Result, RigidModel
from .systems import words


def urdf(model: RigidModel) -> str:
    """Tree of links, each with its frame at its joint and along its own axes."""
    text = '<robot name="tree"><link name="world"/>'
    at = {"": np.zeros(3)}
    for joint in model.joints:
        body, R = model.bodies[joint.b], model.bodies[joint.a].R if joint.a else np.eye(3)
        at[joint.b] = joint.place
        psi, theta, phi = angles_of_rotation(R.T @ body.R)
        kind = {"revolute": "continuous", "spherical": "spherical"}[joint.kind]
        origin = (
            f'<origin xyz="{words(R.T @ (joint.place - at[joint.a]))}" rpy="{words([phi, theta, psi])}"/>'
        )
        com = words(body.R.T @ (body.world(body.com) - joint.place))
        ixx, iyy, izz = (repr(float(one)) for one in np.maximum(body.inertia, THIN))
        text += (
            f'<joint name="{joint.name}" type="{kind}"><parent link="{joint.a or "world"}"/>'
            f'<child link="{joint.b}"/>{origin}<axis xyz="{words(body.R.T @ joint.axis)}"/></joint>'
            f'<link name="{joint.b}"><inertial><origin xyz="{com}"/><mass value="{body.mass!r}"/>'
            f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        )
    return text + "</robot>"


def bullet(model: RigidModel, step: float) -> Result:
    engine: Any = import_module("pybullet")
    client = engine.connect(engine.DIRECT)
    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "tree.urdf")
            path.write_text(urdf(model), "utf-8")
            tree = engine.loadURDF(str(path), useFixedBase=True, flags=engine.URDF_USE_INERTIA_FROM_FILE)
        engine.setTimeStep(step)
        engine.setGravity(*model.gravity)
        for one, joint in enumerate(model.joints):  # their order in the file
            body = model.bodies[joint.b]
            relative = body.w - (model.bodies[joint.a].w if joint.a else 0.0)
            free = {"linearDamping": 0.0, "angularDamping": 0.0, "jointDamping": 0.0, "maxJointVelocity": 1e9}
            engine.changeDynamics(tree, one, **free)
            if joint.kind == "revolute":
                engine.setJointMotorControl2(tree, one, engine.VELOCITY_CONTROL, force=0.0)
                engine.resetJointState(tree, one, 0.0, float(joint.axis @ relative))
            else:
                still = [0.0, 0.0, 0.0, 1.0]
                engine.setJointMotorControlMultiDof(
                    tree, one, engine.POSITION_CONTROL, targetPosition=still, force=[0.0, 0.0, 0.0]
                )
                engine.resetJointStateMultiDof(tree, one, still, (body.R.T @ relative).tolist())
        began = time.process_time()
        for _ in range(round(model.stop / step)):
            engine.stepSimulation()
        spent = time.process_time() - began
        at = {
            joint.b: engine.getLinkState(tree, one, computeForwardKinematics=True)
            for one, joint in enumerate(model.joints)
        }
        joints = {joint.b: joint.place for joint in model.joints}
        found = {}
        for name, (of, point) in model.watched.items():
            R = np.array(engine.getMatrixFromQuaternion(at[of][5])).reshape(3, 3)
            body = model.bodies[of]
            place = np.array(at[of][4]) + R @ body.R.T @ (body.world(point) - joints[of])
            found |= {f"{name}.position[{c}]": float(place[c]) for c in range(3)}
        return found, spent
    finally:
        engine.disconnect(client)
