"""Filters of the templates of a report in HTML, which stands alone: no file or address beside it."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from ..studies import templates

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from matplotlib.figure import Figure

CODE = re.compile(r"`([^`]+)`")
POWER = re.compile(r"(?<=[a-z])\^([2-6])\b")  # of a unit
PRODUCT = re.compile(r"(?<=[Ngt])\*(?=m\b)")  # of moments: N*m, kg*m^2, t*m^2
POWERS = str.maketrans("23456", "\u00b2\u00b3\u2074\u2075\u2076")
SHORT, NO_BREAK = 11, "\N{NO-BREAK SPACE}"


@cache
def environment() -> Environment:
    folder = Path(__file__).with_name("templates")
    return templates.html(folder, code=code, svg=svg, telling=filled_columns, units=with_units)


def code(words: str) -> Markup:
    """Text in which what stands between backticks is code, as docs of blocks have it."""
    from markupsafe import Markup, escape

    return Markup(CODE.sub(r"<code>\1</code>", str(escape(words))))


def filled_columns(rows: Sequence[Sequence[str]]) -> list[int]:
    """Numbers of the columns in which a row below the heads says something; of all where none does."""
    return [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])] or [*range(len(rows[0]))]


def with_units(words: str) -> str:
    """Text of a cell with powers of units as such; a number stays beside its unit."""
    if len(words) <= SHORT:
        words = words.replace(" ", NO_BREAK)
    return POWER.sub(lambda power: power[1].translate(POWERS), PRODUCT.sub("\u00b7", words))


def svg(made: Figure) -> Markup:
    """A picture as SVG, whose text stays text."""
    import matplotlib
    from markupsafe import Markup

    drawing = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "luff", "svg.fonttype": "none"}):
        made.savefig(drawing, format="svg", metadata={"Date": None})
    text = drawing.getvalue()
    return Markup(text[text.index("<svg") :])
