"""Body reduced from finite elements: integrals over its mass, shapes at its interfaces, frequencies; and its file.

Shapes phi_j are displacements of the body clamped at one interface, the root, at whose origin its axes stand. They are
orthonormal by mass, and diagonal in stiffness: K_e = diag(w^2). Integrals are sums over the mass points w_g, r_g of
the mesh (Wallrapp 1994, standard input data of second order); root and shapes may be changed with them alone.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import LuffError
from ..light_dataclass import record
from ..text.data_files import named_file
from ..text.safe_read import CachedReading, file_content, read_once, shown

FORMAT = 1
# least spectral norm of a membrane strain, relative to the largest: bound of the strains of second order left out
LEAST_MEMBRANE = 1e-4
HELD = 1e-9  # largest change of an orthonormal basis that is rounding
# arrays of the file, by their shapes in modes m, interfaces f, drawn points p
SHAPES = {
    "mass": (), "moment": (3,), "second": (3, 3), "frequencies": ("m",),
    "momentum": ("m", 3), "moments": ("m", 3, 3), "pairs": ("m", "m", 3, 3),
    "at": ("f", 3), "axes": ("f", 3, 3), "turns": ("f", 3, "m"), "shifts": ("f", 3, "m"),
    "points": ("p", 3), "shapes": ("p", 3, "m"), "triangles": ("t", 3),
}  # fmt: skip

# columns of `members`: end nodes, area, second moments, Young's modulus, length, distances of the outermost fibres
# along y and z (NaN where they are not known), 1 of a round section
FIRST, LAST, AREA, SECOND_Y, SECOND_Z, MODULUS, LENGTH, FIBRE_Y, FIBRE_Z, CIRCULAR = range(10)
MEMBER_COLUMNS = 10
# axial force and bending moments among the end forces of a member: N, M_y and M_z at its first end, at its last end
MEMBER_LOADS = (6, 4, 5, 10, 11)
TENSOR = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # entries of a stress, in their order


@record
class ReducedBody:
    """Reduced body; m modes, f interfaces of which the first is the root. SI, in the axes of the body."""

    names: tuple[str, ...]  # of the interfaces
    mass: float
    moment: np.ndarray  # sum w r [kg m]
    second: np.ndarray  # sum w r r^T [kg m^2]
    frequencies: np.ndarray  # w, clamped at the root [rad/s]
    momentum: np.ndarray  # (m, 3): sum w phi_j
    moments: np.ndarray  # (m, 3, 3): sum w r phi_j^T
    pairs: np.ndarray  # (m, m, 3, 3): sum w phi_i phi_j^T
    at: np.ndarray  # (f, 3): origins of the interfaces
    axes: np.ndarray  # (f, 3, 3): their axes in the body's
    turns: np.ndarray  # (f, 3, m): their turns by each mode
    shifts: np.ndarray  # (f, 3, m): their displacements
    points: np.ndarray  # (p, 3): points that are drawn
    shapes: np.ndarray  # (p, 3, m): their displacements
    triangles: np.ndarray  # (t, 3): surface between them
    # (m, m + 3, m + 3): stress stiffness under the stress of each mode, between modes and turns of the whole body
    stress: np.ndarray | None = None
    # (members, 12, m): force and moment at both ends of each member of a frame by each mode, in the member's axes
    forces: np.ndarray | None = None
    members: np.ndarray | None = None  # (members, MEMBER_COLUMNS): what they are made of
    surface: np.ndarray | None = None  # (s,): drawn points of a solid at which its stresses are known
    surface_stress: np.ndarray | None = None  # (s, 6, m): xx, yy, zz, xy, xz, yz there by each mode
    report: dict[str, float] = field(default_factory=dict)  # quality of the reduction

    @property
    def modes(self) -> int:
        return len(self.frequencies)

    @property
    def inertia(self) -> np.ndarray:
        """J about the root [kg m^2] (3, 3)."""
        return np.trace(self.second) * np.eye(3) - self.second

    def first_order(self) -> np.ndarray:
        """J_1 (6), C_r (3) and C_t (3) of each mode: the columns of `Model.modal_inertia` (m, 12)."""
        return np.concatenate(
            [_symmetric_entries(_inertial(self.moments)).T, _axial(self.moments), self.momentum], axis=1
        )

    def second_order(self) -> np.ndarray:
        """J_2 (6) and A (3) of each pair of modes: (m, m, 9), A[i, j] = sum w phi_i x phi_j."""
        return np.concatenate(
            [_symmetric_entries(_inertial(self.pairs)).transpose(1, 2, 0), _axial(self.pairs)], axis=2
        )

    def clamped_at(self, name: str) -> ReducedBody:
        """Body clamped at another interface: the same space of motions, its modes found anew."""
        k = self.names.index(name)
        order = [k, *(i for i in range(len(self.names)) if i != k)]
        one = self if k == 0 else self._relative_shapes(k)
        R = one.axes[k]
        if not np.array_equal(R, np.eye(3)):
            one = one._turned(R)
        names = tuple(one.names[i] for i in order)
        return replace(
            one,
            names=names,
            at=one.at[order],
            axes=one.axes[order],
            turns=one.turns[order],
            shifts=one.shifts[order],
        )

    def _relative_shapes(self, k: int) -> ReducedBody:
        """Shapes less the rigid motion that each makes at interface k, from the origin of which all is measured."""
        p, B = self.at[k], -_skew(self.turns[k].T)
        a = -self.shifts[k].T
        moment = self.moment - self.mass * p
        second = (
            self.second - np.outer(self.moment, p) - np.outer(p, self.moment) + self.mass * np.outer(p, p)
        )
        H = self.moments - np.einsum("k,jl->jkl", p, self.momentum)  # sum w r' phi_j^T
        Bm = B @ moment
        momentum = self.momentum + self.mass * a + Bm
        moments = H + np.einsum("k,jl->jkl", moment, a) + np.einsum("kn,jln->jkl", second, B)
        # phi' = phi + a + B r'
        pairs = (
            self.pairs
            + np.einsum("ik,jl->ijkl", self.momentum, a)
            + np.einsum("ink,jln->ijkl", H, B)
            + np.einsum("ik,jl->ijkl", a, self.momentum + Bm)
            + self.mass * np.einsum("ik,jl->ijkl", a, a)
            + np.einsum("ikn,jnl->ijkl", B, H)
            + np.einsum("ik,jl->ijkl", Bm, a)
            + np.einsum("ikn,nq,jlq->ijkl", B, second, B)
        )
        at = self.at - p
        shifts = self.shifts + a.T + np.einsum("jkn,fn->fkj", B, at)
        turns = self.turns - self.turns[k]
        points = self.points - p
        shapes = self.shapes + a.T + np.einsum("jkn,pn->pkj", B, points)
        stress = self.stress
        if stress is not None:
            T = np.eye(self.modes + 3)
            T[self.modes :, : self.modes] = -self.turns[k]
            stress = T.T @ stress @ T
        moved = replace(
            self, moment=moment, second=second, momentum=momentum, moments=moments, pairs=pairs, at=at,
            shifts=shifts, turns=turns, points=points, shapes=shapes, stress=stress,
        )  # fmt: skip
        # U^T M_e U = 1, U^T K_e U = diag(w^2)
        mass = np.einsum("ijkk->ij", pairs)
        L = np.linalg.cholesky(mass)
        half = np.linalg.solve(L, np.diag(self.frequencies))
        w2, V = np.linalg.eigh(half @ half.T)
        return moved.combined(np.linalg.solve(L.T, V), np.sqrt(np.maximum(w2, 0.0)))

    def combined(self, U: np.ndarray, frequencies: np.ndarray) -> ReducedBody:
        """Modes phi U, which are orthonormal by mass and have these frequencies."""
        stress = self.stress
        if stress is not None:
            T = np.zeros((self.modes + 3, U.shape[1] + 3))
            T[: self.modes, : U.shape[1]], T[self.modes :, U.shape[1] :] = U, np.eye(3)
            stress = np.einsum("jk,jab->kab", U, T.T @ stress @ T)
        return replace(
            self, frequencies=frequencies, momentum=U.T @ self.momentum,
            moments=np.einsum("jk,jab->kab", U, self.moments),
            pairs=np.einsum("ik,jl,ijab->klab", U, U, self.pairs, optimize=True),
            turns=self.turns @ U, shifts=self.shifts @ U, shapes=self.shapes @ U, stress=stress,
            forces=None if self.forces is None else self.forces @ U,
            surface_stress=None if self.surface_stress is None else self.surface_stress @ U,
        )  # fmt: skip

    def _turned(self, R: np.ndarray) -> ReducedBody:
        """The body in other axes, R the new ones in the old: vectors v become R^T v."""
        turned = lambda S: R.T @ S @ R  # noqa: E731
        stress = self.stress
        if stress is not None:
            T = np.eye(self.modes + 3)
            T[self.modes :, self.modes :] = R
            stress = T.T @ stress @ T
        return replace(
            self, moment=R.T @ self.moment, second=turned(self.second), momentum=self.momentum @ R,
            moments=turned(self.moments), pairs=turned(self.pairs), at=self.at @ R, axes=R.T @ self.axes,
            turns=R.T @ self.turns, shifts=R.T @ self.shifts, points=self.points @ R, shapes=R.T @ self.shapes,
            stress=stress, surface_stress=_turned_stress(self.surface_stress, R),
        )  # fmt: skip

    def first(self, count: int) -> ReducedBody:
        """The body with its first modes alone."""
        return (
            self
            if count >= self.modes
            else self.combined(np.eye(self.modes)[:, :count], self.frequencies[:count])
        )

    def mass_scaled(self, limit: float) -> ReducedBody:
        """Body with the mass K / limit^2 of its modes besides: w / sqrt(1 + w^2 / limit^2), below the limit.

        M + K / limit^2 bounds the frequencies of all that the body is part of, as far as its own stiffness makes them,
        since its own mass M is positive. Modes are normalised by the sum.
        """
        scale = 1.0 / np.sqrt(1.0 + (self.frequencies / limit) ** 2)
        return self.combined(np.diag(scale), self.frequencies * scale)

    def membrane_strains(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Membrane strains c . eta + eta . G eta / 2 as pairs c (m,), G (m, m): half the sum of their squares is the
        strain energy to third order, but for the modes' linear energy that is orthogonal to all c.

        With x_k = w_k eta_k the strains of all modes are x_k + x . T_k x / 2, T_k = G_k / (w_k w_i w_j). The left
        singular vectors of T, a matrix of k by (i, j), turn them so that few have a part of second order. Those whose
        T_k has a spectral norm s below `LEAST_MEMBRANE` of the largest are left out: |x|^2 s / 2 bounds what each
        changes.
        """
        if self.stress is None:
            return []
        m, w = self.modes, self.frequencies
        G = self.stress[:, :m, :m]
        G = 0.5 * (G + G.transpose(0, 2, 1)) / w[:, None, None]
        T = G / w[:, None] / w
        R = np.linalg.eigh(np.tensordot(T, T, ((1, 2), (1, 2))))[1].T[::-1]
        size = abs(np.linalg.eigvalsh(np.tensordot(R, T, 1))).max(axis=1, initial=0.0)
        kept = size > LEAST_MEMBRANE * size.max(initial=0.0)
        return [(r * w, np.tensordot(r, G, 1)) for r in R[kept]]

    def free_frequencies(self, count: int = 6) -> np.ndarray:
        """Lowest natural frequencies of the free body [rad/s], its rigid motions left out."""
        m = self.modes
        M = np.eye(6 + m)
        M[:3, :3], M[3:6, 3:6] = self.inertia, self.mass * np.eye(3)
        M[:3, 3:6] = _skew(self.moment)
        M[3:6, :3] = -M[:3, 3:6]
        M[:3, 6:], M[3:6, 6:] = _axial(self.moments).T, self.momentum.T
        M[6:, :6] = M[:6, 6:].T
        L = np.linalg.cholesky(M)
        half = np.linalg.solve(L, np.diag([*np.zeros(6), *self.frequencies]))
        return np.sqrt(np.maximum(np.linalg.eigvalsh(half @ half.T), 0.0))[6 : 6 + count]

    def words(self) -> Iterable[str]:
        """Mass, modes and the quality of the reduction, a line each."""
        yield f"{self.mass:.6g} kg, {self.modes} modes, interfaces {', '.join(self.names)}"
        for name in ("clamped", "free"):
            found = [
                (self.report[key], self.report[f"{key}_full"])
                for key in (f"{name}_{k}" for k in range(1, 7))
                if key in self.report
            ]
            pairs = [f"{w / (2 * np.pi):.4g} ({100 * (w / full - 1):.2g} %)" for w, full in found]
            if pairs:
                where = f"clamped at {self.names[0]}" if name == "clamped" else "free"
                yield f"{where} [Hz] (against the full model): {', '.join(pairs)}"
        shares = [self.report[f"mac_{k}"] for k in range(1, 7) if f"mac_{k}" in self.report]
        if shares:
            yield f"least share of a full mode in the reduced ones: {min(shares):.6f}"
        yield f"highest frequency: {self.frequencies[-1] / (2 * np.pi):.4g} Hz"

    def problems(self) -> Iterable[str]:
        """Faults of its data: not finite, modes that are not orthonormal, no frequency, no mass."""
        for name in SHAPES:
            if not np.all(np.isfinite(getattr(self, name))):
                yield f"{name} is not finite"
                return
        off = abs(np.einsum("ijkk->ij", self.pairs) - np.eye(self.modes)).max(initial=0.0)
        if not off <= 1e-6:
            yield f"its modes are not orthonormal by mass, off by {off:.2g}"
        if not self.mass > 0.0:
            yield f"its mass is {self.mass:g} kg"
        elif not np.linalg.eigvalsh(self.inertia)[0] > 0.0:
            yield "its inertia is not positive"
        if not np.all(self.frequencies > 0.0):
            yield "a frequency is not above zero: it is not clamped by its root"
        root = max(abs(self.turns[0]).max(initial=0.0), abs(self.shifts[0]).max(initial=0.0))
        if not root <= HELD * max(abs(self.turns).max(initial=0.0), abs(self.shifts).max(initial=0.0), 1.0):
            yield "its modes move the root"

    # --- file ----------------------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the body as an NPZ file.

        Parameters
        ----------
        path
            Name of the file, `boom.npz`.
        """
        arrays: dict[str, Any] = {name: np.asarray(getattr(self, name)) for name in SHAPES}
        for name in ("stress", "forces", "members", "surface", "surface_stress"):
            if getattr(self, name) is not None:
                arrays[name] = getattr(self, name)
        arrays["names"] = np.array(self.names, dtype=str)
        arrays["report_names"] = np.array([*self.report], dtype=str)
        arrays["report"] = np.array([*self.report.values()], float)
        with open(path, "wb") as file:
            np.savez_compressed(file, luff_reduced_body=FORMAT, **arrays)


def read_body(folder: Path, name: str, files: Iterable[Path] = ()) -> CachedReading[ReducedBody]:
    """Reduced body of a file that a netlist names; `folder` and `files` hold what it may read."""
    return read_once(_read, named_file(folder, name, files, "a reduced body (.npz)"), shown(name))


def _read(path: Path, name: str) -> ReducedBody:
    data = file_content(path, "a reduced body (.npz)") or b""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as kept:
            if "luff_reduced_body" not in kept:
                raise ValueError("it holds no reduced body")
            if int(kept["luff_reduced_body"]) > FORMAT:
                raise ValueError("it was written by a later version")
            return _checked({key: kept[key] for key in kept.files})
    except (ValueError, KeyError, OSError, zipfile.BadZipFile, EOFError, TypeError) as error:
        raise LuffError(
            f"cannot read {name} as a reduced body: {error}",
            fix="make it with `luff reduce MESH -o BODY.npz`",
        ) from None


def _checked(kept: dict[str, np.ndarray]) -> ReducedBody:
    """Body of the arrays of a file; ValueError where they do not fit each other."""
    names = tuple(str(one) for one in kept["names"].tolist())
    sizes = {"f": len(names)}
    arrays: dict[str, np.ndarray] = {}
    for key, shape in SHAPES.items():
        array = np.asarray(kept[key], int if key == "triangles" else float)
        wanted = tuple(sizes.setdefault(one, size) if isinstance(one, str) else one
                       for one, size in zip(shape, array.shape, strict=True))  # fmt: skip
        if array.shape != wanted:
            raise ValueError(f"{key} has the shape {array.shape}, expected {wanted}")
        arrays[key] = array
    m = sizes["m"]
    stress = kept.get("stress")
    if stress is not None and stress.shape != (m, m + 3, m + 3):
        raise ValueError(f"stress has the shape {stress.shape}, expected {(m, m + 3, m + 3)}")
    forces = kept.get("forces")
    if forces is not None and (forces.ndim != 3 or forces.shape[1:] != (12, m)):
        raise ValueError(f"forces has the shape {forces.shape}, expected (members, 12, {m})")
    members = kept.get("members")
    if members is not None and (forces is None or members.shape != (len(forces), MEMBER_COLUMNS)):
        raise ValueError(f"members has the shape {members.shape}, expected (members, {MEMBER_COLUMNS})")
    surface, surface_stress = kept.get("surface"), kept.get("surface_stress")
    if surface is not None and (
        surface.ndim != 1
        or surface.dtype.kind not in "iu"
        or not np.all((surface >= 0) & (surface < sizes["p"]))
    ):
        raise ValueError(f"surface holds no list of numbers of its {sizes['p']} points")
    if surface_stress is not None:
        wanted = None if surface is None else (len(surface), 6, m)
        if surface_stress.shape != wanted:
            raise ValueError(
                f"surface_stress has the shape {surface_stress.shape}, expected (surface, 6, {m})"
            )
        if not np.all(np.isfinite(surface_stress)):
            raise ValueError("surface_stress holds a number that is not finite")
    report = dict(zip(kept["report_names"].tolist(), kept["report"].tolist(), strict=True))
    body = ReducedBody(
        names,
        float(arrays.pop("mass")),
        **arrays,
        stress=stress,
        forces=forces,
        members=members,
        surface=surface,
        surface_stress=surface_stress,
        report=report,
    )  # type: ignore[arg-type]
    wrong = [*body.problems()]
    if wrong:
        raise ValueError("; ".join(wrong))
    return body


def _turned_stress(stress: np.ndarray | None, R: np.ndarray) -> np.ndarray | None:
    """Stresses (s, 6, m) in the axes R."""
    if stress is None:
        return None
    full = np.empty((len(stress), 3, 3, stress.shape[2]))
    for c, (k, l) in enumerate(TENSOR):
        full[:, k, l] = full[:, l, k] = stress[:, c]
    full = np.einsum("ka,sklm,lb->sabm", R, full, R, optimize=True)
    return np.stack([full[:, k, l] for k, l in TENSOR], axis=1)


def _inertial(S: np.ndarray) -> np.ndarray:
    """tr(S) 1 - S of the symmetric parts of S (..., 3, 3)."""
    S = 0.5 * (S + np.swapaxes(S, -1, -2))
    return np.trace(S, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - S


def _axial(S: np.ndarray) -> np.ndarray:
    """a x b of S = a b^T (..., 3)."""
    return np.stack(
        [S[..., 1, 2] - S[..., 2, 1], S[..., 2, 0] - S[..., 0, 2], S[..., 0, 1] - S[..., 1, 0]], -1
    )


def _symmetric_entries(S: np.ndarray) -> np.ndarray:
    """xx yy zz xy xz yz of symmetric matrices: (6, ...)."""
    return np.stack([S[..., 0, 0], S[..., 1, 1], S[..., 2, 2], S[..., 0, 1], S[..., 0, 2], S[..., 1, 2]])


def _skew(v: np.ndarray) -> np.ndarray:
    """[v], v x r = [v] r, of vectors (..., 3)."""
    S = np.zeros((*v.shape, 3))
    S[..., 0, 1], S[..., 0, 2], S[..., 1, 2] = -v[..., 2], v[..., 1], -v[..., 0]
    return S - np.swapaxes(S, -1, -2)
