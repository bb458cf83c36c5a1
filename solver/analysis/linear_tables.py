"""Tables of a linear model: its matrices with what is zero within its error, its poles, and zeros of one path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .bounded_roots import OPEN, RATE, loop_of_matrices, motions, movers, spectrum
from .eigenvalues import EPS, Complex, Real, scaling

if TYPE_CHECKING:
    from .state_space import StateSpace

ROOT_HEADS = ["real [1/s]", "imaginary [rad/s]", "frequency [Hz]", "damping ratio", "time constant [s]"]
POLE_HEADS, ZERO_HEADS = ["mode", *ROOT_HEADS, "moves most"], ["zero", *ROOT_HEADS]
ROUNDED = (
    "0 stands for entries that are zero within their errors: the last digits of the states may change them by as much; "
    "a file has them as they were computed"
)
Rows = list[list[str]]


def certain_matrices(lin: StateSpace) -> dict[str, np.ndarray]:
    """A, B, C, D, with zeros for entries that may be zero by their errors; as they are where no error is known."""
    n = len(lin.A)
    whole = np.block([[lin.A, lin.B], [lin.C, lin.D]]) if n else lin.D
    if lin.errors.shape == whole.shape:
        whole = np.where(abs(whole) <= lin.errors, 0.0, whole)
    return {"A": whole[:n, :n], "B": whole[:n, n:], "C": whole[n:, :n], "D": whole[n:, n:]}


def is_rounded(lin: StateSpace) -> bool:
    """True if an entry is shown as zero that is not."""
    return any((shown != getattr(lin, letter)).any() for letter, shown in certain_matrices(lin).items())


def root_cells(s: complex) -> list[str]:
    """Real and imaginary part, undamped frequency, damping ratio and time constant of a root or a pair of them."""
    size = abs(s)
    swings = [f"{size / (2 * np.pi):.6g}", f"{-s.real / size:.4g}"] if s.imag else ["", ""]
    parts = [f"{s.real + 0.0:.6g}", f"\N{PLUS-MINUS SIGN}{s.imag:.6g}" if s.imag else "0"]
    return [*parts, *swings, f"{1 / abs(s.real):.4g}" if s.real else ""]


def pole_rows(lin: StateSpace) -> Rows:
    """Rows of the poles, numbered as modes are: pairs by rising frequency, then real ones, slowest first.

    A pole that may be zero by its error is; one whose real part may be has neither sign, damping nor time constant.
    """
    found, loop = spectrum(lin), lin.loop or loop_of_matrices(lin)
    values = found.values
    names = [*lin.state_names[: len(loop.A)], *(loop.names[k] for k in loop.samplers)]
    sizes = abs(motions(found, loop)) * movers(found, loop) if len(values) else np.zeros((0, 0))
    rows = Rows()
    for number, k in enumerate(found.mode_order, 1):
        s = complex(values[k])
        cells = root_cells(s)
        if found.signs[k] == OPEN:
            cells = [f"0 \N{PLUS-MINUS SIGN} {found.bounds[k]:.1g}", *cells[1:3], "0" if s.imag else "", ""]
        order = np.argsort(-sizes[:, k], kind="stable").tolist()
        moving = [names[j] for j in order if sizes[j, k] > 0.0]
        first = next((name for name in moving if not RATE.search(name)), moving[0] if moving else "")
        rows.append([str(number), *cells, first])
    return rows


def describe_linear(lin: StateSpace) -> list[str]:
    """Lines for a terminal: what a shown zero says, poles, and zeros of a single path."""
    lines = [ROUNDED] if is_rounded(lin) else []
    for heads, rows in ((POLE_HEADS, pole_rows(lin)), (ZERO_HEADS, zero_rows(lin))):
        if rows:
            widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
            lines += ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (heads, *rows)]
    return lines


def zero_rows(lin: StateSpace) -> Rows:
    """Rows of the zeros from the one input to the one output: pairs by rising frequency, then real ones."""
    zeros = path_zeros(lin)
    if zeros is None:
        return []
    kept = sorted(zeros[zeros.imag >= 0.0].tolist(), key=lambda s: (s.imag == 0.0, abs(s), s.real))
    return [[str(number), *root_cells(s)] for number, s in enumerate(kept, 1)]


def path_zeros(lin: StateSpace) -> Complex | None:
    """Zeros [1/s] from the one input to the one output, of the states on paths between them.

    Their number is known, so that none is at infinity: the states of the path, less the derivatives of the output until
    the input acts. None for several inputs or outputs, for a map, with delays on the way, without any path, and where
    that order is not known: an entry that may be zero by its error stands on the shortest path.
    """
    n, (p, m) = len(lin.A), lin.D.shape
    if (p, m) != (1, 1) or lin.period or lin.errors.shape != (n + 1, n + 1):
        return None
    part = certain_matrices(lin)
    kept = between(part["A"] != 0.0, part["B"][:, 0] != 0.0, part["C"][0] != 0.0)
    A, b, c = part["A"][np.ix_(kept, kept)], part["B"][kept, 0], part["C"][0, kept]
    errors = lin.errors[np.ix_([*kept, n], [*kept, n])]
    order = relative_degree(A, b, c, float(part["D"][0, 0]), errors)
    if order is None:
        return None
    scale = scaling(A) if len(A) > 1 else np.ones(len(A))
    b, c = b / scale, c * scale
    pencil = np.block([[A * (scale / scale[:, None]), b[:, None] / largest(b)], [c / largest(c), part["D"]]])
    pencil[-1, -1] /= largest(b) * largest(c)
    return finite_roots(pencil, len(kept) - order)


def largest(row: Real) -> float:
    return float(abs(row).max(initial=0.0)) or 1.0


def between(leads: np.ndarray, entered: np.ndarray, seen: np.ndarray) -> list[int]:
    """States that the input reaches and that reach the output; `leads[i, j]`: the rate of i depends on j."""
    ahead, behind = entered.copy(), seen.copy()
    for _ in range(len(leads)):
        ahead |= leads @ ahead
        behind |= leads.T @ behind
    return np.flatnonzero(ahead & behind).tolist()


def relative_degree(A: Real, b: Real, c: Real, d: float, errors: Real) -> int | None:
    """Derivatives of the output until the input acts on it: the first k with c A^(k-1) b other than zero.

    None where it is zero within its error though a path of that many entries is there, and where there is no path.
    """
    if d:
        return 0
    n, E = len(A), errors[:-1, :-1]
    v, off, reached = b, errors[:-1, -1], b != 0.0
    for k in range(n):
        h = float(c @ v)
        error = float(abs(c) @ off + errors[-1, :-1] @ (abs(v) + off) + n * EPS * (abs(c) @ abs(v)))
        if abs(h) > error:
            return k + 1
        if (reached & (c != 0.0)).any():
            return None
        v, off = A @ v, abs(A) @ off + E @ (abs(v) + off) + n * EPS * (abs(A) @ abs(v))
        reached = (A != 0.0) @ reached
    return None


def finite_roots(pencil: Real, count: int) -> Complex:
    """The `count` smallest eigenvalues of a pencil whose last row has no derivative; the others are infinite."""
    from scipy.linalg import eig

    mass = np.eye(len(pencil))
    mass[-1, -1] = 0.0
    pairs = np.asarray(eig(pencil, mass, right=False, homogeneous_eigvals=True))
    above, below = pairs[0], pairs[1]
    size = np.divide(abs(above), abs(below), out=np.full(len(above), np.inf), where=below != 0.0)
    kept = np.argsort(size, kind="stable")[:count]
    return (above[kept] / below[kept]).astype(complex)
