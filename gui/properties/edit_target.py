"""Edit target of a property row: a block's entry, or a section of the document."""

from __future__ import annotations

import copy

from ...blocks.text.raw_types import Raw, RawMap
from ..document import statechart_edits
from ..document.document import Document
from ..document.undo_commands import Unset


class EditTarget:
    """Values by nested keys, as `("friction", "mu_s")`"""

    def __init__(self, document: Document, name: str):
        self.document, self.name = document, name

    def path(self, keys: tuple[str, ...]) -> str:
        return ".".join((self.name, *keys))

    def get(self, keys: tuple[str, ...]) -> Raw:
        return self.document.diagram.value(self.path(keys))

    def differs(self, keys: tuple[str, ...]) -> bool:
        """True if the selected blocks have different values."""
        return False

    def scrub(self, keys: tuple[str, ...], raw: Raw, merge: int) -> None:
        """Set a value like `put`; all steps of one drag become one undo step."""
        self.document.set_value(self.path(keys), raw, merge)

    def put(self, keys: tuple[str, ...], raw: Raw | Unset) -> None:
        if isinstance(raw, Unset):
            self.document.unset_value(self.path(keys))
        elif keys == ("states",) and (names := statechart_edits.renaming(self.get(keys), raw)):
            statechart_edits.rename_state(self.document, self.name, *names)
        else:
            self.document.set_value(self.path(keys), raw)


class MultiTarget(EditTarget):
    """Edit target of several blocks: it shows a common value and writes to all in one undo step."""

    def __init__(self, document: Document, names: tuple[str, ...]):
        super().__init__(document, names[0])
        self.each = [EditTarget(document, name) for name in names]

    def get(self, keys: tuple[str, ...]) -> Raw:
        return None if self.differs(keys) else self.each[0].get(keys)

    def differs(self, keys: tuple[str, ...]) -> bool:
        first, *others = (target.get(keys) for target in self.each)
        return any(raw != first for raw in others)

    def put(self, keys: tuple[str, ...], raw: Raw | Unset) -> None:
        with self.document.step(f"{keys[-1]} of {len(self.each)} blocks"):
            for target in self.each:
                target.put(keys, raw)


class SectionTarget(EditTarget):
    """Edit target of a top-level section, such as `simulation`, which is written as a whole."""

    def get(self, keys: tuple[str, ...]) -> Raw:
        raw = self.document.diagram.data.get(self.name)
        for key in keys:
            raw = raw.get(key) if isinstance(raw, dict) else None
        return copy.deepcopy(raw)

    def put(self, keys: tuple[str, ...], raw: Raw | Unset) -> None:
        section = copy.deepcopy(self.document.diagram.data.get(self.name))
        if not keys:
            section = None if isinstance(raw, Unset) else raw
        else:
            section = section if isinstance(section, dict) else {}
            _put(section, keys, raw)
        self.document.set_section(self.name, section if section or not keys else None)


def _put(holder: RawMap, keys: tuple[str, ...], raw: Raw | Unset) -> None:
    key, *rest = keys
    if not rest:
        if isinstance(raw, Unset):
            holder.pop(key, None)
        else:
            holder[key] = raw
        return
    inner = holder.setdefault(key, {})
    if isinstance(inner, dict):
        _put(inner, tuple(rest), raw)
        if not inner:
            holder.pop(key)
