"""Expressions as rows of numbers, which one function works out: blocks that have many need no code of their own.

A program is how many numbers it has, then pairs of an operation and its argument, operands before what takes them.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from ..light_dataclass import mutable, record
from ..text.expressions import COMPARISONS, CONSTANTS
from ..text.logic_forms import normal_form, truth_value

# what stands for itself
NUMBER, INPUT, OUTPUT, TIME, PIECE, ELAPSED, LOOK, LASTED, AFTER = range(9)
LEAVES = 9
SEEN = {
    TIME: LOOK,
    ELAPSED: LASTED,
}  # times as comparisons see them, which decide in the middle of a step of the grid
# of one number
NEGATE, NOT, ABS, SQRT, EXP, LOG, FLOOR, CEIL, ROUND = range(10, 19)
SIN, COS, TAN, ASIN, ACOS, ATAN, RADIANS, DEGREES, TANH = range(20, 29)
ONE = 30  # operations below take one number
# of two numbers
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER = range(30, 35)
MIN, MAX, HYPOT, ATAN2 = range(35, 39)
TWO = 40
BELOW, AT_MOST, ABOVE, AT_LEAST, EQUAL, UNEQUAL = range(40, 46)
COMPARED = 50
PICK = 50  # the second of three numbers if the first is true, else the third
SET = 51  # an output, to a number

UNARY = {
    "abs": ABS, "sqrt": SQRT, "exp": EXP, "log": LOG, "floor": FLOOR, "ceil": CEIL, "round": ROUND, "sin": SIN,
    "cos": COS, "tan": TAN, "asin": ASIN, "acos": ACOS, "atan": ATAN, "deg2rad": RADIANS, "rad2deg": DEGREES,
    "tanh": TANH,
}  # fmt: skip
BINARY = {"min": MIN, "max": MAX, "hypot": HYPOT, "atan2": ATAN2}
SIGNS: dict[type[ast.operator], int] = {
    ast.Add: ADD, ast.Sub: SUBTRACT, ast.Mult: MULTIPLY, ast.Div: DIVIDE, ast.Pow: POWER
}  # fmt: skip
ORDER = {"<": BELOW, "<=": AT_MOST, ">": ABOVE, ">=": AT_LEAST, "==": EQUAL, "!=": UNEQUAL}
JUMPING = (FLOOR, CEIL, ROUND)  # they see the middle of the step in place of t
FRESH = -1  # of a comparison: it is worked out whenever it is asked for


@record
class Compared:
    """A comparison: its text, and what changes its sign where it changes; None of those of equality."""

    text: str
    crossing: ast.expr | None


@mutable
class Programs:
    """Programs of a block, one after the other.

    `names`: operation and argument of each name; `constants`: numbers by name.
    """

    names: Mapping[str, tuple[int, float]]
    constants: Mapping[str, float]
    code: list[float] = field(default_factory=list)
    depth: int = 1  # numbers that the deepest one keeps
    remembered: int = 0  # comparisons that are

    def add(
        self, tree: ast.expr, logical: bool = False, remember: bool = False
    ) -> tuple[int, list[Compared]]:
        """Append the program of an expression: its start, and the comparisons in it."""
        made = _Program(self, remember)
        made.write(truth_value(tree) if logical else normal_form(tree))
        self.depth = max(self.depth, made.deepest)
        return self.put(made.code), made.compared

    def put(self, code: Sequence[float]) -> int:
        """Append code; its start."""
        self.code += [float(len(code)), *map(float, code)]
        return len(self.code) - len(code) - 1

    def of(self, at: int) -> list[float]:
        """The program that begins there, to be part of another one."""
        return self.code[at + 1 : at + 1 + int(self.code[at])]


class _Program:
    def __init__(self, programs: Programs, remember: bool):
        self.programs, self.remember = programs, remember
        self.code: list[float] = []
        self.compared: list[Compared] = []
        self.depth = self.deepest = 0
        self.jumping = self.comparing = 0  # functions that jump, and comparisons, around what is written

    def put(self, operation: int, argument: float, takes: int) -> None:
        self.code += [float(operation), float(argument)]
        self.depth += 1 - takes
        self.deepest = max(self.deepest, self.depth)

    def write(self, node: ast.expr) -> None:
        match node:
            case ast.Constant():
                self.put(NUMBER, float(node.value), 0)  # type: ignore[arg-type]
            case ast.Name():
                self.put(*self.leaf(node.id), 0)
            case ast.UnaryOp(op=ast.UAdd()):
                self.write(node.operand)
            case ast.UnaryOp():
                self.write(node.operand)
                self.put(NOT if isinstance(node.op, ast.Not) else NEGATE, 0, 1)
            case ast.BinOp():
                self.fold([node.left, node.right], SIGNS[type(node.op)])
            case ast.BoolOp():
                self.fold(node.values, MULTIPLY if isinstance(node.op, ast.And) else MAX)
            case ast.Compare():
                self.compare(node)
            case ast.IfExp():
                for part in (node.test, node.body, node.orelse):
                    self.write(part)
                self.put(PICK, 0, 3)
            case ast.Call(func=ast.Name(id=name)):
                self.call(name, node.args)

    def leaf(self, name: str) -> tuple[int, float]:
        numbers = {**CONSTANTS, **self.programs.constants}
        if name in numbers:
            return NUMBER, numbers[name]
        kind, argument = self.programs.names[name]
        if kind == TIME and self.jumping:
            return PIECE, argument
        return SEEN.get(kind, kind) if self.comparing else kind, argument

    def fold(self, parts: Sequence[ast.expr], operation: int) -> None:
        for k, part in enumerate(parts):
            self.write(part)
            if k:
                self.put(operation, 0, 2)

    def call(self, name: str, arguments: Sequence[ast.expr]) -> None:
        if name == "log" and len(arguments) == 2:
            self.call(name, arguments[:1])
            self.call(name, arguments[1:])
            self.put(DIVIDE, 0, 2)
        elif name in BINARY:
            self.fold(arguments, BINARY[name])
        else:
            jumps = UNARY[name] in JUMPING
            self.jumping += jumps
            self.write(arguments[0])
            self.jumping -= jumps
            self.put(UNARY[name], 0, 1)

    def compare(self, node: ast.Compare) -> None:
        a, b = node.left, node.comparators[0]
        sign = COMPARISONS[type(node.ops[0])]
        self.comparing += 1
        for side in (a, b):
            self.write(side)
        self.comparing -= 1
        # on the side where it is above zero, a crossing is as strict as the comparison, or as its contrary
        sides = {">": (a, b), "<=": (a, b), "<": (b, a), ">=": (b, a)}.get(sign)
        crossing = sides and ast.BinOp(sides[0], ast.Sub(), sides[1])
        self.compared.append(Compared(ast.unparse(node), crossing))
        number = FRESH
        if self.remember:
            number = self.programs.remembered
            self.programs.remembered += 1
        self.put(ORDER[sign], number, 2)


# --- what works them out ---------------------------------------------------------------------------------------------


def overdue(look, lasted, after, grid):
    """Above zero where a state has lasted as long as a transition asks for, but for the rounding of times.

    Steps of a grid are as many as the time asks for; on a located run times are as exact as they can be told apart.
    """
    return lasted - (after * (1.0 - 1e-9) if grid > 0.0 else after) + 1e-14 * abs(look) + 1e-15


def leaf_value(operation, argument, look, now, during, lasted, elapsed, grid, inputs, values):
    if operation == NUMBER:
        return argument
    if operation == INPUT:
        return inputs[int(argument)]
    if operation == OUTPUT:
        return values[int(argument)]
    if operation == TIME:
        return now
    if operation == PIECE:
        return during
    if operation == ELAPSED:
        return elapsed
    if operation == LOOK:
        return look
    if operation == LASTED:
        return lasted
    return 1.0 if overdue(look, lasted, argument, grid) > 0.0 else 0.0


def nearest_whole(a):
    whole = math.floor(abs(a))
    return math.copysign(whole + (1.0 if abs(a) - whole >= 0.5 else 0.0), a)


def of_one(operation, a):
    if operation >= SIN:
        return of_angle(operation, a)
    if operation == NEGATE:
        return -a
    if operation == NOT:
        return 1.0 - a
    if operation == ABS:
        return abs(a)
    if operation == SQRT:
        return math.sqrt(a)
    if operation == EXP:
        return math.exp(a)
    if operation == LOG:
        return math.log(a)
    if operation == FLOOR:
        return float(math.floor(a))
    return float(math.ceil(a)) if operation == CEIL else nearest_whole(a)


def of_angle(operation, a):
    if operation == SIN:
        return math.sin(a)
    if operation == COS:
        return math.cos(a)
    if operation == TAN:
        return math.tan(a)
    if operation == ASIN:
        return math.asin(a)
    if operation == ACOS:
        return math.acos(a)
    if operation == ATAN:
        return math.atan(a)
    if operation == TANH:
        return math.tanh(a)
    return math.radians(a) if operation == RADIANS else math.degrees(a)


def of_two(operation, a, b):
    if operation == ADD:
        return a + b
    if operation == SUBTRACT:
        return a - b
    if operation == MULTIPLY:
        return a * b
    if operation == DIVIDE:
        return a / b
    if operation == POWER:
        return a**b
    if operation == MIN:
        return min(a, b)
    if operation == MAX:
        return max(a, b)
    return math.hypot(a, b) if operation == HYPOT else math.atan2(a, b)


def holds(operation, a, b):
    if operation == BELOW:
        return a < b
    if operation == AT_MOST:
        return a <= b
    if operation == ABOVE:
        return a > b
    if operation == AT_LEAST:
        return a >= b
    return a == b if operation == EQUAL else a != b


def compare(operation, a, b, number, decided, deciding):
    """Value 0 or 1 of a comparison; of a remembered one, as it was decided last or is decided now."""
    held = 1.0 if holds(operation, a, b) else 0.0
    if number < 0:
        return held
    if deciding:
        decided[number] = held
    return decided[number] if decided[number] >= 0.0 else held


def work_out(
    code, at, look, now, during, lasted, elapsed, grid, inputs, values, decided, deciding, stack
):  # fmt: skip
    """The value of the program that begins there. `look` and `lasted` are the time, and that in a state, as comparisons
    see them, `now` and `elapsed` as all else does."""
    top = -1
    for k in range(at + 1, at + 1 + int(code[at]), 2):
        operation, argument = code[k], code[k + 1]
        if operation < LEAVES:
            top += 1
            stack[top] = leaf_value(
                operation, argument, look, now, during, lasted, elapsed, grid, inputs, values
            )
        elif operation < ONE:
            stack[top] = of_one(operation, stack[top])
        elif operation < TWO:
            top -= 1
            stack[top] = of_two(operation, stack[top], stack[top + 1])
        elif operation < COMPARED:
            top -= 1
            stack[top] = compare(operation, stack[top], stack[top + 1], int(argument), decided, deciding)
        elif operation == PICK:
            top -= 2
            stack[top] = stack[top + 1] if stack[top] > 0.5 else stack[top + 2]
        else:
            values[int(argument)] = stack[top]
            top -= 1
    return stack[0]
