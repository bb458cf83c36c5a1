"""Tables of text as files: CSV, LaTeX (booktabs) and Markdown; the first row has the heads."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .result_files import atomic_replace

Table = Sequence[Sequence[str]]
# characters that LaTeX reads as commands
_TEX = {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    **{mark: "\\" + mark for mark in "&%$#_{}"},
}
_SPECIAL = re.compile("[" + re.escape("".join(_TEX)) + "]")


def table_text(rows: Table, suffix: str) -> str:
    """Text of a table in the format of a file's suffix."""
    return {".csv": csv_table, ".tex": tex_table, ".md": markdown_table}[suffix](rows)


def csv_table(rows: Table) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def tex_table(rows: Table) -> str:
    """`tabular` of the package booktabs: first column to the left, others to the right."""
    lines = [" & ".join(map(tex_escape, row)) + r" \\" for row in rows]
    # behind the end of a row these would be its options
    lines = ["{}" + line if line.startswith(("[", "*")) else line for line in lines]
    columns = "l" + "r" * (len(rows[0]) - 1)
    return "\n".join(
        [
            "% needs \\usepackage{booktabs}",
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            lines[0],
            r"\midrule",
            *lines[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )


def tex_escape(text: str) -> str:
    return _SPECIAL.sub(lambda found: _TEX[found[0]], " ".join(text.split()))


def markdown_table(rows: Table) -> str:
    return "".join(f"{line}\n" for line in markdown_lines(rows))


def markdown_lines(rows: Table) -> list[str]:
    """Lines of a Markdown table: first column to the left, others to the right."""
    lines = [rows[0], ["---", *("---:" for _ in rows[0][1:])], *rows[1:]]
    return [
        "| " + " | ".join(" ".join(cell.split()).replace("|", "\\|") for cell in line) + " |"
        for line in lines
    ]


@dataclass(frozen=True)
class TextTable:
    """Table of text, its first row the heads, and notes below it."""

    rows: Table
    notes: Sequence[str] = ()

    def lines(self) -> list[str]:
        """Lines in Markdown."""
        return [*markdown_lines(self.rows), *(line for note in self.notes for line in ("", note))]

    def save(self, path: Path) -> Path:
        """Write to .csv, .tex or .md; notes are comments of LaTeX, and no part of a CSV."""
        text = table_text(self.rows, path.suffix)
        if path.suffix == ".tex":
            text += "".join(f"% {' '.join(note.split())}\n" for note in self.notes)
        elif path.suffix == ".md":
            text = "\n".join([*self.lines(), ""])
        with atomic_replace(path, "the table") as part:
            part.write_text(text, encoding="utf-8")
        return path
