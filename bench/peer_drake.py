"""Benchmarks in Drake: minimal coordinates and its fifth-order Runge-Kutta method with fixed steps; trees alone."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from .rigid_model import THIN, Result, RigidModel


def drake(model: RigidModel, step: float) -> Result:
    plants: Any = import_module("pydrake.multibody.plant")
    trees: Any = import_module("pydrake.multibody.tree")
    analysis: Any = import_module("pydrake.systems.analysis")
    transforms: Any = import_module("pydrake.math")
    plant = plants.MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector(model.gravity)
    bodies = {"": plant.world_body()}
    for name, body in model.bodies.items():
        central = trees.RotationalInertia(*np.maximum(body.inertia, THIN))
        inertia = trees.SpatialInertia.MakeFromCentralInertia(body.mass, body.com, central)
        bodies[name] = plant.AddRigidBody(name, inertia)
    joints = []
    for joint in model.joints:
        frames = []
        for end in (joint.a, joint.b):
            R, p = (model.bodies[end].R, model.bodies[end].p) if end else (np.eye(3), np.zeros(3))
            pose = transforms.RigidTransform(transforms.RotationMatrix(R.T), R.T @ (joint.place - p))
            offset = trees.FixedOffsetFrame(f"{joint.name}_{end}", bodies[end].body_frame(), pose)
            frames.append(plant.AddFrame(offset))
        if joint.kind == "revolute":
            joints.append(plant.AddJoint(trees.RevoluteJoint(joint.name, *frames, joint.axis)))
        else:
            joints.append(plant.AddJoint(trees.BallRpyJoint(joint.name, *frames)))
    plant.Finalize()
    simulator = analysis.Simulator(plant)
    context = simulator.get_mutable_context()
    for joint, made in zip(model.joints, joints, strict=True):
        relative = model.bodies[joint.b].w - (model.bodies[joint.a].w if joint.a else 0.0)
        if joint.kind == "revolute":
            made.set_angular_rate(context, float(joint.axis @ relative))
        else:
            made.set_angular_velocity(context, relative)
    integrator = analysis.ResetIntegratorFromFlags(simulator, "runge_kutta5", step)
    integrator.set_fixed_step_mode(True)
    simulator.Initialize()
    began = time.process_time()
    simulator.AdvanceTo(model.stop)
    spent = time.process_time() - began
    found = {}
    for name, (body, point) in model.watched.items():
        place = plant.EvalBodyPoseInWorld(context, bodies[body]).multiply(point)
        found |= {f"{name}.position[{c}]": float(place[c]) for c in range(3)}
    return found, spent
