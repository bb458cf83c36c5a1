"""Constraint expressions as data: a postfix tape evaluated with its first two rates along the motion and with slopes.

Variables are x, y, z (point in the axes of frame a, or joint coordinates), their rates vx, vy, vz and second rates
ax, ay, az; targets are the time and signals, each with two rates. A stack slot holds a value, its two rates along the
motion (Taylor arithmetic; Griewank and Walther, 2008, chapter 13), and its partial derivatives by the three variables
of the order that the relation constrains: all that Phi, Phi', Phi'' and J need.
"""

from __future__ import annotations

import math

from ..codegen.jit import INTEGER, entry_point, helper
from . import model_data as f
from .model_data import Data, Model

# operation codes of the tape; CONSTANT, VARIABLE, TARGET, MIN and MAX carry an index, one-argument functions come last
CONSTANT, VARIABLE, TARGET, ADD, SUB, MUL, DIV, POW, MIN, MAX, NEG = range(11)
SIN, COS, TAN, ASIN, ACOS, ATAN, SQRT, EXP, LOG, ABS, TANH = range(11, 22)


@helper
def chain_rule(s, k, f0, f1, f2):
    """slot k := f(slot k), given f and its derivatives f1, f2 there: u'' = f1 u'' + f2 u'^2, u' = f1 u'."""
    rate = s[k, f.RATE]
    s[k, f.SECOND] = f1 * s[k, f.SECOND] + f2 * rate * rate
    s[k, f.RATE] = f1 * rate
    for i in range(3):
        s[k, f.SLOPES + i] *= f1
    s[k, f.VALUE] = f0


@helper
def multiply(s, a, b):
    """slot a := slot a * slot b (product rule to second order)."""
    u, v = s[a, f.VALUE], s[b, f.VALUE]
    s[a, f.SECOND] = u * s[b, f.SECOND] + v * s[a, f.SECOND] + 2.0 * s[a, f.RATE] * s[b, f.RATE]
    s[a, f.RATE] = u * s[b, f.RATE] + v * s[a, f.RATE]
    for i in range(3):
        s[a, f.SLOPES + i] = u * s[b, f.SLOPES + i] + v * s[a, f.SLOPES + i]
    s[a, f.VALUE] = u * v


@helper
def power(s, top):
    """slot top := slot top ** slot top + 1, the exponent a constant."""
    # the block that owns the expression checks that the exponent is constant; v**p then has exact derivatives at v
    # = 0
    p, v = s[top + 1, f.VALUE], s[top, f.VALUE]
    if p == 2.0:
        chain_rule(s, top, v * v, 2.0 * v, 2.0)
    elif p != 1.0:
        second = p * (p - 1.0) * v ** (p - 2.0) if p != 0.0 else 0.0
        chain_rule(s, top, v**p, p * v ** (p - 1.0) if p != 0.0 else 0.0, second)


@helper
def apply(op, s, top):
    """Apply the one-argument function `op` to the top slot."""
    v = s[top, f.VALUE]
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
def load(op, arg, constants, variables, target, order, s, top):
    """slot top := constant, target or variable `arg`; slope 1 of a variable of the constrained order."""
    for j in range(f.SLOT):
        s[top, j] = 0.0
    if op == CONSTANT:
        s[top, f.VALUE] = constants[arg]
        return
    for j in range(3):
        s[top, j] = target[arg, j] if op == TARGET else variables[j, arg]
    if op == VARIABLE and arg // 3 == order:
        s[top, f.SLOPES + arg % 3] = 1.0


@helper
def choose(op, arg, choice, s, top):
    """slot top := min or max of slots top and top + 1; choice[arg], their difference, is located as an event."""
    g = s[top, f.VALUE] - s[top + 1, f.VALUE]
    choice[arg] = g
    if (op == MIN and g > 0.0) or (op == MAX and not g > 0.0):
        for j in range(f.SLOT):
            s[top, j] = s[top + 1, j]


@helper
def combine(op, s, top):
    """slot top := slot top `op` slot top + 1, for ADD, SUB, MUL, DIV and POW."""
    if op == ADD or op == SUB:
        sign = 1.0 if op == ADD else -1.0
        for j in range(f.SLOT):
            s[top, j] += sign * s[top + 1, j]
    elif op == POW:
        power(s, top)
    else:
        if op == DIV:
            v = s[top + 1, f.VALUE]
            chain_rule(s, top + 1, 1.0 / v, -1.0 / (v * v), 2.0 / (v * v * v))
        multiply(s, top, top + 1)


@helper
def run_tape(ops, first, last, constants, variables, target, choice, order, s):
    """Run ops[first:last] of a postfix tape, slopes by the variables of `order`; the result is slot 0 of stack s."""
    top = -1
    for o in range(first, last):
        op = ops[o, 0]
        if op <= TARGET:
            top += 1
            load(op, ops[o, 1], constants, variables, target, order, s, top)
        elif op <= POW:
            top -= 1
            combine(op, s, top)
        elif op <= MAX:
            top -= 1
            choose(op, ops[o, 1], choice, s, top)
        elif op == NEG:
            for j in range(f.SLOT):
                s[top, j] = -s[top, j]
        else:
            apply(op, s, top)


@entry_point(Model, Data, INTEGER)
def run_relation(m, d, c):
    """Run the tape of constraint c at `variables`; value, rates and slopes go to slot 0 of `stack`."""
    first, last = m.constraint[c, f.C_FIRST], m.constraint[c, f.C_LAST]
    order = m.constraint[c, f.C_KIND] - f.RELATION
    run_tape(m.tape, first, last, m.tape_value, d.variables, d.target, d.choice, order, d.stack)
