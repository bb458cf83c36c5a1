"""Names that others have chosen, in a page of Markdown: as they stand, and neither as marks nor as HTML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from ..batch.simd_group import TOGETHER

_HTML = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# an underscore inside a word marks nothing; a bar that is escaped already is one of a table's
_MARKS = re.compile(r"[`*\[\]~]|(?<!\w)_|_(?!\w)|\\(?!\|)")


def escape_line(text: str) -> str:
    """A text on one line."""
    text = " ".join(text.split())
    text = re.sub(r"[&<>]", lambda match: _HTML[match[0]], text)
    return _MARKS.sub(lambda match: "\\" + match[0], text)


def escape_html(text: str) -> str:
    """A text that may be Markdown itself."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def lane_summary(counts: Mapping[str, int], what: str) -> list[str]:
    """Lines on how many runs were in lanes to their end, and how many were not for each reason; none without runs."""
    if not counts:
        return []
    together, all_ = counts.get(TOGETHER, 0), sum(counts.values())
    alone = Counter({why: count for why, count in counts.items() if why != TOGETHER})
    return [
        f"{together} of the {all_} {what} that ran for this report ran side by side in lanes.",
        *(f"{count}: {why}" for why, count in alone.most_common()),
    ]
