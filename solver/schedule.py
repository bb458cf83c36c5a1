"""Order statements so that everything is computed before it is used; a ring is an algebraic loop.

A scalar is a hashable key. A statement computes some scalars from others; its `lines` are Python source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..blocks import CompileError

Key = Any  # hashable


@dataclass
class Statement:
    """Source text with what it makes and needs; `wants` are needs that are dropped when they would close a ring."""

    makes: tuple[Key, ...]
    needs: tuple[Key, ...]
    lines: tuple[str, ...]
    wants: tuple[Key, ...] = ()
    label: str = ""  # the block or port that it stands for, for messages
    order: int = field(default=0, compare=False)


def schedule(statements: Sequence[Statement], goals: Iterable[Key]) -> list[Statement]:
    """The statements that the goals need, in an order that computes before it uses."""
    maker: dict[Key, Statement] = {}
    for position, statement in enumerate(statements):
        statement.order = position
        for key in statement.makes:
            maker[key] = statement
    done: dict[int, int] = {}  # id -> 1 under way, 2 done
    result: list[Statement] = []

    for goal in goals:
        first = maker.get(goal)
        if first is None or done.get(id(first)):
            continue
        # depth first without recursion: chains of blocks may be longer than Python's stack
        stack: list[tuple[Statement, list[tuple[Key, bool]]]] = [(first, _edges(first))]
        done[id(first)] = 1
        while stack:
            statement, todo = stack[-1]
            if not todo:
                stack.pop()
                done[id(statement)] = 2
                result.append(statement)
                continue
            key, hard = todo.pop()
            there = maker.get(key)
            if there is None or done.get(id(there)) == 2:
                continue
            if done.get(id(there)) == 1:
                if hard and there is not statement:
                    _ring([s for s, _ in stack], there)
                elif hard:
                    raise CompileError(
                        f"algebraic loop: {statement.label} feeds itself", path=statement.label, fix=_FIX
                    )
                continue
            done[id(there)] = 1
            stack.append((there, _edges(there)))
    return result


def _edges(statement: Statement) -> list[tuple[Key, bool]]:
    # popped from the end: hard needs first, in their order
    return [(key, False) for key in reversed(statement.wants)] + [
        (key, True) for key in reversed(statement.needs)
    ]


_FIX = "break it with a state: first-order lag (transfer_function), delay or zero_order_hold"


def _ring(path: list[Statement], entry: Statement) -> None:
    ring = path[[id(s) for s in path].index(id(entry)) :]
    names = [s.label for s in ring if s.label]
    raise CompileError(
        "algebraic loop: " + " <- ".join([*names, names[0]]) if names else "algebraic loop",
        # a place in the netlist: the mechanism as a whole has none
        path=next((name for name in names if name != "mechanism"), ""),
        fix=_FIX,
    )
