"""Notebooks as pages of the site: run when it is built, each cell with what it shows."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

FOLDER = Path(__file__).parent / "notebooks"


class Output(NamedTuple):
    """What a cell prints, and what its last expression shows: "svg", "html", "text" or nothing."""

    printed: str
    kind: str
    shown: str


def run(code: str, name: str, space: dict[str, Any]) -> Output:
    """Run a cell among the names of those before it."""
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, name, "exec"), space)
        value = (
            eval(compile(ast.Expression(last.value), name, "eval"), space)
            if isinstance(last, ast.Expr)
            else None
        )
    if value is None:
        return Output(printed.getvalue(), "", "")
    for kind in ("svg", "html"):
        show = getattr(value, f"_repr_{kind}_", None)
        text = show() if show is not None else None
        if text is not None:
            return Output(printed.getvalue(), kind, text)
    return Output(printed.getvalue(), "text", repr(value))


def outputs(path: Path) -> list[Output | None]:
    """Of each cell, run from the first to the last; None of one that is text."""
    space: dict[str, Any] = {}
    return [
        run("".join(cell["source"]), f"{path.name}, {cell['id']}", space)
        if cell["cell_type"] == "code"
        else None
        for cell in json.loads(path.read_text("utf-8"))["cells"]
    ]


def files() -> dict[str, str]:
    """The pages and their pictures, by path in the site."""
    made: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.ipynb")):
        with TemporaryDirectory() as folder, _inside(folder):
            told = outputs(path)
        text = []
        cells = json.loads(path.read_text("utf-8"))["cells"]
        for number, (cell, output) in enumerate(zip(cells, told, strict=True)):
            source = "".join(cell["source"])
            if output is None:
                text.append(source)
                continue
            text.append(f"```python\n{source}\n```")
            if output.printed:
                text.append(f"```text\n{output.printed.rstrip()}\n```")
            if output.kind == "svg":
                picture = f"{path.stem}-{number}.svg"
                made[f"notebooks/{picture}"] = output.shown
                text.append(f"![What the cell shows]({picture})")
            elif output.kind:
                text.append(output.shown if output.kind == "html" else f"```text\n{output.shown}\n```")
        text.append(f"[This page as a notebook]({path.name})")
        made[f"notebooks/{path.stem}.md"] = "\n\n".join(text) + "\n"
    return made


@contextlib.contextmanager
def _inside(folder: str):
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
