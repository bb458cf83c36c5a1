"""`luff check`, `info` and `compile`: netlists without running them."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..blocks.errors import LuffError, MissingFileError, Problem, in_order
from .console import duration, print_json, print_line, problem_records, warn
from .model_options import PIPE, CommandOptions, ModelOptions, open_netlist
from .shared_options import AllowCode, AllowFiles, argument

if TYPE_CHECKING:
    from ..solver.analysis.model_report import AdviceReport, Description, RunReport, TouchReport

SHOWN = 24  # lines of a list; --all shows more


def check(
    options: CommandOptions,
    files: Annotated[list[Path], argument("Netlists; - is one from a pipe.")],
    allow_code: AllowCode = False,
    allow_files: AllowFiles = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Put right misspelt words that can mean one thing only.")
    ] = False,
) -> None:
    """Tell every mistake of one or more netlists; with --allow-code those in the functions of their blocks too."""
    problems: list[Problem] = []
    repaired: list[Problem] = []
    code = 1
    for file in files:
        mended: list[Problem] = []
        try:
            if fix:
                mended = write_repaired(file, allow_code, allow_files)
                repaired += [*mended]
            problems_here = netlist_problems(file, allow_code, allow_files)
        except MissingFileError as error:
            problems_here, code = error.problems, error.exit_code
        problems += problems_here
        if options.json:
            continue
        for problem in [] if options.quiet else mended:
            print_line(f"fixed: {problem}")
        warn(problems_here)
        if not options.quiet and not any(problem.severity == "error" for problem in problems_here):
            print(f"{file}: fine")
    wrong = any(problem.severity == "error" for problem in problems)
    if options.json:
        fixed = {"fixed": problem_records(repaired)} if fix else {}
        status = "error" if wrong else "fine"
        print_json({"status": status, "problems": problem_records(problems), **fixed})
    if wrong:
        raise typer.Exit(code)


def write_repaired(file: Path, allow_code: bool, files: Sequence[Path] | None) -> list[Problem]:
    """Write a netlist with its certain repairs; returns the problems that went."""
    from ..blocks.errors import NetlistError
    from ..blocks.text.atomic_write import write_whole
    from ..solver.diagram.spelling_repair import Findings, repair_all
    from ..solver.flatten.diagram import check_text
    from ..solver.netlist import read_text

    if str(file) == PIPE:
        raise NetlistError("a netlist from a pipe has no file to write", fix="give --fix the name of a file")

    def check(text: str) -> Findings:
        return check_text(text, str(file), file.resolve().parent, allow_code, files or (), file)

    text, gone = repair_all(read_text(file), check)
    if gone:
        write_whole(file, text)
    return gone


def netlist_problems(file: Path, allow_code: bool, files: Sequence[Path] | None) -> list[Problem]:
    """Errors and warnings of a netlist; a composite may leave its ports open."""
    try:
        diagram = open_netlist(file, allow_code, files)
        if diagram.ports:
            return diagram.check()
        from ..solver.flatten.flatten import unit_problems
        from ..solver.simulation.block_compile_errors import compile_errors
        from ..solver.simulation.simulation import Simulation

        sim = Simulation(diagram)
        return [*in_order([*sim.remarks, *unit_problems(diagram)]), *compile_errors(sim.program)]
    except MissingFileError:
        raise
    except LuffError as error:
        return error.problems


def info(
    options: ModelOptions,
    all_: Annotated[bool, typer.Option("--all", help="List every state and signal.")] = False,
) -> None:
    """Say what a netlist is: counts, states, tree, signals."""
    from ..solver.analysis.model_report import describe

    sim = options.simulation()
    warnings = sim.remarks
    description = describe(sim)
    if options.json:
        print_json({"status": "fine", **description, "warnings": problem_records(warnings)})
        return
    warn(warnings)
    for line in () if options.quiet else info_lines(description, all_):
        print(line)


def info_lines(description: Description, everything: bool) -> list[str]:
    run = description["simulation"]
    counts = ("blocks", "bodies", "states", "signals")
    lines = [description["name"] or "(no name)"]
    lines += [f"  {line}" for line in description["doc"].strip().splitlines()]
    lines += ["", *(f"{name.replace('_', ' '):20} {description[name]}" for name in counts)]
    lines.append(
        f"{'degrees of freedom':20} {description['degrees_of_freedom']} of {description['coordinates']} coordinates"
    )
    lines.append(f"{'constraints':20} {description['constraints']}")
    lines += [f"{'  redundant':20} {words}" for words in description["redundant"]]
    if description["internal"]:
        lines.append(f"{'internal dynamics':20} {', '.join(description['internal'])}")
    lines += [f"{'run':20} {run['stop']:g} s, {run['method']}, step {run['step']:g} s"]
    if run["method"] == "implicit":
        lines.append(f"{'implicit steps':20} {description['implicit_steps']}")
    lines.append("")
    advice = advice_lines(description["advice"], run)
    lines += [*advice, ""] if advice else []
    if description["tree"]:
        lines += ["tree", *(f"  {line}" for line in description["tree"]), ""]
    states = [
        f"{one['name']} = {one['initial']:g} {one['unit']}".rstrip() for one in description["state_list"]
    ]
    signals = [
        f"{one['name']} [{one['unit']}]" if one["unit"] else one["name"] for one in description["signal_list"]
    ]
    return [
        *lines,
        *program_lines("states at the start", states, everything),
        "",
        *program_lines("signals", signals, everything),
    ]


ACCURACY = 0.01  # of bending frequencies, below which advice on a link is silent


def advice_lines(advice: AdviceReport, run: RunReport) -> list[str]:
    """Advice lines on the step and on divisions of flexible links, from the eigenvalues about the initial state."""
    lines = []
    if advice["frequency"] > 0.0:
        hertz = advice["frequency"] / (2.0 * math.pi)
        lines.append(f"{'fastest oscillation':20} {hertz:.3g} Hz, mostly {advice['frequency_state']}")
    longest = advice["largest_rk4_step"]
    if longest is not None:
        note = ""
        if run["method"] == "rk4" and run["step"] > longest:
            note = f"; the step of {run['step']:g} s is too long: shorten it, or use method: implicit"
        lines.append(f"{'largest RK4 step':20} {longest:.3g} s, because of {advice['fastest_state']}{note}")
    for name, touch in advice["touches"].items():
        lines.append(f"{name + ', touching':20} {touching_words(touch)}")
    for name, link in advice["links"].items():
        lines.append(
            f"{name + ', divisions':20} {link['divisions']} put its second bending frequency off by "
            f"{100.0 * link['error']:.2g} % when clamped at one end; {link['enough']} are enough for 1 %"
        )
        shear = link["shear"]
        if shear is not None and shear > ACCURACY:
            least = "" if link["shear_known"] else "at least "
            fix = "" if link["shear_known"] else ", with shear_y and shear_z in its section"
            lines.append(
                f"{name + ', shear':20} left out: a bending frequency of its first two is {least}"
                f"{100.0 * shear / (1.0 - shear):.2g} % too high; `shear: true`{fix} takes it in"
            )
        if link["ratios"]:
            ratios = ", ".join(f"{100.0 * ratio:.2g}" for ratio in link["ratios"])
            lines.append(
                f"{name + ', damping':20} {ratios} % of critical in its first bending modes: it grows with the "
                "frequency; `damping: {ratio: [...]}` sets each"
            )
    return lines


def touching_words(touch: TouchReport) -> str:
    """Stiffest contact of a `touch`: how long an impact takes, the step that it allows, the speed that it bears."""
    if not touch["rate"] > 0.0:
        return "nothing of it moves"
    of = f" of {touch['pair']}" if touch["pair"] else ""
    words = f"an impact at the stiffest corner{of} takes {math.pi / touch['rate']:.3g} s"
    if touch["largest_rk4_step"] is not None:
        words += (
            f", rk4 is stable up to {touch['largest_rk4_step']:.3g} s at any depth within the roundings, up to"
            f" {touch['light_rk4_step']:.3g} s in light contact, on at most {touch['others']} others"
        )
    if touch["speed"] is not None:
        words += f"; from {touch['speed']:.3g} m/s on a hit goes deeper than the roundings"
    return words


def program_lines(title: str, entries: list[str], everything: bool) -> list[str]:
    shown = entries if everything else entries[:SHOWN]
    rest = len(entries) - len(shown)
    return [title, *(f"  {entry}" for entry in shown), *([f"  and {rest} more (--all)"] if rest else [])]


def compile_(
    options: ModelOptions,
    show: Annotated[bool, typer.Option("--show", help="Print the tables of operations.")] = False,
) -> None:
    """Compile what a netlist needs into the cache, or print the tables of operations that it becomes."""
    if show:
        from ..solver.program.program_listing import program_lines

        tables = program_lines(options.described())
        if options.json:
            print_json({"status": "fine", "tables": tables.splitlines()})
        else:
            print(tables)
        return
    sim = options.simulation()
    from .console import show_compiling

    show_compiling(options.silent)
    began = time.perf_counter()
    _ = sim.instance
    spent = time.perf_counter() - began
    if options.json:
        print_json({"status": "fine", "seconds": spent, "warnings": problem_records(sim.remarks)})
    elif not options.quiet:
        print_line(f"ready in {duration(spent)}")
