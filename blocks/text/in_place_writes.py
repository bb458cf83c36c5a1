"""Check that a function writes memories in place: what it returns, or binds to their names, would be lost."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Collection, Iterator


def lost_writes(function: Callable[..., object], memories: Collection[str]) -> str:
    """Name of a write that is lost, in words; empty if none is, or if the source cannot be read."""
    try:
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, SyntaxError, ValueError):
        return ""  # told where it is compiled
    for node in _own_nodes(tree):
        if isinstance(node, ast.Return) and node.value is not None and ast.unparse(node.value) != "None":
            example = next(iter(memories), "memory")
            return (
                f"returns {ast.unparse(node.value)}, which is not used; it has to write: {example}[0] = ..."
            )
        bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        if isinstance(node, ast.Name) and bound and node.id in memories:
            return f'sets the name "{node.id}", which changes no memory; it has to write: {node.id}[0] = ...'
    return ""


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Iterate over the nodes of a function, without functions within it; `m += u` changes the array itself."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.FunctionDef | ast.Lambda):
            continue
        yield inner
        yield from _own_nodes(inner.value if isinstance(inner, ast.AugAssign) else inner)
