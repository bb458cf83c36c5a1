"""Operations that compiled tables hand to blocks outside of the model."""

from __future__ import annotations

from ...blocks.external import ExternalBlock
from ..machine.functions import Function


class Exchange(Function):
    """One of the two operations of a block; equal for equal blocks, so that a live parameter changes no structure."""

    def __init__(self, block: ExternalBlock, giving: bool):
        self.block, self.giving = block, giving
        self.label = f"{block.type_name} {'inputs' if giving else 'outputs'}"
        self.symbol = f"outside {block.name} {giving}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Exchange) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self.symbol)

    def __reduce__(self) -> tuple[object, ...]:
        return Exchange, (self.block, self.giving)

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.symbol, type(self.block), self.block.values
