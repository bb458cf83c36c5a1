"""Models with known answers at the edges of laws: signs that change, limits that meet, nothing and backwards.

Each runs with both methods at the step that it names, and with steps ten times as long: there it is still right, or
the run says that something is wrong. `tests/systems/edges/edge.py` says how a model is written.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from luff.blocks.registry import registered
from luff.tests.systems.edges.edge import EDGES, Edge

for file in sorted((Path(__file__).parent / "edges").glob("*.py")):
    import_module(f"luff.tests.systems.edges.{file.stem}")

RUNS = [(edge, method) for edge in EDGES for method in edge.methods]
# their edges have tests of their own: what they exchange with other programs, and what only looks
ELSEWHERE = {
    *("fmu", "udp_send", "udp_receive", "joystick", "joystick_buttons", "observer", "mpc"),
    *("energy_sensor", "fixed", "rigid_link", "world"),
}


@pytest.mark.parametrize(("edge", "method"), RUNS, ids=[f"{edge.name}-{method}" for edge, method in RUNS])
def test_model_gives_its_known_answers(edge: Edge, method: str) -> None:
    assert not edge.worst(method)
    if edge.coarse:
        assert not edge.silent(method)


def test_every_block_has_a_model_at_its_edges() -> None:
    own = {name for name, cls in registered().items() if cls.__module__.startswith("luff.blocks")}
    missing = own - ELSEWHERE - {kind for edge in EDGES for kind in edge.kinds}
    assert not missing, "write one in tests/systems/edges"
    assert len(EDGES) == len({edge.name for edge in EDGES})
