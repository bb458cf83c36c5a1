"""Inverse dynamics for controllers: efforts of selected drives from the state and their desired accelerations.

Both kernels run between kinematics and dynamics and restore what dynamics reads from kinematics. With J and sigma of
the constraints, N orthogonal to their forces (N = J for ideal ones), B the columns of the drives and
b = C - springs - dampers: N^T (M (J x + sigma) + b - B u) = 0 for the independent accelerations x and the efforts u.
Applied forces of signals, friction, end stops and the fluid that a partly immersed body moves are not in the
controller's model, shapes that touch in that of `track` alone.

`work` belongs to the controller: number of drives, their rows, desired accelerations, efforts; then scratch. So does
`mass`.
"""

from __future__ import annotations

from ..codegen.jit import helper
from . import model_data as f
from .added_mass import leave_out_immersed
from .constrained_dynamics import force_coupling, required_acceleration
from .kinematics import inertias, velocities
from .loop_blocks import coupling_matrix, solve_blocks
from .model_data import kernel
from .newton_euler import along_axis, inverse_dynamics_row, mass_matrix, newton_euler, propagate_all
from .passive_forces import forces_of_motion
from .position_projection import factor_dependent


@helper
def equation_count(m, d, first):
    """Number of equations of motion (freedoms). Writes the rows of the independent accelerations to work[first:], those
    of the equations n entries behind.

    Computes the coupling K where the solver does without it.
    """
    work, n = d.work, m.topo.shape[0]
    if m.constraint.shape[0] == 0:
        free = 0
        for i in range(m.topo.shape[0]):
            if m.topo[i, f.MODE] == f.FREE:
                work[first + free] = work[first + n + free] = i
                free += 1
        return free
    if m.option[f.O_SOLVER] == f.SCHUR:
        coupling_matrix(m, d)
    free = d.coupling.shape[2]
    ideal = m.option[f.O_SERVO] == 0
    for b in range(free):
        work[first + b] = d.part[f.INDEPENDENT, b]
        work[first + n + b] = d.part[f.INDEPENDENT if ideal else f.FORCE_INDEPENDENT, b]
    return free


@helper
def null_space_layer(m, d):
    """Layer of `coupling` that makes N: NOW, or FORCES for servo constraints, computed here."""
    if m.constraint.shape[0] == 0 or m.option[f.O_SERVO] == 0:
        return f.NOW
    force_coupling(m, d)
    factor_dependent(m, d)
    return f.FORCES


@helper
def projected_entry(m, d, layer, i, b, values):
    """Entry b of N^T values, with i the row of equation b."""
    s = values[i]
    if m.constraint.shape[0] > 0:
        rows = f.DEPENDENT if layer == f.NOW else f.FORCE_DEPENDENT
        for a in range(d.coupling.shape[1]):
            s += d.coupling[layer, a, b] * values[d.part[rows, a]]
    return s


@helper
def null_space_entry(m, d, layer, i, b, row):
    """N[row, b]: unit effort on `row` in equation b, or rate of `row` at unit rate b; i is the row of equation b."""
    if i == row:
        return 1.0
    if m.constraint.shape[0] > 0:
        rows = f.DEPENDENT if layer == f.NOW else f.FORCE_DEPENDENT
        for a in range(d.coupling.shape[1]):
            if d.part[rows, a] == row:
                return d.coupling[layer, a, b]
    return 0.0


@helper
def solve_by_elimination(A, height, width):
    """Solve A[:, :width] x = A[:, width] by Gaussian elimination with partial pivoting; x replaces the last column.

    With height > width, the rows that the pivoting selects count.
    """
    for k in range(width):
        best, at = abs(A[k, k]), k
        for i in range(k + 1, height):
            if abs(A[i, k]) > best:
                best, at = abs(A[i, k]), i
        if at != k:
            for j in range(k, width + 1):
                A[k, j], A[at, j] = A[at, j], A[k, j]
        for i in range(k + 1, height):
            factor = A[i, k] / A[k, k]
            if factor != 0.0:
                for j in range(k, width + 1):
                    A[i, j] -= factor * A[k, j]
    for k in range(width - 1, -1, -1):
        s = A[k, width]
        for j in range(k + 1, width):
            s -= A[k, j] * A[j, width]
        A[k, width] = s / A[k, k]


@helper
def has_element_springs(m):
    """True if springs act between frames, whose forces contain their dampers', or a fluid whose wrench has rates."""
    springs = False
    for e in range(m.element.shape[0]):
        kind = m.element[e, f.E_KIND]
        springs = springs or f.LINE <= kind <= f.SUPPORT or kind == f.FLUID or kind == f.RAIL
    return springs


@helper
def static_efforts(m, d, kept, efforts):
    """Effort each row needs for static balance in this position: gravity less springs, to `efforts`; `kept` is
    scratch.
    """
    n = m.topo.shape[0]
    springs, stops = has_element_springs(m), d.scalar[f.END_STOPS]
    if springs:
        for i in range(n):
            kept[i], d.row[i, f.V] = d.row[i, f.V], 0.0
            for j in range(6):
                d.row[i, f.IA + j] = d.row[i, f.WRENCH_EXT + j]
        velocities(m, d)
        forces_of_motion(m, d)
    inertias(m, d)
    for i in range(n):
        for j in range(6):
            d.row[i, f.BIAS_WRENCH + j] = -d.row[i, f.WRENCH_EXT + j] if springs else 0.0
        for j in range(3):
            d.row[i, f.ACC + j], d.row[i, f.ACC + 3 + j] = 0.0, -m.constant[j]
    newton_euler(m, d)
    for i in range(n):
        efforts[i] = along_axis(m, d, f.REACTION, i) - d.row[i, f.SPRING_EFFORT]
    if springs:
        for i in range(n):
            d.row[i, f.V] = kept[i]
        velocities(m, d)
        forces_of_motion(m, d)
        # with the forces of shapes that touch
        d.scalar[f.END_STOPS] = stops
        for i in range(n):
            for j in range(6):
                d.row[i, f.WRENCH_EXT + j] = d.row[i, f.IA + j]


@kernel
def hold(m, d):
    """Drive efforts for static balance of gravity and springs; passive coordinates count as held.

    With fewer drives than freedoms, the equations count that elimination with partial pivoting selects: those of the
    drives themselves where these are independent coordinates.
    """
    work = d.work
    n, drives = m.topo.shape[0], int(work[0])
    first = 1 + 3 * drives
    kept, efforts = work[first + 2 * n : first + 3 * n], work[first + 3 * n : first + 4 * n]
    leave_out_immersed(m, d)
    static_efforts(m, d, kept, efforts)
    factor = equation_count(m, d, first)
    layer = null_space_layer(m, d)
    A = d.system
    for b in range(factor):
        i = int(work[first + n + b])
        for k in range(drives):
            A[b, k] = null_space_entry(m, d, layer, i, b, int(work[1 + k]))
        A[b, drives] = projected_entry(m, d, layer, i, b, efforts)
    solve_by_elimination(A, factor, drives)
    for k in range(drives):
        work[1 + 2 * drives + k] = A[k, drives]


@helper
def dependent_acceleration_bias(m, d, factor, first):
    """sigma: qdd of the dependent rows at zero independent qdd, to QDD."""
    r = d.coupling.shape[1]
    for b in range(factor):
        d.row[int(d.work[first + b]), f.QDD] = 0.0
    if r > 0:
        for a in range(r):
            d.solve[a] = required_acceleration(m, d, d.part[f.ACTIVE, a])
        solve_blocks(m, d, r)
        for a in range(r):
            d.row[d.part[f.DEPENDENT, a], f.QDD] = d.solve[a]


@helper
def projected_mass(d, factor, first):
    """M J, in the columns of the independent rows of `mass`."""
    M = d.mass
    for i in range(d.row.shape[0]):
        for b in range(factor):
            s = M[i, int(d.work[first + b])]
            for a in range(d.coupling.shape[1]):
                s += M[i, d.part[f.DEPENDENT, a]] * d.coupling[f.NOW, a, b]
            M[i, int(d.work[first + b])] = s


@kernel
def track(m, d):
    """Drive efforts that give the drives their desired accelerations (computed torque); passive coordinates follow.

    With fewer drives than freedoms this is collocated partial feedback linearisation (Spong 1994).
    """
    work = d.work
    n, drives = m.topo.shape[0], int(work[0])
    first = 1 + 3 * drives
    asked = work[first + 3 * n : first + 4 * n]
    leave_out_immersed(m, d)
    factor = equation_count(m, d, first)
    dependent_acceleration_bias(m, d, factor, first)
    inertias(m, d)
    propagate_all(m, d)
    newton_euler(m, d)
    for i in range(n):
        asked[i] = inverse_dynamics_row(m, d, i) - d.row[i, f.SPRING_EFFORT] - d.row[i, f.DAMPER_EFFORT]
    mass_matrix(m, d)
    projected_mass(d, factor, first)
    layer = null_space_layer(m, d)
    size = factor + drives
    A = d.system
    for b in range(factor):
        i = int(work[first + n + b])
        for e in range(factor):
            A[b, e] = projected_entry(m, d, layer, i, b, d.mass[:, int(work[first + e])])
        for k in range(drives):
            A[b, factor + k] = -null_space_entry(m, d, layer, i, b, int(work[1 + k]))
        A[b, size] = -projected_entry(m, d, layer, i, b, asked)
    for k in range(drives):
        row = int(work[1 + k])
        for e in range(factor):
            A[factor + k, e] = null_space_entry(m, d, f.NOW, int(work[first + e]), e, row)
        for j in range(drives):
            A[factor + k, factor + j] = 0.0
        # a dependent drive accelerates by sigma at x = 0
        A[factor + k, size] = work[1 + drives + k] - d.row[row, f.QDD]
    solve_by_elimination(A, size, size)
    for k in range(drives):
        work[1 + 2 * drives + k] = A[factor + k, size]
