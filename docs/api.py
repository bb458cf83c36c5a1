"""The Python API in Markdown: every public name of luff with its signature and sections, from the code itself."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

import luff

from .blocks import prose

LEAD = (
    "All that `import luff` offers, made from the program itself. [Build a model in Python](build_in_python.md) and "
    "[Drive a model from Python](scripting.md) show how it goes together; [Write a block](write_a_block.md) is about "
    "`luff.Block`. Numbers are SI units unless a text gives another. `help(luff.Simulation.run)` shows the parameters "
    "of a method."
)
GROUPS = {
    "Functions": lambda one: inspect.isfunction(one) or inspect.ismodule(one),
    "Classes": lambda one: inspect.isclass(one) and not issubclass(one, luff.LuffError | Warning),
    "Errors and warnings": lambda one: inspect.isclass(one) and issubclass(one, luff.LuffError | Warning),
}
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)  # as numpydoc underlines it


def page() -> str:
    """Text of the page."""
    objects = {name: getattr(luff, name) for name in luff.__all__}
    parts = ["# Python API", LEAD]
    for title, belongs in GROUPS.items():
        parts.append(f"## {title}")
        for name, one in objects.items():
            if belongs(one):
                parts += entry(name, one)
    return "\n\n".join(parts) + "\n"


def entry(name: str, one: Any) -> Iterator[str]:
    """Heading, signature, sections and members of one name."""
    yield f"### `luff.{name}`" + f" {{#{name}}}"
    if inspect.isfunction(one):
        yield called(f"luff.{name}", one)
    yield from described(one)
    if inspect.isclass(one) and not issubclass(one, luff.LuffError | Warning):
        rows = [f"| `{key}` | {short(member)} |" for key, member in members(one).items()]
        yield "\n".join(["| member | |", "|---|---|", *rows])


def called(name: str, function: Any) -> str:
    """Signature of a function, a parameter a line where it is long."""
    signature = inspect.signature(function)
    # annotations are texts, which come with quotes
    parameters = [re.sub(r": '([^']*)'", r": \1", str(one)) for one in signature.parameters.values()]
    line = f"{name}({', '.join(parameters)})"
    if len(line) > 90:
        line = f"{name}(\n    " + ",\n    ".join(parameters) + ",\n)"
    returns = signature.return_annotation
    arrow = "" if returns in (signature.empty, "None", None) else f" -> {returns}"
    return f"``` {{ .python .no-copy }}\n{line}{arrow}\n```"


def described(one: Any) -> Iterator[str]:
    """Docstring of numpydoc's form: paragraphs, tables of what is taken, returned and raised, and the example."""
    lead, *rest = SECTION.split(inspect.getdoc(one) or "")
    yield from paragraphs(lead)
    for title, body in zip(rest[::2], rest[1::2], strict=True):
        if title == "Examples":
            yield from example(body.strip("\n"))
            continue
        rows = [f"| `{head}` | {text} |" for head, text in items(body)]
        yield "\n".join([f"| {title.lower()} | |", "|---|---|", *rows])


def paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of plain text as Markdown."""
    for paragraph in text.strip().split("\n\n"):
        yield prose(" ".join(paragraph.split()))


def items(body: str) -> Iterator[tuple[str, str]]:
    """Head and text of each entry of a section: the text is indented below its head."""
    for part in re.split(r"\n(?=\S)", body.strip("\n")):
        head, _, text = part.partition("\n")
        yield head, prose(" ".join(text.split()))


def example(text: str) -> Iterator[str]:
    """Example as a code block; a reference to another one as a link."""
    other = re.fullmatch(r"\s*See `luff\.(\w+)`\.\s*", text)
    if other:
        yield f"Example: [`luff.{other[1]}`](#{other[1]})."
        return
    yield f"``` {{ .pycon .no-copy }}\n{text}\n```"


def members(cls: type) -> dict[str, Any]:
    """Public ones of luff's own classes, by how they are used: `run(stop, step)`."""
    public: dict[str, Any] = {}
    for owner in reversed(cls.__mro__):
        if not owner.__module__.startswith("luff"):
            continue
        for name in (*inspect.get_annotations(owner), *owner.__dict__):
            member = owner.__dict__.get(name)
            if name.startswith("_") or inspect.isclass(member):
                continue
            member = getattr(member, "__func__", member)  # of a class method
            if inspect.isfunction(member):
                names = [str(one).partition(":")[0].partition("=")[0] for one in arguments(member)]
                name = f"{name}({', '.join(names)})"
            public[name] = member
    return public


def arguments(function: Any) -> list[inspect.Parameter]:
    """Parameters of a method but for its own object."""
    parameters = inspect.signature(function).parameters.values()
    return [one for one in parameters if one.name not in ("self", "cls")]


def short(member: Any) -> str:
    """First paragraph of the docstring of a method or property; values have none."""
    plain = inspect.isfunction(member) or isinstance(member, property) or hasattr(member, "func")
    text = " ".join((inspect.getdoc(member) or "").split("\n\n")[0].split()) if plain else ""
    return prose(text)
