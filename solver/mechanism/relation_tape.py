"""Compile the text of a relation to the tape that kernels run (`kernels/holonomic_expression.py`)."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from ...blocks.text.expressions import CONSTANTS
from ..kernels import holonomic_expression as tape

VARIABLES = {name: k for k, name in enumerate(("x", "y", "z", "vx", "vy", "vz", "ax", "ay", "az"))}
FUNCTIONS = {
    "sin": tape.SIN, "cos": tape.COS, "tan": tape.TAN, "asin": tape.ASIN, "acos": tape.ACOS, "atan": tape.ATAN,
    "sqrt": tape.SQRT, "exp": tape.EXP, "log": tape.LOG, "abs": tape.ABS, "tanh": tape.TANH,
}  # fmt: skip
CHOICES = {"min": tape.MIN, "max": tape.MAX}
BINARY = {ast.Add: tape.ADD, ast.Sub: tape.SUB, ast.Mult: tape.MUL, ast.Div: tape.DIV, ast.Pow: tape.POW}


class RelationTape:
    """Operations of one relation; constants and choices are numbered behind those that other relations have."""

    def __init__(
        self, constants: Mapping[str, float], targets: Mapping[str, int], numbers: int, choices: int
    ):
        self.constants, self.targets = constants, targets
        self.ops: list[tuple[int, int]] = []
        self.numbers: list[float] = []
        self.choices = 0
        self._first_number, self._first_choice = numbers, choices

    def follow(self, tree: ast.expr, target: int) -> int:
        """The operations of the relation less its target; returns how many slots of the stack they need."""
        depth = self.walk(tree)
        self.ops += [(tape.TARGET, target), (tape.SUB, 0)]
        return max(depth, 2)

    def walk(self, node: ast.expr) -> int:
        """Append the operations of an expression; returns its depth."""
        if isinstance(node, ast.Constant):
            return self._number(node.value)  # type: ignore[arg-type]
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if isinstance(node, ast.UnaryOp):
            depth = self.walk(node.operand)
            if isinstance(node.op, ast.USub):
                self.ops.append((tape.NEG, 0))
            return depth
        if isinstance(node, ast.Call):
            return self._called(node)
        assert isinstance(node, ast.BinOp)
        left, right = self.walk(node.left), self.walk(node.right)
        self.ops.append((BINARY[type(node.op)], 0))
        return max(left, right + 1)

    def _number(self, value: float) -> int:
        self.ops.append((tape.CONSTANT, self._first_number + len(self.numbers)))
        self.numbers.append(float(value))
        return 1

    def _name(self, name: str) -> int:
        if name in VARIABLES:
            self.ops.append((tape.VARIABLE, VARIABLES[name]))
        elif name in self.targets:
            self.ops.append((tape.TARGET, self.targets[name]))
        else:
            return self._number(self.constants[name] if name in self.constants else CONSTANTS[name])
        return 1

    def _called(self, node: ast.Call) -> int:
        assert isinstance(node.func, ast.Name)
        depth = self.walk(node.args[0])
        if node.func.id not in CHOICES:
            self.ops.append((FUNCTIONS[node.func.id], 0))
            return depth
        for one in node.args[1:]:
            depth = max(depth, 1 + self.walk(one))
            self._choose(CHOICES[node.func.id])
        return depth

    def _choose(self, op: int) -> None:
        self.ops.append((op, self._first_choice + self.choices))
        self.choices += 1
