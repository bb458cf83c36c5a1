"""What steps of a library cost: floating-point operations of each kernel, counted while they run.

The code itself is counted: each of its blocks gets a counter in LLVM's own text, and the model goes its first steps by
that code, from the image that the library has. A loop counts as often as it is gone through.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ..integrators import loop
from ..integrators.parts import FINEST
from ..kernels import closure, joint_friction
from ..machine import fields as f
from ..machine.run_arrays import COUNT, EVERY, FILM, FIRST, NOW, PARTED, START, STEP, TAKEN, WITHIN

if TYPE_CHECKING:
    from .bitcode import Code
    from .model import ExportedModel

STEPS = 1000  # that are counted
LINE = 8  # words of a cache line
_OPERATION = re.compile(
    r"= (?:tail |musttail |notail )*(fadd|fsub|fmul|fdiv|frem)\b[^<]*?(?:<(\d+) x |double|float)"
)
_FUSED = re.compile(r"@llvm\.f(?:ma|muladd)\.(?:v(\d+))?f64")
_FUNCTION = re.compile(
    r"\bcall\b[^@]*\bdouble @\"?(?!luff_|llvm\.(?:f(?:ma|muladd|abs)|copysign))(?:llvm\.)?([a-z0-9]+)"
)
_LABEL = re.compile(r'(?:[-\w$.]+|"[^"]*"):')
_COUNTER = """  %luff.{k} = load i64, ptr getelementptr inbounds ([{n} x i64], ptr @counts_{symbol}, i64 0, i64 {k})
  %luff.{k}.more = add i64 %luff.{k}, 1
  store i64 %luff.{k}.more, ptr getelementptr inbounds ([{n} x i64], ptr @counts_{symbol}, i64 0, i64 {k})"""


@dataclass
class Block:
    """A stretch of code without a branch: what it does, and whether the kernel begins there."""

    begins: bool
    operations: int = 0
    functions: int = 0


@dataclass
class Counted:
    """A kernel's code with a counter in each block."""

    text: str
    blocks: list[Block]
    counts: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    @cached_property
    def each(self) -> np.ndarray:
        """Of each block, a row."""
        rows = [(block.begins, block.operations, block.functions) for block in self.blocks]
        return np.array(rows, np.int64).reshape(-1, 3)

    def cost(self) -> np.ndarray:
        """Calls, operations and functions, as often as the counters say."""
        return self.counts @ self.each


@dataclass(frozen=True)
class Cost:
    """Of a kernel in a step, the most of all that were counted: calls, floating-point operations, functions."""

    calls: int
    operations: int
    functions: int


@dataclass(frozen=True)
class Costs:
    """Of each kernel by its symbol, and of whole steps the least and the most operations."""

    kernels: dict[str, Cost]
    least: int
    most: int
    steps: int


def with_counters(symbol: str, text: str) -> Counted:
    """LLVM's text of a module, which counts how often each block of it is gone through."""
    blocks: list[Block] = []
    lines: list[str | int] = []  # text, or the number of a block whose counter belongs there
    fresh = False  # no instruction of the block has come yet
    for line in text.splitlines():
        if line.startswith("define ") or (_LABEL.match(line) and not fresh):
            blocks.append(
                Block(line.startswith("define ") and re.search(rf'@"?{symbol}"?\(', line) is not None)
            )
            fresh = True
        elif line.startswith("  "):
            if fresh and " = phi " not in line:
                lines.append(len(blocks) - 1)
                fresh = False
            _count(line, blocks[-1])
        lines.append(line)
    n = max(1, len(blocks))
    put = (_COUNTER.format(k=line, n=n, symbol=symbol) if isinstance(line, int) else line for line in lines)
    table = f"@counts_{symbol} = global [{n} x i64] zeroinitializer"
    return Counted("\n".join([*put, table, ""]), blocks)


def _count(line: str, block: Block) -> None:
    found = _OPERATION.search(line)
    block.operations += int(found[2] or 1) if found else 0
    block.operations += sum(2 * int(fused[1] or 1) for fused in _FUSED.finditer(line))
    block.functions += _FUNCTION.search(line) is not None


class CountedRun:
    """The image of a model, in code that counts: what core.h does, in Python."""

    def __init__(self, model: ExportedModel, code: Code):
        from llvmlite import binding

        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        machine = binding.Target.from_default_triple().create_target_machine(jit=True, opt=1)
        self._engine = binding.create_mcjit_compiler(binding.parse_assembly(""), machine)
        self.counted: dict[str, Counted] = {}
        for symbol, (_, content) in sorted(code.items()):
            one = self.counted[symbol] = with_counters(symbol, str(binding.parse_bitcode(content)))
            module = binding.parse_assembly(one.text)
            module.triple, module.data_layout = machine.triple, str(machine.target_data)
            for variable in module.global_variables:
                if variable.linkage == binding.Linkage.common:
                    variable.linkage = binding.Linkage.internal
            self._engine.add_module(module)
        self._engine.finalize_object()
        for symbol, one in self.counted.items():
            place = self._engine.get_global_value_address(f"counts_{symbol}")
            one.counts = np.ctypeslib.as_array((ctypes.c_int64 * len(one.blocks)).from_address(place))
        self.model, self.image = model, model.image
        room = np.zeros(self.image.size + LINE, np.int64)
        shift = -(room.ctypes.data // 8) % LINE
        self.words = room[shift : shift + self.image.size]
        self.words[:] = self.image.plain
        for at, to in self.image.addresses:
            self.words[at] = self._place(to)
        for at, to in self.image.codes:
            self.words[at] = self._engine.get_function_address(self.image.functions[to].symbol)
        self.reals = self.words.view(float)
        self._begin()

    def _place(self, at: int) -> int:
        return self.words.ctypes.data + 8 * at

    def _call(self, symbol: str, *places: int) -> None:
        kind = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * len(places))
        kind(self._engine.get_function_address(symbol))(*map(self._place, places))

    def _begin(self) -> None:
        """As `leave_initialization`."""
        image, length = self.image, float(self.model.settings.step)
        self.words[image.number + FIRST] = 0
        self.reals[image.real + STEP], self.reals[image.real + NOW] = length, 0.0
        self.reals[image.real + WITHIN] = 0.5 * length
        if self.model.program.updated:
            self._call(loop.evaluate_updates.symbol, image.run)
        self._call(loop.evaluate_outputs.symbol, image.run)
        self.reals[image.real + WITHIN] = 0.0
        self._call(loop.evaluate_rates.symbol, image.run)
        if self.model.program.origin is not None:
            self._call(self.model.program.kernels["settle"].symbol, image.model, image.data)
            self._call(loop.evaluate_rates.symbol, image.run)

    def step(self, k: int) -> bool:
        """The step after the first k; whether it could be taken. The counters are those of this step."""
        for one in self.counted.values():
            one.counts[:] = 0
        image = self.image
        wanted = {FIRST: k, COUNT: 1, EVERY: np.iinfo(np.int64).max, FILM: 0}
        for place, value in wanted.items():
            self.words[image.number + place] = value
        self.reals[image.real + START], self.reals[image.real + STEP] = 0.0, float(self.model.settings.step)
        self._call(loop.advance.symbol, image.run, image.model, image.data)
        return int(self.words[image.number + TAKEN]) == 1


def costs_of(model: ExportedModel, code: Code) -> Costs:
    """What the first steps cost."""
    run = CountedRun(model, code)
    most = {symbol: np.zeros(3, np.int64) for symbol in run.counted}
    sums: list[int] = []
    for k in range(STEPS):
        if not run.step(k):
            break
        now = {symbol: one.cost() for symbol, one in run.counted.items()}
        for symbol, numbers in now.items():
            np.maximum(most[symbol], numbers, out=most[symbol])
        sums.append(int(sum(numbers[1] for numbers in now.values())))
    kernels = {symbol: Cost(*map(int, numbers)) for symbol, numbers in most.items() if numbers[0]}
    return Costs(kernels, min(sums, default=0), max(sums, default=0), len(sums))


def described(costs: Costs, names: Mapping[str, str]) -> list[str]:
    """Of each kernel, under its name, in a step."""
    about = f"{costs.least}" if costs.least == costs.most else f"{costs.least} to {costs.most}"
    lines = [
        f"Floating-point operations (+, -, *, /) in a step: {about}, in the first {costs.steps} steps.",
        "Of these in each kernel, the most in a step:",
    ]
    for symbol, cost in costs.kernels.items():
        besides = f" and {cost.functions} functions of mathematics" if cost.functions else ""
        calls = "one call" if cost.calls == 1 else f"{cost.calls} calls"
        lines.append(f"{names[symbol]}: {cost.operations}{besides} in {calls}")
    return lines


def rounds_of(model: ExportedModel) -> list[str]:
    """What goes on until it is near enough, and how long at most."""
    told, rows = [], model.program.model.row
    if len(model.program.model.constraint):
        told.append(
            f"loops are closed by Newton's method, in at most {closure.ITERATIONS} rounds an evaluation"
        )
    laws, loads = rows[:, f.FRICTION + f.F_LAW], rows[:, f.FRICTION + f.F_LOAD]
    if np.any((laws != f.FRICTIONLESS) & (loads < 0.0)):
        told.append(f"friction and reactions are balanced in at most {joint_friction.ITERATIONS} rounds")
    if model.image.numbers[model.image.number + PARTED]:
        told.append(f"a step may be taken in parts, at most {FINEST}")
    return told
