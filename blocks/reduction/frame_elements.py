"""Space frames of Timoshenko or Euler-Bernoulli beams, with rotary inertia and geometric stiffness by axial force."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..light_dataclass import record
from .finite_elements import FiniteElements

# stations over a member's length, weights of which add up to one
PLACES, WEIGHTS = np.polynomial.legendre.leggauss(4)
PLACES, WEIGHTS = 0.5 * (PLACES + 1.0), 0.5 * WEIGHTS


@record
class BeamSection:
    """Section and material of members; y and z are its principal axes, x the member."""

    E: float  # Young's modulus [Pa]
    G: float  # shear modulus [Pa]
    rho: float  # density [kg/m^3]
    A: float  # area [m^2]
    I_y: float  # second moment about y [m^4]
    I_z: float  # about z
    J: float  # torsion constant [m^4]
    shear_y: float | None = None  # shear coefficient along y; without: no shear deformation
    shear_z: float | None = None
    # distances of its outermost fibres from the axes of bending, along y and z [m]; unknown without
    y: float = np.nan
    z: float = np.nan
    circular: bool = False  # circle or tube: both moments bend it as one


@record
class Member:
    """Straight beam between two nodes."""

    first: int
    last: int
    section: int
    up: tuple[float, float, float] = (0.0, 0.0, 1.0)  # direction in whose plane with x the local z lies


def frame(nodes: np.ndarray, members: Sequence[Member], sections: Sequence[BeamSection]) -> FiniteElements:
    """Finite elements of a space frame with rigid nodes.

    Mass stands in four points around the axis at each of four stations of a member: so it has rotary and torsional
    inertia.
    """
    from scipy import sparse

    nodes = np.asarray(nodes, float)
    n = 6 * len(nodes)
    K, N, F = _Triplets(), _Triplets(), _Triplets()
    weights: list[float] = []
    points: list[np.ndarray] = []
    axial: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    for k, member in enumerate(members):
        section = sections[member.section]
        start, R, length = _axes(nodes, member)
        T = np.kron(np.eye(4), R)
        dofs = np.concatenate([6 * member.first + np.arange(6), 6 * member.last + np.arange(6)])
        stiffness = _stiffness(section, length) @ T
        K.add(dofs, dofs, T.T @ stiffness)
        F.add(12 * k + np.arange(12), dofs, stiffness)
        slopes = np.zeros((12, 12))
        radii = np.sqrt(2.0 * section.I_z / section.A), np.sqrt(2.0 * section.I_y / section.A)
        for x, share in zip(PLACES, WEIGHTS, strict=True):
            shift, turn, slope = (S @ T for S in _shapes(section, length, x))
            slopes += share * length * slope.T @ slope
            for offset in ((0, radii[0], 0), (0, -radii[0], 0), (0, 0, radii[1]), (0, 0, -radii[1])):
                o = np.array(offset, float)
                cross = np.array([[0, o[2], -o[1]], [-o[2], 0, o[0]], [o[1], -o[0], 0]])  # theta x o
                at = 3 * len(weights) + np.arange(3)
                N.add(at, dofs, R.T @ (shift + cross @ turn))
                weights.append(0.25 * section.rho * section.A * length * share)
                points.append(start + R.T @ (o + np.array([x * length, 0.0, 0.0])))
        stretch = np.zeros(12)
        stretch[[0, 6]] = -section.E * section.A / length, section.E * section.A / length
        axial.append((dofs, stretch @ T, slopes))

    def stress_products(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """K_sigma = sum of N times the integral of slope^T slope, N the axial force of a member."""
        total = np.zeros((u.shape[1], v.shape[1], v.shape[1]))
        for dofs, force, slopes in axial:
            total += np.multiply.outer(force @ u[dofs], v[dofs].T @ slopes @ v[dofs])
        return total

    shape = N.matrix((3 * len(weights), n))
    whole = sparse.csr_matrix(K.matrix((n, n)))
    lines = np.array([(one.first, one.last) for one in members], int).reshape(-1, 2)
    return FiniteElements(
        nodes, 6, whole, np.array(weights), np.array(points), shape, stress_products, lines=lines,
        end_forces=F.matrix((12 * len(members), n)), members=_members(nodes, members, sections),
    )  # fmt: skip


def _members(nodes: np.ndarray, members: Sequence[Member], sections: Sequence[BeamSection]) -> np.ndarray:
    """End nodes, section, material and length of the members: the columns of `ReducedBody.members`."""
    rows = []
    for member in members:
        s, length = sections[member.section], float(np.linalg.norm(nodes[member.last] - nodes[member.first]))
        rows.append((member.first, member.last, s.A, s.I_y, s.I_z, s.E, length, s.y, s.z, float(s.circular)))
    return np.array(rows, float)


class _Triplets:
    """Dense blocks of a sparse matrix."""

    def __init__(self) -> None:
        self.rows: list[np.ndarray] = []
        self.columns: list[np.ndarray] = []
        self.values: list[np.ndarray] = []

    def add(self, rows: np.ndarray, columns: np.ndarray, block: np.ndarray) -> None:
        """Add a block at these rows and columns."""
        self.rows.append(np.repeat(rows, len(columns)))
        self.columns.append(np.tile(columns, len(rows)))
        self.values.append(block.ravel())

    def matrix(self, shape: tuple[int, int]) -> object:
        """Sum of all blocks, sparse."""
        from scipy import sparse

        parts = (np.concatenate(each) for each in (self.values, self.rows, self.columns))
        values, rows, columns = parts
        return sparse.csr_matrix((values, (rows, columns)), shape)


def _axes(nodes: np.ndarray, member: Member) -> tuple[np.ndarray, np.ndarray, float]:
    """First node, rows x, y, z of the member's axes, length."""
    start, way = nodes[member.first], nodes[member.last] - nodes[member.first]
    length = float(np.linalg.norm(way))
    x = way / length
    up = np.array(member.up, float)
    if np.linalg.norm(np.cross(up, x)) < 1e-6 * np.linalg.norm(up):
        up = np.array([1.0, 0.0, 0.0]) if abs(x[0]) < 0.9 else np.array([0.0, 1.0, 0.0])
    y = np.cross(up, x)
    y /= np.linalg.norm(y)
    return start, np.array([x, y, np.cross(x, y)]), length


def _shear(section: BeamSection, length: float) -> tuple[float, float]:
    """Shear parameters 12 E I / (kappa G A l^2) of bending in x-y and x-z."""
    y = z = 0.0
    if section.shear_y:
        y = 12.0 * section.E * section.I_z / (section.shear_y * section.G * section.A * length**2)
    if section.shear_z:
        z = 12.0 * section.E * section.I_y / (section.shear_z * section.G * section.A * length**2)
    return y, z


def _stiffness(section: BeamSection, length: float) -> np.ndarray:
    """Stiffness in the member's axes, of (displacement, turn) of both ends (Przemieniecki 1968)."""
    K, L = np.zeros((12, 12)), length
    both = np.array([[1.0, -1.0], [-1.0, 1.0]])
    K[np.ix_([0, 6], [0, 6])] = section.E * section.A / L * both
    K[np.ix_([3, 9], [3, 9])] = section.G * section.J / L * both
    p_y, p_z = _shear(section, L)
    for rows, EI, p, s in (
        ([1, 5, 7, 11], section.E * section.I_z, p_y, 1.0),
        ([2, 4, 8, 10], section.E * section.I_y, p_z, -1.0),
    ):
        bending = [
            [12.0, s * 6 * L, -12.0, s * 6 * L],
            [s * 6 * L, (4 + p) * L * L, -s * 6 * L, (2 - p) * L * L],
            [-12.0, -s * 6 * L, 12.0, -s * 6 * L],
            [s * 6 * L, (2 - p) * L * L, -s * 6 * L, (4 + p) * L * L],
        ]
        K[np.ix_(rows, rows)] = EI / (L**3 * (1 + p)) * np.array(bending)
    return K


def _shapes(section: BeamSection, length: float, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Displacement, turn and slope of the axis at x in 0 to 1: (3, 12) each, in the member's axes."""
    L = length
    U, turn, slope = np.zeros((3, 12)), np.zeros((3, 12)), np.zeros((3, 12))
    U[0, [0, 6]] = turn[0, [3, 9]] = 1 - x, x
    sign = np.array([1.0, -1.0, 1.0, -1.0])
    for p, rows, axis, about, s in (
        (_shear(section, L)[0], [1, 5, 7, 11], 1, 2, np.ones(4)),
        (_shear(section, L)[1], [2, 4, 8, 10], 2, 1, sign),
    ):
        v = [
            1 - 3 * x**2 + 2 * x**3 + p * (1 - x), L * (x - 2 * x**2 + x**3 + p / 2 * (x - x * x)),
            3 * x**2 - 2 * x**3 + p * x, L * (x**3 - x**2 + p / 2 * (x * x - x)),
        ]  # fmt: skip
        dv = [
            (-6 * x + 6 * x**2 - p) / L, 1 - 4 * x + 3 * x**2 + p / 2 * (1 - 2 * x),
            (6 * x - 6 * x**2 + p) / L, 3 * x**2 - 2 * x + p / 2 * (2 * x - 1),
        ]  # fmt: skip
        theta = [
            6 / L * (x * x - x), 1 - 4 * x + 3 * x**2 + p * (1 - x),
            6 / L * (x - x * x), -2 * x + 3 * x**2 + p * x,
        ]  # fmt: skip
        U[axis, rows], slope[axis, rows] = s * np.array(v) / (1 + p), s * np.array(dv) / (1 + p)
        turn[about, rows] = (1.0 if about == 2 else -1.0) * s * np.array(theta) / (1 + p)
    return U, turn, slope
