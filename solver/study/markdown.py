"""Names that others have chosen, in a page of Markdown: as they stand, and neither as marks nor as HTML."""

from __future__ import annotations

import re

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# an underscore inside a word marks nothing; a bar that is escaped already is one of a table's
_MARKS = re.compile(r"[`*\[\]~]|(?<!\w)_|_(?!\w)|\\(?!\|)")


def plain(text: str) -> str:
    """A text on one line."""
    text = " ".join(text.split())
    text = re.sub(r"[&<>]", lambda match: _HTML[match[0]], text)
    return _MARKS.sub(lambda match: "\\" + match[0], text)


def without_html(text: str) -> str:
    """A text that may be Markdown itself."""
    return text.replace("&", "&amp;").replace("<", "&lt;")
