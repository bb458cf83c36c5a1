"""The examples of the block reference: every block has one, it runs, and what it plots is there."""

from pathlib import Path

import numpy as np
import pytest

import luff
from luff.blocks.registry import registered
from luff.solver.results.recorded_run import matching

ROOT = Path(luff.__file__).resolve().parent
EXAMPLES = {path.stem: path for path in sorted((ROOT / "docs" / "examples").glob("*.yaml"))}
# what they run or hear stands outside of any netlist: docs/fmi.md and docs/other_processes.md have theirs
ELSEWHERE = {"fmu", "udp_send", "udp_receive"}


def test_every_block_has_an_example_and_its_plot() -> None:
    own = {name for name, cls in registered().items() if cls.__module__.startswith("luff.blocks")}
    missing = own - ELSEWHERE - EXAMPLES.keys()
    assert not missing, f"write docs/examples/TYPE.yaml for {missing}"
    assert EXAMPLES.keys() <= own
    pictures = {path.stem for path in (ROOT / "docs" / "images" / "blocks").glob("*.png")}
    assert pictures == EXAMPLES.keys(), "draw it: python -m luff.docs.figures blocks/TYPE"


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_runs_and_records_what_it_plots(name: str) -> None:
    diagram = luff.load(EXAMPLES[name])
    assert name in ["world", *(entry.get("type") for entry in diagram.blocks.values())]
    sim = luff.compile(diagram)
    result = sim.run(stop=5 * sim.settings.step)
    for entry in sim.program.flat.plots:
        for signal in entry["y"]:
            found = matching(signal, [*result.columns, *(c.partition("[")[0] for c in result.columns)])
            assert found, f"{name}: {signal}"
    assert all(np.isfinite(result[column]).all() for column in result.columns)
