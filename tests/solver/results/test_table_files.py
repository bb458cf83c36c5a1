"""Tables of text as files: what LaTeX and Markdown would read as commands."""

from __future__ import annotations

from pathlib import Path

from luff.solver.results.table_files import TextTable


def test_a_row_that_begins_with_a_bracket_is_no_option_of_the_row_before(tmp_path: Path) -> None:
    r"""LaTeX takes `[...]` and `*` behind \\ as a length and a star, over the end of the line too."""
    table = TextTable([["name", "x"], ["a", "1"], ["[b]", "2 %"], ["*", "3"]], ["two\nlines"])
    text = table.save(tmp_path / "t.tex").read_text()
    assert text.splitlines()[4:8] == [r"\midrule", r"a & 1 \\", r"{}[b] & 2 \% \\", r"{}* & 3 \\"]
    assert text.endswith("% two lines\n")  # a comment to its end
