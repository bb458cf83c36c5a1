"""From blocks and wires to statements: every scalar of every signal port gets a source and an expression.

A scalar's key is (block, port, element, part); part 0 is the value, 1 the rate, 2 the acceleration of a trajectory.
"""

from __future__ import annotations

import inspect
import keyword
import math
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..blocks import Block, CompileError
from ..blocks.ports import ANY, HYDRAULIC, TRAJECTORY
from .schedule import Statement

Key = tuple[str, str, int, int]

# columns of the work space that generated code names
LAYOUT = {
    "BRISTLE",
    "CLOCK",
    "COORDINATE",
    "CUBIC",
    "DRIVE",
    "DRIVE_POWER",
    "ELASTIC",
    "GRAVITY",
    "KINETIC",
    "MULTIPLIER",
    "PASSIVE",
    "PHI",
    "PHI_RATE",
}
LAYOUT |= {"Q", "QDD", "REST", "STIFFNESS", "V"}


@dataclass
class Slots:
    """Places handed out in one flat array, with their names."""

    names: list[str] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, name: str, values: tuple[float, ...] | list[float]) -> int:
        first = len(self.values)
        self.names += [name] if len(values) == 1 else [f"{name}[{k}]" for k in range(len(values))]
        self.values += [float(value) for value in values]
        return first


MOST_VALUES = 10_000_000  # that a block remembers from step to step


@dataclass
class Sampled:
    """One `update` that the run loop owes a block: where its period stands in the parameters, and the period."""

    block: str
    slot: int
    period: float


def identifier(name: str, taken: set[str]) -> str:
    """A Python name for a dotted one, unlike all others."""
    base = re.sub(r"\W", "_", name)
    base = f"v{base}" if base[:1].isdigit() or keyword.iskeyword(base) else base
    word, k = base, 2
    while word in taken:
        word, k = f"{base}_{k}", k + 1
    taken.add(word)
    return word


def source_text(function: Callable[..., Any]) -> str:
    """Source of a block's function; functions made at run time carry theirs in `source`."""
    return textwrap.dedent(getattr(function, "source", None) or inspect.getsource(function))


@dataclass
class Scalars:
    """Expressions of all scalars, and the wires that lead to inputs."""

    widths: dict[tuple[str, str], int]
    source_of: dict[tuple[str, str, int], tuple[str, str, int]]  # input element -> output element
    blocks: dict[str, Block]
    expression: dict[Key, str] = field(default_factory=dict)
    taken: set[str] = field(
        default_factory=lambda: (
            {"t", "x", "dx", "y", "p", "mem", "m", "d", "k", "math", "step", "jit"} | LAYOUT
        )
    )

    def __post_init__(self) -> None:
        self.ports = {name: block.ports() for name, block in self.blocks.items()}

    def width(self, block: str, port: str) -> int:
        return self.widths.get((block, port), self.ports[block][port].width) or 1

    def name(self, key: Key) -> str:
        """The variable (or expression) of an output scalar."""
        if key not in self.expression:
            block, port, element, part = key
            index = f"_{element}" if self.width(block, port) > 1 else ""
            suffix = ("", "_rate", "_acceleration")[part]
            self.expression[key] = identifier(f"{block}_{port}{index}{suffix}", self.taken)
        return self.expression[key]

    def read(self, block: str, port: str, element: int, part: int = 0) -> tuple[str, Key | None]:
        """What an input element reads: an expression, and the scalar that it needs."""
        source = self.source_of.get((block, port, element))
        if source is None:
            default = self.ports[block][port].default
            if default is None:
                raise CompileError(
                    "nothing is wired to this input",
                    path=f"{block}.{port}",
                    fix="wire it, or remove the block",
                )
            return repr(float(default) if part == 0 else 0.0), None
        key = (*source, part)
        return self.name(key), key


class Emitter:
    """Writes the statements of signal blocks, and collects parameters, states, memories and helper functions."""

    def __init__(self, scalars: Scalars, first_state: int, step: float):
        self.scalars = scalars
        self.params, self.states, self.memory = Slots(), Slots(), Slots()
        self.state_units: list[str] = []
        self.first_state = first_state
        self.step = step  # of the run: some memories are sized with it
        self.functions: dict[str, str] = {}  # name -> source
        self._named: dict[int, str] = {}
        self.statements: list[Statement] = []
        self.updates: list[Statement] = []
        self.sampled: list[Sampled] = []

    # --- functions -----------------------------------------------------------------------------------------------

    def function(self, block: Block, role: str, function: Callable[..., Any]) -> str:
        """Emit a block's function once, under a name of its own; helpers that it calls go before it."""
        for helper in block.helpers:
            self._emit(helper, helper.__name__)
        return self._emit(function, f"{block.type_name}_{role}")

    def _emit(self, function: Callable[..., Any], wish: str) -> str:
        if id(function) in self._named:
            return self._named[id(function)]
        text = source_text(function)
        start = text.index("def ")
        name = wish
        k = 2
        renamed = re.sub(r"def\s+\w+", f"def {name}", text[start:], count=1)
        while name in self.functions and self.functions[name] != renamed:
            name, k = f"{wish}_{k}", k + 1
            renamed = re.sub(r"def\s+\w+", f"def {name}", text[start:], count=1)
        self.functions[name] = renamed
        self._named[id(function)] = name
        return name

    # --- one block -----------------------------------------------------------------------------------------------

    def add(self, block: Block) -> None:
        functions = block.instance_functions()
        if not functions:
            return
        name, ports = block.name, self.scalars.ports[block.name]
        outputs = {p: port for p, port in ports.items() if port.direction == "out" or port.kind == HYDRAULIC}
        self.n = self._elements(block)
        self.param_slot: dict[str, tuple[int, int]] = {}
        self.state_slot: dict[str, tuple[int, int]] = {}
        self.memory_slot: dict[str, tuple[int, int]] = {}
        self._allocate(block)
        for role, function in functions.items():
            if role == "out":
                self._outputs(block, function, role, outputs)
            elif role.startswith("out_"):
                self._outputs(block, function, role, {role[4:]: outputs[role[4:]]})
            elif role == "der":
                self._derivatives(block, function)
            elif role == "update":
                self._update(block, function, name)

    def _elements(self, block: Block) -> int:
        sizes = [
            self.scalars.width(block.name, p)
            for p, port in self.scalars.ports[block.name].items()
            if port.width == ANY
        ]
        return max(sizes, default=1)

    def _allocate(self, block: Block) -> None:
        n = self.n
        for name, param in block.params.items():
            value = block.values.get(name)
            if param.kind in ("number", "integer", "axis") and not isinstance(value, str):
                # a number that was not given is NaN, of which every comparison is false
                flat = [math.nan] if value is None else flatten(value)
                self.param_slot[name] = (self.params.add(f"{block.name}.{name}", flat), len(flat))
        for name, values in block.derived().items():
            self.param_slot[name] = (self.params.add(f"{block.name}.{name}", list(values)), len(values))
        for name, state in block.states.items():
            width = n if state.width == ANY else state.width
            if isinstance(width, str):
                width = int(getattr(block, width)())
            start = spread(block.state_start(state.initial), width)
            label = f"{block.name}.{name}"
            self.state_slot[name] = (self.first_state + self.states.add(label, start), width)
            self.state_units += [state.unit] * width
        for name, memory in block.memories.items():
            size = memory.size if isinstance(memory.size, int) else getattr(block, memory.size)(self.step)
            if size * n > MOST_VALUES:
                found = f"would keep {size * n:.3g} values, expected at most {MOST_VALUES:.0e}"
                fix = "a shorter delay, a higher frequency, or a longer step needs fewer"
                raise CompileError(found, path=block.name, fix=fix)
            start = spread(block.state_start(memory.initial), n)
            values = [value for value in start for _ in range(size)]
            self.memory_slot[name] = (self.memory.add(f"{block.name}.{name}", values), size)

    def _arguments(self, block: Block, function: Callable[..., Any], element: int | None, output: str = ""):
        """Argument texts and needs of one call; `element` is None for a block of fixed widths."""
        words = list(inspect.signature(function).parameters)
        whole = "i" in words or element is None
        k = 0 if element is None else element
        texts: list[str] = []
        needs: list[Key] = []
        ports = self.scalars.ports[block.name]
        for word in words:
            if word == "t":
                texts.append("t")
            elif word == "i":
                texts.append(str(k))
            elif word in self.state_slot:
                first, width = self.state_slot[word]
                texts.append(self._indexed("x", first, width, k, whole and width > 1))
            elif word in self.memory_slot:
                first, size = self.memory_slot[word]
                count = size if not whole or (element is not None and "i" not in words) else size * self.n
                first += 0 if count != size else k * size
                texts.append(f"mem[{first}:{first + count}]")
            elif word in ports:
                text, more = self._input(
                    block, word, k, whole and self.scalars.width(block.name, word) > 1, output
                )
                texts.append(text)
                needs += more
            else:
                texts.append(self._parameter(block, word, k, "i" in words))
        return ", ".join(texts), tuple(needs)

    def _indexed(self, array: str, first: int, width: int, k: int, whole: bool) -> str:
        if whole:
            return "(" + ", ".join(f"{array}[{first + j}]" for j in range(width)) + ",)"
        return f"{array}[{first + (k if width > 1 else 0)}]"

    def _parameter(self, block: Block, word: str, k: int, whole: bool) -> str:
        if word not in self.param_slot:
            raise CompileError(f'"{word}" has no value that equations could use', path=f"{block.name}.{word}")
        first, size = self.param_slot[word]
        value = block.values.get(word)
        if word not in block.params or (whole and isinstance(value, tuple)):
            return f"p[{first}:{first + size}]"
        if not isinstance(value, tuple):
            return f"p[{first}]"
        if block.params[word].shape == (None,):
            return f"p[{first + (k if size > 1 else 0)}]"
        return "(" + ", ".join(f"p[{first + j}]" for j in range(size)) + ",)"

    def _input(self, block: Block, port: str, k: int, whole: bool, output: str) -> tuple[str, list[Key]]:
        trajectory = self.scalars.ports[block.name][port].kind == TRAJECTORY
        width = self.scalars.width(block.name, port)
        needs: list[Key] = []

        def one(j: int) -> str:
            if output and not block.feedthrough(output, k, port, j):
                return "(0.0, 0.0, 0.0)" if trajectory else "0.0"
            texts = []
            for part in range(3 if trajectory else 1):
                text, key = self.scalars.read(block.name, port, j, part)
                texts.append(text)
                if key is not None:
                    needs.append(key)
            return f"({', '.join(texts)})" if trajectory else texts[0]

        if whole:
            return "(" + ", ".join(one(j) for j in range(width)) + ",)", needs
        return one(k if width > 1 else 0), needs

    def _outputs(
        self, block: Block, function: Callable[..., Any], role: str, outputs: dict[str, Any]
    ) -> None:
        call = self.function(block, role, function)
        words = inspect.signature(function).parameters
        # memories are written by `update` first, where that closes no ring
        wants = tuple((block.name, "@update", 0, 0) for word in words if word in self.memory_slot)[:1]
        elementwise = block.elementwise() or "i" in words
        for element in range(self.n) if elementwise else [None]:
            first = next(iter(outputs), "")
            arguments, needs = self._arguments(block, function, element, first)
            makes: list[Key] = []
            targets: list[str] = []
            for port_name, port in outputs.items():
                width = self.scalars.width(block.name, port_name)
                elements = [element if width > 1 else 0] if element is not None else range(width)
                parts = 3 if port.kind == TRAJECTORY else 1
                names = []
                for e in elements:
                    keys = [(block.name, port_name, e, part) for part in range(parts)]
                    makes += keys
                    group = ", ".join(self.scalars.name(key) for key in keys)
                    names.append(
                        f"({group})" if parts > 1 and (len(list(elements)) > 1 or len(outputs) > 1) else group
                    )
                joined = ", ".join(names) + ("," if element is None and width > 1 and len(names) == 1 else "")
                targets.append(f"({joined})" if len(names) > 1 and len(outputs) > 1 else joined)
            line = f"{', '.join(targets)} = {call}({arguments})"
            self.statements.append(Statement(tuple(makes), needs, (line,), wants, block.name))

    def _derivatives(self, block: Block, function: Callable[..., Any]) -> None:
        call = self.function(block, "der", function)
        elementwise = block.elementwise() or "i" in inspect.signature(function).parameters
        widths = [width for _, width in self.state_slot.values()]
        count = max(widths, default=1) if "i" in inspect.signature(function).parameters else self.n
        for element in range(count) if elementwise else [None]:
            arguments, needs = self._arguments(block, function, element)
            slots: list[str] = []
            makes: list[Key] = []
            for name, (first, width) in self.state_slot.items():
                places = (
                    [first + (element if width > 1 else 0)]
                    if element is not None
                    else range(first, first + width)
                )
                group = [f"dx[{place}]" for place in places]
                slots.append(group[0] if len(group) == 1 else f"({', '.join(group)})")
                makes += [(block.name, f"@der {name}", place, 0) for place in places]
            if len(slots) == 1 and slots[0].startswith("("):
                slots = [slots[0][1:-1]]
            line = f"{', '.join(slots)} = {call}({arguments})"
            self.statements.append(Statement(tuple(makes), needs, (line,), (), block.name))

    def _update(self, block: Block, function: Callable[..., Any], name: str) -> None:
        call = self.function(block, "update", function)
        period = float(block.values.get("sample_time") or 0.0)
        slot = self.params.add(f"{name}.@every", [1.0])
        self.sampled.append(Sampled(name, slot, period))
        lines, needs = [], []
        elementwise = block.elementwise() or "i" in inspect.signature(function).parameters
        for element in range(self.n) if elementwise else [None]:
            arguments, more = self._arguments(block, function, element)
            lines.append(f"    {call}({arguments})")
            needs += more
        lines = [f"if step % int(p[{slot}]) == 0:", *lines]
        self.updates.append(Statement(((name, "@update", 0, 0),), tuple(needs), tuple(lines), (), name))


def flatten(value: Any) -> list[float]:
    if isinstance(value, tuple | list):
        return [item for part in value for item in flatten(part)]
    return [float(value)]


def spread(value: Any, width: int) -> list[float]:
    values = flatten(value)
    return values * width if len(values) == 1 else values
