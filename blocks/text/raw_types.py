"""Raw data: what YAML says, before parameters and sections give it a meaning."""

from __future__ import annotations

from typing import TypeAlias

Raw: TypeAlias = "bool | int | float | str | list[Raw] | dict[str, Raw] | None"
RawMap: TypeAlias = "dict[str, Raw]"


def shown_value(raw: object) -> str:
    """Raw value as text for a message."""
    words = {True: "true", False: "false", None: "nothing"}
    plain = words.get(raw) if raw is None or isinstance(raw, bool) else None
    text = plain or (repr(raw) if isinstance(raw, str) else str(raw))
    return text if len(text) <= 60 else text[:57] + "..."
