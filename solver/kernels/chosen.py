"""The kernels that a mechanism needs, by what they do: those of trees, or of mechanisms with constraints."""

from __future__ import annotations

from functools import cache

from ..machine.jit import Unit

# work of drives, dissipation, friction and constraints: they ride behind the states of a moving model during a run
ENERGY_STATES = 4


@cache
def kernels(closed: bool, friction: bool = False) -> dict[str, Unit]:
    """By name: kinematics, dynamics, sense_motion, sense_acceleration, reactions, energies, powers,
    stored_energies; settle and project with constraints."""
    from . import frames, newton_euler
    from . import open_tree as tree

    found = {
        name: getattr(module, name)
        for module, names in (
            (tree, ("kinematics", "dynamics")),
            (frames, ("sense_motion", "sense_acceleration")),
            (newton_euler, ("reactions", "energies", "powers", "stored_energies")),
        )
        for name in names
    }
    if closed:
        from . import closure, multipliers

        found |= {
            "settle": closure.settle,
            "project": closure.project,
            "kinematics": closure.kinematics_closed,
        }
        for name in ("dynamics", "reactions", "powers", "sense_acceleration"):
            found[name] = getattr(multipliers, f"{name}_closed")
    if friction and closed:
        from .closed_friction import dynamics_closed_friction

        found["dynamics"] = dynamics_closed_friction
    elif friction:
        from .joint_friction import dynamics_friction

        found["dynamics"] = dynamics_friction
    return found


def inverse(law: str) -> Unit:
    """The kernel of a controller that calls inverse dynamics."""
    from . import inverse as laws

    return {"hold": laws.hold, "track": laws.track}[law]
