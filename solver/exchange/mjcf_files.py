"""The files of an MJCF model: which it names, whether it may read them, and MuJoCo's reading of them.

Files are looked through before MuJoCo sees them: those outside of the model's folder need a permission. MuJoCo runs in
a process of its own, with a limit of time, and is imported nowhere else.
"""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...blocks.errors import LuffError, Mark, Problem
from ...blocks.text.data_files import within
from ...blocks.text.safe_read import shown, whole_path
from ..codegen.python_subprocess import script_words
from .located_xml import Element, read_xml

LONGEST = 120.0  # s, for one model
MOST_ELEMENTS = 50_000  # with all replicas
OUTSIDE = "import it with --allow-files DIR, or luff.import_model(path, files=[DIR]), if you trust it with that folder"
FOLDERS = ("meshdir", "texturedir", "assetdir")


@dataclass
class ModelFiles:
    """Elements of a model's files by the line on which each stands."""

    path: Path
    allowed: tuple[Path, ...]  # folders
    elements: dict[tuple[str, int], list[Element]] = field(default_factory=dict)
    read: set[Path] = field(default_factory=set)
    named: list[tuple[Path, Element, str]] = field(default_factory=list)  # folder, element, what it names
    folders: set[str] = field(default_factory=lambda: {""})

    @classmethod
    def of(cls, root: Element, path: Path, files: Iterable[Path] = ()) -> ModelFiles:
        """Refused where the model names a file that it may not read, or multiplies itself beyond bound."""
        path = path.resolve()
        found = cls(path, (path.parent, *files))
        try:
            found._model(root, path.parent)
        except RecursionError:
            raise root.fail("stands too deep: files that include each other add up", "flatten them") from None
        for folder, element, name in found.named:
            found._permitted(folder, element, name)
        return found

    def _model(self, root: Element, folder: Path) -> None:
        """Collect a model with all files that it includes and attaches; file names count from `folder`."""
        self._elements(root, folder, folder)
        if _replicated_elements(root) > MOST_ELEMENTS:
            raise root.fail(f"its replicas make more than {MOST_ELEMENTS} elements", "use fewer")

    def _elements(self, root: Element, folder: Path, beside: Path) -> None:
        for element in _all(root):
            self.elements.setdefault((element.tag, element.mark.line), []).append(element)
            if element.tag == "compiler":
                self.folders |= {element.get(name) for name in FOLDERS if element.get(name)}
            for name in (key for key in element.attributes if key.startswith("file") and element.get(key)):
                if element.tag not in ("include", "model"):
                    self.named.append((folder, element, element.get(name)))
                    continue
                places = {whole(element, start, element.get(name)) for start in (folder, beside)}
                for place in sorted(one for one in places if one.exists()):
                    self._outside(element, element.get(name), place)
                    self._further_model(element, place, folder)

    def _further_model(self, element: Element, place: Path, folder: Path) -> None:
        if place in self.read:
            return
        self.read.add(place)
        inner = read_xml(place)
        if element.tag == "model":
            self._model(inner, place.parent)
        else:
            self._elements(inner, folder, place.parent)
            element.children = inner.children  # which replicas around it multiply

    def _permitted(self, folder: Path, element: Element, name: str) -> None:
        for start in self.folders:
            place = whole(element, folder, str(Path(start) / name))
            if place.exists():
                self._outside(element, name, place)

    def _outside(self, element: Element, name: str, place: Path) -> None:
        if not within(place, self.allowed):
            message = f"names {shown(name)}, outside of the model's folder"
            raise LuffError(Problem(message, shown(element), OUTSIDE, element.mark, wants=str(place.parent)))

    def mark(self, tag: str, name: str, info: str) -> Mark:
        """Place of an element whose line MuJoCo knows: in the file that has such an element at that line."""
        line = _line(info)
        there = self.elements.get((tag, line), [])
        best = next((one for one in there if one.name and one.name in name), there[0] if there else None)
        return best.mark if best else Mark(str(self.path), line or 1, 1)


def whole(element: Element, folder: Path, name: str) -> Path:
    try:
        return whole_path(folder, name)
    except LuffError as error:
        raise element.fail(error.problems[0].message) from None


def _all(element: Element) -> Iterator[Element]:
    yield element
    for child in element.children:
        yield from _all(child)


def _replicated_elements(element: Element) -> float:
    """Elements, each counted as often as the replicas around it make it."""
    inside = 1.0 + sum(map(_replicated_elements, element.children))
    return inside * max(element.number("count", 1.0), 1.0) if element.tag == "replicate" else inside


def compiled(files: ModelFiles) -> dict[str, Any]:
    """The model as MuJoCo compiles it (`mjcf_process.described`)."""
    if importlib.util.find_spec("mujoco") is None:
        message = "MJCF is read by MuJoCo, which is not installed"
        raise LuffError(message, path=str(files.path), fix="pip install 'luff[robots]'")
    program = str(Path(__file__).with_name("mjcf_process.py"))
    words = script_words(program, str(files.path))
    with tempfile.TemporaryDirectory(prefix="luff_") as folder:  # MuJoCo writes a log where it runs
        try:
            done = subprocess.run(words, cwd=folder, capture_output=True, check=False, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            message = f"MuJoCo has not read it within {LONGEST:g} s"
            raise LuffError(message, path=str(files.path), fix="use fewer or smaller parts") from None
    try:
        answer = json.loads(done.stdout.decode().rstrip().rpartition("\n")[2])
    except ValueError:
        message = f"MuJoCo ended with code {done.returncode} while it read the model"
        raise LuffError(message, path=str(files.path)) from None
    if "error" in answer:
        raise _mujoco_problem(files, answer["error"])
    return answer


def _mujoco_problem(files: ModelFiles, text: str) -> LuffError:
    """MuJoCo's words with the place in the form of luff's."""
    element = re.search(r"Element '([^']*)'", text)
    what = re.sub(r"^(XML )?(parse )?[Ee]rror( \d+)?:\s*(Error[:=]\s*)?", "", text.partition("\nElement ")[0])
    mark = files.mark(element[1] if element else "", "", text) if _line(text) else None
    path = f"<{element[1]}>" if element and element[1] else ""
    message = shown(" ".join(what.split()))
    return LuffError(Problem(f"MuJoCo: {message}", path or ("" if mark else str(files.path)), "", mark))


def _line(text: str) -> int:
    found = re.search(r"line (?:number=)?(\d+)", text, re.IGNORECASE)
    return int(found[1]) if found else 0
