"""The page of keys and gestures, from the tables that the window's menus are made of: `python -m luff.docs.keys`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from luff.gui.window.actions import ALIASES, INNER, MENUS, Spec
from luff.gui.window.help_dialogs import GESTURES

PAGE = Path(__file__).with_name("keys.md")
HEAD = """# Keys and gestures

Every function of the window can be reached by keyboard. *Help, Keys and Gestures* (?) shows this list.
Ctrl+Shift+P finds any action and any block by a few letters.
"""


def page() -> str:
    text = HEAD + table("On the canvas", ("key or gesture", "what it does"), GESTURES)
    for title, entries in MENUS.items():
        rows = []
        for spec in filter(None, entries):
            rows += [row(spec)] + [row(inner, f"{plain(spec)}, ") for inner in INNER.get(spec.key, ())]
        text += table(f"Menu {title.replace('&', '')}", ("entry", "key", "what it does"), rows)
    return text


def row(spec: Spec, before: str = "") -> tuple[str, str, str]:
    keys = [spec.shortcut, *ALIASES.get(spec.key, [])] if spec.shortcut else []
    return before + plain(spec), " or ".join(keys), spec.tip


def plain(spec: Spec) -> str:
    return spec.text.replace("&", "").removesuffix("...")


def table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [f"\n## {title}\n", f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
