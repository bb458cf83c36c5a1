"""`luff modes` and `luff linearize`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from .console import print_json, reporting, say
from .options import AllowCode, AllowFiles, File, Json, Quiet, Set, compiled, listed, overrides, written
from .outputs import check_file


class At(StrEnum):
    """Where a model is linearised."""

    equilibrium = "equilibrium"
    initial = "initial"


AtState = Annotated[At, typer.Option("--at", help="About which state: where all rests, or the first.")]
Inputs = Annotated[list[str] | None, listed("--input", help="A port that is perturbed: slew.effort.")]
Outputs = Annotated[
    list[str] | None, listed("--output", help="A signal to watch, or a glob; all states by default.")
]
Time = Annotated[float, typer.Option("--time", help="Time [s] at which sources and plans are taken.")]


def modes(
    file: File,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
    set_: Set = None,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Natural frequencies, damping ratios and mode shapes.

    For models with input shapers it says how to tune them to the lowest mode.
    """
    with reporting(json):
        from ..solver import modes as solver

        found = solver.modes(compiled(file, overrides(set_), allow_code, allow_files), time, at.value)
        if json:
            print_json(found.as_dict())
            return
        for line in solver.described(found):
            print(line)
        for note in found.notes:
            say(f"luff: {note}")
        if any(found.oscillating):
            tuned = found.tuning(1) if found.damping[0] >= 0.0 else {}
            for shaper in found.shapers if tuned else ():
                words = " ".join(f"--set {shaper}.{name}={value:.10g}" for name, value in tuned.items())
                print(f"{shaper} is tuned to mode 1 by {words}")


def linearize(
    file: File,
    input_: Inputs = None,
    output: Outputs = None,
    at: AtState = At.equilibrium,
    time: Time = 0.0,
    out: Annotated[Path | None, written("-o", "--out", help="Write to .npz, .mat or .json.")] = None,
    set_: Set = None,
    quiet: Quiet = False,
    json: Json = False,
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
) -> None:
    """Linearise: dx/dt = A x + B u, y = C x + D u."""
    with reporting(json):
        import numpy as np

        from ..solver.linearise import FORMATS, linearise

        if out is not None:
            check_file(out, FORMATS)
        sim = compiled(file, overrides(set_), allow_code, allow_files)
        lin = linearise(sim, time, at.value, input_ or (), output or ())
        if out is not None:
            lin.save(out)
        if json:
            print_json(lin.as_dict())
            return
        for note in lin.notes:
            say(f"luff: {note}")
        if quiet:
            return
        names = {"states": lin.state_names, "inputs": lin.input_names, "outputs": lin.output_names}
        for kind, words in names.items():
            print(f"{kind}: {', '.join(words) or 'none'}")
        with np.printoptions(precision=6, suppress=False, linewidth=110, threshold=400):
            for letter in "ABCD":
                print(f"{letter} =\n{getattr(lin, letter)}")
        if out is not None:
            print(f"wrote {out}")
