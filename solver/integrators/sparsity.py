"""Sparsity of the Jacobian df/dx: diagonal blocks that are solved one after the other, columns that share a difference.

Strongly connected states make a block (Tarjan 1972); a block depends on those before it, so that factors of the
diagonal blocks suffice. Columns without a common row share a colour (Curtis, Powell and Reid 1974): finite differences
take one evaluation a colour. Rows and columns are bit masks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from .run_data import (
    BLOCK,
    BLOCKS,
    COLOUR,
    COLOURS,
    COLUMN,
    COUNTS,
    DECAYS,
    DIAGONAL,
    INSIDE,
    LEFT,
    LOW_RANK,
    MATRIX,
    ORDER,
    PLACE,
    SEEN,
    STRUCTURE_ROWS,
    SWEPT,
)


def bits(mask: int) -> Iterator[int]:
    """Numbers of the bits that are set."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def transposed(rows: Sequence[int]) -> list[int]:
    """Columns of a square pattern: bit i of column j is bit j of row i."""
    columns, equal = [0] * len(rows), dict[int, int]()
    for i, mask in enumerate(rows):
        equal[mask] = equal.get(mask, 0) | 1 << i
    for mask, members in equal.items():
        for j in bits(mask):
            columns[j] |= members
    return columns


def connected(needs: Sequence[int]) -> list[list[int]]:
    """Strongly connected states, in the order in which they can be solved; bit j of needs[i]: rate i depends on state
    j.

    States with equal rows that contain themselves are one node of the graph.
    """
    alike: dict[int, int] = {}
    leader = [alike.setdefault(mask, i) if mask >> i & 1 else i for i, mask in enumerate(needs)]
    members: dict[int, list[int]] = {}
    for i, first in enumerate(leader):
        members.setdefault(first, []).append(i)
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    found: list[list[int]] = []
    for root in members:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        path.append(root)
        on_path.add(root)
        stack = [(root, bits(needs[root]))]
        while stack:
            i, rest = stack[-1]
            j = next((leader[k] for k in rest), -1)
            if j >= 0:
                if j not in number:
                    number[j] = low[j] = len(number)
                    path.append(j)
                    on_path.add(j)
                    stack.append((j, bits(needs[j])))
                elif j in on_path:
                    low[i] = min(low[i], number[j])
                continue
            stack.pop()
            if stack:
                low[stack[-1][0]] = min(low[stack[-1][0]], low[i])
            if low[i] == number[i]:
                last = path.index(i)
                found.append(sorted(state for k in path[last:] for state in members[k]))
                on_path.difference_update(path[last:])
                del path[last:]
    return found


def coloured(columns: Sequence[int]) -> list[list[int]]:
    """Columns by colour, greedily; columns of one colour have no common row."""
    groups: list[list[int]] = []
    taken: list[int] = []
    after: dict[int, int] = {}  # an equal column has no colour before this one
    for j, column in enumerate(columns):
        first = after.get(column, 0)
        k = next((k for k in range(first, len(taken)) if not taken[k] & column), len(groups))
        after[column] = k + bool(column)
        if k == len(groups):
            groups.append([])
            taken.append(0)
        groups[k].append(j)
        taken[k] |= column
    return groups


def structure(
    needs: Sequence[int], states: int, swept: int = 0, low_rank: Sequence[int] = ()
) -> tuple[np.ndarray, np.ndarray]:
    """`Run.structure` and `Run.entry` for rates with these rows; energies make up the rest of `states`.

    Sweeps solve for the states in the mask `swept`; the others are in blocks, and no swept one depends on them. With
    `low_rank` no state is in a block: the columns of these states correct the solution.
    """
    inner = len(needs)
    own = [i for i in range(inner) if swept >> i & 1]
    others = [i for i in range(inner) if not swept >> i & 1]
    inside, behind = ([], others) if low_rank else (others, [])
    rest = restricted(needs, inside) if own else list(needs)
    columns = transposed(rest)
    blocks, groups = connected(rest), coloured(columns)
    if not own and inner < states and len(groups) + 1 >= inner:
        groups = [
            [j] for j in range(inner)
        ]  # rows of the energies, which depend on all states, are found with them
    arrays = np.zeros((STRUCTURE_ROWS, states + 7), np.int64)
    arrays[DECAYS] = -1
    seen_by_others = any(needs[i] & swept for i in inside)
    arrays[COUNTS, [BLOCKS, COLOURS, SWEPT]] = len(blocks), len(groups), (1 + seen_by_others) * bool(own)
    arrays[COUNTS, [DIAGONAL, LOW_RANK]] = len(inside) + len(own), len(low_rank)
    order = [*(inside[j] for block in blocks for j in block), *own, *behind, *range(inner, states)]
    arrays[ORDER, :states] = order
    arrays[PLACE, order] = np.arange(states)
    arrays[BLOCK, 1 : len(blocks) + 1] = np.cumsum([len(block) for block in blocks])
    arrays[COLOUR, 1 : len(groups) + 1] = np.cumsum([len(group) for group in groups])
    by_colour = [j for group in groups for j in group]
    arrays[COLUMN, : len(inside)] = [inside[j] for j in by_colour]
    arrays[COLUMN, : len(low_rank)] = low_rank or arrays[COLUMN, :0]
    block_of = {j: set(block) for block in blocks for j in block}
    # rates outside of the block, its own, the others of the block
    seen = [sorted(bits(columns[j]), key=lambda i, j=j: (i in block_of[j]) + (i != j)) for j in by_colour]
    arrays[SEEN, 1 : len(inside) + 1] = np.cumsum([len(rows) for rows in seen])
    outside = [sum(i not in block_of[j] for i in rows) for j, rows in zip(by_colour, seen, strict=True)]
    arrays[INSIDE, : len(inside)] = arrays[SEEN, : len(inside)] + np.array(outside, np.int64)
    left: list[list[int]] = []
    for block in blocks:
        mask = sum(1 << j for j in block)
        left += [[*bits(rest[i] & ~mask)] for i in block]
    arrays[LEFT, 1 : len(inside) + 1] = np.cumsum([len(before) for before in left])
    flat = [[inside[i] for numbers in lists for i in numbers] for lists in (seen, left)]
    placed = places_of_entries(blocks, left, by_colour, seen)
    entry = np.zeros((4, max(len(flat[0]), 1)), np.int64)
    for row, numbers in enumerate((*flat, *placed)):
        entry[row, : len(numbers)] = numbers
    # rows of the energies where every colour is one state; of a correction its factors and its columns
    energies = (states - inner) * (len(groups) == inner)
    height = max([*map(len, blocks), *(row + 1 for row in placed[0])], default=0)
    arrays[COUNTS, MATRIX] = 2 * len(low_rank) or height + energies
    return arrays, entry


def places_of_entries(
    blocks: Sequence[list[int]], left: Sequence[list[int]], columns: Sequence[int], seen: Sequence[list[int]]
) -> tuple[list[int], list[int]]:
    """Row and column of the storage of each entry: within its block, or left of it in row p, below it in column p."""
    block_of = {i: number for number, block in enumerate(blocks) for i in block}
    within = {i: k for block in blocks for k, i in enumerate(block)}
    place = {i: p for p, i in enumerate(i for block in blocks for i in block)}
    below = {(i, j): len(blocks[block_of[i]]) + k for i, p in place.items() for k, j in enumerate(left[p])}
    rows, across = [], []
    for j, rates in zip(columns, seen, strict=True):
        for i in rates:
            inside = block_of[i] == block_of[j]
            rows.append(within[i] if inside else below[i, j])
            across.append(place[j] if inside else place[i])
    return rows, across


def restricted(needs: Sequence[int], states: Sequence[int]) -> list[int]:
    """Pattern of these states among themselves, numbered in their order."""
    number = {state: k for k, state in enumerate(states)}
    mask = sum(1 << state for state in states)
    return [sum(1 << number[j] for j in bits(needs[i] & mask)) for i in states]
