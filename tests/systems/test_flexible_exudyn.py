"""A pendulum of solid elements against Exudyn's floating frame of reference, with the same matrices and modes."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from luff.blocks.reduction.craig_bampton import Interface, reduced
from luff.blocks.reduction.finite_elements import FiniteElements
from luff.blocks.reduction.reduced_body import ReducedBody
from luff.blocks.reduction.solid_elements import SolidMaterial, solid
from luff.tests.shared.flexible_models import model

STOP, EVERY = 0.4, 0.02  # s


def bar(divisions: int = 6) -> FiniteElements:
    """Bar of aluminium of 1 m x 20 mm x 8 mm along x, in quadratic bricks."""
    n = divisions + 1
    x = np.linspace(0, 1, n)
    points = np.array([(a, b, c) for c in (-0.004, 0.004) for b in (-0.01, 0.01) for a in x])
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = np.array([[(c * 2 + b) * n + i + a for a, b, c in corners] for i in range(divisions)])
    return solid(points, cells, SolidMaterial(7e10, 0.3, 2700.0)).elements


def exudyn(elements: FiniteElements, body: ReducedBody, tip: np.ndarray, step: float) -> np.ndarray:
    """Places of the tip. Exudyn's own weight of such a body leaves out its moment by the deformation: forces M g of
    the nodes are the weight.
    """
    exu: Any = import_module("exudyn")
    items: Any = import_module("exudyn.utilities")
    fem: Any = import_module("exudyn.FEM")
    mbs, mesh = exu.SystemContainer().AddSystem(), fem.FEMinterface()
    mesh.nodes = {"Position": np.asarray(elements.nodes)}
    mesh.massMatrix, mesh.stiffnessMatrix = elements.mass_matrix.tocsr(), elements.stiffness.tocsr()
    mesh.modeBasis = {
        "matrix": np.ascontiguousarray(body.shapes.reshape(-1, body.modes)),
        "type": "NormalModes",
    }
    made = fem.ObjectFFRFreducedOrderInterface(mesh, roundMassMatrix=0, roundStiffnessMatrix=0)
    at = made.AddObjectFFRFreducedOrder(
        mbs, positionRef=[0, 0, 0], rotationMatrixRef=np.eye(3), gravity=[0, 0, 0]
    )
    ground = mbs.AddMarker(items.MarkerBodyRigid(bodyNumber=mbs.AddObject(items.ObjectGround())))
    root = mbs.AddMarker(items.MarkerNodeRigid(nodeNumber=at["nRigidBody"]))
    mbs.AddObject(items.GenericJoint(markerNumbers=[ground, root], constrainedAxes=[1, 1, 1, 1, 0, 1]))
    end = mbs.AddMarker(
        items.MarkerSuperElementRigid(
            bodyNumber=at["oFFRFreducedOrder"],
            meshNodeNumbers=tip,
            weightingFactors=[1 / len(tip)] * len(tip),
        )
    )
    place = exu.OutputVariableType.Position
    seen = mbs.AddSensor(items.SensorMarker(markerNumber=end, storeInternal=True, outputVariableType=place))
    up = np.tile([0.0, 0.0, 1.0], len(elements.nodes))
    for k, mass in enumerate((elements.mass_matrix @ up).reshape(-1, 3)[:, 2].tolist()):
        node = mbs.AddMarker(
            items.MarkerSuperElementPosition(
                bodyNumber=at["oFFRFreducedOrder"], meshNodeNumbers=[k], weightingFactors=[1.0]
            )
        )
        mbs.AddLoad(items.LoadForceVector(markerNumber=node, loadVector=[0, 0, -9.81 * mass]))
    mbs.Assemble()
    settings = exu.SimulationSettings()
    settings.solutionSettings.writeSolutionToFile = False
    settings.solutionSettings.sensorsWritePeriod = EVERY
    time = settings.timeIntegration
    time.numberOfSteps, time.endTime, time.verboseMode = round(STOP / step), STOP, 0
    time.newton.relativeTolerance, time.newton.absoluteTolerance = 1e-10, 1e-12
    time.newton.useModifiedNewton = True
    method = time.generalizedAlpha
    method.computeInitialAccelerations = method.useIndex2Constraints = method.useNewmark = True
    mbs.SolveDynamic(settings)
    return mbs.GetSensorStoredData(seen)[:, 1:]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Exudyn's, of its own settings
def test_pendulum_of_solids_is_that_of_exudyn(tmp_path: Path) -> None:
    """Within 1e-6 m of 1 m. Exudyn's own error falls with the square of its step, from 4e-6 at 0.2 ms."""
    elements = bar()
    x = elements.nodes[:, 0]
    root, tip = np.flatnonzero(abs(x) < 1e-9), np.flatnonzero(abs(x - 1) < 1e-9)
    ends = [
        Interface("frame_a", tuple(root.tolist()), (0.0, 0.0, 0.0)),
        Interface("tip", tuple(tip.tolist()), (1.0, 0.0, 0.0), averaged=True),
    ]
    body = reduced(elements, ends, 6, stiffening=False, highest=1000.0)
    body.save(tmp_path / "bar.npz")
    blocks = {
        "pin": {"type": "revolute", "axis": "y"},
        "bar": {"type": "flexible_body", "file": "bar.npz", "stiffening": False},
        "tip": {"type": "frame_sensor"},
    }
    connect = ["world.frame -- pin.frame_a", "pin.frame_b -- bar.frame_a", "bar.tip -- tip.frame_b"]
    times = {"stop": STOP, "step": 2e-5, "output_step": EVERY}
    result = model(tmp_path, blocks, connect, simulation=times).run()
    ours = np.array([result[f"tip.position[{k}]"] for k in range(3)]).T
    theirs = exudyn(elements, body, tip, 5e-5)
    assert theirs.shape == ours.shape
    assert np.abs(result["bar.mode[0]"]).max() > 1e-4  # kg^(1/2) m: it bends by more than the tolerance
    assert np.linalg.norm(theirs - ours, axis=1).max() < 1e-6
