"""Wheels on rails and rollers beside them: load, creep force of a rolling contact, and a guide with play.

Tangential contact by one bristle with two components in the wheel's axes, sideways and ahead. Rolling at V carries bent
material out of the contact: with the relative velocity s, the direction n of the bristle's force k z and its share
x = |k z| / (mu N),

    z' = s - |V| xi(x) n - alpha(x) max(s . n - |V| xi(x), 0) n.

Steady rolling has |s| / |V| = xi(x), the creepage that belongs to the share x: the law of creep by its inverse. At rest
nothing is carried out and the bristle sticks; beyond mu N it slips (alpha, `stiction.py`), and the force is cut there.
This is the lumped average model of Canudas de Wit and others (2003), whose term by the rolling speed is kappa |V| z,
with a law of creep of one's own. k is constant: with the energy k |z|^2 / 2 all that is carried out and that slips is
lost, and a load that changes gives none.
"""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .frame_kinematics import apply_wrench, frame_axes, origin_motion
from .model_data import kernel
from .small_matrices import ZERO_3, matrix_times, transposed_times, write_3
from .stiction import FORGETS, SLIDES, slip_fraction
from .unilateral_contacts import write_element_output

STEEPEST = 0.98  # share of mu N from which the inverse of the exponential law goes on along its tangent


@helper
def creepage_of(share, reference, exponential):
    """Creepage xi that a steady creep force of `share` mu N belongs to.

    Linear: xi = xi_0 x. Exponential, x = 1 - exp(-xi / xi_0): xi = -xi_0 log(1 - x), along its tangent beyond STEEPEST.
    """
    if not exponential:
        return reference * share
    if share < STEEPEST:
        return -reference * math.log(1.0 - share)
    return reference * (-math.log(1.0 - STEEPEST) + (share - STEEPEST) / (1.0 - STEEPEST))


@helper
def creep_force(m, d, e, most):
    """Creep force against the motion of the wheel on the rail, (sideways, ahead) [N]: k z, at most mu N."""
    value, out = m.element_value, d.element_out
    fx, fy = value[e, f.W_BRISTLE] * out[e, f.SLIP], value[e, f.W_BRISTLE] * out[e, f.SLIP + 1]
    if not most > 0.0:
        return 0.0, 0.0
    share = math.sqrt(fx * fx + fy * fy) / most
    cut = 1.0 / share if share > 1.0 else 1.0
    return cut * fx, cut * fy


@helper
def bend(m, d, e, speed):
    """Write the bristle's rates and the power that the contact loses; the wheel's rim runs at `speed` [m/s].

    Reads the velocities and the load that `rail` left in the element's outputs.
    """
    value, out = m.element_value, d.element_out
    k, most = value[e, f.W_BRISTLE], value[e, f.W_GRIP] * out[e, f.WHEEL_LOAD]
    zx, zy = out[e, f.SLIP], out[e, f.SLIP + 1]
    sx, sy = out[e, f.SIDE_SPEED], out[e, f.ROLL_SPEED] - speed
    ux, uy = sx + FORGETS * zx, sy + FORGETS * zy
    if most > 0.0:
        size = math.sqrt(zx * zx + zy * zy)
        inv = 1.0 / size if size > 0.0 else 0.0
        nx, ny, share = zx * inv, zy * inv, k * size / most
        # bounded beyond the limit: the relative rate does not grow with a load that goes to zero
        within = min(share, SLIDES)
        carried = abs(speed) * creepage_of(within, value[e, f.W_CREEPAGE], value[e, f.W_EXPONENTIAL] > 0.0)
        u = carried + slip_fraction(share) * max(nx * sx + ny * sy - carried, 0.0)
        if share > SLIDES:
            u += FORGETS * size * (1.0 - SLIDES / share)
        ux, uy = u * nx, u * ny
    out[e, f.SLIP_RATE], out[e, f.SLIP_RATE + 1] = sx - ux, sy - uy
    lost = (out[e, f.CREEP_SIDE] - k * zx) * sx + (out[e, f.CREEP_AHEAD] - k * zy) * sy
    out[e, f.POWER_LOST] = out[e, f.GUIDE_LOST] + lost + k * (zx * ux + zy * uy)


@helper
def press(m, d, e, z, rate):
    """Load N = max(-k z - c z', 0) below the rail's top [N], with energy and loss; returns 1 if it touches."""
    value, out = m.element_value, d.element_out
    statics = d.scalar[f.STATICS] > 0.0
    elastic = -value[e, f.W_STIFFNESS] * z
    out[e, f.MARGIN] = elastic
    out[e, f.WHEEL_LOAD] = out[e, f.STORED] = out[e, f.GUIDE_LOST] = 0.0
    if z < 0.0 or (statics and value[e, f.W_PULLS] > 0.0):
        out[e, f.MARGIN] = elastic - value[e, f.W_DAMPING] * rate
        load = out[e, f.MARGIN] if statics else max(out[e, f.MARGIN], 0.0)
        out[e, f.WHEEL_LOAD] = load
        out[e, f.STORED], out[e, f.GUIDE_LOST] = -0.5 * elastic * z, (elastic - load) * rate
        return 1.0 if value[e, f.W_STIFFNESS] > 0.0 else 0.0
    return 0.0


@helper
def guide(m, d, e, y, rate):
    """Force of flanges or rollers beyond their play, which never pull [N]; adds energy and loss.

    Returns 3 or 9 if the left or the right side touches: with what `press` returns, sums that differ.
    """
    value, out = m.element_value, d.element_out
    out[e, f.GUIDE_FORCE] = touched = 0.0
    for side in range(2):
        sign = 1.0 - 2.0 * side
        depth = sign * y - value[e, f.W_PLAY]
        margin = depth
        if depth > 0.0:
            elastic = value[e, f.W_GUIDE] * depth
            margin = elastic + value[e, f.W_GUIDE_DAMPING] * sign * rate
            push = max(margin, 0.0)
            out[e, f.STORED] += 0.5 * elastic * depth
            out[e, f.GUIDE_LOST] += (push - elastic) * sign * rate
            out[e, f.GUIDE_FORCE] -= sign * push
            touched = 3.0 + 6.0 * side
        out[e, f.GUIDE_MARGIN + side] = margin
    return touched


@helper
def rolling_direction(m, e, A, B):
    """Unit vector in the rail's plane, in a's axes, in which the wheel rolls: x of b, turned about z by its skew."""
    c, s = m.element_value[e, f.W_COS], m.element_value[e, f.W_SIN]
    ahead = transposed_times(A, (c * B[0] + s * B[1], c * B[3] + s * B[4], c * B[6] + s * B[7]))
    size = math.sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1])
    if size > 0.0:
        return ahead[0] / size, ahead[1] / size
    return 1.0, 0.0


@helper
def rail(m, d, e):
    """Wheel or roller at b's origin on the rail along a's x axis, whose top is a's plane z = 0."""
    a, b = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B]
    value, out = m.element_value, d.element_out
    A = frame_axes(m, d, a)
    at, r, v = origin_motion(m, d, e, A)
    write_3(out, e, f.DEFLECTION, r)
    touched = press(m, d, e, r[2], v[2])
    touched += guide(m, d, e, r[1], v[1])
    x, y = rolling_direction(m, e, A, frame_axes(m, d, b))
    out[e, f.SIDE_SPEED], out[e, f.ROLL_SPEED] = x * v[1] - y * v[0], x * v[0] + y * v[1]
    # creep
    if d.scalar[f.STATICS] > 0.0:
        out[e, f.SLIP] = out[e, f.SLIP + 1] = 0.0
    most = value[e, f.W_GRIP] * out[e, f.WHEEL_LOAD]
    side, ahead = creep_force(m, d, e, most)
    out[e, f.CREEP_SIDE], out[e, f.CREEP_AHEAD] = side, ahead
    out[e, f.GRIP_USED] = math.sqrt(side * side + ahead * ahead) / most if most > 0.0 else 0.0
    zx, zy = out[e, f.SLIP], out[e, f.SLIP + 1]
    out[e, f.STORED] += 0.5 * value[e, f.W_BRISTLE] * (zx * zx + zy * zy)
    out[e, f.POWER_IN] = 0.0
    bend(m, d, e, out[e, f.ROLL_SPEED])
    # wrenches
    pushed = y * side - x * ahead, out[e, f.GUIDE_FORCE] - x * side - y * ahead, out[e, f.WHEEL_LOAD]
    write_3(out, e, f.FORCE_IN_A, pushed)
    force = matrix_times(A, pushed)
    apply_wrench(m, d, b, at, ZERO_3, force, 1.0)
    apply_wrench(m, d, a, at, ZERO_3, force, -1.0)
    write_element_output(d, e, ZERO_3, force)
    # term of what touches in the fingerprint: see coordinate_forces
    d.scalar[f.END_STOPS] += touched * math.sqrt(4.0 * (m.topo.shape[0] + e) + 2.0)


@kernel
def rail_forces(m, d):
    """Forces of all wheels and rollers on rails; those without a shaft roll freely."""
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.RAIL:
            rail(m, d, e)


@kernel
def rim_slip(m, d):
    """Bristle rates of wheels on shafts, whose rims run at the speeds in Data.inputs, and the power of their shafts."""
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.RAIL and m.element_value[e, f.W_DRIVEN] > 0.0:
            speed = d.inputs[m.element[e, f.E_INPUT]]
            bend(m, d, e, speed)
            d.element_out[e, f.POWER_IN] = -d.element_out[e, f.CREEP_AHEAD] * speed
