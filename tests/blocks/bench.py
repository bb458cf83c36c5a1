"""A slow, obvious twin of the operations: it calls a block's functions one by one, arguments by name.

With `jit=True` the functions are the compiled operations, each called by itself.
"""

from __future__ import annotations

import ast
import inspect
import math
from collections.abc import Callable, Iterator
from copy import copy
from typing import Any

import numpy as np

from luff.blocks import Block
from luff.blocks.block import EACH
from luff.blocks.expression_scope import Scope
from luff.blocks.params import convert_all
from luff.blocks.ports import ANY, TRAJECTORY
from luff.blocks.text.expressions import CONSTANTS, FUNCTIONS
from luff.solver.codegen.jit import ENABLED
from luff.solver.codegen.memory_arena import address
from luff.solver.codegen.object_loader import callable_of
from luff.solver.program.block_calls import Shape, call_of


def make(cls: type[Block], **raw: Any) -> Block:
    """A block as a netlist would make it, without mistakes."""
    block = cls("it", convert_all(cls.params, raw, Scope(), "blocks.it", cls.type_name), frozenset(raw))
    problems = list(block.check())
    assert not problems, problems
    return block


def mistakes(cls: type[Block], **raw: Any) -> list[str]:
    """Where the block itself finds something wrong."""
    block = cls("it", convert_all(cls.params, raw, Scope(), "blocks.it", cls.type_name), frozenset(raw))
    return [problem.path for problem in block.check()]


class Compiled:
    """A block's function as operations have it, in the shapes of what it is called with, and kept as theirs are."""

    def __init__(self, block: Block, role: str, function: Callable[..., Any]):
        self.py_func, self.label = function, f"{block.type_name}_{role}"
        self.words = list(inspect.signature(function).parameters)
        signals = [name for name, port in block.ports().items() if port.kind != TRAJECTORY]
        self.packed = {"inputs", *(signals if "i" in self.words else ())}
        self.form: list[Any] = []  # a result of plain Python: how many numbers there are, and in which tuples

    def __call__(self, *arguments: Any) -> Any:
        if not self.form:
            self.form.append(self.py_func(*map(copy, arguments)))
        (form,) = self.form
        targets = targets_of(form)
        numbers = [0.0] * sum(shape.entries for shape in targets)
        shapes, entries = [], [[*range(len(numbers))], []]  # what varies in length stands at the end
        arrays: list[tuple[np.ndarray, int]] = []
        for word, argument in zip(self.words, arguments, strict=True):
            flat, first = np.ravel(argument).tolist(), len(numbers)
            if word in ("i", "number"):
                shapes.append(Shape("index"))
                entries[0].append(argument)
                continue
            places = [*range(first, first + len(flat))]
            if word in self.packed and np.ndim(argument):
                shapes.append(Shape("packed"))
                entries[1] += [len(flat), first + len(flat), *places]
                flat += [0.0] * len(flat)
            elif isinstance(argument, np.ndarray):
                shapes.append(Shape("array"))
                entries[0] += [first, len(flat)]
                arrays.append((argument, first))
            else:
                shapes.append(shape_of(argument))
                entries[0] += places
            numbers += flat
        code = call_of(self.py_func, self.label, tuple(targets), tuple(shapes))
        w, a = np.array(numbers, float), np.array([1, *entries[0], *entries[1]], np.int64)
        if ENABLED:
            callable_of(code)(address(w), address(a))
        else:
            code.function(w, a)
        for array, first in arrays:
            array.flat = w[first : first + array.size]
        return like(form, iter(w.tolist()))


KINDS = ("scalar", "scalars", "triples")  # by dimensions


def shape_of(value: Any) -> Shape:
    return Shape(KINDS[np.ndim(value)], len(value) if np.ndim(value) else 1)


def targets_of(result: Any) -> list[Shape]:
    """Where a function's results go; one that writes memories has none."""
    if result is None:
        return []
    return [shape_of(one) for one in (result if isinstance(result, tuple) else (result,))]


def like(result: Any, numbers: Iterator[float]) -> Any:
    """The numbers in the form of a result."""
    if isinstance(result, tuple):
        return tuple(like(one, numbers) for one in result)
    return None if result is None else next(numbers)


class Bench:
    """One block with its states and memories."""

    def __init__(self, block: Block, step: float = 1e-3, width: int | None = None, jit: bool = False):
        self.block, self.step, self.ports = block, step, block.ports()
        self.during: float | None = None  # the middle of the step under way
        self.number = 0  # of the output that a function of all of them is called for
        self.n = (block.width() or width or 1) if block.elementwise() else 1
        self.functions: dict[str, Callable[..., Any]] = block.instance_functions()
        if jit:
            self.functions = {role: Compiled(block, role, each) for role, each in self.functions.items()}
        self.derived = {name: np.array(values) for name, values in block.derived().items()}
        self.states = {
            name: self._start(state.initial, self.order(state))
            for name, state in block.states.items()
            if self.functions
        }
        self.memories = {}
        for name, memory in block.memories.items():
            size = memory.size if isinstance(memory.size, int) else getattr(block, memory.size)(step)
            if size:
                start = np.atleast_1d(np.array(block.state_start(memory.initial), float))
                each = self.n == 1 and len(start) == size  # entries may have starts of their own
                values = start if each else np.repeat(self._start(memory.initial, self.n), size)
                self.memories[name] = values.reshape(self.n, size).copy()

    def order(self, state: Any) -> int:
        if isinstance(state.width, str):
            return getattr(self.block, state.width)()
        return self.n if state.width == ANY else state.width

    def _start(self, initial: float | str, width: int) -> np.ndarray:
        value = self.block.state_start(initial)
        return np.broadcast_to(np.array(value, float), (width,)).copy()

    def _width(self, port: str) -> int:
        return self.n if self.ports[port].width == ANY else self.ports[port].width

    def _argument(self, word: str, words: list[str], k: int, t: float, inputs: dict[str, Any]) -> Any:
        each = "i" in words
        whole = each or not self.block.elementwise()
        if word == "inputs":
            found = [self._input(name, inputs) for name, port in self.ports.items() if port.direction == "in"]
            return np.array(
                [x for values in found for x in (values if each else values[min(k, len(values) - 1) :][:1])]
            )
        if word in ("t", "during"):
            return float(t if word == "t" or self.during is None else self.during)
        if word == "i":
            return k
        if word == "number":
            return self.number
        if word in self.states:
            values = tuple(map(float, self.states[word]))
            if each and self.block.states[word].width != 1:
                return np.array(values)
            return values if whole and len(values) > 1 else values[k if len(values) > 1 else 0]
        if word in self.memories:
            return self.memories[word][k]
        if word in self.ports:
            value = self._input(word, inputs)
            return value if whole and len(value) > 1 else value[k if len(value) > 1 else 0]
        if word in self.derived:
            return self.derived[word]
        return self._parameter(word, k)

    def _input(self, port: str, inputs: dict[str, Any]) -> tuple[Any, ...]:
        given, trajectory = inputs.get(port, self.ports[port].default), self.ports[port].kind == TRAJECTORY
        shape = (self._width(port), 3) if trajectory else (self._width(port),)
        rows = np.broadcast_to(np.asarray(given, float), shape).tolist()
        return tuple(tuple(row) for row in rows) if trajectory else tuple(rows)

    def _parameter(self, word: str, k: int) -> Any:
        value, param = self.block.values[word], self.block.params[word]
        if value is None:
            return math.nan
        assert param.kind == "number", f"{word} is not a number, yet a function names it"
        if isinstance(value, tuple) and param.shape == (None,):
            return value[k if len(value) > 1 else 0]
        return value

    def _call(self, role: str, t: float, inputs: dict[str, Any], count: int) -> list[Any]:
        function = self.functions[role]
        words = list(inspect.signature(getattr(function, "py_func", function)).parameters)
        elementwise = self.block.elementwise() or "i" in words
        return [
            function(*(self._argument(word, words, k, t, inputs) for word in words))
            for k in range(count if elementwise else 1)
        ]

    def out(self, t: float, **inputs: Any) -> dict[str, np.ndarray]:
        """All outputs: elements, and for a trajectory their value, rate and acceleration."""
        found: dict[str, np.ndarray] = {}
        outputs = [name for name, port in self.ports.items() if port.direction == "out"]
        for role in self.functions:
            if role == "out" and len(outputs) > 1:
                assert not self.block.elementwise()
                results = self._call(role, t, inputs, 1)[0]
                found |= {name: self._shaped([one]) for name, one in zip(outputs, results, strict=True)}
            elif role == "out":
                found[outputs[0]] = self._shaped(self._call(role, t, inputs, self.n))
            elif role == "each_out":
                for self.number, name in enumerate(outputs):
                    found[name] = self._shaped(self._call(role, t, inputs, 1))
            elif role.startswith("out_"):
                found[role[4:]] = self._shaped(self._call(role, t, inputs, self.n))
        signs = {name: -1.0 if source.startswith("-") else 1.0 for name, source in self.block.repeats.items()}
        for name, source in self.block.repeats.items():
            found[name] = signs[name] * found[source.removeprefix("-")]
        return {**found, **self._formula(t, inputs), **self._routes(inputs)}

    def _formula(self, t: float, inputs: dict[str, Any]) -> dict[str, np.ndarray]:
        formula = self.block.formula()
        if formula is None:
            return {}
        code = compile(ast.Expression(ast.fix_missing_locations(formula.tree)), "<formula>", "eval")
        numbers = self.derived.get("numbers", np.zeros(0))
        known = {**FUNCTIONS, **CONSTANTS, "t": t, **dict(zip(formula.numbers, numbers, strict=False))}
        names = [name for name, port in self.ports.items() if port.direction == "in"]
        rows = [
            eval(code, {"__builtins__": {}}, known | {x: self._input(x, inputs)[k] for x in names})
            for k in range(self.n)
        ]
        return {"y": np.array(rows, float)}

    def _routes(self, inputs: dict[str, Any]) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = {}
        for (there, element, part), (here, source, piece) in self.block.routes().items():
            trajectory = self.ports[there].kind == TRAJECTORY
            shape = (self._width(there), 3) if trajectory else (self._width(there),)
            row = found.setdefault(there, np.zeros(shape))
            for k in range(self._width(there)) if element == EACH else [element]:
                value = self._input(here, inputs)[k if source == EACH else source]
                scalar = value[piece] if isinstance(value, tuple) else value
                row[(k, part) if trajectory else k] = scalar
        # a trajectory of one element comes without that index, as from a function
        return {
            name: row[0] if self.ports[name].width == 1 and self.ports[name].kind == TRAJECTORY else row
            for name, row in found.items()
        }

    def _shaped(self, results: list[Any]) -> np.ndarray:
        return np.array(results if self.block.elementwise() else np.atleast_1d(results[0]), float)

    def y(self, t: float, **inputs: Any) -> np.ndarray:
        return self.out(t, **inputs)["y"]

    def der(self, t: float, **inputs: Any) -> dict[str, np.ndarray]:
        """Rates of all states."""
        if not self.states:
            return {}
        words = inspect.signature(self.block.instance_functions()["der"]).parameters
        count = max(map(len, self.states.values())) if "i" in words else self.n
        rows = self._call("der", t, inputs, count)
        if not (self.block.elementwise() or "i" in words):
            rates = rows[0] if len(self.states) > 1 else [rows[0]]
            return {
                name: np.atleast_1d(np.array(rate)) for name, rate in zip(self.states, rates, strict=True)
            }
        columns = np.array(rows, float).reshape(-1, len(self.states))
        return dict(zip(self.states, columns.T, strict=True))

    def update(self, t: float, **inputs: Any) -> None:
        for role in ("end", "update"):
            if role in self.functions:
                self._call(role, t, inputs, self.n)

    def run(self, stop: float, signal: Callable[[float], dict[str, Any]]) -> tuple[np.ndarray, np.ndarray]:
        """Times and outputs `y` (or the only output) of a run with RK4."""
        steps = round(stop / self.step)
        every = max(round(self.block.values.get("sample_time", 0.0) / self.step), 1)
        times, rows = [], []
        for k in range(steps + 1):
            t = k * self.step
            self.during = t + 0.5 * self.step
            if k % every == 0:
                self.update(t, **signal(t))
            times.append(t)
            rows.append(next(iter(self.out(t, **signal(t)).values())))
            self._advance(t, signal)
        self.during = None
        return np.array(times), np.array(rows)

    def _advance(self, t: float, signal: Callable[[float], dict[str, Any]]) -> None:
        if not self.states:
            return
        h, start = self.step, self.states
        moved = lambda rates, dt: {name: start[name] + dt * rates[name] for name in start}  # noqa: E731
        k_1 = self.der(t, **signal(t))
        self.states = moved(k_1, h / 2)
        k_2 = self.der(t + h / 2, **signal(t + h / 2))
        self.states = moved(k_2, h / 2)
        k_3 = self.der(t + h / 2, **signal(t + h / 2))
        self.states = moved(k_3, h)
        k_4 = self.der(t + h, **signal(t + h))
        self.states = {
            name: start[name] + h / 6 * (k_1[name] + 2 * k_2[name] + 2 * k_3[name] + k_4[name])
            for name in start
        }
