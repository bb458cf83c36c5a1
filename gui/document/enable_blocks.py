"""Enable and disable blocks with their wires (`enabled: false`)."""

from __future__ import annotations

from collections.abc import Sequence

from ...solver.diagram.enabled import KEY, is_enabled
from .document import Document


def toggle_enabled(document: Document, names: Sequence[str]) -> None:
    """Disable the blocks, or enable them if all are disabled already."""
    enabled = [name for name in names if is_enabled(document.diagram.blocks.get(name))]
    with document.step("take out of effect" if enabled else "take into effect"):
        for name in enabled or names:
            if enabled:
                document.set_value(f"{name}.{KEY}", False)
            else:
                document.unset_value(f"{name}.{KEY}")
