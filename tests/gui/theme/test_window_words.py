"""The window names menu entries, not commands: each message that names a command is walked."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

import luff
from luff.blocks.errors import Problem
from luff.cli.app import app
from luff.gui.properties.value_text import sentence_of
from luff.gui.theme.window_words import in_window
from luff.gui.window.analyses.folded_notes import FoldedNotes
from luff.gui.window.docks.problems_dock import ProblemList

ROOT = Path(luff.__file__).parent
COMMANDS = {
    command.name or command.callback.__name__.rstrip("_")
    for command in app.registered_commands
    if command.callback is not None
}
# no menu does what they do, and what speaks of them is the terminal's or an author's
TERMINAL = {
    "reduce",
    "lqr",
    "kalman",
    "invert",
    "warmup",
    "schema",
    "blocks",
    "compile",
    "merge",
    "mcp",
    "tornado",
}


def texts(folder: str) -> Iterator[tuple[Path, str]]:
    """Texts in code, docstrings left out."""
    for path in sorted((ROOT / folder).rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
                yield path, node.value


def commands_in(text: str) -> set[str]:
    words = text.replace("`", " ").split()
    return {b.strip(",.;:)") for a, b in itertools.pairwise(words) if a == "luff"} & COMMANDS


@pytest.mark.parametrize("folder", ["solver", "blocks"])
def test_no_message_names_a_command_in_the_window(folder: str) -> None:
    named = [text for _, text in texts(folder) if commands_in(text)]
    assert named, "the walk finds none"
    assert {text for text in named if commands_in(in_window(text)) - TERMINAL} == set()


def test_texts_of_the_window_name_no_command() -> None:
    """But for the name of a thread, and for what is written where there is no window."""
    apart = {ROOT / "gui" / name for name in ("app.py", "run/run_thread.py", "window/compile_status.py")}
    found = [text for path, text in texts("gui") if commands_in(text) and path not in apart]
    assert found == ["luff study (*.yaml *.yml);;All files (*)"]  # the name of a kind of file


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("check the bounds with luff run --set", "check the bounds with Run"),
        ("start from other positions (`guess`), or hold", "start from other positions (guess), or hold"),
        ("a file of `luff optimise`", "a file of Study, Optimise"),
        ("run it with `luff study cranes.yaml`", "run it with Study, Open Study"),
        ("luff static tells just below", "Analyse, Static tells just below"),
        ("a CSV that luff wrote", "a CSV that luff wrote"),
        ("luff running away", "luff running away"),
    ],
)
def test_commands_are_menu_entries_and_names_stand_alone(text: str, shown: str) -> None:
    assert in_window(text) == shown


def test_problems_and_notes_are_shown_in_words_of_the_window(qtbot) -> None:
    problems, notes = ProblemList(), FoldedNotes()
    for widget in (problems, notes):
        qtbot.addWidget(widget)
    problem = Problem("no joint leads to it", "a", "put a `free` joint, see `luff static`")
    problems.show_problems([problem])
    item = problems.tree.topLevelItem(0)
    assert item is not None
    assert item.text(2) == "put a free joint, see Analyse, Static"
    assert "`" not in item.toolTip(0)
    notes.show_notes(["`luff static` tells more"])
    assert notes.first.text() == "Analyse, Static tells more"
    assert sentence_of(problem) == "no joint leads to it (put a free joint, see Analyse, Static)"
