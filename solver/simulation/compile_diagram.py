"""`compile`: the way from a diagram, or the path of a netlist, to a model that runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from time import perf_counter

from ...blocks.errors import LuffError, Problem
from ..flatten.diagram import Diagram
from .script_values import Value, log, parameter_changes
from .simulation import Simulation


def compile(
    diagram: Diagram | str | Path,
    files: Iterable[str | Path] = (),
    *,
    set: Mapping[str, Value] | None = None,
    **overrides: Value,
) -> Simulation:
    """Compile a diagram into one system of ODEs, dx/dt = f(t, x), that can be evaluated, changed and run.

    A first run follows with `sim.run(stop="5 s")`. Machine code is compiled once for each kind of model, in seconds,
    and kept in a cache; a change of numbers (`sim.set`) compiles nothing.

    Parameters
    ----------
    diagram : Diagram or str or Path
        A diagram, or the path of a netlist file; `library/...` names the models that come with luff. `luff.loads`
        makes a diagram of a text, `luff.Diagram()` an empty one that is built in Python.
    files : iterable of str or Path, optional
        Folders, beside the netlist's own, from which a netlist given by its path may read tables and other netlists.
    set : mapping of str to value, optional
        Values in place of the netlist's by path: `{"rod.mass": 3.0, "simulation.step": "1 ms"}`. A number is in SI
        units, a text has its unit; lists and arrays go where the netlist has a list. `sim.get(path)` reads them back.
    **overrides : value
        Entries of `parameters:` in the netlist, as keywords: `mass="3 kg"`. They stand beside `set`.

    Returns
    -------
    Simulation
        The compiled model: `run` and `start` make runs, `set` and `get` are for parameters, `derivative` and `jacobian`
        evaluate, `state_names`, `signal_names`, `inputs` and `outputs` name. `luff.linearise`, `luff.modes`,
        `luff.batch` and others take it.

    Raises
    ------
    NetlistError, ConnectError
        The netlist is wrong, or has nothing of a name in `set`: each problem with its place and a likely fix.
    CompileError
        The netlist is right, but has no solution: masses vanish, loops cannot be closed, no start is found.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml", mass="3 kg", set={"pin.damping": "0.1 N*m*s/rad"})
    >>> sim.state_names, sim.get("rod.mass"), sim.get("pin.damping")
    (['pin.position', 'pin.velocity'], 3.0, 0.1)
    >>> result = sim.run(stop="1 s")
    >>> bool(abs(result["pin.position"]).max() <= 1.0473)  # it starts at 60 deg = 1.0472 rad
    True
    """
    if isinstance(files, Mapping):
        fix = 'write luff.compile(diagram, set={"king.mass": 9e3})'
        raise LuffError(Problem("found a mapping, expected folders", "files", fix))
    changes = parameter_changes(set, overrides)
    began = perf_counter()
    if not isinstance(diagram, Diagram):
        diagram = Diagram.load(diagram, files=files)
    sim = Simulation(diagram, changes)
    log("info", "compiled %r in %.3g s", sim, perf_counter() - began)
    return sim
