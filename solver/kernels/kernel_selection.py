"""Kernels of a mechanism by operation: those of trees, or of mechanisms with constraints, friction and elements."""

from __future__ import annotations

from functools import cache

from ..codegen.jit import EntryPoint

# work of drives, dissipation, friction and constraints: integrated behind the states of a model with mechanics
ENERGY_STATES = 4
FLUID, IMMERSED = "fluid", "immersed"  # elements of added mass: of a hull, of a body that is partly immersed
TOUCH = "touch_"  # prefix of the kernels of families of shapes that touch


@cache
def kernels(closed: bool, friction: bool = False) -> dict[str, EntryPoint]:
    """Kernels by name: kinematics, dynamics, sense_motion, sense_acceleration, reactions, energies, powers,
    stored_energies; with constraints also settle and project. Forces between frames: see `element_kernels`.
    """
    from . import frame_kinematics, newton_euler
    from . import tree_dynamics as tree

    chosen = {
        name: getattr(module, name)
        for module, names in (
            (tree, ("kinematics", "dynamics")),
            (frame_kinematics, ("sense_motion", "sense_acceleration")),
            (newton_euler, ("reactions", "energies", "powers", "stored_energies")),
        )
        for name in names
    }
    if closed:
        from . import joint_reactions, position_projection

        chosen |= {
            "settle": position_projection.move_anchor,
            "project": position_projection.project,
            "kinematics": position_projection.kinematics_closed,
        }
        for name in ("dynamics", "reactions", "powers", "sense_acceleration"):
            chosen[name] = getattr(joint_reactions, f"{name}_closed")
    if friction and closed:
        from .constrained_friction import dynamics_closed_friction

        chosen["dynamics"] = dynamics_closed_friction
    elif friction:
        from .joint_friction import dynamics_friction

        chosen["dynamics"] = dynamics_friction
    return chosen


def element_kernels(kinds: set[str], delta_q: bool = False) -> dict[str, EntryPoint]:
    """Kernels that follow kinematics, in order: passive forces of these kinds of elements between frames."""
    from . import added_mass, rail_contact, rope_segments, spring_dampers, unilateral_contacts

    chosen: dict[str, EntryPoint] = {
        entry.__name__: entry
        for entry, own in (
            (spring_dampers.mount_forces, {"line", "bushing"}),
            (unilateral_contacts.contact_forces, {"contact", "support"}),
            (rail_contact.rail_forces, {"rail"}),
            (rope_segments.rope_ways, {"segment"}),
            (added_mass.added_mass, {FLUID}),
        )
        if not own.isdisjoint(kinds)
    }
    if delta_q:
        from . import delta_q as doubled

        chosen["delta_q"] = doubled.delta_q
    return chosen | touch_kernels(kinds)


def touch_kernels(kinds: set[str]) -> dict[str, EntryPoint]:
    """Kernels of shapes that touch, in order: the list of pairs that are near, then those of these families."""
    families = sorted(kind for kind in kinds if kind.startswith(TOUCH))
    if not families:
        return {}
    from . import near_pairs, touch, touch_ground

    chosen = {"near_pairs": near_pairs.near_pairs}
    for family in families:
        chosen[family] = getattr(touch_ground if family.startswith("touch_ground") else touch, family)
    return chosen


def clearance_kernel() -> dict[str, EntryPoint]:
    """Kernel of the distances of shapes, which only signals need."""
    from .clearance import clearances

    return {"clearances": clearances}


def applied_force_kernels(kinds: set[str]) -> dict[str, EntryPoint]:
    """Kernels that precede dynamics: forces that elements of these kinds take from signals."""
    from . import passive_forces, rail_contact

    given = {"force_world", "force_b", "torque_world", "torque_b", "segment", IMMERSED}
    return {
        entry.__name__: entry
        for entry, own in ((passive_forces.applied_forces, given), (rail_contact.rim_slip, {"rail"}))
        if not own.isdisjoint(kinds)
    }


def banded_kernels() -> dict[str, EntryPoint]:
    """Kernels of mechanisms with tolerance bands: dynamics, and the decision of the edges that act."""
    from .bands import decide_bands, dynamics_banded

    return {"dynamics": dynamics_banded, "decide": decide_bands}


def impact_kernel() -> EntryPoint:
    """Kernel of the impact in which a release closes."""
    from .plastic_impact import plastic_impact

    return plastic_impact


def tip_jacobian_kernel() -> EntryPoint:
    """Kernel of the Jacobian of a frame's velocity by the rates of drives."""
    from .tip_jacobian import tip_jacobian

    return tip_jacobian


def inverse_dynamics_kernel(law: str) -> EntryPoint:
    """Kernel of an inverse-dynamics controller: `hold` (static balance) or `track` (computed torque)."""
    from . import inverse_dynamics as laws

    return {"hold": laws.hold, "track": laws.track}[law]
