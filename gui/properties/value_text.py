"""Raw values as one line of netlist text, and back. Pure Python: no Qt."""

from __future__ import annotations

from ...blocks import LuffError
from ...blocks.params import REQUIRED, Param, Scope
from ...blocks.text.raw_types import Raw
from ...solver.netlist import read_value
from ...solver.netlist.yaml_writer import flow
from ..theme.number_format import number_text


def to_text(raw: object) -> str:
    if raw is None:
        return ""
    if isinstance(raw, str):
        return raw
    if isinstance(raw, float):
        return number_text(raw)
    if isinstance(raw, tuple | list) and raw and all(type(item) in (int, float) for item in raw):
        return f"[{', '.join(to_text(item) for item in raw)}]"
    return flow(untupled(raw) if isinstance(raw, tuple) else raw)


def untupled(raw: object) -> object:
    return [untupled(item) for item in raw] if isinstance(raw, tuple | list) else raw


def from_text(text: str) -> Raw:
    """Raw value of a text; None for an empty one. Raises LuffError for an invalid text."""
    text = text.strip()
    if not text:
        return None
    if text.startswith(("=", "#", "&", "*", "!", "|", ">", "%", "@", "`")):
        return text
    return read_value(text)


def default_text(param: Param) -> str:
    if param.required:
        return "required"
    if param.default is None or param.default is REQUIRED:
        return "not set"
    return to_text(param.default) if not isinstance(param.default, dict) else ""


def mistake(param: Param, raw: object, scope: Scope, path: str) -> str:
    """Error message that the netlist gives for a raw value; empty if valid."""
    if raw is None:
        return ""
    try:
        param.convert(raw, scope, path)
    except LuffError as error:
        problem = error.problems[0]
        return problem.message + (f" ({problem.fix})" if problem.fix else "")
    return ""
