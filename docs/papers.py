"""The source papers item by item, as a page, of `papers.yaml`: `python -m luff.docs.papers` checks what it names."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

import luff
from luff.blocks.params import Either, Param, Sub
from luff.blocks.registry import registered
from luff.solver.diagram.run_settings import SECTIONS
from luff.solver.program.recorded_columns import signal_name

DATA = Path(__file__).with_name("papers.yaml")
ROOT = Path(luff.__file__).resolve().parent
STATES = ("agrees", "deviates", "missing")
SHOWN_BY = ("tests", "studies", "benches")  # what a figure of agreement may come from
FILES = {
    "models": "library/{}.yaml", "studies": "library/studies/{}.yaml", "pages": "docs/{}", "files": "{}",
    "benches": "bench/{}.py",
}  # fmt: skip
KEYS = {
    "n", "what", "state", "agreement", "reason", "models", "pages", "blocks", "parameters", "signals", "commands",
    "files", *SHOWN_BY,
}  # fmt: skip
Item = dict[str, Any]
HEAD = """# The papers, item by item

Each system, method, figure and claim of the five papers that luff's library comes from: where it stands, how well it
agrees, and the reason where it does not. P0 to P4 are the papers in the order of
[Systems](crane_gpme.md); the last list is of the program that was asked for.

*agrees*: there, and shown by what is named. *deviates*: there in another form or with another result, for the reason
given. *missing*: not there. Figures of agreement are those of the tests and studies named in the same row.
`python -m luff.docs.papers` checks that each of these exists.
"""


def papers() -> dict[str, dict[str, Any]]:
    return yaml.safe_load(DATA.read_text("utf-8"))


def items() -> Iterator[Item]:
    for paper in papers().values():
        yield from paper["items"]


# the page


def page() -> str:
    counts = Counter(item["state"] for item in items())
    words = zip(STATES, ("agree", "deviate", "are missing"), strict=True)
    total = ", ".join(f"{counts[state]} {word}" for state, word in words)
    parts = [HEAD, f"Of {sum(counts.values())} items {total}.\n"]
    for paper in papers().values():
        parts += [
            f"## {paper['title']}\n",
            "| | item | state | agreement, or reason | where |\n|--:|---|---|---|---|",
        ]
        parts += [row(item) for item in paper["items"]]
        parts.append("")
    return "\n".join(parts)


def row(item: Item) -> str:
    told = "; ".join(str(item[key]) for key in ("agreement", "reason") if key in item)
    return f"| {item['n']} | {item['what']} | {item['state']} | {told} | {', '.join(places(item))} |"


def places(item: Item) -> Iterator[str]:
    """Pages as links, all else by name."""
    for name in item.get("pages", ()):
        yield f"[{Path(name).stem.replace('_', ' ')}]({name})"
    families = {kind: cls.family for kind, cls in registered().items()}
    for kind in item.get("blocks", ()):
        yield f"[`{kind}`](blocks/{families[kind]}.md#{kind})"
    for path in item.get("parameters", ()):
        yield f"`{path}`"
    for model, names in item.get("signals", {}).items():
        yield f"`{model}`: " + ", ".join(f"`{name}`" for name in names)
    yield from (f"`library/{name}.yaml`" for name in item.get("models", ()))
    yield from (f"`library/studies/{name}.yaml`" for name in item.get("studies", ()))
    yield from (f"`luff {name}`" for name in item.get("commands", ()))
    yield from (f"`{name}`" for name in (*item.get("files", ()), *item.get("benches", ())))
    yield from (f"`{Path(name).name.removesuffix('::')}`" for name in item.get("tests", ()))


# the check


def mistakes(entries: Iterable[Item]) -> Iterator[str]:
    """Each thing that an item names and that does not exist, and each claim without what shows it."""
    numbers: list[int] = []
    for item in entries:
        numbers.append(item["n"])
        yield from (f"{item['n']}: {told}" for told in of_item(item))
    if numbers != list(range(1, len(numbers) + 1)):
        yield "found items that are not numbered one by one from 1"


def of_item(item: Item) -> Iterator[str]:
    yield from (f"no such key: {key}" for key in item.keys() - KEYS)
    if item["state"] not in STATES:
        yield f"found state {item['state']}, expected one of {', '.join(STATES)}"
    if item["state"] in STATES[1:] and not item.get("reason"):
        yield f"it {item['state']}, and no reason is given"
    if "agreement" in item and not any(item.get(key) for key in SHOWN_BY):
        yield "a figure of agreement, and no test or study that computes it"
    if item["state"] == "agrees" and not item.keys() & KEYS - {"n", "what", "state", "agreement", "reason"}:
        yield "it agrees, and nothing says where"
    for key, form in FILES.items():
        named = (form.format(name) for name in item.get(key, ()))
        yield from (f"no such file: {path}" for path in named if not (ROOT / path).exists())
    yield from (f"no such block: {kind}" for kind in item.get("blocks", ()) if kind not in registered())
    yield from (
        f"no such parameter: {path}" for path in item.get("parameters", ()) if not has_parameter(path)
    )
    yield from (f"no such test: {name}" for name in item.get("tests", ()) if not has_test(name))
    yield from (
        f"no such command: luff {name}" for name in item.get("commands", ()) if name not in commands()
    )
    for model, names in item.get("signals", {}).items():
        yield from (f"no signal {name} in {model}" for name in names if name not in signals(model))


def has_test(name: str) -> bool:
    """Of `FILE::FUNCTION`, whether the function is there; of `FILE::`, whether the file is."""
    file, _, function = name.partition("::")
    return file in test_files() if not function else function in functions(file)


@cache
def test_files() -> set[str]:
    return {path.relative_to(ROOT / "tests").as_posix() for path in (ROOT / "tests").rglob("test_*.py")}


@cache
def functions(file: str) -> set[str]:
    path = ROOT / "tests" / file
    found = ast.parse(path.read_text("utf-8")).body if path.is_file() else []
    return {node.name for node in found if isinstance(node, ast.FunctionDef)}


@cache
def commands() -> set[str]:
    from luff.cli.app import app

    names = (one.name or getattr(one.callback, "__name__", "") for one in app.registered_commands)
    return {name.strip("_").replace("_", "-") for name in names}


def has_parameter(path: str) -> bool:
    first, *rest = path.split(".")
    params: dict[str, Param]
    if first in SECTIONS:
        params = SECTIONS[first].struct.params
    elif first in registered():
        params = registered()[first].params
    else:
        return False
    for k, name in enumerate(rest):
        param = params.get(name)
        if param is None:
            return False
        if isinstance(param, Either):
            param = next((one for one in param.options if isinstance(one, Sub)), param)
        if k + 1 < len(rest):
            if not isinstance(param, Sub):
                return False
            params = param.struct.params
    return bool(rest)


@cache
def signals(model: str) -> set[str]:
    """Names of what a run of a model records, of vectors and of their components."""
    path = ROOT / "library" / f"{model}.yaml"
    if not path.is_file():
        return set()
    names = {column.name for column in luff.compile(path).program.columns}
    return names | {signal_name(name) for name in names}


def main() -> int:
    found = list(mistakes(items()))
    print("\n".join(found) or f"{sum(1 for _ in items())} items, and all that they name is there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
