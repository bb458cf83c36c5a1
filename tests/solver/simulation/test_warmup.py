"""What is compiled in advance: for all that a user meets first."""

import luff
from luff.solver.analysis.operating_point import OperatingPoint
from luff.solver.simulation import warmup

# a sampler and a delay, for which linear models have blocks of their own, and a wire into which they put one
SAMPLED = """
luff: 1
blocks:
  given: {type: sine, amplitude: 1, frequency: 1 Hz}
  held: {type: zero_order_hold, sample_time: 30 ms}
  late: {type: unit_delay, sample_time: 30 ms}
  lag: {type: transfer_function, num: [1], den: [1, 2]}
connect: [given.y -> held.u, held.y -> late.u, late.y -> lag.u]
simulation: {stop: 0.1, step: 0.01}
"""


def test_functions_of_linear_models_are_among_them() -> None:
    """With the examples of every block, as for a wheel."""
    examples = sorted((warmup.LIBRARY.parent / "docs" / "examples").glob("*.yaml"))
    ahead = {entry.symbol for entry in warmup.functions(examples)}
    sim = luff.compile(luff.loads(SAMPLED))
    point = OperatingPoint(sim, 0.0, ["lag.u"], outputs=True, memories=True)
    tables = point.sim.program.ordered.values()
    called = {one.code.symbol for table in tables for one in table if one.code is not None}
    plain = {
        one.code.symbol for table in sim.program.ordered.values() for one in table if one.code is not None
    }
    assert len(called - plain) >= 3  # of a probe, and a state's rate and value
    assert called - plain <= ahead
