"""Bodies of solid elements against Exudyn's floating frame of reference, with the same matrices and modes.

Exudyn's own weight of such a body leaves out its moment by the deformation: forces M g of the nodes are the weight.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from luff.blocks.reduction.craig_bampton import Interface, reduced
from luff.blocks.reduction.finite_elements import FiniteElements
from luff.blocks.reduction.reduced_body import ReducedBody
from luff.blocks.reduction.solid_elements import SolidMaterial, solid
from luff.tests.shared.flexible_models import link, model

STOP, EVERY = 0.4, 0.02  # s
GRAVITY = 9.81
CRANK, COUPLER, ROCKER = 0.3, 1.0, 0.8  # m
POST = np.array([0.9, 0.0, 0.0])
SPIN = 10.0  # rad/s, of the crank at the start
HINGE = [1, 1, 1, 1, 0, 1]  # axes that a hinge about y constrains


class Bar(NamedTuple):
    """Bar of aluminium of 1 m x 20 mm x 8 mm along x in quadratic bricks, and its reduced body."""

    elements: FiniteElements
    tip: np.ndarray
    body: ReducedBody


def bar(folder: Path, divisions: int = 6) -> Bar:
    n = divisions + 1
    x = np.linspace(0, 1, n)
    points = np.array([(a, b, c) for c in (-0.004, 0.004) for b in (-0.01, 0.01) for a in x])
    corners = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)]
    cells = np.array([[(c * 2 + b) * n + i + a for a, b, c in corners] for i in range(divisions)])
    elements = solid(points, cells, SolidMaterial(7e10, 0.3, 2700.0)).elements
    along = elements.nodes[:, 0]
    root, tip = np.flatnonzero(abs(along) < 1e-9), np.flatnonzero(abs(along - 1) < 1e-9)
    ends = [
        Interface("frame_a", tuple(root.tolist()), (0.0, 0.0, 0.0)),
        Interface("tip", tuple(tip.tolist()), (1.0, 0.0, 0.0), averaged=True),
    ]
    body = reduced(elements, ends, 6, stiffening=False, highest=1000.0)
    body.save(folder / "bar.npz")
    return Bar(elements, tip, body)


class Scene:
    """System of Exudyn with one floating bar, its root and tip as markers."""

    def __init__(self, bar: Bar, **start: Any):
        self.exu: Any = import_module("exudyn")
        self.items: Any = import_module("exudyn.utilities")
        fem: Any = import_module("exudyn.FEM")
        self.mbs, mesh, elements = self.exu.SystemContainer().AddSystem(), fem.FEMinterface(), bar.elements
        mesh.nodes = {"Position": np.asarray(elements.nodes)}
        mesh.massMatrix, mesh.stiffnessMatrix = elements.mass_matrix.tocsr(), elements.stiffness.tocsr()
        shapes = np.ascontiguousarray(bar.body.shapes.reshape(-1, bar.body.modes))
        mesh.modeBasis = {"matrix": shapes, "type": "NormalModes"}
        made = fem.ObjectFFRFreducedOrderInterface(mesh, roundMassMatrix=0, roundStiffnessMatrix=0)
        at = made.AddObjectFFRFreducedOrder(self.mbs, gravity=[0, 0, 0], **start)
        number, marker = at["oFFRFreducedOrder"], self.mbs.AddMarker
        self.ground = self.mbs.AddObject(self.items.ObjectGround())
        self.root = marker(self.items.MarkerNodeRigid(nodeNumber=at["nRigidBody"]))
        shares = [1 / len(bar.tip)] * len(bar.tip)
        self.tip = marker(
            self.items.MarkerSuperElementRigid(
                bodyNumber=number, meshNodeNumbers=bar.tip, weightingFactors=shares
            )
        )
        up = np.tile([0.0, 0.0, 1.0], len(elements.nodes))
        for k, mass in enumerate((elements.mass_matrix @ up).reshape(-1, 3)[:, 2].tolist()):
            node = self.items.MarkerSuperElementPosition(
                bodyNumber=number, meshNodeNumbers=[k], weightingFactors=[1.0]
            )
            load = self.items.LoadForceVector(markerNumber=marker(node), loadVector=[0, 0, -GRAVITY * mass])
            self.mbs.AddLoad(load)

    def place(self, body: int, at: Any) -> Any:
        return self.mbs.AddMarker(self.items.MarkerBodyRigid(bodyNumber=body, localPosition=at))

    def joint(self, first: Any, second: Any, axes: list[int]) -> None:
        self.mbs.AddObject(self.items.GenericJoint(markerNumbers=[first, second], constrainedAxes=axes))

    def rod(self, mass: float, length: float, start: np.ndarray, turn: float, speed: Any, spin: float) -> int:
        """Rigid rod from `start`, which moves with `speed`, turned about y."""
        inertia = self.items.RigidBodyInertia(mass, np.diag(rod_inertia(mass, length)))
        R = self.items.RotationMatrixY(turn)
        return self.mbs.CreateRigidBody(
            inertia=inertia, referencePosition=start + 0.5 * length * R[:, 0], referenceRotationMatrix=R,
            initialVelocity=speed + 0.5 * length * spin * tangent(turn), initialAngularVelocity=[0, spin, 0],
            gravity=[0, 0, -GRAVITY], returnDict=True,
        )["bodyNumber"]  # fmt: skip

    def places_of_tip(self, step: float) -> np.ndarray:
        """Positions of the tip every EVERY, by the generalised-alpha method at a step."""
        kind = self.exu.OutputVariableType.Position
        seen = self.items.SensorMarker(markerNumber=self.tip, storeInternal=True, outputVariableType=kind)
        number = self.mbs.AddSensor(seen)
        self.mbs.Assemble()
        settings = self.exu.SimulationSettings()
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = EVERY
        time = settings.timeIntegration
        time.numberOfSteps, time.endTime, time.verboseMode = round(STOP / step), STOP, 0
        time.newton.relativeTolerance, time.newton.absoluteTolerance = 1e-10, 1e-12
        time.newton.useModifiedNewton = True
        method = time.generalizedAlpha
        method.computeInitialAccelerations = method.useIndex2Constraints = method.useNewmark = True
        self.mbs.SolveDynamic(settings)
        return self.mbs.GetSensorStoredData(number)[:, 1:]


def tangent(turn: float) -> np.ndarray:
    """Derivative by a turn about y of the x axis that it turns."""
    return np.array([-np.sin(turn), 0.0, -np.cos(turn)])


def rod_inertia(mass: float, length: float) -> list[float]:
    return [1e-4, mass * length**2 / 12, mass * length**2 / 12]


def tip_and_bending(folder: Path, blocks: dict[str, Any], connect: list[str]) -> tuple[np.ndarray, float]:
    """Positions of the tip, and the largest first modal coordinate [kg^(1/2) m]."""
    blocks = blocks | {"tip": {"type": "frame_sensor"}}
    times = {"stop": STOP, "step": 2e-5, "output_step": EVERY}
    result = model(folder, blocks, [*connect, "bar.tip -- tip.frame_b"], simulation=times).run()
    places = np.array([result[f"tip.position[{k}]"] for k in range(3)]).T
    return places, float(np.abs(result["bar.mode[0]"]).max())


FLEXIBLE = {"type": "flexible_body", "file": "bar.npz", "stiffening": False}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Exudyn's, of its own settings
def test_pendulum_of_solids_is_that_of_exudyn(tmp_path: Path) -> None:
    """Within 1e-6 m of 1 m. Exudyn's own error falls with the square of its step, from 4e-6 at 0.2 ms."""
    made = bar(tmp_path)
    blocks = {"pin": {"type": "revolute", "axis": "y"}, "bar": FLEXIBLE}
    connect = ["world.frame -- pin.frame_a", "pin.frame_b -- bar.frame_a"]
    ours, bent = tip_and_bending(tmp_path, blocks, connect)

    scene = Scene(made, positionRef=[0, 0, 0], rotationMatrixRef=np.eye(3))
    scene.joint(scene.place(scene.ground, [0, 0, 0]), scene.root, HINGE)
    assert bent > 1e-4  # it bends by more than the tolerance
    assert np.linalg.norm(scene.places_of_tip(5e-5) - ours, axis=1).max() < 1e-6


def four_bar_angles() -> tuple[float, float, float]:
    """Turns about y of crank, which stands upright, coupler and rocker, as rigid links close the loop."""
    pin = np.array([0.0, 0.0, CRANK])
    across = POST - pin
    far = float(np.linalg.norm(across))
    along = (COUPLER**2 - ROCKER**2 + far**2) / (2 * far)
    way = across / far
    corner = pin + along * way + np.sqrt(COUPLER**2 - along**2) * np.array([-way[2], 0.0, way[0]])
    turn = lambda v: float(np.arctan2(-v[2], v[0]))  # noqa: E731
    return turn(pin), turn(corner - pin), turn(POST - corner)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_four_bar_with_a_coupler_of_solids_is_that_of_exudyn(tmp_path: Path) -> None:
    """Within 1e-6 m. The crank starts at 10 rad/s, the others as around the rigid loop. Exudyn's own error of second
    order, 6e-6 at 0.1 ms, is extrapolated.
    """
    made = bar(tmp_path)
    crank, coupler, rocker = four_bar_angles()
    pin = np.array([0.0, 0.0, CRANK])

    def theirs(step: float) -> np.ndarray:
        arms = np.array([COUPLER * tangent(coupler), ROCKER * tangent(rocker)])[:, [0, 2]].T
        first, second = np.linalg.solve(arms, -SPIN * CRANK * tangent(crank)[[0, 2]]).tolist()
        speed = SPIN * CRANK * tangent(crank)
        scene = Scene(
            made, positionRef=pin, initialVelocity=speed, initialAngularVelocity=[0, first, 0],
            rotationMatrixRef=import_module("exudyn.utilities").RotationMatrixY(coupler),
        )  # fmt: skip
        corner = pin + COUPLER * np.array([np.cos(coupler), 0.0, -np.sin(coupler)])
        near = scene.rod(0.5, CRANK, np.zeros(3), crank, np.zeros(3), SPIN)
        far = scene.rod(0.8, ROCKER, corner, rocker, speed + first * COUPLER * tangent(coupler), second)
        scene.joint(scene.place(scene.ground, [0, 0, 0]), scene.place(near, [-CRANK / 2, 0, 0]), HINGE)
        scene.joint(scene.place(near, [CRANK / 2, 0, 0]), scene.root, HINGE)
        # free in what the other joints keep in the plane
        scene.joint(scene.place(far, [-ROCKER / 2, 0, 0]), scene.tip, [1, 1, 1, 0, 0, 0])
        scene.joint(scene.place(far, [ROCKER / 2, 0, 0]), scene.place(scene.ground, POST), [1, 0, 1, 1, 0, 1])
        return scene.places_of_tip(step)

    hinge = lambda turn: {"type": "revolute", "axis": "y", "guess": {"position": turn}}  # noqa: E731
    rod = lambda mass, length: link(  # noqa: E731
        mass, [length / 2, 0, 0], rod_inertia(mass, length), [length, 0, 0]
    )
    blocks = {
        "crank_pin": {
            "type": "revolute",
            "axis": "y",
            "initial": {"position": crank, "velocity": SPIN},
        },
        "crank": rod(0.5, CRANK),
        "first": hinge(coupler - crank),
        "bar": FLEXIBLE,
        "second": hinge(rocker - coupler),
        "rocker": rod(0.8, ROCKER),
        "rocker_pin": hinge(-rocker),
        "post": {"type": "fixed", "at": POST.tolist()},
    }
    connect = [
        "world.frame -- crank_pin.frame_a", "crank_pin.frame_b -- crank.frame_a", "crank.frame_b -- first.frame_a",
        "first.frame_b -- bar.frame_a", "bar.tip -- second.frame_a", "second.frame_b -- rocker.frame_a",
        "rocker.frame_b -- rocker_pin.frame_a", "world.frame -- post.frame_a", "post.frame_b -- rocker_pin.frame_b",
    ]  # fmt: skip
    ours, bent = tip_and_bending(tmp_path, blocks, connect)
    assert bent > 1e-2
    without_step = (4 * theirs(5e-5) - theirs(1e-4)) / 3
    assert np.linalg.norm(without_step - ours, axis=1).max() < 1e-6
