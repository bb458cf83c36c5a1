"""Solids of tetrahedra or bricks by scikit-fem (extra `fem`), with quadratic shape functions on straight edges."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import LuffError
from ..light_dataclass import record
from .finite_elements import FiniteElements


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
    lame, shear = (
        material.E * material.nu / ((1 + material.nu) * (1 - 2 * material.nu)),
        0.5 * material.E / (1 + material.nu),
    )

    def stress(e: np.ndarray) -> np.ndarray:
        trace = e[0, 0] + e[1, 1] + e[2, 2]
        s = 2.0 * shear * e
        for k in range(3):
            s[k, k] = s[k, k] + lame * trace
        return s

    def strain(gradient: np.ndarray) -> np.ndarray:
        return 0.5 * (gradient + np.swapaxes(gradient, 0, 1))

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

    corners = mesh.facets[:, mesh.boundary_facets()].T
    triangles = (
        corners if corners.shape[1] == 3 else np.concatenate([corners[:, [0, 1, 2]], corners[:, [1, 2, 3]]])
    )
    stiffness, masses = K.tocsr()[order][:, order], material.rho * basis.dx.ravel()
    elements = FiniteElements(nodes, 3, stiffness, masses, places, N, stress_products, triangles)
    named = [tuple(int(used[v]) for v in own) for own in between]
    return SolidModel(elements, named)


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
