"""Templates of reports, in `templates/` beside the module that fills them; all that is filled in is escaped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from .markdown_escape import escape_line

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = Path(__file__).with_name("templates")  # with what several reports have


class SafeMarkdown(str):
    """Markdown that luff has made, or escaped before: it is filled in as it stands."""


def html(folder: Path, **filters: Callable[..., object]) -> Environment:
    """Templates of HTML in a folder."""
    made = _environment(folder)
    made.filters |= filters
    return made


def markdown(folder: Path, template: str, /, **given: object) -> str:
    """A page of Markdown from a template in a folder."""
    made = _environment(folder, autoescape=False, finalize=_one_line)
    return made.get_template(template).render(given).rstrip() + "\n"


def _one_line(value: object) -> object:
    return escape_line(value) if isinstance(value, str) and not isinstance(value, SafeMarkdown) else value


def _environment(folder: Path, autoescape: bool = True, finalize: Callable | None = None) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader([folder, HERE]),
        autoescape=autoescape,
        finalize=finalize,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
