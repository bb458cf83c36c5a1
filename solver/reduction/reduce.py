"""Reduction of a mesh or a frame to a body for `flexible_body`: the function and its settings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...blocks.errors import LuffError, NetlistError, Problem, did_you_mean, in_order
from ...blocks.geometry.cross_sections import SHAPES, too_thick
from ...blocks.reduction.craig_bampton import Interface, reduced
from ...blocks.reduction.finite_elements import FiniteElements
from ...blocks.reduction.frame_elements import BeamSection, Member, frame
from ...blocks.reduction.reduced_body import ReducedBody
from ...blocks.reduction.solid_elements import SolidMaterial, solid
from ...blocks.text.safe_read import shown
from ..netlist.yaml_reader import read_whole
from .lattice import NUMBERS, lattice, positive
from .mesh_reading import read_mesh

STEEL = {"E": 2.1e11, "nu": 0.3, "rho": 7850.0}
SECTION = ("A", "I_y", "I_z", "J")


def reduce(
    source: str | Path | Mapping[str, Any],
    output: str | Path | None = None,
    *,
    interfaces: Mapping[str, Any],
    material: Mapping[str, float] | None = None,
    modes: int | None = None,
    stiffening: bool = True,
    highest: float | None = None,
    scale: float = 1.0,
) -> ReducedBody:
    """Reduce a finite-element body to the modes that `flexible_body` moves (Craig and Bampton).

    Parameters
    ----------
    source : str, path or mapping
        A mesh of tetrahedra or bricks that meshio reads (Abaqus and CalculiX .inp, Gmsh .msh, Nastran .bdf, ...); or a
        frame of beams `{nodes: [[x, y, z], ...], members: [[i, j], ...], section: {A, I_y, I_z, J, E, G, rho}}` with
        sections by numbers or as `{shape: tube, diameter, thickness}`, or
        `{lattice: {length, width, height, bays, chord, brace}}` along x, with `taper: [a, b]`, whose ends are the sets
        of nodes `foot` and `head`.
    output : str or path, optional
        File to write, `boom.npz`.
    interfaces : mapping
        By name, the first one the frame that becomes `frame_a`: a set of nodes by its name, numbers of nodes, `{near:
        [x, y, z], within: r}`, `{box: [low, high]}`; with `at` (else the middle of its nodes) and `averaged: True`
        (the frame follows its nodes by least squares, where it is else rigid).
    material : mapping, optional
        `{E, nu, rho}` of a mesh; steel if left out.
    modes : int, optional
        Normal modes beside those of the interfaces; without, as many as bring the first six frequencies, free and
        clamped, within 0.5 % of the full model, at most 48.
    stiffening : bool, optional
        Keep the geometric stiffness, and the modes that carry membrane force.
    highest : float, optional
        Angular frequency [rad/s] above which modes are left out; static turns of interfaces go with them.
    scale : float, optional
        Metres for the mesh's unit of length.

    Returns
    -------
    ReducedBody
        Its `report` has the frequencies of the reduced and the full model, free and clamped.

    Raises
    ------
    LuffError
        For a mesh that cannot be read, an interface without nodes, a body that does not hang together.

    Examples
    --------
    >>> import luff
    >>> section = {"A": 4e-4, "I_y": 1.3e-8, "I_z": 1.3e-8, "J": 2.2e-8}
    >>> beam = {"nodes": [[0.1 * k, 0, 0] for k in range(11)], "members": [[k, k + 1] for k in range(10)],
    ...         "section": section}
    >>> body = luff.reduce(beam, interfaces={"frame_a": [0], "tip": [10]})
    >>> round(body.mass, 3), round(float(body.frequencies[0]), 1)
    (3.14, 103.7)
    """
    if not interfaces:
        raise LuffError("found no interfaces, expected at least the frame to which the body is clamped")
    if isinstance(source, Mapping):
        sets: dict[str, list[int]] = {}
        if "lattice" in source:
            known("frame", source, ("lattice",))
            given = source["lattice"]
            source = lattice(given)
            known("lattice", given, (*NUMBERS, "chord", "brace", "taper"))
            sets = source.pop("sets")
        model, places = frame_model(source), list[Interface]()
        for name, one in interfaces.items():
            nodes, at, averaged = settings_of(name, one)
            nodes = sets.get(nodes, nodes) if isinstance(nodes, str) else nodes
            places.append(interface(model, name, frame_nodes(model, name, nodes), at, averaged))
    else:
        mesh = read_mesh(Path(source), scale)
        properties = SolidMaterial(**{**STEEL, **known("material", material or {}, STEEL)})
        made = solid(mesh.points, mesh.cells, properties)
        model, places = made.elements, []
        for name, one in interfaces.items():
            nodes, at, averaged = settings_of(name, one)
            corners = mesh.chosen(name, nodes)
            middle = mesh.points[list(corners)].mean(axis=0) if corners else None
            places.append(
                interface(model, name, made.nodes_of({*corners}), middle if at is None else at, averaged)
            )
    body = reduced(model, places, modes, stiffening, highest)
    if output is not None:
        body.save(output)
    return body


def frame_file(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Frame of a YAML file, and the interfaces that it names."""
    document = read_whole(path)
    if document.problems:
        raise NetlistError(in_order(document.problems))
    data = document.data
    if not isinstance(data, dict):
        raise LuffError(f"found no frame in {shown(path)}", fix="{nodes, members, section, interfaces}")
    plain: dict[str, Any] = {
        name: value for name, value in data.items() if name not in ("luff", "name", "doc")
    }
    return plain, dict(plain.pop("interfaces", None) or {})


def settings_of(name: str, one: Any) -> tuple[Any, Any, bool]:
    """Nodes, place and kind of an interface."""
    if not isinstance(one, Mapping):
        return one, None, False
    known(f"interface {name}", one, ("set", "nodes", "near", "within", "box", "at", "averaged"))
    nodes = one.get("set", one.get("nodes"))
    return one if nodes is None else nodes, one.get("at"), bool(one.get("averaged", False))


def interface(model: FiniteElements, name: str, nodes: Sequence[int], at: Any, averaged: bool) -> Interface:
    """Interface at a place, or in the middle of its nodes."""
    if at is None:
        at = model.nodes[list(nodes)].mean(axis=0) if len(nodes) else np.zeros(3)
    x, y, z = np.asarray(at, float).tolist()
    return Interface(name, tuple(nodes), (x, y, z), averaged)


def known(what: str, given: Mapping[str, Any], names: Any) -> Mapping[str, Any]:
    """The mapping, or a LuffError for a name that it does not have."""
    for name in given:
        if name not in names:
            raise LuffError(Problem(f'the {what} has no "{name}"', fix=did_you_mean(name, names)))
    return given


def frame_model(source: Mapping[str, Any]) -> FiniteElements:
    """Finite elements of a frame that a mapping describes."""
    known("frame", source, ("nodes", "members", "section", "sections"))
    nodes = np.asarray(source.get("nodes", ()), float)
    if nodes.ndim != 2 or nodes.shape[1:] != (3,):
        raise LuffError("the nodes of the frame are no points [x, y, z]")
    sections = [section_of(one) for one in source.get("sections") or [source.get("section", {})]]
    members = []
    for k, one in enumerate(source.get("members", ())):
        i, j, *rest = map(int, one)
        if not (0 <= i < len(nodes) and 0 <= j < len(nodes) and i != j and 0 <= sum(rest) < len(sections)):
            raise LuffError(f"member {k} is {list(one)}, expected two nodes of {len(nodes)} and a section")
        members.append(Member(i, j, sum(rest)))
    if not members:
        raise LuffError("the frame has no members")
    return frame(nodes, members, sections)


def section_of(given: Mapping[str, Any]) -> BeamSection:
    """Section of beams: a shape and its sizes, or A, I_y, I_z, J; with E, G, rho of steel unless given."""
    material = {"E": STEEL["E"], "G": 8.1e10, "rho": STEEL["rho"]}
    shape = given.get("shape")
    if shape is None:
        known("section", given, (*SECTION, *material, "shear_y", "shear_z", "y", "z"))
        missing = [name for name in SECTION if name not in given]
        if missing:
            fix = "give {A, I_y, I_z, J}, or {shape: tube, diameter, thickness}"
            raise LuffError(f"a section has no {', '.join(missing)}", fix=fix)
        check_positive("a section", {**material, **given}, (*SECTION, "E", "G"))
        return BeamSection(**{**material, **given})
    shapes = [name for name in SHAPES if name != "lattice"]
    if shape not in shapes:
        raise LuffError(Problem(f'the section has the shape "{shape}"', fix=did_you_mean(str(shape), shapes)))
    formula, names, _ = SHAPES[shape]
    known("section", given, ("shape", *names, *material, "shear_y", "shear_z"))
    check_positive(f"a section of the shape {shape}", {**material, **given}, (*names, "E", "G"))
    sizes = {name: float(given[name]) for name in names}
    for _, message in too_thick(str(shape), sizes):
        raise LuffError(f"a section of the shape {shape}: {message}")
    width, height = (sizes.get(name, sizes.get("diameter", 0.0)) for name in ("width", "height"))
    rest = {name: value for name, value in given.items() if name not in ("shape", *names)}
    constants = formula(*sizes.values())._asdict()
    circular = "diameter" in sizes
    return BeamSection(
        **{**material, **constants, "y": 0.5 * width, "z": 0.5 * height, "circular": circular, **rest}
    )


def check_positive(what: str, given: Mapping[str, Any], names: Iterable[str]) -> None:
    """Raise an error where a number is none above zero."""
    missing = [name for name in names if not positive(given.get(name))]
    if missing:
        raise LuffError(f"{what} has no {', '.join(missing)} above zero")


def frame_nodes(model: FiniteElements, name: str, where: Any) -> list[int]:
    """Nodes of a frame that an interface names by their numbers."""
    if isinstance(where, int):
        where = [where]
    if isinstance(where, str | Mapping) or not all(isinstance(node, int | np.integer) for node in where):
        raise LuffError(f'the interface "{name}" of a frame names no nodes', fix="give their numbers: [0]")
    if not all(0 <= node < len(model.nodes) for node in where):
        raise LuffError(f'the interface "{name}" names a node that is not there: {list(where)}')
    return [*where]
