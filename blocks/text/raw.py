"""Raw data: what YAML says, before parameters and sections give it a meaning."""

from __future__ import annotations

from typing import TypeAlias

Raw: TypeAlias = "bool | int | float | str | list[Raw] | dict[str, Raw] | None"
RawMap: TypeAlias = "dict[str, Raw]"
