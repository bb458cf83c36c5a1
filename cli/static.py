"""`luff static`: where a model rests, what holds it there, and what does not."""

from __future__ import annotations

import json as json_
from pathlib import Path
from typing import Annotated

from .console import as_records, plain, print_json, reporting, warn
from .options import AllowCode, AllowFiles, File, Json, Quiet, Set, compiled, listed, overrides, written
from .outputs import check_file

Hold = Annotated[list[str] | None, listed("--hold", help="A joint or coordinate that keeps its value: slew.")]


def static(
    file: File,
    hold: Hold = None,
    output: Annotated[Path | None, written("--output", "-o", help="Write to this .json file too.")] = None,
    set_: Set = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Find the equilibrium under gravity, springs and supports.

    Joints keep their values where `hold`, here or in the netlist's `initial`, says so; drives do nothing else. Told are
    positions, the efforts that the held joints carry, the forces of supports, and what nothing holds.
    """
    with reporting(json):
        from ..solver.analysis.at_rest import described

        if output is not None:
            check_file(output, (".json",))
        changes = overrides(set_)
        if hold:
            changes["initial.hold"] = list(hold)
        sim = compiled(file, changes | {"initial.solve": "static"}, allow_code, allow_files)
        warnings = sim.remarks
        rest = sim.static()
        record = {"status": "fine", **rest, "warnings": as_records(warnings)}
        if output is not None:
            from ..solver.diagram.diagram import write_whole

            write_whole(output, json_.dumps(plain(record), indent=2, ensure_ascii=False) + "\n")
        if json:
            print_json(record)
            return
        if quiet:
            return
        warn(warnings)
        for line in described(rest):
            print(line)
        if output is not None:
            print(f"wrote {output}")
