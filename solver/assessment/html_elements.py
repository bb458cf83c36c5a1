"""Pieces of a report in HTML, which stands alone: no file or address beside it."""

from __future__ import annotations

import html
import io
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure

STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1d2733; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid #d8dee6; }
table { border-collapse: collapse; margin: .8rem 0; font-variant-numeric: tabular-nums; }
th, td { border: 1px solid #d8dee6; padding: .25rem .6rem; text-align: left; vertical-align: top; }
.long td { overflow-wrap: anywhere; } code { font-size: 90%; }
th { background: #f2f5f9; } .fails { color: #a4161a; font-weight: 600; } .holds { color: #1b6b3a; font-weight: 600; }
pre { background: #f6f8fa; padding: .7rem; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
figure { margin: 1rem 0; } figcaption, .note { color: #5a6675; } svg { max-width: 100%; height: auto; }
@page { size: A4; margin: 16mm 14mm 18mm;
  @bottom-right { content: counter(page) " / " counter(pages); font: 9pt sans-serif; } }
@media print {
  body { margin: 0; padding: 0; max-width: none; font-size: 10pt; } pre { font-size: 8pt; }
  table { font-size: 8.5pt; } th, td { padding: .15rem .4rem; } figcaption, .note { font-size: 9pt; }
  h2, h3 { break-after: avoid; } figure, tr { break-inside: avoid; } thead { display: table-header-group; }
  p + table, p:has(+ table), p:has(+ pre) { break-before: avoid; break-after: avoid; }
  .annex { break-before: page; }
}
"""
CODE = re.compile(r"`([^`]+)`")
POWER = re.compile(r"(?<=[a-z])\^([2-6])\b")  # of a unit
PRODUCT = re.compile(r"(?<=[Ngt])\*(?=m\b)")  # of moments: N*m, kg*m^2, t*m^2
POWERS = str.maketrans("23456", "\u00b2\u00b3\u2074\u2075\u2076")
SHORT, NO_BREAK = 11, "\N{NO-BREAK SPACE}"
VERDICTS = {"holds": " class='holds'", "FAILS": " class='fails'"}


def text(words: str) -> str:
    return html.escape(words)


def paragraph(words: str, kind: str = "") -> str:
    """Paragraph; text between backticks is code."""
    inside = CODE.sub(r"<code>\1</code>", text(words))
    return f"<p class='{kind}'>{inside}</p>" if kind else f"<p>{inside}</p>"


def bullets(lines: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{text(line)}</li>" for line in lines) + "</ul>"


def table(rows: Sequence[Sequence[str]], kind: str = "") -> str:
    """The first row is that of heads; columns that say nothing are left out. `long` words of a kind may be parted."""
    columns = [k for k in range(len(rows[0])) if any(row[k] for row in rows[1:])] or [*range(len(rows[0]))]
    heads = "".join(f"<th>{text(rows[0][k])}</th>" for k in columns)
    body = "".join("<tr>" + "".join(_cell(row[k]) for k in columns) + "</tr>" for row in rows[1:])
    top = f"<thead><tr>{heads}</tr></thead>" if any(rows[0]) else ""
    return f"<table class='{kind}'>{top}<tbody>{body}</tbody></table>"


def _cell(words: str) -> str:
    if len(words) <= SHORT:  # a number stays beside its unit
        words = words.replace(" ", NO_BREAK)
    words = POWER.sub(lambda power: power[1].translate(POWERS), PRODUCT.sub("\u00b7", words))
    return f"<td{VERDICTS.get(words, '')}>{text(words)}</td>"


def figure(made: Figure, caption: str) -> str:
    """A picture as SVG, whose text stays text."""
    import matplotlib

    drawing = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "luff", "svg.fonttype": "none"}):
        made.savefig(drawing, format="svg", metadata={"Date": None})
    svg = drawing.getvalue()
    return f"<figure>{svg[svg.index('<svg') :]}<figcaption>{text(caption)}</figcaption></figure>"
