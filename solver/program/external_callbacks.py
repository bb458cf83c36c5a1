"""Operations of external blocks in compiled tables: in runs, and in analyses."""

from __future__ import annotations

from ...blocks.external_block import ContinuousBlock, ExternalBlock
from ..codegen.source_functions import Function


class ExternalExchange(Function):
    """One of the two exchange operations of an external block; equal for equal blocks, so that a parameter keeps the
    structure.
    """

    def __init__(self, block: ExternalBlock, giving: bool):
        self.block, self.giving = block, giving
        self.label = f"{block.type_name} {'inputs' if giving else 'outputs'}"
        self.symbol = f"outside {block.name} {giving}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExternalExchange) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self.symbol)

    def __reduce__(self) -> tuple[object, ...]:
        return ExternalExchange, (self.block, self.giving)

    @property
    def _identity(self) -> tuple[object, ...]:
        """Symbol, class and values of the block."""
        return self.symbol, type(self.block), self.block.values


class ExternalEvaluation(Function):
    """Rates of a block with external states (`rows` of its answers), or outputs, some of them without feed-through."""

    def __init__(self, block: ContinuousBlock, rows: tuple[int, ...]):
        self.block, self.rows = block, rows
        self.label = f"{block.name} outside"
        self.symbol = f"outside {block.name} {rows}"

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return hash(self.symbol)
