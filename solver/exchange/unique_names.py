"""Names that a netlist takes, each once."""

from __future__ import annotations

import re

from ..netlist.section_structure import RESERVED


class UniqueNames:
    """Generator of valid names, each different from all before."""

    def __init__(self, *taken: str):
        self.taken = {*taken, *RESERVED}

    def take(self, wanted: str, suffix: str = "") -> str:
        """The wanted name made valid; if it is taken, with the suffix, then with a number."""
        name = valid_name(wanted)
        if name in self.taken and suffix:
            name = f"{name}_{suffix}"
        stem, count = name, 2
        while name in self.taken:
            name, count = f"{stem}_{count}", count + 1
        self.taken.add(name)
        return name


def valid_name(name: str) -> str:
    """Letters, digits and underscores, no digit first."""
    name = re.sub(r"\W+", "_", name, flags=re.ASCII) or "unnamed"
    return f"n{name}" if name[0].isdigit() else name


def printable_text(text: str) -> str:
    """Text on one line, for comments and terminals."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
