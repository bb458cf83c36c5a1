"""How large the house is: `python -m luff.bench.house [REVISION ...]`, a column for each, the work tree by default.

Counted are the files of the product, not its tests, benches and pages. A line is repeated where six lines in a row,
blank ones and imports aside, stand in another place too.
"""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("blocks", "solver", "gui", "cli")
RUN = 6  # lines that make a repetition
SMALL, LARGE, LONG = 30, 400, 60  # lines of a small and a large file, of a long function


def sources(revision: str) -> dict[str, str]:
    """Text by path; of the work tree for an empty name."""
    command = ["git", "ls-files"] if not revision else ["git", "ls-tree", "-r", "--name-only", revision]
    listed = _git(*command).splitlines()
    paths = [path for path in listed if path.endswith(".py") and path.partition("/")[0] in ROOMS]
    if not revision:
        return {path: (ROOT / path).read_text("utf-8") for path in paths if (ROOT / path).is_file()}
    return {path: _git("git", "show", f"{revision}:{path}") for path in paths}


def _git(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def docstring_lines(node: ast.Module | ast.ClassDef | ast.FunctionDef) -> int:
    """Lines of the docstring of a module, class or function; 0 without one."""
    first = node.body[0] if node.body and ast.get_docstring(node) is not None else None
    return (first.end_lineno or first.lineno) - first.lineno + 1 if first else 0


def functions(trees: dict[str, ast.Module]) -> Iterator[tuple[int, str]]:
    """Lines (docstring aside) and place of each function, also of those in classes and functions."""
    for path, tree in trees.items():
        waiting: list[ast.stmt] = [*tree.body]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.FunctionDef):
                size = (node.end_lineno or node.lineno) - node.lineno + 1 - docstring_lines(node)
                yield size, f"{path}: {node.name}"
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                waiting += node.body


def importers(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Who imports each file; a package's face counts as nobody."""
    who: dict[str, set[str]] = {path: set() for path in trees if not path.endswith("__init__.py")}
    for path, tree in trees.items():
        if path.endswith("__init__.py"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = Path(path).parents[node.level - 1] / (node.module or "").replace(".", "/")
                for target in (f"{folder}.py", *(f"{folder / alias.name}.py" for alias in node.names)):
                    if target in who:
                        who[target].add(path)
    return who


def repeated(texts: dict[str, str]) -> int:
    """Lines that belong to a run of six which stands elsewhere, too."""
    kept = {
        path: [line.strip() for line in text.splitlines() if _counts(line)] for path, text in texts.items()
    }
    runs = {
        path: [tuple(lines[k : k + RUN]) for k in range(len(lines) - RUN + 1)] for path, lines in kept.items()
    }
    seen = Counter(run for own in runs.values() for run in own)
    places = {
        (path, k + i)
        for path, own in runs.items()
        for k, run in enumerate(own)
        if seen[run] > 1
        for i in range(RUN)
    }
    return len(places)


def _counts(line: str) -> bool:
    text = line.strip()
    return len(text) > 2 and not text.startswith(("#", "import ", "from ")) and text[-1] not in "([{"


def figures(revision: str) -> dict[str, str]:
    texts = sources(revision)
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lines = {path: text.count("\n") for path, text in texts.items()}
    sizes = sorted(functions(trees))
    who = importers(trees)
    words = "\n".join(texts.values())
    return {
        "lines": str(sum(lines.values())),
        **{
            f"lines of {room}": str(sum(n for path, n in lines.items() if path.startswith(f"{room}/")))
            for room in ROOMS
        },
        "files": str(len(texts)),
        f"files of more than {LARGE} lines": str(sum(n > LARGE for n in lines.values())),
        "files with one importer": str(sum(len(names) == 1 for names in who.values())),
        f"of these with fewer than {SMALL} lines": str(
            sum(len(names) == 1 and lines[path] < SMALL for path, names in who.items())
        ),
        "lines of a function, median": f"{statistics.median(size for size, _ in sizes):g}",
        f"functions of more than {LONG} lines": str(sum(size > LONG for size, _ in sizes)),
        "longest function": f"{sizes[-1][0]} ({sizes[-1][1].rpartition('/')[2]})",
        "uses of Any": str(len(re.findall(r"\bAny\b", words)) - len(re.findall(r"import.*\bAny\b", words))),
        "variables named found": str(len(re.findall(r"^\s*found\b[^=\n]*=[^=]", words, re.MULTILINE))),
        "repeated lines": str(repeated(texts)),
    }


def main() -> None:
    revisions = sys.argv[1:] or [""]
    columns = [figures(revision) for revision in revisions]
    print("| |" + "|".join(revision or "work tree" for revision in revisions) + "|")
    print("|---|" + "---|" * len(columns))
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(column[name] for column in columns) + " |")


if __name__ == "__main__":
    main()
