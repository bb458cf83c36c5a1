"""Plastic impact: rates behind a release that closes, by the impulse-momentum equations of the mechanism.

Held rows come to rest, and no other freedom takes an impulse: with the change dv of the rates,

    M dv = P + J^T L,  J dv = 0,  dv_held = -v_held,  dv = 0 on DRIVEN rows,  P = 0 on the rows that are free.

These are the equations of motion with dv in place of qdd, without forces, rates and gravity. Forces that stay finite do
not enter. Friction and servo drives stay finite too, so that what an impulse would add to friction is left out. The
energy lost is dv . M dv / 2 (Carnot 1803); drives of prescribed motions do the rest of the change of kinetic energy.
"""

from __future__ import annotations

from ..codegen.jit import helper
from ..codegen.transforms.entry_point_variants import replaces_in_duals
from . import model_data as f
from .added_mass import fluid_energy
from .articulated_body import acceleration_pass, articulated_inertias, unit_effort_accelerations
from .constrained_dynamics import factor_multiplier_responses, unit_multiplier_efforts
from .dense_linear_algebra import lu_solve
from .frame_kinematics import gravity
from .kinematics import inertias
from .model_data import kernel
from .newton_euler import propagate_all
from .small_matrices import ZERO_3, add_3, cross, dot, read_3, read_6, scale_3, symmetric_times, write_3


@helper
def relative_motion(m, d):
    """Sum of the squared rates of the held rows; zero once they are at rest."""
    total = 0.0
    for i in range(m.topo.shape[0]):
        total += d.row[i, f.HELD] * d.row[i, f.V] * d.row[i, f.V]
    return total


@helper
def clear_forces(m, d):
    """Zero efforts, bias wrenches and velocity products; held rows take the change -v of their rates."""
    inertias(m, d)
    for i in range(m.topo.shape[0]):
        d.row[i, f.TAU] = 0.0
        write_3(d.row, i, f.BIAS_WRENCH, ZERO_3)
        write_3(d.row, i, f.BIAS_WRENCH + f.LINEAR, ZERO_3)
        # accelerations count from -g at the world, which has no change of rates
        turn, slide = ZERO_3, gravity(m) if m.topo[i, f.PARENT] < 0 else ZERO_3
        change = scale_3(-d.row[i, f.HELD] * d.row[i, f.V], read_3(d.row, i, f.AXIS))
        if m.topo[i, f.KIND] == f.PRISMATIC:
            slide = add_3(slide, change)
        else:
            turn = change
        write_3(d.row, i, f.VELOCITY_PRODUCT, turn)
        write_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR, slide)
        if m.topo[i, f.MODE] == f.DRIVEN:
            d.row[i, f.QDD] = 0.0
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.FLUID:
            write_3(d.element_out, e, f.ADDED_BIAS, ZERO_3)
            write_3(d.element_out, e, f.ADDED_BIAS + f.LINEAR, ZERO_3)


@helper
def constraint_impulse(m, d):
    """dv += M^-1 J^T L with (J M^-1 J^T) L = -J dv: the constraints keep their rates."""
    r = d.coupling.shape[1]
    unit_multiplier_efforts(m, d)
    for first in range(0, r, f.LANES):
        count = min(f.LANES, r - first)
        unit_effort_accelerations(m, d, first, count, count, 0)
    factor_multiplier_responses(m, d)
    for a in range(r):
        c, s = d.part[f.ACTIVE, a], 0.0
        for i in range(m.topo.shape[0]):
            s -= d.jac[c, i] * d.row[i, f.QDD]
        d.solve[a] = s
    lu_solve(d.factor, d.part[f.PIVOT], r, d.solve)
    for b in range(r):
        for i in range(m.topo.shape[0]):
            d.row[i, f.QDD] += d.solve[b] * d.response[b, i]


@helper
def kinetic_energy(d, i, w, v):
    """Kinetic energy of row i's body at the angular velocity w and the velocity v of its origin [J]."""
    angular = symmetric_times(read_6(d.row, i, f.INERTIA), w)
    moment = cross(w, read_3(d.row, i, f.FIRST_MOMENT))
    return 0.5 * (dot(w, angular) + d.row[i, f.MASS] * dot(v, v)) + dot(v, moment)


@helper
def impact_energies(m, d):
    """IMPACT_LOSS = dv . M dv / 2, and IMPACT_WORK, by which the kinetic energy changes more than it loses."""
    loss = change = 0.0
    propagate_all(m, d)
    for i in range(m.topo.shape[0]):
        w, v = read_3(d.row, i, f.TWIST), read_3(d.row, i, f.TWIST + f.LINEAR)
        dw, dv = read_3(d.row, i, f.ACC), read_3(d.row, i, f.ACC + f.LINEAR)
        rotor, q = 0.5 * m.row[i, f.COORDINATE + f.ARMATURE], d.row[i, f.QDD]
        loss += kinetic_energy(d, i, dw, dv) + rotor * q * q
        change += kinetic_energy(d, i, add_3(w, dw), add_3(v, dv)) - kinetic_energy(d, i, w, v)
        change += rotor * q * (2.0 * d.row[i, f.V] + q)
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.FLUID:
            i = m.frame_row[m.element[e, f.E_FRAME_B]]
            w, v = read_3(d.row, i, f.TWIST), read_3(d.row, i, f.TWIST + f.LINEAR)
            dw, dv = read_3(d.row, i, f.ACC), read_3(d.row, i, f.ACC + f.LINEAR)
            loss += fluid_energy(d, e, dw, dv)
            change += fluid_energy(d, e, add_3(w, dw), add_3(v, dv)) - fluid_energy(d, e, w, v)
    d.scalar[f.IMPACT_LOSS], d.scalar[f.IMPACT_WORK] = loss, change + loss


@helper
def impact(m, d):
    """Rates behind the impact, to the state vector; its energies."""
    clear_forces(m, d)
    articulated_inertias(m, d)
    acceleration_pass(m, d)
    for i in range(m.topo.shape[0]):
        if m.topo[i, f.MODE] == f.FREE:
            d.row[i, f.QDD] -= d.row[i, f.HELD] * d.row[i, f.V]
        # the change of a held row stands in QDD from here on, no more in the velocity product
        slide = gravity(m) if m.topo[i, f.PARENT] < 0 else ZERO_3
        write_3(d.row, i, f.VELOCITY_PRODUCT, ZERO_3)
        write_3(d.row, i, f.VELOCITY_PRODUCT + f.LINEAR, slide)
    if d.coupling.shape[1] > 0:
        constraint_impulse(m, d)
    impact_energies(m, d)
    for j in range(m.state.shape[0]):
        i = m.state[j, f.ST_ROW]
        if m.state[j, f.ST_KIND] == f.V_STATE:
            d.x[m.state[j, f.ST_AT]] = (1.0 - d.row[i, f.HELD]) * (d.row[i, f.V] + d.row[i, f.QDD])


@kernel
def plastic_impact(m, d):
    """Bring held rows to rest by an impact, where they move: rates in the state vector, IMPACT_LOSS, IMPACT_WORK."""
    d.scalar[f.IMPACT_LOSS] = d.scalar[f.IMPACT_WORK] = 0.0
    if relative_motion(m, d) != 0.0:
        impact(m, d)


@replaces_in_duals(plastic_impact)
def plastic_impact_with_tangents(m, d):
    """`plastic_impact` for dual numbers: rates of held rows that are zero may have tangents."""
    d.scalar[f.IMPACT_LOSS] = d.scalar[f.IMPACT_WORK] = 0.0
    impact(m, d)
