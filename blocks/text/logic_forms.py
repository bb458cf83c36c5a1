"""Logic in expressions, in few forms: comparisons of two numbers; `and`, `or`, `not` and `if` of what is 0 or 1."""

from __future__ import annotations

import ast

TRUE = 0.5  # a number counts as true above


def normal_form(node: ast.expr) -> ast.expr:
    """Equivalent expression with two-sided comparisons, in which `and`, `or`, `not` and `if` take 0 or 1."""
    match node:
        case ast.Compare():
            sides = [normal_form(side) for side in (node.left, *node.comparators)]
            pairs = [ast.Compare(a, [op], [b]) for a, op, b in zip(sides, node.ops, sides[1:], strict=False)]
            return pairs[0] if len(pairs) == 1 else ast.BoolOp(ast.And(), [*pairs])
        case ast.BoolOp():
            return ast.BoolOp(node.op, [truth_value(part) for part in node.values])
        case ast.UnaryOp(op=ast.Not()):
            return ast.UnaryOp(node.op, truth_value(node.operand))
        case ast.UnaryOp():
            return ast.UnaryOp(node.op, normal_form(node.operand))
        case ast.IfExp():
            return ast.IfExp(truth_value(node.test), normal_form(node.body), normal_form(node.orelse))
        case ast.BinOp():
            return ast.BinOp(normal_form(node.left), node.op, normal_form(node.right))
        case ast.Call(func=ast.Name(id=name)):
            return _called(name, [normal_form(argument) for argument in node.args])
    return node


def _called(name: str, arguments: list[ast.expr]) -> ast.expr:
    if name == "sign":
        zero = ast.Constant(0.0)
        above, below = (ast.Compare(arguments[0], [op], [zero]) for op in (ast.Gt(), ast.Lt()))
        return ast.BinOp(above, ast.Sub(), below)
    if name == "mod":
        a, b = arguments
        times = ast.Call(ast.Name("floor"), [ast.BinOp(a, ast.Div(), b)], [])
        return ast.BinOp(a, ast.Sub(), ast.BinOp(b, ast.Mult(), times))
    return ast.Call(ast.Name(name), arguments, [])


def truth_value(node: ast.expr) -> ast.expr:
    """Equivalent expression whose value is 0 or 1."""
    made = normal_form(node)
    logical = isinstance(made, ast.Compare | ast.BoolOp) or (
        isinstance(made, ast.UnaryOp) and isinstance(made.op, ast.Not)
    )
    return made if logical else ast.Compare(made, [ast.Gt()], [ast.Constant(TRUE)])
