"""Forces in the members of a flexible body that was reduced from a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...blocks import LuffError
from ...blocks.errors import Problem, did_you_mean

if TYPE_CHECKING:
    from ..simulation.simulation import Simulation


def member_forces(sim: Simulation, block: str, mode: np.ndarray) -> np.ndarray:
    """End forces of the members of a flexible body, from its modal coordinates.

    They are stiffness times displacement of each beam: exact in statics under loads at the interfaces and, if the body
    was reduced with `stiffening`, under weight. The loads of vibrating masses come by the modes that are kept.

    Parameters
    ----------
    sim : Simulation
        The model: in it the body is clamped at the interface that the tree meets first.
    block : str
        Name of the `flexible_body`.
    mode : array_like
        Its output `mode` (modes,), or rows of it (times, modes).

    Returns
    -------
    ndarray
        (members, 12), or (times, members, 12): force (3) [N] and moment (3) [N m] on the first end, then on the last,
        in the axes of the member, x from its first node to its last. Tension is the seventh number.

    Raises
    ------
    LuffError
        There is no such body, or it was not reduced from a frame.

    Examples
    --------
    >>> from pathlib import Path
    >>> import luff
    >>> tube = {"A": 1e-3, "I_y": 1e-6, "I_z": 1e-6, "J": 2e-6}
    >>> boom = {"lattice": {"length": 6, "width": 1, "height": 1, "bays": 6, "chord": tube, "brace": tube}}
    >>> body = luff.reduce(boom, "boom.npz", interfaces={"frame_a": "foot", "tip": "head"}, modes=2)
    >>> sim = luff.compile(luff.loads('''
    ... luff: 1
    ... blocks: {boom: {type: flexible_body, file: boom.npz, damping: {ratio: 0.1}}}
    ... connect: [world.frame -- boom.frame_a]
    ... initial: {solve: static}
    ... ''', base="."))
    >>> values = sim.evaluate(0.0, sim.x0)
    >>> forces = luff.member_forces(sim, "boom", [values[f"boom.mode[{k}]"] for k in range(body.modes)])
    >>> forces.shape  # four chords, four battens and four diagonals in each bay
    (72, 12)
    >>> Path("boom.npz").unlink()
    """
    bodies = {one.block: one.reduced for one in sim.instance.program.mechanism.flexible}
    if block not in bodies:
        raise LuffError(Problem(f'found no flexible body "{block}"', fix=did_you_mean(block, [*bodies])))
    body = bodies[block]
    if body.forces is None:
        raise LuffError(
            f'the flexible body "{block}" holds no members', fix="reduce it anew, from a frame of beams"
        )
    coordinates = np.asarray(mode, float)
    if coordinates.shape[-1:] != (body.modes,):
        raise LuffError(
            f"found modal coordinates of the shape {coordinates.shape}, expected {body.modes} in a row"
        )
    return np.einsum("ekm,...m->...ek", body.forces, coordinates)
