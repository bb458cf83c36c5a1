"""The linear model of loops that close through memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .bounded_roots import without_period
from .memory_cycles import block_of
from .sampled_loops import SampledLoop, map_period, names_of_map, period_map, rest_of_map

if TYPE_CHECKING:
    from .operating_point import OperatingPoint
    from .state_space import StateSpace


def close_sampled_loops(lin: StateSpace, point: OperatingPoint, watched: bool) -> None:
    """Bring a linear model whose memories are states to rates, or to a map, of what it is."""
    if point.open:
        names = ", ".join(point.open)
        lin.open = lin.unjudged = f"the loop is open at {names}, whose memory has no linear model"
    lin.step_size = point.sim.settings.step
    loop = cut_at_memories(lin, point, watched)
    remembered = dict(zip(loop.names, lin.x[point.memory].tolist(), strict=True))
    names, x = [lin.state_names[k] for k in point.own], lin.x[point.own]
    places = {int(old): new for new, old in enumerate(point.own)}
    lin.quaternions = tuple(places[first] for first in lin.quaternions)
    loop, possible = loop.without_direct_shares().through()
    if not possible:
        lin.open = lin.unjudged = "a loop closes at once, through blocks that pass on what they are given"
    inside = loop.in_loops()
    loop = loop.picked(np.union1d(inside, loop.between()).astype(int))
    lin.loop = loop
    if not len(point.memory):
        return
    lin.A, lin.B, lin.C, lin.D, lin.state_names, lin.x = loop.A, loop.G, loop.C, loop.F, names, x
    if not watched:
        lin.y, lin.output_names = x.copy(), list(names)
    if not loop.echoes or not possible:
        return
    if not len(inside) and not loop.samplers:
        shown = ", ".join(dict.fromkeys(block_of(name) for name in loop.names))
        lin.notes.append(f"{shown}: in responses, and not in A, B, C, D, which are those of rates")
        return
    lin.unjudged = lin.unjudged or without_period(loop, lin.step_size)
    pace = map_period(loop, lin.step_size)
    if pace is None:
        lin.notes.append(
            "A, B, C, D are those of rates, with memories held: "
            "all samplers and delays together have no common period that is short enough"
        )
        return
    lin.A, lin.B, lin.C, lin.D = period_map(loop, pace)
    lin.period = pace.step * pace.count
    lin.state_names = names_of_map(loop, pace, names)
    lin.x = rest_of_map(loop, pace, x, np.array([remembered[name] for name in loop.names]))
    kind = "over which all samplers come round" if loop.samplers else "a part of its delays"
    lin.notes.append(f"A, B, C, D are a map over {lin.period:.6g} s, {kind}, of states and memories")


def cut_at_memories(lin: StateSpace, point: OperatingPoint, watched: bool) -> SampledLoop:
    """The model cut open at its memories."""
    own, memory = point.own, point.memory
    outputs = slice(None) if watched else own
    N = lin.A[np.ix_(memory, memory)] + np.eye(len(memory))
    E = lin.uncertainty[np.ix_(order := np.r_[own, memory].astype(int), order)]
    N[abs(N) <= E[len(own) :, len(own) :]] = 0.0
    return SampledLoop(
        A=lin.A[np.ix_(own, own)],
        B=lin.A[np.ix_(own, memory)],
        G=lin.B[own],
        M=lin.A[np.ix_(memory, own)],
        N=N,
        H=lin.B[memory],
        C=lin.C[outputs][:, own],
        D=lin.C[outputs][:, memory],
        F=lin.D[outputs],
        echoes=point.echoes,
        names=tuple(lin.state_names[k] for k in memory),
        turns=point.turns,
        E=E,
    )
