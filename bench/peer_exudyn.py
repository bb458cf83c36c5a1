"""Benchmarks in Exudyn: redundant coordinates and its implicit generalized-alpha method."""

from __future__ import annotations

import time
from importlib import import_module
from typing import Any

import numpy as np

from .rigid_model import Result, RigidBody, RigidModel


class Exudyn:
    """Model in redundant coordinates: planar bodies where all joints turn about one axis of the world, else spatial."""

    def __init__(self, model: RigidModel):
        self.exu: Any = import_module("exudyn")
        self.items: Any = import_module("exudyn.utilities")
        self.model, self.mbs = model, self.exu.SystemContainer().AddSystem()
        axes = {tuple(abs(joint.axis).round(12)) for joint in model.joints}
        self.flat = len(axes) == 1 and all(joint.kind == "revolute" for joint in model.joints)
        self.k = int(np.argmax(next(iter(axes))))  # axis across the plane of u and v
        self.u, self.v = (self.k + 1) % 3, (self.k + 2) % 3
        self.bodies: dict[str, Any] = {"": self.mbs.AddObject(self.items.ObjectGround())}
        self.nodes: dict[str, Any] = {}
        self.angles = {"": 0.0}  # of planar bodies at the start
        for name, body in model.bodies.items():
            if self.flat:
                self.add_flat(name, body)
            else:
                self.add_spatial(name, body)
        self.add_joints()
        self.add_forces()
        self.sensors = {name: self.sensor(*place) for name, place in model.watched.items()}
        self.mbs.Assemble()

    def add_flat(self, name: str, body: RigidBody) -> None:
        u, v, com = self.u, self.v, body.world(body.com)
        rate = body.v + np.cross(body.w, body.R @ body.com)
        self.angles[name] = angle = float(np.arctan2(body.R[v, u], body.R[u, u]))
        node = self.items.NodeRigidBody2D(
            referenceCoordinates=[com[u], com[v], angle], initialVelocities=[rate[u], rate[v], body.w[self.k]]
        )
        self.nodes[name] = self.mbs.AddNode(node)
        rigid = self.items.ObjectRigidBody2D(
            nodeNumber=self.nodes[name], physicsMass=body.mass, physicsInertia=body.inertia[self.k]
        )
        self.bodies[name] = self.mbs.AddObject(rigid)
        marker = self.mbs.AddMarker(self.items.MarkerBodyMass(bodyNumber=self.bodies[name]))
        weight = [self.model.gravity[u], self.model.gravity[v], 0.0]
        self.mbs.AddLoad(self.items.LoadMassProportional(markerNumber=marker, loadVector=weight))

    def add_spatial(self, name: str, body: RigidBody) -> None:
        rate = body.v + np.cross(body.w, body.R @ body.com)
        self.bodies[name] = self.mbs.CreateRigidBody(
            referencePosition=body.world(body.com).tolist(), referenceRotationMatrix=body.R,
            initialVelocity=rate.tolist(), initialAngularVelocity=body.w.tolist(),
            inertia=self.items.RigidBodyInertia(body.mass, np.diag(body.inertia), com=[0, 0, 0]),
            gravity=self.model.gravity.tolist(),
        )  # fmt: skip

    def local(self, name: str, point: np.ndarray) -> list[float]:
        """Point of the world in Exudyn's frame of a body, which stands at its centre of mass."""
        if not name:
            return [point[self.u], point[self.v], 0.0] if self.flat else point.tolist()
        body = self.model.bodies[name]
        off = point - body.world(body.com)
        if not self.flat:
            return (body.R.T @ off).tolist()
        c, s = np.cos(self.angles[name]), np.sin(self.angles[name])
        return [c * off[self.u] + s * off[self.v], c * off[self.v] - s * off[self.u], 0.0]

    def marker(self, name: str, point: np.ndarray) -> Any:
        """Marker of a body at a point of the world."""
        item = self.items.MarkerBodyPosition(
            bodyNumber=self.bodies[name], localPosition=self.local(name, point)
        )
        return self.mbs.AddMarker(item)

    def add_joints(self) -> None:
        for joint in self.model.joints:
            if self.flat:
                markers = [self.marker(name, joint.place) for name in (joint.a, joint.b)]
                self.mbs.AddObject(self.items.RevoluteJoint2D(markerNumbers=markers))
                continue
            both = [self.bodies[joint.a], self.bodies[joint.b]]
            place, axis = joint.place.tolist(), joint.axis.tolist()
            if joint.kind == "spherical":
                self.mbs.CreateSphericalJoint(itemNumbers=both, position=place)
            elif joint.kind == "prismatic":
                self.mbs.CreatePrismaticJoint(itemNumbers=both, position=place, axis=axis)
            elif joint.kind == "universal":
                # turns about x of a, then y of b: z stands across both
                axes = np.column_stack([joint.axis, joint.other, np.cross(joint.axis, joint.other)])
                self.mbs.CreateGenericJoint(
                    itemNumbers=both,
                    position=place,
                    rotationMatrixAxes=axes,
                    constrainedAxes=[1, 1, 1, 0, 0, 1],
                )
            else:
                self.mbs.CreateRevoluteJoint(itemNumbers=both, position=place, axis=axis)

    def add_forces(self) -> None:
        for *places, stiffness, damping, length in self.model.springs:
            markers = [self.marker(place[0], self.model.world(place)) for place in places]
            spring = self.items.SpringDamper(
                markerNumbers=markers, referenceLength=length, stiffness=stiffness, damping=damping
            )
            self.mbs.AddObject(spring)
        for joint in self.model.joints:
            if joint.name in self.model.efforts:
                marker = self.mbs.AddMarker(self.items.MarkerBodyRigid(bodyNumber=self.bodies[joint.b]))
                torque = [0, 0, self.model.efforts[joint.name]]
                self.mbs.AddLoad(self.items.Torque(markerNumber=marker, loadVector=torque))

    def sensor(self, name: str, point: np.ndarray) -> Any:
        sensor = self.items.SensorBody(
            bodyNumber=self.bodies[name], localPosition=self.local(name, self.model.world((name, point))),
            storeInternal=True, outputVariableType=self.exu.OutputVariableType.Position,
        )  # fmt: skip
        return self.mbs.AddSensor(sensor)

    def solve(self, step: float) -> float:
        """Run by generalized-alpha; time [s]."""
        settings = self.exu.SimulationSettings()
        settings.timeIntegration.numberOfSteps = round(self.model.stop / step)
        settings.timeIntegration.endTime = self.model.stop
        settings.timeIntegration.verboseMode = 0
        settings.timeIntegration.generalizedAlpha.spectralRadius = 0.95
        settings.timeIntegration.newton.useModifiedNewton = True
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = self.model.stop
        if not self.flat:  # takes redundant constraints
            settings.linearSolverType = self.exu.LinearSolverType.EigenDense
            settings.linearSolverSettings.ignoreSingularJacobian = True
        began = time.process_time()
        self.mbs.SolveDynamic(settings)
        return time.process_time() - began

    def signals(self) -> dict[str, float]:
        """Positions of the watched points, and of planar joints."""
        found = {}
        for name, sensor in self.sensors.items():
            where, p = self.mbs.GetSensorValues(sensor), np.zeros(3)
            p[[self.u, self.v, self.k] if self.flat else [0, 1, 2]] = where
            found |= {f"{name}.position[{c}]": float(p[c]) for c in range(3)}
        if self.flat:
            kind = self.exu.OutputVariableType.Coordinates
            turned = {name: float(self.mbs.GetNodeOutput(node, kind)[2]) for name, node in self.nodes.items()}
            angle = {name: start + turned.get(name, 0.0) for name, start in self.angles.items()}
            for joint in self.model.joints:
                sign = float(np.sign(joint.axis[self.k]))
                found[f"{joint.name}.position"] = sign * (angle[joint.b] - angle[joint.a])
        return found


def exudyn(model: RigidModel, step: float) -> Result:
    made = Exudyn(model)
    spent = made.solve(step)
    return made.signals(), spent
