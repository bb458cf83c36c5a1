"""Choice of the editor for a kind of parameter."""

from __future__ import annotations

from ...blocks.direction_params import AXES
from ...blocks.params import Param
from .parameter_editors import ChoiceEditor, Editor, FlagEditor, LineEditor
from .vector_editors import EntriesEditor, InertiaEditor, VectorEditor


def editor_for(param: Param, key: str) -> Editor:
    """Editor for a kind of parameter; a line editor if there is no special one."""
    options: tuple[Param, ...] = getattr(param, "options", ())
    choices: list[str] = list(getattr(param, "choices", ()))
    if param.kind == "flag":
        return FlagEditor(param)
    if param.kind == "choice":
        return ChoiceEditor(param, choices, key=key)
    if param.kind == "axis":
        return ChoiceEditor(param, list(AXES), free=True)
    if param.kind == "either":
        words: list[str] = [word for option in options for word in getattr(option, "choices", ())]
        return ChoiceEditor(param, words, free=True)
    if param.entries and param.shape == (None,):
        return InertiaEditor(param)
    if param.kind == "number" and len(param.shape) == 1 and param.shape[0] in (2, 3, 4):
        return VectorEditor(param, int(param.shape[0]))
    if param.kind == "number" and param.entries_beside({}):
        return EntriesEditor(param)
    return LineEditor(param)
