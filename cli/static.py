"""`luff static`: where a model rests, what holds it there, and what does not."""

from __future__ import annotations

import json as json_
from pathlib import Path
from typing import Annotated

from .asked import AskedOfModel
from .console import as_records, plain, print_json, warn
from .options import listed, written
from .outputs import check_file

Hold = Annotated[list[str] | None, listed("--hold", help="A joint or coordinate that keeps its value: slew.")]


def static(
    asked: AskedOfModel,
    hold: Hold = None,
    output: Annotated[Path | None, written("--output", "-o", help="Write to this .json file too.")] = None,
) -> None:
    """Find the equilibrium under gravity, springs and supports.

    Joints keep their values where `hold`, here or in the netlist's `initial`, says so; drives do nothing else. Told are
    positions, the efforts that the held joints carry, the forces of supports, and what nothing holds.
    """
    from ..solver.analysis.at_rest import described

    if output is not None:
        check_file(output, (".json",))
    held = {"initial.hold": list(hold)} if hold else {}
    sim = asked.simulation({**held, "initial.solve": "static"})
    warnings = sim.remarks
    rest = sim.static()
    record = {"status": "fine", **rest, "warnings": as_records(warnings)}
    if output is not None:
        from ..solver.diagram.diagram import write_whole

        write_whole(output, json_.dumps(plain(record), indent=2, ensure_ascii=False) + "\n")
    if asked.json:
        print_json(record)
        return
    if asked.quiet:
        return
    warn(warnings)
    for line in described(rest):
        print(line)
    if output is not None:
        print(f"wrote {output}")
