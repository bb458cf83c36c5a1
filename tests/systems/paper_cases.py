"""Studies of the library, run in this process and in a shortened form."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import luff
from luff.solver.flatten.diagram import Diagram
from luff.solver.results.result import Result
from luff.solver.simulation.simulation import Simulation
from luff.solver.studies import Study, load

STUDIES = Path(luff.__file__).resolve().parent / "library" / "studies"


def study(name: str, **changes: Any) -> Study:
    """A study; `changes` go into every variant, with __ for the dots of their paths."""
    return load(STUDIES / f"{name}.yaml", {path.replace("__", "."): value for path, value in changes.items()})


def results(found: Study, only: Collection[str] = ()) -> dict[str, Result]:
    """The results of all variants by name; of some `only`, if any are named."""
    diagram = Diagram.load(found.model)
    chosen = [variant for variant in found.variants if not only or variant.name in only]
    return {variant.name: Simulation(diagram, found.overrides(variant)).run() for variant in chosen}
