"""`luff reduce`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from .console import UsageError, print_json
from .model_options import CommandOptions
from .run_outputs import check_file
from .shared_options import argument, listed, option


@dataclass(frozen=True, kw_only=True)
class ReduceOptions(CommandOptions):
    """Options of reductions."""

    mesh: Annotated[
        Path,
        argument("A mesh of tetrahedra or bricks (.inp, .msh, .bdf, ...), or a frame of beams as YAML."),
    ]
    output: Annotated[
        Path | None, option("--output", "-o", help="File to write, BODY.npz; that of the mesh if left out.")
    ] = None
    interface: Annotated[
        list[str] | None,
        listed(
            "--interface",
            metavar="NAME=SET[:averaged]",
            help="A frame and its set of nodes, the first one frame_a: frame_a=ROOT, tip=TIP:averaged.",
        ),
    ] = None
    modes: Annotated[
        int | None,
        option("--modes", help="Normal modes; as many as bring six frequencies within 0.5 % if left out."),
    ] = None
    young: Annotated[float, typer.Option("--E", help="Young's modulus of a mesh, in Pa.")] = 2.1e11
    poisson: Annotated[float, typer.Option("--nu", help="Poisson's ratio.")] = 0.3
    density: Annotated[float, typer.Option("--rho", help="Density, in kg/m^3.")] = 7850.0
    scale: Annotated[float, typer.Option("--scale", help="Metres for the mesh's unit of length.")] = 1.0
    highest: Annotated[
        float | None, option("--highest", help="Angular frequency, in rad/s, above which modes are left out.")
    ] = None
    no_stiffening: Annotated[
        bool, typer.Option("--no-stiffening", help="Leave out geometric stiffness and its modes.")
    ] = False


def reduce(options: ReduceOptions) -> None:
    """Reduce a finite-element body to the modes and interfaces that the block `flexible_body` moves.

    It tells the first frequencies, clamped at the first interface and free, against the full model with the same
    interfaces, and which share of each full mode the reduced ones represent.
    """
    from ..solver.reduction import reduce as reduced

    output = options.output or options.mesh.with_suffix(".npz")
    check_file(output, (".npz",))
    source: Any = options.mesh
    interfaces = dict(map(_interface, options.interface or ()))
    if options.mesh.suffix in (".yaml", ".yml"):
        from ..solver.reduction.reduce import frame_file

        source, own = frame_file(options.mesh)
        interfaces = interfaces or own
    if not interfaces:
        raise UsageError("found no interface", path="--interface", fix="--interface frame_a=ROOT")
    body = reduced(
        source, output, interfaces=interfaces, modes=options.modes, stiffening=not options.no_stiffening,
        material={"E": options.young, "nu": options.poisson, "rho": options.density}, highest=options.highest,
        scale=options.scale,
    )  # fmt: skip
    if options.json:
        print_json(
            {
                "status": "finished", "mass": body.mass, "modes": body.modes, "interfaces": [*body.names],
                "frequencies": body.frequencies.tolist(), "report": body.report, "files": [str(output)],
            }
        )  # fmt: skip
        return
    if not options.quiet:
        for line in body.words():
            print(line)
    options.print_files([output])


def _interface(text: str) -> tuple[str, dict[str, object]]:
    """Name and nodes of NAME=SET[:averaged]."""
    name, sign, nodes = text.partition("=")
    if not sign or not name or not nodes:
        raise UsageError(f'found "{text}"', path="--interface", fix="--interface frame_a=ROOT")
    plain = nodes.removesuffix(":averaged")
    return name, {"set": plain, "averaged": plain != nodes}
