"""Phi_d, the dependent columns of the constraint Jacobian, in block lower triangular form.

Loops that share no joint give diagonal blocks of their own, chains of loops blocks that are solved one after the other;
`solver/initial/loop_blocks.py` finds them and their order (Duff and Reid 1978). Diagonal blocks are factored with
pivoting, what stands left of them is kept: no fill-in, and as stable as pivoting in each block. With one block all of
this is a plain dense solution. `part[BLOCK]` holds the first place of each block, behind the last one their sum.
"""

from __future__ import annotations

from ..codegen.jit import entry_point, inlined
from . import model_data as f
from .constraint_jacobian import constraint_effort
from .dense_linear_algebra import factor, inverse_determinant, solve, solve_rows, solve_transposed
from .model_data import Data, Model, kernel

# called as code of its own: what has one block does not carry it
divided = entry_point(Model, Data)


STEPS_AHEAD = 3.0  # number of steps ahead that det Phi_d is extrapolated to zero: later stages stay before it
# share of the largest |det Phi_d|: below it accelerations show the rounding of positions over the cube of this share
NEAR = 1e-3


@inlined
def is_one_block(d):
    """True if Phi_d is one block; several are of constraints on positions alone, and are always solved all."""
    return d.part[f.BLOCK, 1] >= d.coupling.shape[1]


@inlined
def fill_dense(d, r):
    """Phi_d, the leading r rows and columns, from J to `factor`."""
    for a in range(r):
        for b in range(r):
            d.factor[a, b] = d.jac[d.part[f.ACTIVE, a], d.part[f.DEPENDENT, b]]


@inlined
def factor_leading(m, d, r):
    """Factor the leading r rows and columns of Phi_d, from J, for `solve_blocks`."""
    if is_one_block(d):
        fill_dense(d, r)
        factor(d.factor, d.part[f.PIVOT], 0, r)
    else:
        factor_blocks(m, d)


@divided
def factor_blocks(m, d):
    """Factor the diagonal blocks of Phi_d, from J; keep the entries left of them."""
    r = d.coupling.shape[1]
    k = first = 0
    while first < r:
        last = d.part[f.BLOCK, k + 1]
        for a in range(first, last):
            c = d.part[f.ACTIVE, a]
            for b in range(first, last):
                d.factor[a, b] = d.jac[c, d.part[f.DEPENDENT, b]]
            if d.part[f.CHAINED, a] > 0:
                for e in range(m.constraint[c, f.C_MOVED], m.constraint[c, f.C_MOVED_END]):
                    b = d.part[f.PLACE, m.moved[e]]
                    if 0 <= b < first:
                        d.factor[a, b] = d.jac[c, m.moved[e]]
        factor(d.factor, d.part[f.PIVOT], first, last)
        k, first = k + 1, last


@inlined
def solve_at_positions(m, d, r):
    """x := Phi_d^-1 x, x in `solve`, with the leading r rows and columns of Phi_d from the positions."""
    if is_one_block(d):
        for a in range(r):
            for b in range(r):
                d.factor[a, b] = constraint_effort(m, d, d.part[f.ACTIVE, a], d.part[f.DEPENDENT, b])
        factor(d.factor, d.part[f.PIVOT], 0, r)
        solve(d.factor, d.part[f.PIVOT], 0, r, d.solve)
    else:
        factor_blocks_at_positions(m, d)
        forward_substitution(m, d)


@divided
def factor_blocks_at_positions(m, d):
    """Factor the diagonal blocks of Phi_d, from the positions; keep the entries left of them."""
    r = d.coupling.shape[1]
    k = first = 0
    while first < r:
        last = d.part[f.BLOCK, k + 1]
        for a in range(first, last):
            c = d.part[f.ACTIVE, a]
            for b in range(first, last):
                d.factor[a, b] = constraint_effort(m, d, c, d.part[f.DEPENDENT, b])
            if d.part[f.CHAINED, a] > 0:
                for e in range(m.constraint[c, f.C_MOVED], m.constraint[c, f.C_MOVED_END]):
                    b = d.part[f.PLACE, m.moved[e]]
                    if 0 <= b < first:
                        d.factor[a, b] = constraint_effort(m, d, c, m.moved[e])
        factor(d.factor, d.part[f.PIVOT], first, last)
        k, first = k + 1, last


@inlined
def solve_blocks(m, d, r):
    """x := Phi_d^-1 x, x in `solve`."""
    if is_one_block(d):
        solve(d.factor, d.part[f.PIVOT], 0, r, d.solve)
    else:
        forward_substitution(m, d)


@divided
def forward_substitution(m, d):
    """x := Phi_d^-1 x over the blocks."""
    r = d.coupling.shape[1]
    k = first = 0
    while first < r:
        last = d.part[f.BLOCK, k + 1]
        for a in range(first, last):
            if d.part[f.CHAINED, a] > 0:
                c = d.part[f.ACTIVE, a]
                for e in range(m.constraint[c, f.C_MOVED], m.constraint[c, f.C_MOVED_END]):
                    b = d.part[f.PLACE, m.moved[e]]
                    if 0 <= b < first:
                        d.solve[a] -= d.factor[a, b] * d.solve[b]
        solve(d.factor, d.part[f.PIVOT], first, last, d.solve)
        k, first = k + 1, last


@inlined
def solve_blocks_transposed(m, d, r):
    """x := Phi_d^-T x, x in `solve`."""
    if is_one_block(d):
        solve_transposed(d.factor, d.part[f.PIVOT], 0, r, d.solve)
    else:
        backward_substitution(m, d)


@divided
def backward_substitution(m, d):
    """x := Phi_d^-T x over the blocks, from the last one on."""
    k, last = 0, d.coupling.shape[1]
    while d.part[f.BLOCK, k] < last:
        k += 1
    while k > 0:
        k -= 1
        first = d.part[f.BLOCK, k]
        solve_transposed(d.factor, d.part[f.PIVOT], first, last, d.solve)
        for a in range(first, last):
            if d.part[f.CHAINED, a] > 0:
                c = d.part[f.ACTIVE, a]
                for e in range(m.constraint[c, f.C_MOVED], m.constraint[c, f.C_MOVED_END]):
                    b = d.part[f.PLACE, m.moved[e]]
                    if 0 <= b < first:
                        d.solve[b] -= d.factor[a, b] * d.solve[a]
        last = first


@inlined
def coupling_matrix(m, d):
    """K = -Phi_d^-1 Phi_i: rates of the dependent rows at unit rates of the independent ones, to coupling[NOW]."""
    r, n = d.coupling.shape[1], d.coupling.shape[2]
    if is_one_block(d):
        for a in range(r):
            for b in range(n):
                d.coupling[f.NOW, a, b] = -d.jac[d.part[f.ACTIVE, a], d.part[f.INDEPENDENT, b]]
        solve_rows(d.factor, d.part[f.PIVOT], 0, r, d.coupling[f.NOW], 0, n)
    else:
        coupling_of_blocks(m, d)


@kernel
def coupling_of_blocks(m, d):
    """K over the blocks: row a has entries in the columns FIRST_FREE <= b < END_FREE alone, the others stay zero."""
    r, K = d.coupling.shape[1], d.coupling[f.NOW]
    k = first = 0
    while first < r:
        last = d.part[f.BLOCK, k + 1]
        left, right = d.part[f.FIRST_FREE, first], d.part[f.END_FREE, first]
        for a in range(first, last):
            c = d.part[f.ACTIVE, a]
            for b in range(left, right):
                K[a, b] = -d.jac[c, d.part[f.INDEPENDENT, b]]
            if d.part[f.CHAINED, a] > 0:
                for e in range(m.constraint[c, f.C_MOVED], m.constraint[c, f.C_MOVED_END]):
                    p = d.part[f.PLACE, m.moved[e]]
                    if 0 <= p < first:
                        for b in range(left, right):
                            K[a, b] -= d.factor[a, p] * K[p, b]
        solve_rows(d.factor, d.part[f.PIVOT], first, last, K, left, right)
        k, first = k + 1, last


@inlined
def is_singular(now, last, most, before):
    """1 if a determinant extrapolates to zero within STEPS_AHEAD steps, or changed sign, else 0.

    `last` is 0 without a previous value; `before`: share of the blocks that it is chained to and that are near zero.
    """
    change = now - last
    near = abs(now) < max(STEPS_AHEAD * abs(change), NEAR * most) or abs(now) * before < NEAR * most
    # no extrapolation without a previous value
    heading = now * change < 0.0 and last != 0.0
    return 1.0 if (near and heading) or now * last < 0.0 else 0.0


@inlined
def note_determinant(m, d):
    """SINGULAR := 1 if det Phi_d extrapolates to zero within STEPS_AHEAD steps, or changed sign: accelerations there
    grow like 1 / distance at any step size.
    """
    r = d.coupling.shape[1]
    if is_one_block(d):
        now, last = 1.0 / inverse_determinant(d.factor, d.part[f.PIVOT], 0, r), d.scalar[f.DETERMINANT]
        most = max(d.scalar[f.DETERMINANT_MAX], abs(now))
        d.scalar[f.SINGULAR] = is_singular(now, last, most, 1.0)
        d.scalar[f.DETERMINANT], d.scalar[f.DETERMINANT_MAX] = now, most
    else:
        note_determinants(m, d)


@kernel
def note_determinants(m, d):
    """`note_determinant` of each block, and of all: SINGULAR if any is.

    Shares of chained blocks that are near zero together multiply: the error of the one behind is rounding over the cube
    of each. DETERMINANT over DETERMINANT_MAX is the least share, of a block with those before it; the sign changes
    where any of the blocks changed its own.
    """
    r, fresh = d.coupling.shape[1], d.scalar[f.DETERMINANT] == 0.0
    singular, least, size, largest = 0.0, 2.0, 0.0, 0.0
    before = -1.0 if d.scalar[f.DETERMINANT] < 0.0 else 1.0
    turned = before
    k, first, together = 0, 0, 1.0
    while first < r:
        end = d.part[f.BLOCK, k + 1]
        chained = False
        for a in range(first, end):
            chained = chained or d.part[f.CHAINED, a] > 0
        together = together if chained else 1.0
        now = 1.0 / inverse_determinant(d.factor, d.part[f.PIVOT], first, end)
        last = 0.0 if fresh else d.loop_block[k, f.BLOCK_DET]
        most = max(d.loop_block[k, f.BLOCK_DET_MAX], abs(now))
        singular = max(singular, is_singular(now, last, most, together))
        turned = -before if now * last < 0.0 else turned
        share = abs(now) / most
        # NaN must not pass for regular
        worse = not share * together >= least
        least = share * together if worse else least
        size, largest = abs(now) * together if worse else size, most if worse else largest
        together *= share if share * share < NEAR else 1.0
        d.loop_block[k, f.BLOCK_DET], d.loop_block[k, f.BLOCK_DET_MAX] = now, most
        k, first = k + 1, end
    d.scalar[f.SINGULAR] = singular
    d.scalar[f.DETERMINANT], d.scalar[f.DETERMINANT_MAX] = turned * size, largest
