"""Benchmarks in MuJoCo: minimal coordinates and RK4; trees alone."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from .rigid_model import THIN, Result, RigidModel
from .systems import words


def mjcf_body(engine: Any, model: RigidModel, name: str, parent: str) -> str:
    """Element of a body, with its joints and children."""
    body = model.bodies[name]
    R, p = (model.bodies[parent].R, model.bodies[parent].p) if parent else (np.eye(3), np.zeros(3))
    turn = np.zeros(4)
    engine.mju_mat2Quat(turn, (R.T @ body.R).ravel())
    text = f'<body pos="{words(R.T @ (body.p - p))}" quat="{words(turn)}">'
    for joint in model.joints:
        if joint.b == name:
            kind = "hinge" if joint.kind == "revolute" else "ball"
            at, axis = words(body.R.T @ (joint.place - body.p)), words(body.R.T @ joint.axis)
            text += f'<joint name="{joint.name}" type="{kind}" pos="{at}" axis="{axis}"/>'
    inertia = words(np.maximum(body.inertia, THIN))
    text += f'<inertial pos="{words(body.com)}" mass="{body.mass!r}" diaginertia="{inertia}"/>'
    for frame, (on, point) in model.watched.items():
        text += f'<site name="{frame}" pos="{words(point)}"/>' if on == name else ""
    children = (joint.b for joint in model.joints if joint.a == name)
    return text + "".join(mjcf_body(engine, model, child, name) for child in children) + "</body>"


def mujoco(model: RigidModel, step: float) -> Result:
    """Minimal coordinates and RK4; trees alone, since its loops are closed by soft constraints."""
    engine: Any = import_module("mujoco")
    roots = "".join(mjcf_body(engine, model, joint.b, "") for joint in model.joints if not joint.a)
    option = f'<option gravity="{words(model.gravity)}" integrator="RK4" timestep="{step!r}"/>'
    text = f"<mujoco>{option}<worldbody>{roots}</worldbody></mujoco>"
    compiled = engine.MjModel.from_xml_string(text)
    data = engine.MjData(compiled)
    for joint in model.joints:
        at, body = compiled.joint(joint.name).dofadr[0], model.bodies[joint.b]
        relative = body.w - (model.bodies[joint.a].w if joint.a else 0.0)
        if joint.kind == "revolute":
            data.qvel[at] = joint.axis @ relative
        else:
            data.qvel[at : at + 3] = body.R.T @ relative
    began = time.process_time()
    engine.mj_step(compiled, data, round(model.stop / step))
    spent = time.process_time() - began
    engine.mj_forward(compiled, data)
    found = {
        f"{name}.position[{c}]": float(data.site(name).xpos[c]) for name in model.watched for c in range(3)
    }
    return found, spent
