"""Added mass of bodies in water: a full spatial inertia of the fluid at a body, constant in its axes.

The fluid's momentum L = J w + H v, P = H^T w + M v at the row's origin asks for the wrench (Kirchhoff; Lamb 1932,
art. 124)

    t = J alpha + H (a - w x v) + w x L + v x P,   F = H^T alpha + M (a - w x v) + w x P,

which keeps its kinetic energy. Gravity does not act on it: a is the acceleration in the world, not less g. Of a body
that is partly immersed a share s(t) of all this moves; with s grows its kinetic energy, which no force gives.
"""

from __future__ import annotations

from ..codegen.jit import helper, inlined
from . import model_data as f
from .frame_kinematics import frame_axes, frame_position, gravity
from .model_data import kernel
from .small_matrices import (
    ZERO_3,
    ZERO_6,
    ZERO_9,
    add_3,
    add_6,
    add_9,
    add_cross,
    cross,
    dot,
    matrix_product,
    matrix_times,
    read_3,
    read_6,
    read_9,
    rotate_symmetric,
    subtract_3,
    symmetric_times,
    transposed_times,
    write_3,
    write_6,
    write_9,
)


@inlined
def shift_spatial_inertia(r, J, H, M):
    """J and H at a point from which the present one is at r: H' = H + [r] M, J' = J - H [r] + [r] H'^T."""
    rx, ry, rz = r
    xx, yy, zz, xy, xz, yz = M
    K = (
        H[0] + ry * xz - rz * xy, H[1] + ry * yz - rz * yy, H[2] + ry * zz - rz * yz,
        H[3] + rz * xx - rx * xz, H[4] + rz * xy - rx * yz, H[5] + rz * xz - rx * zz,
        H[6] + rx * xy - ry * xx, H[7] + rx * yy - ry * xy, H[8] + rx * yz - ry * xz,
    )  # fmt: skip
    J = (
        J[0] + (H[2] * ry - H[1] * rz + ry * K[2] - rz * K[1]),
        J[1] + (H[3] * rz - H[5] * rx + rz * K[3] - rx * K[5]),
        J[2] + (H[7] * rx - H[6] * ry + rx * K[7] - ry * K[6]),
        J[3] + (H[0] * rz - H[2] * rx + ry * K[5] - rz * K[4]),
        J[4] + (H[1] * rx - H[0] * ry + ry * K[8] - rz * K[7]),
        J[5] + (H[4] * rx - H[3] * ry + rz * K[6] - rx * K[8]),
    )
    return J, K


@inlined
def added_inertia(d, e):
    """J, H, M of the fluid of element e at its row's origin, in W."""
    return (
        read_6(d.element_out, e, f.ADDED),
        read_9(d.element_out, e, f.ADDED_H),
        read_6(d.element_out, e, f.ADDED_M),
    )


@inlined
def added_momentum(J, H, M, w, v):
    """Spatial momentum (J w + H v, H^T w + M v)."""
    return add_3(symmetric_times(J, w), matrix_times(H, v)), add_3(
        transposed_times(H, w), symmetric_times(M, v)
    )


@helper
def hull(m, d, e):
    """ADDED and ADDED_BIAS of the fluid at frame b of element e: inertia, and wrench at zero ACC, at the row's
    origin.
    """
    b, value = m.element[e, f.E_FRAME_B], m.element_value
    i = m.frame_row[b]
    R = frame_axes(m, d, b)
    J, M = rotate_symmetric(R, read_6(value, e, f.A_J)), rotate_symmetric(R, read_6(value, e, f.A_M))
    half = matrix_product(R, read_9(value, e, f.A_H))
    # H R^T, as (R H^T)^T
    turned = matrix_product(
        R, (half[0], half[3], half[6], half[1], half[4], half[7], half[2], half[5], half[8])
    )
    H = turned[0], turned[3], turned[6], turned[1], turned[4], turned[7], turned[2], turned[5], turned[8]
    J, H = shift_spatial_inertia(subtract_3(frame_position(m, d, b), read_3(d.row, i, f.p_WB)), J, H, M)
    write_6(d.element_out, e, f.ADDED, J)
    write_9(d.element_out, e, f.ADDED_H, H)
    write_6(d.element_out, e, f.ADDED_M, M)
    w, v = read_3(d.row, i, f.TWIST), read_3(d.row, i, f.TWIST + f.LINEAR)
    L, P = added_momentum(J, H, M, w, v)
    t, F = added_momentum(J, H, M, ZERO_3, subtract_3(gravity(m), cross(w, v)))
    write_3(d.element_out, e, f.ADDED_BIAS, add_cross(add_cross(t, w, L), v, P))
    write_3(d.element_out, e, f.ADDED_BIAS + f.LINEAR, add_cross(F, w, P))


@helper
def immersed(m, d, e):
    """ADDED and ADDED_BIAS of a body that is partly immersed: the share of its inputs of those of a hull."""
    out, first = d.element_out, m.element[e, f.E_INPUT]
    hull(m, d, e)
    i = m.frame_row[m.element[e, f.E_FRAME_B]]
    w, v = read_3(d.row, i, f.TWIST), read_3(d.row, i, f.TWIST + f.LINEAR)
    # s' T of the fluid comes with the water, and is no loss
    out[e, f.POWER_LOST] = -d.inputs[first + 1] * fluid_energy(d, e, w, v)
    for j in range(f.ADDED, f.ADDED_BIAS + 6):
        out[e, j] *= d.inputs[first]


@helper
def leave_out_immersed(m, d):
    """Zero the fluid of bodies that are partly immersed, until `applied_forces` knows their shares."""
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.FLUID and m.element_value[e, f.A_SHARED] > 0.0:
            for j in range(f.ADDED, f.ADDED_BIAS + 6):
                d.element_out[e, j] = 0.0


@inlined
def moves_fluid(m, e, i):
    """True if element e is the fluid at the body of row i."""
    return m.element[e, f.E_KIND] == f.FLUID and m.frame_row[m.element[e, f.E_FRAME_B]] == i


@helper
def add_fluid_inertia(m, d, i, J, H, M, t, F):
    """Add inertia and bias wrench of the fluid at the body of row i."""
    for e in range(m.element.shape[0]):
        if moves_fluid(m, e, i):
            j, h, k = added_inertia(d, e)
            J, H, M = add_6(J, j), add_9(H, h), add_6(M, k)
            t = add_3(t, read_3(d.element_out, e, f.ADDED_BIAS))
            F = add_3(F, read_3(d.element_out, e, f.ADDED_BIAS + f.LINEAR))
    return J, H, M, t, F


@helper
def add_fluid_wrench(m, d, i, alpha, a, torque, force):
    """Add the wrench that the fluid at the body of row i asks for, at the acceleration (alpha, a) less gravity."""
    J, H, M, t, F = add_fluid_inertia(m, d, i, ZERO_6, ZERO_9, ZERO_6, torque, force)
    L, P = added_momentum(J, H, M, alpha, a)
    return add_3(t, L), add_3(F, P)


@helper
def fluid_energy(d, e, w, v):
    """Kinetic energy of the fluid of element e at the twist (w, v) of its row [J]."""
    J, H, M = added_inertia(d, e)
    L, P = added_momentum(J, H, M, w, v)
    return 0.5 * (dot(w, L) + dot(v, P))


@helper
def unit_screw(m, d, k, i):
    """Twist of row i, at its origin, at a unit rate of its ancestor k."""
    s = read_3(d.row, k, f.AXIS)
    if m.topo[k, f.KIND] == f.PRISMATIC:
        return ZERO_3, s
    return s, cross(s, subtract_3(read_3(d.row, i, f.p_WB), read_3(d.row, k, f.p_WB)))


@helper
def add_fluid_mass(m, d):
    """Add the fluid's part to the joint-space mass matrix: s_i . A s_k of each pair of rows below a hull."""
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.FLUID:
            J, H, M = added_inertia(d, e)
            last = m.frame_row[m.element[e, f.E_FRAME_B]]
            i = last
            while i >= 0:
                w, v = unit_screw(m, d, i, last)
                L, P = added_momentum(J, H, M, w, v)
                k = last
                while k >= 0:
                    if m.topo[i, f.KIND] != f.WELD and m.topo[k, f.KIND] != f.WELD:
                        w, v = unit_screw(m, d, k, last)
                        d.mass[i, k] += dot(w, L) + dot(v, P)
                    k = m.topo[k, f.PARENT]
                i = m.topo[i, f.PARENT]


@kernel
def added_mass(m, d):
    """Inertia and bias wrench of the fluid of all hulls; needs velocities. Shares are signals: `applied_forces`."""
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.FLUID and m.element_value[e, f.A_SHARED] == 0.0:
            hull(m, d, e)
