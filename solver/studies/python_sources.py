"""Python files of a user's block: the one that defines it, and those that it imports."""

from __future__ import annotations

import ast
import importlib.util
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from types import FunctionType

PACKAGE = Path(__file__).resolve().parents[2]
PYTHON = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))
INSTALLED = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib"))


def sources(classes: Iterable[type]) -> list[Path]:
    """Files of these classes and their bases, and all that they import; luff's and Python's own left out.

    Of packages that are installed only the module that is named counts: they change with their version.
    """
    todo = [
        (file, package) for cls in classes for base in cls.__mro__ for file, package in _defining_files(base)
    ]
    files: set[Path] = set()
    while todo:
        file, package = todo.pop()
        if file in files or _is_installed(file) or not file.is_file():
            continue
        files.add(file)
        if not _inside(file, INSTALLED):
            todo += _imported(file, package)
    return sorted(files)


@lru_cache(10_000)
def _defining_files(cls: type) -> tuple[tuple[Path, str], ...]:
    """Files that define a user's class, with their packages; cached, since every block of every variant asks."""
    return tuple(home for home in _written(cls) if not _is_installed(home[0]))


def _written(cls: type) -> Iterator[tuple[Path, str]]:
    """Modules of two files may have had one name, so that a class's functions know better."""
    module = sys.modules.get(cls.__module__)
    package = getattr(module, "__package__", "") or ""
    names = {f.__code__.co_filename for f in vars(cls).values() if isinstance(f, FunctionType)}
    for name in names or {getattr(module, "__file__", None) or ""}:
        if name.endswith(".py"):
            yield Path(name).resolve(), package


def _is_installed(file: Path) -> bool:
    """True if a file is luff's or Python's own; packages are installed below Python's."""
    return _inside(file, (PACKAGE / "blocks", PACKAGE / "solver", *PYTHON)) and not _inside(file, INSTALLED)


def _inside(file: Path, folders: Iterable[Path]) -> bool:
    return any(folder in file.parents for folder in folders)


def _imported(file: Path, package: str) -> Iterator[tuple[Path, str]]:
    try:
        tree = ast.parse(file.read_bytes())
    except SyntaxError:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            names = [base, *(f"{base.rstrip('.')}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            yield from _module(name, package)


def _module(name: str, package: str) -> Iterator[tuple[Path, str]]:
    """The file of a module; nothing for what is no module, or has no Python source."""
    try:
        spec = importlib.util.find_spec(name, package or None)
    except (ImportError, AttributeError, ValueError):
        return
    if spec is not None and spec.origin and spec.origin.endswith(".py"):
        yield Path(spec.origin).resolve(), spec.parent or ""
