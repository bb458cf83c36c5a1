"""Explicit Runge-Kutta methods of a user, from their Butcher tableaux: order, stability polynomial, compiled step.

A step is generated as text with the coefficients in it. Its name holds the tableau, so that the process that compiles
finds it in this module.
"""

from __future__ import annotations

import json
import linecache
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ...blocks.errors import LuffError
from ..codegen.jit import ENABLED, EntryPoint, _digest, _source, _sources
from . import run_data
from .method_table import METHODS, Method

if TYPE_CHECKING:
    from numpy.typing import NDArray

PREFIX = "tableau_"  # of the names of steps
HIGHEST = 8  # order up to which conditions are checked: 200 rooted trees
MOST_STAGES = 16
Tree = tuple[Any, ...]  # a rooted tree: its subtrees, in order


def add_method(name: str, a: Sequence[Sequence[float]], b: Sequence[float]) -> None:
    """Add an explicit Runge-Kutta method: k_i = f(t + c_i h, x + h sum_j a_ij k_j), x := x + h sum_i b_i k_i.

    `sim.run(method=name)` and `simulation: {method: name}` take it from then on, in this process. A Python file in
    `files:` of a netlist's blocks may add methods too. The step is compiled at its first use; event
    location, sampled blocks, batches and derivatives work as with other methods of fixed steps. Within a step over a
    kink the order drops: `events: locate` ends steps there.

    Parameters
    ----------
    name : str
        Its name, an identifier that no other method has.
    a : sequence of sequences
        Rows of the strictly lower triangle, one for each stage: `[[], [1/2], [0, 3/4]]`. c_i is the sum of row i.
    b : sequence of float
        Weights of the stages; their sum is 1.

    Raises
    ------
    LuffError
        The name is taken, or the tableau is that of no explicit method.

    Examples
    --------
    >>> import luff
    >>> luff.add_method("ralston3", a=[[], [1 / 2], [0, 3 / 4]], b=[2 / 9, 1 / 3, 4 / 9])
    >>> result = luff.compile("library/templates/pendulum.yaml").run(stop=0.1, method="ralston3")
    >>> result.status
    'finished'
    """
    rows, weights = _checked(name, a, b)
    full = np.zeros((len(weights), len(weights)))
    for i, row in enumerate(rows):
        full[i, :i] = row
    code = PREFIX + json.dumps([rows, weights], separators=(",", ":")).encode().hex()
    made = Method(
        name, order=order_of(full, np.array(weights)), file=__name__.rpartition(".")[2],
        growth=stability_polynomial(full, np.array(weights)), rows=len(weights) + 1, made=code,
    )  # fmt: skip
    known = METHODS.get(name)
    if known is not None and known.made != code:
        raise LuffError(
            "there already is a method of this name", path=f"add_method.{name}", fix="choose another one"
        )
    METHODS[name] = made


def _checked(
    name: str, a: Sequence[Sequence[float]], b: Sequence[float]
) -> tuple[list[list[float]], list[float]]:
    """Rows and weights as plain numbers; LuffError unless they are those of an explicit method."""
    path = f"add_method.{name}"
    if not name.isidentifier():
        raise LuffError(f'found the name "{name}", expected letters, digits and underscores', path=path)
    try:
        rows, weights = [[float(value) for value in row] for row in a], [float(value) for value in b]
    except (TypeError, ValueError):
        raise LuffError("found a tableau that is not made of numbers", path=path) from None
    fix = "for example a=[[], [1/2], [0, 3/4]], b=[2/9, 1/3, 4/9]"
    if not 1 <= len(weights) <= MOST_STAGES or [len(row) for row in rows] != [*range(len(weights))]:
        mistake = f"found rows of {[len(row) for row in rows]} numbers for {len(weights)} weights"
        raise LuffError(f"{mistake}, expected 0, 1, 2, ... up to {MOST_STAGES} rows", path=path, fix=fix)
    if not np.isfinite([*weights, *(value for row in rows for value in row)]).all():
        raise LuffError("found a coefficient that is not finite", path=path)
    if not abs(sum(weights) - 1.0) <= rounding(len(weights), float(np.abs(weights).sum())):
        raise LuffError(f"found weights b whose sum is {sum(weights):.12g}, expected 1", path=path, fix=fix)
    return rows, weights


def rounding(stages: int, size: float) -> float:
    """Bound of the rounding of a sum of products over the stages, coefficients rounded once, of terms of this size."""
    return 4.0 * (stages + HIGHEST) * np.finfo(float).eps * size


@cache
def rooted_trees(order: int) -> tuple[Tree, ...]:
    """Rooted trees with `order` vertices."""
    if order == 1:
        return ((),)
    return tuple(dict.fromkeys(tuple(sorted(parts, key=repr)) for parts in _forests(order - 1, order - 1)))


def _forests(size: int, largest: int) -> Iterator[tuple[Tree, ...]]:
    """Multisets of trees with `size` vertices together, none larger than `largest`."""
    if size == 0:
        yield ()
        return
    for first in range(min(size, largest), 0, -1):
        for tree in rooted_trees(first):
            for others in _forests(size - first, first):
                yield (tree, *others)


def vertices(tree: Tree) -> int:
    """Number of vertices |t|."""
    return 1 + sum(map(vertices, tree))


def density(tree: Tree) -> int:
    """gamma(t) = |t| prod gamma(subtrees)."""
    product = vertices(tree)
    for one in tree:
        product *= density(one)
    return product


def stage_weights(A: NDArray[np.float64], tree: Tree) -> NDArray[np.float64]:
    """Phi_i(t) = prod over subtrees of sum_j a_ij Phi_j."""
    product = np.ones(len(A))
    for one in tree:
        product = product * (A @ stage_weights(A, one))
    return product


def order_of(A: NDArray[np.float64], b: NDArray[np.float64]) -> int:
    """Order p: b . Phi(t) = 1 / gamma(t) for all trees of at most p vertices (Butcher 1963), to rounding; 8 at most."""
    for order in range(1, HIGHEST + 1):
        for tree in rooted_trees(order):
            off = abs(b @ stage_weights(A, tree) - 1.0 / density(tree))
            if not off <= rounding(len(b), 1.0 + float(abs(b) @ stage_weights(abs(A), tree))):
                return order - 1
    return HIGHEST


def stability_polynomial(A: NDArray[np.float64], b: NDArray[np.float64]) -> tuple[float, ...]:
    """R(z) = 1 + sum_k z^k b . A^(k-1) 1, coefficients from z^0 on."""
    growth, power = [1.0], np.ones(len(b))
    for _ in range(len(b)):
        growth.append(float(b @ power))
        power = A @ power
    while growth[-1] == 0.0:
        growth.pop()
    return tuple(growth)


def source_of(rows: Sequence[Sequence[float]], weights: Sequence[float]) -> str:
    """Text of a step; terms with coefficient zero are left out."""

    def terms(row: Sequence[float]) -> str:
        return " + ".join(f"{value!r} * k{j}[j]" for j, value in enumerate(row) if value != 0.0) or "0.0"

    count = len(weights)
    names = ", ".join(f"k{i}" for i in range(count))
    places = ", ".join(f"run.work[{i}]" for i in range(count))
    lines = ["def step(run):", "    t, h, x = run.real[NOW], run.real[STEP], run.x", "    n = x.shape[0]"]
    lines += [f"    {names}, z = {places}, run.work[{count}]", "    stage(run, t, x, k0)"]
    for i in range(1, count):
        lines += ["    for j in range(n):", f"        z[j] = x[j] + h * ({terms(rows[i])})"]
        lines += [f"    stage(run, t + {sum(rows[i])!r} * h, z, k{i})"]
    lines += ["    for j in range(n):", f"        x[j] += h * ({terms(weights)})"]
    return "\n".join([*lines, ""])


class TableauStep(EntryPoint):
    """Step of a tableau: its code is kept under the text, beside the sources that it calls."""

    def __init__(self, function: Callable[..., object], name: str, source: str):
        self.source = source
        super().__init__(function, (run_data.Run,), f"luff_{PREFIX}{_digest(source.encode())}")
        self.__name__, self.__module__ = name, __name__

    @cached_property
    def digest(self) -> str:
        """Digest of the text and of the sources of what it calls."""
        below = (_source(file)[0] for file in _sources(cast("str", run_data.__file__)))
        return _digest(self.symbol.encode(), self.source.encode(), *below)


@cache
def step_of(name: str) -> EntryPoint:
    """Step with the tableau in its name."""
    source = source_of(*json.loads(bytes.fromhex(name.removeprefix(PREFIX))))
    file = f"<{PREFIX}{_digest(source.encode())}>"
    space: dict[str, Any] = {"stage": run_data.stage, "NOW": run_data.NOW, "STEP": run_data.STEP}
    space["__name__"] = __name__
    exec(compile(source, file, "exec"), space)
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    return TableauStep(space["step"], name, source) if ENABLED else run_data.loop(space["step"])


def __getattr__(name: str) -> EntryPoint:
    if name.startswith(PREFIX):
        return step_of(name)
    raise AttributeError(f"module {__name__} has no attribute {name!r}")
