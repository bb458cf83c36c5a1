"""Block catalogue: registered blocks, library composites, and composites beside the document."""

from __future__ import annotations

import filecmp
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...blocks import LuffError, registered
from ...solver.netlist import read_text
from .block_synonyms import ELSEWHERE, SYNONYMS

FAMILIES = (
    "bodies",
    "joints",
    "forces",
    "environment",
    "constraints",
    "planning",
    "control",
    "drives",
    "signals",
    "hydraulics",
    "sensors",
    "composites",
)
MECHANICAL = ("bodies", "joints", "forces", "environment", "constraints")
INITIALS = {
    word: word.upper() for word in ("pd", "pid", "fmu", "udp", "lqr", "rfem", "gpme", "rpsup", "olkc", "c")
}
NAMED = 1  # grade of a match of the name, at most
LIBRARY = Path(__file__).resolve().parents[2] / "library"


@dataclass(frozen=True)
class Entry:
    type_name: str  # type name in a netlist
    label: str
    family: str
    doc: str

    @property
    def words(self) -> str:
        """Name in words: `Rigid link` of `rigid_link`."""
        first, *rest = (INITIALS.get(word, word) for word in self.label.split("_"))
        return " ".join([first[:1].upper() + first[1:], *rest])


@cache
def builtin() -> tuple[Entry, ...]:
    entries = []
    for name, cls in registered().items():
        doc = (cls.__doc__ or "").strip().splitlines()
        entries.append(Entry(name, name, cls.family, doc[0] if doc else ""))
    return tuple(sorted(entries, key=lambda entry: (rank(entry.family), entry.label)))


def rank(family: str) -> int:
    """Place of a family in the palette."""
    return FAMILIES.index(family) if family in FAMILIES else len(FAMILIES)


def composites(folder: Path | None = None, own: Path | None = None) -> list[Entry]:
    """Netlists with a `ports:` section: library ones by name, those beside the document by path, but for copies of
    library ones."""
    entries = []
    ours = sorted(LIBRARY.rglob("*.yaml")) if LIBRARY.is_dir() else []
    entries += [_composite(path, path.stem) for path in ours]
    if folder and folder.is_dir() and folder.resolve() != LIBRARY:
        known = {path.name: path for path in ours}
        for path in sorted(folder.glob("*.yaml")):
            if not (_same(path, own) or _same(path, known.get(path.name), filecmp.cmp)):
                entries.append(_composite(path, f"./{path.name}"))
    return [entry for entry in entries if entry]


def _same(path: Path, other: Path | None, compare: Callable[[Path, Path], bool] = Path.samefile) -> bool:
    try:
        return other is not None and compare(path, other)
    except (OSError, ValueError):  # a link that leads nowhere, or round in a circle
        return False


def _composite(path: Path, type_name: str) -> Entry | None:
    try:
        text = read_text(path)
    except LuffError:
        return None
    if not re.search(r"^luff:", text, re.MULTILINE) or not re.search(r"^ports:", text, re.MULTILINE):
        return None
    return Entry(type_name, path.stem, "composites", top_scalar(text, "doc|name"))


def top_scalar(text: str, key: str) -> str:
    """Scalar value of a key at the top of a YAML text; of the first one of `doc|name`."""
    line = re.search(rf"^(?:{key}):\s*(.+?)(?:\s+#.*)?$", text, re.MULTILINE)
    return line[1].strip("'\" ") if line else ""


def examples() -> list[Path]:
    """Library models that run without changes."""
    if not LIBRARY.is_dir():
        return []
    whole = []
    for path in sorted(LIBRARY.rglob("*.yaml")):
        if path.parent.name == "templates":
            continue
        text = path.read_text(encoding="utf-8")
        if re.search(r"^blocks:", text, re.MULTILINE) and not re.search(r"^ports:", text, re.MULTILINE):
            whole.append(path)
    return whole


def bare(name: str) -> str:
    """Letters and digits of a name."""
    return re.sub("[^a-z0-9]", "", name)


def spaced(text: str) -> str:
    """Words of a text in lower case, each behind a space."""
    return " " + re.sub(r"[^\w]+", " ", text.lower())


def elsewhere(words: str) -> str:
    """Hint at the part of the window that stands for a block of another program; empty for other words."""
    return ELSEWHERE.get(words.strip().lower(), "")


def search(entries: list[Entry], words: str, ordered: bool = False) -> list[Entry]:
    """Matching entries, best first. Of those that match alike shorter names come first, or with `ordered` the name that
    is the words, then the others as they are listed."""
    said = words.strip().rpartition(".")[2].lower()
    if not _underscored(said):
        return list(entries)
    ranked = [
        (match, entry.label.lower() != _underscored(said) if ordered else len(entry.label), entry)
        for entry in entries
        if (match := _match(entry, said)) is not None
    ]
    return [entry for *_, entry in sorted(ranked, key=lambda row: row[:2])]


def named(entries: list[Entry], words: str) -> list[Entry]:
    """Entries of which the words are the name, its beginning, that of a part of it, or a synonym; best first."""
    said = words.strip().rpartition(".")[2].lower()
    return [entry for entry in search(entries, words) if (_match(entry, said) or 0) <= NAMED]


def _underscored(said: str) -> str:
    return said.replace(" ", "_").replace("-", "_")


def _match(entry: Entry, said: str) -> int | None:
    """Grade of a match, 0 best; None if there is none: name begins with the words, a part of the name does or a
    synonym is they, a word of a synonym begins with them, name contains them, a word of the doc begins with them.
    Classes of Modelica are written as one word, behind their package."""
    wanted, one_word, label = _underscored(said), bare(said) or said, entry.label.lower()
    if label.startswith(wanted):
        return 0
    if any(word.startswith(wanted) for word in label.split("_")):
        return NAMED
    others = SYNONYMS.get(entry.type_name, "").split(", ")
    joined = [bare(other) for other in others]
    if one_word in joined:
        return NAMED
    if any(f" {said}" in f" {other}" for other in others) or any(
        other.startswith(one_word) for other in joined
    ):
        return 2
    if wanted in label:
        return 3
    if wanted in entry.family or f" {said}" in spaced(entry.doc):
        return 4
    letters = iter(label)
    return 5 if len(wanted) > 1 and all(letter in letters for letter in wanted) else None
