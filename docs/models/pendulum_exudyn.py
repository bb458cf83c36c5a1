"""The pendulum in Exudyn."""

from math import pi

import exudyn as exu
import numpy as np
from exudyn.utilities import RigidBodyInertia, RotationMatrixY, SensorBody

SC = exu.SystemContainer()
mbs = SC.AddSystem()

# about the body's origin, which is the pin
about_pin = RigidBodyInertia(2, np.diag([0.2, 0.2, 0.01])).Translated([0, 0, -0.5])
ground = mbs.CreateGround()
rod = mbs.CreateRigidBody(
    inertia=about_pin, initialRotationMatrix=RotationMatrixY(pi / 6), gravity=[0, 0, -9.81]
)
mbs.CreateRevoluteJoint(itemNumbers=[ground, rod], position=[0, 0, 0], axis=[0, 1, 0])
mbs.CreateTorsionalSpringDamper(itemNumbers=[ground, rod], position=[0, 0, 0], axis=[0, 1, 0], damping=0.2)
tip = mbs.AddSensor(
    SensorBody(
        bodyNumber=rod, localPosition=[0, 0, -1], outputVariableType=exu.OutputVariableType.Position,
        storeInternal=True, writeToFile=False,
    )
)  # fmt: skip
mbs.Assemble()

settings = exu.SimulationSettings()
settings.timeIntegration.endTime = 5
settings.timeIntegration.numberOfSteps = 5000
settings.timeIntegration.generalizedAlpha.spectralRadius = 1
settings.timeIntegration.verboseMode = 0
settings.solution.file.write = False
settings.solution.sensors.writePeriod = 0.01
mbs.SolveDynamic(settings)
time, x, y, z = mbs.GetSensorStoredData(tip).T
