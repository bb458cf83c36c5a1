"""Long names that go on in the next line, where a label wraps at spaces alone."""

from __future__ import annotations

import re

BREAK = "\u200b"  # of no width


def breakable(text: str, letters: int, marks: str = "_") -> str:
    """Text that may break behind one of the marks, at a dot before a letter, and after so many letters in a row."""
    return re.sub(rf"([{marks}]|\.(?=[^\W\d])|[^\W_]{{{letters}}}(?=[^\W_]))", rf"\1{BREAK}", text)
