"""Words of commands and scripts in words of the window: `luff static` is *Analyse, Static*, and back-ticks go."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ...blocks.errors import Problem
from .number_format import units_in_print

# menu entries by command; those that have none are in a terminal
MENUS = {
    "run": "Run", "static": "Analyse, Static", "modes": "Analyse, Modes", "linearize": "Analyse, Linearise",
    "linearise": "Analyse, Linearise", "bode": "Analyse, Frequency Response", "margins": "Analyse, Margins",
    "locus": "Analyse, Root Locus", "buckling": "Analyse, Buckling", "assess": "Analyse, Assess",
    "chart": "Analyse, Load Chart", "study": "Study, Open Study", "plan": "Study, Plan", "fit": "Study, Fit",
    "optimise": "Study, Optimise", "optimize": "Study, Optimise", "plot": "File, Open Result",
    "animate": "File, Export, Animation", "import": "File, Import", "export": "File, Export",
    "diff": "File, Compare", "check": "the panel Problems", "new": "File, New", "gui": "the window",
}  # fmt: skip
WHOLE = re.compile(r"`luff ({})\b[^`]*`".format("|".join(MENUS)))  # with all that stands behind it
COMMAND = re.compile(r"\bluff ({})\b((?: --?[a-z]+(?: [A-Z]\w*(?:\.\w+)?)?)*)".format("|".join(MENUS)))
QUOTED = re.compile(r"`([^`]*)`")


def in_window(text: str) -> str:
    """Message in which commands are menu entries, names stand without back-ticks, and units are in print."""
    for command in (WHOLE, COMMAND):
        text = command.sub(lambda found: MENUS[found[1]], text)
    return units_in_print(QUOTED.sub(r"\1", text))


def placed(problem: Problem) -> Problem:
    """Problem without its place where that is in no file, as of a diagram that is not saved."""
    mark = problem.mark
    return problem if mark is None or Path(mark.file).is_file() else replace(problem, mark=None)
