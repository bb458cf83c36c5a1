"""The slow twin of `solver/fmi/worst_case_cost.py`: operations of each kernel, counted while a model goes its steps.

The code itself is counted: each of its blocks gets a counter in LLVM's own text, and the model goes by that code, from
the image that its library has.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from luff.solver.codegen.libm_calls import OWN_SYMBOLS
from luff.solver.fmi.exported_model import ExportedModel
from luff.solver.fmi.ir_functions import costs_of_line
from luff.solver.fmi.operation_counts import NEVER
from luff.solver.fmi.portable_code import Code
from luff.solver.integrators import run_loop
from luff.solver.integrators.run_data import COUNT, EVERY, FILM, FIRST, NOW, START, STEP, TAKEN, WITHIN

LINE = 8  # words of a cache line
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
            operations, functions = costs_of_line(line)
            blocks[-1].operations += operations
            blocks[-1].functions += functions
        lines.append(line)
    n = max(1, len(blocks))
    put = (_COUNTER.format(k=line, n=n, symbol=symbol) if isinstance(line, int) else line for line in lines)
    table = f"@counts_{symbol} = global [{n} x i64] zeroinitializer"
    return Counted("\n".join([*put, table, ""]), blocks)


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
            text = str(binding.parse_bitcode(content))
            if symbol not in OWN_SYMBOLS:  # whose calls are counted where they are called
                self.counted[symbol] = with_counters(symbol, text)
                text = self.counted[symbol].text
            module = binding.parse_assembly(text)
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
            self._call(run_loop.evaluate_updates.symbol, image.run)
        self._call(run_loop.evaluate_outputs.symbol, image.run)
        self.reals[image.real + WITHIN] = 0.0
        self._call(run_loop.evaluate_rates.symbol, image.run)
        if self.model.program.closed:
            self._call(run_loop.evaluate_settled.symbol, image.run)
            self._call(run_loop.evaluate_rates.symbol, image.run)

    def step(self, k: int) -> bool:
        """The step after the first k, and its outputs; whether it could be taken. Counters are those of this step."""
        for one in self.counted.values():
            one.counts[:] = 0
        image = self.image
        wanted = {FIRST: k, COUNT: 1, EVERY: NEVER, FILM: 0}
        for place, value in wanted.items():
            self.words[image.number + place] = value
        length = float(self.model.settings.step)
        self.reals[image.real + START], self.reals[image.real + STEP] = 0.0, length
        self._call(run_loop.advance.symbol, image.run, image.model, image.data)
        if int(self.words[image.number + TAKEN]) != 1:
            return False
        now = length * (k + 1)
        self.reals[image.real + NOW], self.reals[image.real + WITHIN] = now, now + 0.5 * length
        self._call(run_loop.evaluate_outputs.symbol, image.run)
        return True
