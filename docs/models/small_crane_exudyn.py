"""The small crane in Exudyn."""

from math import cos, pi, radians, sin

import exudyn as exu
import numpy as np
from exudyn.utilities import RigidBodyInertia, RotationMatrixY, SensorBody

SC = exu.SystemContainer()
mbs = SC.AddSystem()
tilt, gravity = radians(40), [0, 0, -9.81]


def inertia(mass, com, diagonal):
    """About a body's origin, from what it is about the centre of mass."""
    return RigidBodyInertia(mass, np.diag(diagonal)).Translated(com)


ground = mbs.CreateGround()
column = mbs.CreateRigidBody(inertia=inertia(6e3, [0, 0, 1.5], [9e3, 9e3, 4e3]), gravity=gravity)
pin, tip = [0, 0, 3], [10 * cos(tilt), 0, 3 + 10 * sin(tilt)]
boom = mbs.CreateRigidBody(
    referencePosition=pin, referenceRotationMatrix=RotationMatrixY(-tilt),
    inertia=inertia(1.5e3, [5, 0, 0], [100, 12.5e3, 12.5e3]), gravity=gravity,
)  # fmt: skip
load = mbs.CreateRigidBody(
    referencePosition=tip, inertia=inertia(1e3, [0, 0, -6], [200, 200, 200]), gravity=gravity
)

slew = {"itemNumbers": [ground, column], "position": [0, 0, 0], "axis": [0, 0, 1]}
luff = {"itemNumbers": [column, boom], "position": pin, "axis": [0, -1, 0]}
for joint, stiffness, damping, rest in ((slew, 200e3, 200e3, pi / 3), (luff, 20e6, 4e6, 0)):
    mbs.CreateRevoluteJoint(**joint)
    mbs.CreateTorsionalSpringDamper(**joint, stiffness=stiffness, damping=damping, offset=rest)
# a universal joint: the x axis of the load stays square to the boom's y axis
mbs.CreateGenericJoint(itemNumbers=[load, boom], position=tip, constrainedAxes=[1, 1, 1, 0, 0, 1])

hook = mbs.AddSensor(
    SensorBody(
        bodyNumber=load, localPosition=[0, 0, -6], outputVariableType=exu.OutputVariableType.Position,
        storeInternal=True, writeToFile=False,
    )
)  # fmt: skip
mbs.Assemble()

settings = exu.SimulationSettings()
settings.timeIntegration.endTime = 10
settings.timeIntegration.numberOfSteps = 10_000
settings.timeIntegration.generalizedAlpha.spectralRadius = 1
settings.timeIntegration.verboseMode = 0
settings.solution.file.write = False
settings.solution.sensors.writePeriod = 0.01
mbs.SolveDynamic(settings)
time, x, y, z = mbs.GetSensorStoredData(hook).T
