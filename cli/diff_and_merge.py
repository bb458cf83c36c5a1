"""`luff diff` and `luff merge`: differences of netlists, and three-way merge."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .console import byte_output, plain, print_json, print_line, reporting, warn
from .model_options import CommandOptions, open_netlist
from .project_commands import window_module
from .run_outputs import check_file
from .shared_options import AllowFiles, argument, option

if TYPE_CHECKING:
    from ..solver.diagram.netlist_diff import Comparison
    from ..solver.flatten.diagram import Diagram

PICTURES = (".html", ".svg", ".txt", ".json")


def diff(
    options: CommandOptions,
    first: Annotated[Path, argument("A netlist.")],
    second: Annotated[Path, argument("The same, changed.")],
    output: Annotated[
        Path | None, option("--output", "-o", help=f"File to write: {', '.join(PICTURES)}.")
    ] = None,
    window: Annotated[
        bool, typer.Option("--window", "-w", help="Show both side by side in a window.")
    ] = False,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="End with 1 if something differs, as `git diff` does.")
    ] = False,
    allow_files: AllowFiles = None,
) -> None:
    """Say what differs between two netlists: blocks, values, wires, settings; apart from these what only moved."""
    from ..solver.diagram.netlist_diff import compare_netlists

    if output is not None:
        check_file(output, PICTURES)
    a, b = open_netlist(first, False, allow_files), open_netlist(second, False, allow_files)
    comparison = compare_netlists(a, b)
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    words = "\n".join(comparison.lines())
    if options.json:
        print_json(comparison.record())
    elif not options.quiet:
        print(words or "nothing differs")
    if output is not None:
        _write(output, a, b, comparison, names)
        if not options.silent:
            print_line(f"wrote {output}")
    if window:
        shown = window_module("luff diff --window", "-o review.html needs none")
        shown.compare(a, b, names)
    if exit_code and comparison:
        raise typer.Exit(1)


def _write(output: Path, a: Diagram, b: Diagram, comparison: Comparison, names: tuple[str, str]) -> None:
    from ..gui.drawing.diff_drawing import page, side_by_side
    from ..solver.results.result_files import atomic_replace

    if output.suffix == ".html":
        text = page(a, b, comparison, names)
    elif output.suffix == ".svg":
        text = side_by_side(a, b, comparison, names).svg + "\n"
    elif output.suffix == ".json":
        text = dumps(plain(comparison.record()), indent=2, ensure_ascii=False) + "\n"
    else:
        text = "".join(f"{line}\n" for line in comparison.lines())
    with atomic_replace(output, "the comparison") as part:
        part.write_text(text, encoding="utf-8")


def merge(
    base: Annotated[Path, argument("The common base of both netlists.")],
    ours: Annotated[Path, argument("One that was changed; its text and order are kept.")],
    theirs: Annotated[Path, argument("The other one.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; without it the text goes to standard output."),
    ] = None,
    allow_files: AllowFiles = None,
) -> None:
    """Make one netlist of two that grew out of the same: comments are kept, and what both changed is told.

    Ends with 1 where both changed the same entry differently (a comment above it says how, and the entry stays as in
    OURS) or where the whole has mistakes that neither had. As a driver for git: `luff merge %O %A %B -o %A`.
    """
    from ..blocks.text.atomic_write import write_whole
    from ..solver.diagram.three_way_merge import merge_netlists as merged_of
    from ..solver.flatten.diagram import Diagram

    with reporting():
        sides = [open_netlist(path, False, allow_files) for path in (base, ours, theirs)]
        known = {problem.message for side in sides[1:] for problem in side.check()}
        merged = merged_of(*sides)
        text = merged.marked()
        if output is None:
            byte_output().write(text)
        else:
            write_whole(output, text)
        whole = Diagram.from_yaml(text, str(output or "merged"), sides[1].base, files=allow_files or ())
        wrong = [problem for problem in whole.check() if problem.severity == "error"]
        new = [problem for problem in wrong if problem.message not in known]
    for conflict in merged.conflicts:
        print_line(f"conflict in {conflict}")
    warn(new)
    if merged.conflicts or new:
        raise typer.Exit(1)
