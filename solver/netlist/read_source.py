"""Sources of sections: a YAML file, or a mapping from a script."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from pathlib import Path

import numpy as np
import yaml

from ...blocks.errors import NetlistError, in_order
from .library_paths import library_path
from .syntax_nodes import Document
from .yaml_reader import read_netlist, read_whole

Given = str | PathLike[str] | Mapping[str, object]


def document_of(source: Given, kind: str) -> tuple[Document, Path]:
    """The document, and the file that it is: of a mapping one in the current folder that need not be there."""
    if not isinstance(source, Mapping):
        path = library_path(fspath(source))
        return read_whole(path), path
    plain = {"luff": 1} | {key: _plain(value) for key, value in source.items()}
    text = yaml.safe_dump(plain, sort_keys=False, allow_unicode=True)
    document = read_netlist(text, f"<{kind}>")
    if document.problems:
        raise NetlistError(in_order(document.problems))
    return document, Path.cwd() / f"{source.get('name') or kind}.yaml"


def _plain(value: object) -> object:
    """Data as YAML has it: arrays and tuples are lists, paths are texts."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(inner) for inner in value]
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"found {value!r:.60}, expected texts, numbers, lists and mappings, as in a file")
