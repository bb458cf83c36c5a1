"""Solids of tetrahedra or bricks by scikit-fem (extra `fem`), with quadratic shape functions on straight edges."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import LuffError
from ..light_dataclass import record
from .finite_elements import FiniteElements
from .reduced_body import TENSOR


@record
class SolidMaterial:
    """Linear elastic, isotropic material."""

    E: float  # Young's modulus [Pa]
    nu: float  # Poisson's ratio
    rho: float  # density [kg/m^3]


@record
class SolidModel:
    """Finite elements of a solid, and the vertices that each node stands between."""

    elements: FiniteElements
    between: list[tuple[int, ...]]

    def nodes_of(self, vertices: set[int]) -> tuple[int, ...]:
        """Nodes all of whose vertices are in a set: mid-side nodes of an interface too."""
        return tuple(k for k, own in enumerate(self.between) if vertices.issuperset(own))


def solid(points: np.ndarray, cells: np.ndarray, material: SolidMaterial) -> SolidModel:
    """Finite elements of a mesh: cells of 4 (tetrahedra) or 8 vertices (bricks, in the order of meshio's hexahedra)."""
    fem: Any = skfem()
    used, flat = np.unique(cells, return_inverse=True)
    mesh, basis = quadratic_basis(points[used], flat.reshape(cells.shape))
    stress = elastic_law(material)
    form = fem.BilinearForm(lambda u, v, _: np.einsum("kl...,kl...->...", stress(strain(u.grad)), v.grad))
    K = form.assemble(basis)
    numbers, between = node_numbers(mesh, basis)
    order = numbers.ravel()  # degree of freedom k here is order[k] of scikit-fem
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    N = shape_operator(basis, back)
    nodes = basis.doflocs[:, numbers[:, 0]].T.copy()
    places = np.moveaxis(np.asarray(basis.global_coordinates()), 0, -1).reshape(-1, 3)

    def gradients(u: np.ndarray) -> np.ndarray:
        """u_i,k of each column at the integration points: (columns, 3, 3, points)."""
        old = np.empty_like(u)
        old[order] = u
        each = [np.asarray(basis.interpolate(column).grad).reshape(3, 3, -1) for column in old.T]
        return np.array(each).reshape(-1, 3, 3, basis.dx.size)

    def stress_products(u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """K_sigma: integral of sigma_kl v_i,k v_i,l."""
        slopes, dx = gradients(v), basis.dx.ravel()
        flat = slopes.reshape(len(slopes), -1)
        products = []
        for own in gradients(u):
            loaded = np.einsum("aikp,klp->ailp", slopes, stress(strain(own)) * dx)
            products.append(loaded.reshape(len(slopes), -1) @ flat.T)
        return np.array(products)

    vertices = np.unique(mesh.facets[:, mesh.boundary_facets()])

    def surface_stress(u: np.ndarray) -> np.ndarray:
        old = np.empty_like(u)
        old[order] = u
        return vertex_stresses(mesh, basis, old, stress)[vertices]

    sides = mesh.boundary_facets()
    inside = mesh.p[:, mesh.t[:, mesh.f2t[0, sides]]].mean(axis=1).T
    triangles = outward_triangles(mesh.p.T, mesh.facets[:, sides].T, inside)
    stiffness, masses = K.tocsr()[order][:, order], material.rho * basis.dx.ravel()
    elements = FiniteElements(
        nodes, 3, stiffness, masses, places, N, stress_products, surface_stress, vertices, triangles
    )
    named = [tuple(int(used[v]) for v in own) for own in between]
    return SolidModel(elements, named)


def outward_triangles(points: np.ndarray, sides: np.ndarray, inside: np.ndarray) -> np.ndarray:
    """Triangles of the sides of elements (n, 3 or 4), counter-clockwise seen from outside.

    Sides name their corners in any order; `inside` has a point behind each.
    """
    at = points[sides]
    arms = at - at.mean(axis=1, keepdims=True)
    normal = np.cross(at[:, 1] - at[:, 0], at[:, 2] - at[:, 0])
    normal *= np.sign(np.einsum("nk,nk->n", normal, at[:, 0] - inside))[:, None]
    across = np.cross(normal / np.linalg.norm(normal, axis=1, keepdims=True), arms[:, 0])
    angles = np.arctan2(np.einsum("nck,nk->nc", arms, across), np.einsum("nck,nk->nc", arms, arms[:, 0]))
    around = np.take_along_axis(sides, np.argsort(angles, axis=1), axis=1)
    return np.concatenate([around[:, [0, k, k + 1]] for k in range(1, sides.shape[1] - 1)])


def elastic_law(material: SolidMaterial) -> Callable[[np.ndarray], np.ndarray]:
    """Stress of strain, both (3, 3, ...), by Hooke's law."""
    lame = material.E * material.nu / ((1 + material.nu) * (1 - 2 * material.nu))
    shear = 0.5 * material.E / (1 + material.nu)

    def stress(e: np.ndarray) -> np.ndarray:
        trace = e[0, 0] + e[1, 1] + e[2, 2]
        s = 2.0 * shear * e
        for k in range(3):
            s[k, k] = s[k, k] + lame * trace
        return s

    return stress


def strain(gradient: np.ndarray) -> np.ndarray:
    """Small strain of the gradient of a displacement (3, 3, ...)."""
    return 0.5 * (gradient + np.swapaxes(gradient, 0, 1))


def quadratic_basis(points: np.ndarray, cells: np.ndarray) -> tuple[Any, Any]:
    """Mesh and basis of scikit-fem; LuffError for elements without volume."""
    fem: Any = skfem()
    if cells.shape[1] == 4:
        mesh = fem.MeshTet(points.T.copy(), cells.T.copy())
        element = fem.ElementVector(fem.ElementTetP2())
    else:
        # scikit-fem counts corners along the axes, meshio around the faces
        mesh = fem.MeshHex(points.T.copy(), cells[:, [0, 1, 3, 4, 2, 5, 7, 6]].T.copy())
        element = fem.ElementVector(fem.ElementHex2())
    # of fourth order the rule for tetrahedra has a negative weight, which is no mass
    basis = fem.Basis(mesh, element, intorder=5 if cells.shape[1] == 4 else 4)
    if not np.all(np.isfinite(basis.dx)) or not np.all(basis.dx > 0.0):
        fix = "repair the mesh, or its order of nodes"
        raise LuffError("an element of the mesh is inside out or flat", fix=fix)
    return mesh, basis


def vertex_stresses(
    mesh: Any, basis: Any, u: np.ndarray, stress: Callable[[np.ndarray], np.ndarray]
) -> np.ndarray:
    """Stresses xx, yy, zz, xy, xz, yz of each column of u at all vertices (vertices, 6, columns): those at the points
    of an element where they are nearest to the exact ones (Barlow 1976), extrapolated to its corners; means over the
    elements around a vertex.
    """
    fem: Any = skfem()
    corners = mesh.refdom.p
    if corners.shape[1] == 4:
        stations, extrapolation = corners, np.eye(4)  # strains are linear in an element
    else:
        near, far = 0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)
        stations = near + (far - near) * corners
        share = (corners - near) / (far - near)  # by axis and corner, of the far station
        extrapolation = np.ones((8, 8))
        for k in range(3):
            extrapolation *= np.where(corners[k] > 0.5, share[k][:, None], 1.0 - share[k][:, None])
    at = fem.Basis(mesh, basis.elem, quadrature=(stations, np.ones(stations.shape[1])))
    count = np.bincount(mesh.t.ravel(), minlength=mesh.p.shape[1])
    found = []
    for column in u.T:
        sigma = stress(strain(np.asarray(at.interpolate(column).grad)))
        own = np.stack([sigma[k, l] for k, l in TENSOR])
        spread = np.einsum("cs,kes->kce", extrapolation, own)
        found.append([np.bincount(mesh.t.ravel(), each.ravel(), len(count)) / count for each in spread])
    return np.array(found).T


def shape_operator(basis: Any, back: np.ndarray) -> Any:
    """N, displacements of the integration points by those of the nodes; `back`: numbers of degrees of freedom."""
    from scipy import sparse

    count, stations = basis.dx.shape
    at = np.arange(count * stations).reshape(count, stations)
    rows, columns, values = [], [], []
    for i in range(basis.Nbfun):
        shape = np.broadcast_to(np.asarray(basis.basis[i][0]), (3, count, stations))
        column = np.broadcast_to(back[basis.element_dofs[i]][:, None], (count, stations))
        for k in range(3):
            if np.any(shape[k]):
                rows.append((3 * at + k).ravel())
                columns.append(column.ravel())
                values.append(shape[k].ravel())
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    return sparse.csr_matrix(entries, (3 * at.size, len(back)))


def skfem() -> Any:
    """Module scikit-fem; LuffError where it is not installed."""
    try:
        import skfem
    except ImportError:
        raise LuffError("scikit-fem is not installed", fix="pip install luff[fem]") from None
    return skfem


def node_numbers(mesh: Any, basis: Any) -> tuple[np.ndarray, list[tuple[int, ...]]]:
    """Degrees of freedom of each node (n, 3), vertices first, and the vertices that it stands between."""
    entities = (
        (basis.nodal_dofs, np.arange(mesh.p.shape[1])[None]),
        (basis.edge_dofs, mesh.edges),
        (basis.facet_dofs, mesh.facets),
        (basis.interior_dofs, mesh.t),
    )
    numbers, between = [], list[tuple[int, ...]]()
    for dofs, vertices in entities:
        if dofs.size:
            numbers.append(dofs.reshape(3, -1).T)
            between += [tuple(own) for own in vertices.T.tolist()]
    return np.concatenate(numbers), between
