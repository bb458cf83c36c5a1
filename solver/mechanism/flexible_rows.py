"""Flexible bodies as rows of the tree, and their arrays in `Model`.

A weld carries the body at the interface that the tree meets first, with the body's rigid inertia; its MODAL rows
follow. Each further interface is a FACE row, the parent of what is wired to it. Kernels pass over segments of rows,
which FACE rows begin and welds of flexible bodies end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...blocks.multibody_parts import Body, Coordinate, FlexibleBody, Joint
from ..kernels import model_data as f
from ..kernels.model_data import Model
from .mechanism import IDENTITY, Mechanism, Pose, Row, TreeFlexible, TreeJoint
from .mirror_symmetry import all_strains, multiple_of_four, pack_strains

FLEXIBLE = "flexible"  # kind of the joints from a flexible body's first interface to its others
CLAMP = "clamp"  # kind of the weld that carries it
X = (1.0, 0.0, 0.0)


def append_body(
    mechanism: Mechanism, block: str, part: FlexibleBody, root: str, parent: int, pose: Pose
) -> None:
    """Append the weld and the modes of a flexible body, unless they are there; `root`: frame that the tree meets."""
    if any(one.block == block for one in mechanism.flexible):
        return
    reduced = part.reduced.clamped_at(part.reduced.names[part.frames.index(root)])
    if part.limit:
        reduced = reduced.mass_scaled(part.limit)
    row, joint, number = len(mechanism.rows), len(mechanism.joints), len(mechanism.flexible)
    mechanism.rows.append(Row(parent, f.WELD, pose, joint))
    mechanism.joints.append(TreeJoint(block, Joint(CLAMP, root, root, name=CLAMP), row, row, False, -1, -1))
    several = reduced.modes > 1
    for k, w in enumerate(reduced.frequencies.tolist()):
        index = f"[{k}]" if several else ""
        ratio = part.ratios[min(k, len(part.ratios) - 1)] if part.ratios else 0.0
        coordinate = Coordinate(
            f"mode{index}",
            f"mode_rate{index}",
            False,
            X,
            stiffness=w * w,
            damping=2.0 * ratio * w,
            armature=1.0,
            modal=True,
        )
        mechanism.rows.append(Row(row, f.MODAL, IDENTITY, joint, coordinate, flexible=number))
    mechanism.flexible.append(TreeFlexible(block, part, reduced, row))
    J, c = reduced.inertia, reduced.moment / reduced.mass
    J = J - reduced.mass * (c @ c * np.eye(3) - np.outer(c, c))
    six = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
    body = Body(root, reduced.mass, tuple(c.tolist()), tuple(map(float, six)), name=block)
    mechanism.bodies.append((block, body, row, IDENTITY))


def append_face(mechanism: Mechanism, block: str, part: Joint, frame: str, backwards: bool) -> int:
    """Append the FACE row of an interface of a flexible body; returns its number."""
    body = next(one for one in mechanism.flexible if one.block == block)
    if frame not in body.part.frames:  # a body with one interface, which carries nothing
        return body.row
    k = body.reduced.names.index(body.part.reduced.names[body.part.frames.index(frame)])
    row = len(mechanism.rows)
    place = Pose(body.reduced.axes[k], body.reduced.at[k])
    mechanism.rows.append(Row(body.row, f.FACE, place, len(mechanism.joints)))
    mechanism.joints.append(TreeJoint(block, part, row, row, backwards, -1, -1))
    body.faces.append(row)
    body.interfaces.append(k)
    return row


def number_faces(mechanism: Mechanism) -> None:
    """Number the interfaces in the order of the bodies."""
    number = 0
    for body in mechanism.flexible:
        for row in body.faces:
            mechanism.rows[row].flexible = number
            number += 1


def segments(mechanism: Mechanism) -> np.ndarray:
    """`Model.segment`: rows between the interfaces, without FACE and MODAL rows."""
    rows, body_of = mechanism.rows, {body.row: number for number, body in enumerate(mechanism.flexible)}
    table: list[list[int]] = [[0, 0, -1, -1]]
    for i, row in enumerate(rows):
        if row.kind == f.MODAL:
            continue
        if row.kind == f.FACE:
            table.append([i + 1, i + 1, row.flexible, -1])
            continue
        if table[-1][f.SEG_LAST] != i:
            table.append([i, i, -1, -1])
        table[-1][f.SEG_LAST] = i + 1
        if i in body_of:
            table[-1][f.SEG_BODY] = body_of[i]
            table.append([i + 1, i + 1, -1, -1])
    kept = [one for one in table if one[f.SEG_FIRST] < one[f.SEG_LAST] or one[f.SEG_FACE] >= 0]
    return np.array(kept, np.int64).reshape(-1, 4)


def pack_bodies(bodies: Sequence[TreeFlexible]) -> dict[str, np.ndarray]:
    """Arrays of the flexible bodies."""
    modes = max([0, *(multiple_of_four(one.reduced.modes) for one in bodies)])
    stiff = [one.reduced.membrane_strains() if one.part.stiffening else [] for one in bodies]
    packed = pack_strains([(one.reduced, own) for one, own in zip(bodies, stiff, strict=True)])
    n = len(bodies)
    flex = np.zeros((n, f.FLEX_COLUMNS), np.int64)
    face: list[tuple[int, int]] = []
    inertia, pairs = np.zeros((n, modes, f.MODAL_INERTIA)), np.zeros((n, modes, modes, 9))
    shapes: list[np.ndarray] = []
    width = 6 * max([0, *(len(one.faces) for one in bodies)]) + 6
    products = np.zeros((n, width, width))
    number_of_parities = packed.pop("parities")
    for number, body in enumerate(bodies):
        red = body.reduced
        m = red.modes
        flex[number, : f.X_STRAINS] = body.row, body.row + 1, m, len(face), len(body.faces)
        flex[number, f.X_STRAINS :] = len(stiff[number]), number_of_parities[number]
        inertia[number, :m] = red.first_order()
        pairs[number, :m, :m] = red.second_order()
        for row, k in zip(body.faces, body.interfaces, strict=True):
            face.append((row, number))
            shape = np.zeros((6, modes))
            shape[:3, :m], shape[3:, :m] = red.turns[k], red.shifts[k]
            shapes.append(shape)
        columns = np.concatenate(
            [*shapes[flex[number, f.X_FACE] :], np.zeros((3, modes)), np.zeros((3, modes))]
        )
        columns[-3:, :m] = red.momentum.T
        products[number, : len(columns), : len(columns)] = columns @ columns.T
    return {
        "flex": flex,
        "interface": np.array(face, np.int64).reshape(-1, 2),
        "modal_inertia": inertia,
        "modal_pairs": by_fours(pairs).reshape(n * modes // 4, modes, 36),
        "face_shape": np.array(shapes).reshape(len(face), 6, modes),
        "shape_products": products,
        **packed,
    }


def by_fours(pairs: np.ndarray) -> np.ndarray:
    """`Model.modal_pairs` (b, modes / 4, modes, 36) of J_2 (6) and A (3) of the pairs i, j (b, modes, modes, 9)."""
    n, modes = pairs.shape[:2]
    fours = pairs.reshape(n, modes, modes // 4, 4, 9).transpose(0, 2, 1, 3, 4)
    shape = (n, modes // 4, modes)
    return np.concatenate([fours[..., :6].reshape(*shape, 24), fours[..., 6:].reshape(*shape, 12)], axis=-1)


def pairs_with_room(model: Model, modes: int) -> np.ndarray:
    """`modal_pairs` of a model with room for more modes."""
    n, own = len(model.flex), model.modal_inertia.shape[1]
    table = padded(model.modal_pairs.reshape(n, own // 4, own, 36), (2,), modes)
    return padded(table, (1,), modes // 4).reshape(n * modes // 4, modes, 36)


def all_shapes(models: Sequence[Model]) -> dict[str, np.ndarray]:
    """Integrals and shapes of the flexible bodies of several models behind each other, with room for the most modes."""
    modes = max(m.modal_inertia.shape[1] for m in models)
    width = max(m.shape_products.shape[1] for m in models)
    return {
        "modal_inertia": np.concatenate([padded(m.modal_inertia, (1,), modes) for m in models]),
        "modal_pairs": np.concatenate([pairs_with_room(m, modes) for m in models]),
        "face_shape": np.concatenate([padded(m.face_shape, (2,), modes) for m in models]),
        "shape_products": np.concatenate([padded(m.shape_products, (1, 2), width) for m in models]),
        **all_strains(models),
    }


def padded(array: np.ndarray, axes: tuple[int, ...], size: int) -> np.ndarray:
    """Array with zeros behind its entries along some axes, which then have this size."""
    return np.pad(array, [(0, size - n if axis in axes else 0) for axis, n in enumerate(array.shape)])
