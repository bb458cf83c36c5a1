"""Constraint expressions as data: a postfix tape evaluated with exact first and second derivatives (forward mode).

Variables are x, y, z (point in the axes of frame a, or joint coordinates), t, and vx, vy, vz. A stack slot holds the
value, the gradient (7) and the upper triangle of the Hessian (28), row by row.
"""

from __future__ import annotations

import math

from ..codegen.jit import INTEGER, entry_point, helper
from . import model_data as f
from .model_data import Data, Model

# operation codes of the tape; CONSTANT and VARIABLE carry an index, functions of one argument come last
CONSTANT, VARIABLE, ADD, SUB, MUL, DIV, POW, NEG = range(8)
SIN, COS, TAN, ASIN, ACOS, ATAN, SQRT, EXP, LOG, ABS, TANH = range(8, 19)


@helper
def chain_rule(s, k, f0, f1, f2):
    """slot k := f(slot k), given f and its derivatives f1, f2 there: H = f1 H + f2 g g^T, g = f1 g."""
    at = 1 + f.VARIABLES
    for i in range(f.VARIABLES):
        gi = s[k, 1 + i]
        for j in range(i, f.VARIABLES):
            s[k, at] = f1 * s[k, at] + f2 * gi * s[k, 1 + j]
            at += 1
    for i in range(f.VARIABLES):
        s[k, 1 + i] *= f1
    s[k, 0] = f0


@helper
def multiply(s, a, b):
    """slot a := slot a * slot b (product rule to second order)."""
    va, vb = s[a, 0], s[b, 0]
    at = 1 + f.VARIABLES
    for i in range(f.VARIABLES):
        ai, bi = s[a, 1 + i], s[b, 1 + i]
        for j in range(i, f.VARIABLES):
            s[a, at] = va * s[b, at] + vb * s[a, at] + ai * s[b, 1 + j] + bi * s[a, 1 + j]
            at += 1
    for i in range(f.VARIABLES):
        s[a, 1 + i] = va * s[b, 1 + i] + vb * s[a, 1 + i]
    s[a, 0] = va * vb


@helper
def power(s, top):
    """slot top := slot top ** slot top + 1, the exponent a constant."""
    # the block that owns the expression checks that the exponent is constant; v**p then has exact derivatives at v
    # = 0
    p, v = s[top + 1, 0], s[top, 0]
    if p == 2.0:
        chain_rule(s, top, v * v, 2.0 * v, 2.0)
    elif p != 1.0:
        second = p * (p - 1.0) * v ** (p - 2.0) if p != 0.0 else 0.0
        chain_rule(s, top, v**p, p * v ** (p - 1.0) if p != 0.0 else 0.0, second)


@helper
def apply(op, s, top):
    """Apply the one-argument function `op` to the top slot."""
    v = s[top, 0]
    if op == SIN:
        chain_rule(s, top, math.sin(v), math.cos(v), -math.sin(v))
    elif op == COS:
        chain_rule(s, top, math.cos(v), -math.sin(v), -math.cos(v))
    elif op == TAN:
        f0 = math.tan(v)
        chain_rule(s, top, f0, 1.0 + f0 * f0, 2.0 * f0 * (1.0 + f0 * f0))
    elif op == ASIN:
        g = 1.0 / math.sqrt(1.0 - v * v)
        chain_rule(s, top, math.asin(v), g, v * g * g * g)
    elif op == ACOS:
        g = 1.0 / math.sqrt(1.0 - v * v)
        chain_rule(s, top, math.acos(v), -g, -v * g * g * g)
    elif op == ATAN:
        g = 1.0 / (1.0 + v * v)
        chain_rule(s, top, math.atan(v), g, -2.0 * v * g * g)
    elif op == SQRT:
        f0 = math.sqrt(v)
        chain_rule(s, top, f0, 0.5 / f0, -0.25 / (f0 * v))
    elif op == EXP:
        f0 = math.exp(v)
        chain_rule(s, top, f0, f0, f0)
    elif op == LOG:
        chain_rule(s, top, math.log(v), 1.0 / v, -1.0 / (v * v))
    elif op == TANH:
        f0 = math.tanh(v)
        chain_rule(s, top, f0, 1.0 - f0 * f0, -2.0 * f0 * (1.0 - f0 * f0))
    else:
        chain_rule(s, top, abs(v), 1.0 if v >= 0.0 else -1.0, 0.0)


@helper
def run_tape(ops, first, last, constants, variables, s):
    """Run ops[first:last] of a postfix tape; the result is slot 0 of the stack s."""
    top = -1
    for o in range(first, last):
        op, arg = ops[o, 0], ops[o, 1]
        if op == CONSTANT or op == VARIABLE:
            top += 1
            for j in range(f.SLOT):
                s[top, j] = 0.0
            if op == CONSTANT:
                s[top, 0] = constants[arg]
            else:
                s[top, 0] = variables[arg]
                s[top, 1 + arg] = 1.0
        elif op == ADD or op == SUB:
            sign = 1.0 if op == ADD else -1.0
            for j in range(f.SLOT):
                s[top - 1, j] += sign * s[top, j]
            top -= 1
        elif op == MUL:
            multiply(s, top - 1, top)
            top -= 1
        elif op == DIV:
            v = s[top, 0]
            chain_rule(s, top, 1.0 / v, -1.0 / (v * v), 2.0 / (v * v * v))
            multiply(s, top - 1, top)
            top -= 1
        elif op == POW:
            top -= 1
            power(s, top)
        elif op == NEG:
            for j in range(f.SLOT):
                s[top, j] = -s[top, j]
        else:
            apply(op, s, top)


@entry_point(Model, Data, INTEGER)
def run_relation(m, d, c):
    """Run the tape of constraint c at `variables`; value, gradient and Hessian go to slot 0 of `stack`."""
    run_tape(
        m.tape, m.constraint[c, f.C_FIRST], m.constraint[c, f.C_LAST], m.tape_value, d.variables[0], d.stack
    )


@helper
def hessian_entry(s, i, j):
    """Entry (i, j) of the Hessian of slot 0."""
    if j < i:
        i, j = j, i
    return s[0, 1 + f.VARIABLES + i * f.VARIABLES - i * (i - 1) // 2 + j - i]
