"""XML as elements that know their line and column.

The standard library's expat reads it. A document type or an entity is refused, so that a file can neither name other
files nor grow without bound; nothing in a file is run.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from ...blocks.errors import LuffError, Mark, Problem, did_you_mean
from ...blocks.text.safe_read import file_content
from ...blocks.text.safe_read import shown as quoted

LARGEST = 1e60  # of a number: products of four of them are still finite
DEEPEST = 400  # elements inside each other; readers go down by recursion


@dataclass
class Element:
    """Element of XML: its tag, attributes and children, with its place."""

    tag: str
    attributes: dict[str, str]
    mark: Mark
    children: list[Element] = field(default_factory=list)

    def all(self, *tags: str) -> Iterator[Element]:
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> Element | None:
        return next(self.all(tag), None)

    def get(self, name: str, default: str = "") -> str:
        return self.attributes.get(name, default).strip()

    @property
    def name(self) -> str:
        return self.get("name")

    def __str__(self) -> str:
        return f'{self.tag} "{self.name}"' if self.name else self.tag

    def fail(self, message: str, fix: str = "") -> LuffError:
        # which quotes what the file says, of any length
        return LuffError(Problem(quoted(message), quoted(self), fix, self.mark))

    def required(self, name: str) -> str:
        if not self.get(name):
            near = did_you_mean(name, self.attributes) if self.attributes else ""
            raise self.fail(f'has no attribute "{name}"', near)
        return self.get(name)

    def numbers(self, name: str, least: int, most: int | None = None) -> list[float] | None:
        """The numbers of an attribute; None where it is absent."""
        text = self.get(name)
        if not text:
            return None
        most = least if most is None else most
        try:
            numbers = [float(word) for word in text.split()]
        except ValueError:
            numbers = []
        if not (least <= len(numbers) <= most) or not all(abs(number) <= LARGEST for number in numbers):
            count = "a number" if most == 1 else f"{least if least == most else f'{least} to {most}'} numbers"
            raise self.fail(f'{name}: found "{text[:60]}", expected {count}')
        return numbers

    def number(self, name: str, default: float = 0.0) -> float:
        numbers = self.numbers(name, 1)
        return default if numbers is None else numbers[0]

    def vector(self, name: str, default: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> tuple[float, ...]:
        numbers = self.numbers(name, 3)
        return default if numbers is None else tuple(numbers)

    def flag(self, name: str, default: bool) -> bool:
        text = self.get(name) or ("true" if default else "false")
        if text not in ("true", "false"):
            raise self.fail(f'{name}: found "{text}", expected true or false')
        return text == "true"


def read_xml(path: Path, shown: str = "") -> Element:
    """The root element of a file; `shown` is what messages call it."""
    text = file_content(path, "a model")
    if text is None:
        raise LuffError("cannot read it: there is no such file", path=shown or str(path))
    return parse(text, shown or str(path))


def parse(text: bytes, file: str) -> Element:
    parser = expat.ParserCreate()
    open_: list[Element] = []
    roots: list[Element] = []

    def place() -> Mark:
        return Mark(file, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)

    def start(tag: str, attributes: dict[str, str]) -> None:
        element = Element(tag, attributes, place())
        if len(open_) >= DEEPEST:
            raise element.fail(f"stands inside {DEEPEST} others, expected fewer")
        (open_[-1].children if open_ else roots).append(element)
        open_.append(element)

    def end(_: str) -> None:
        open_.pop()

    def refuse(*_: object) -> NoReturn:
        message = "found a document type with entities, which a model does not need"
        raise LuffError(Problem(message, "", "remove the <!DOCTYPE ...> lines", place()))

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        message = f"not well-formed XML: {expat.ErrorString(error.code)}"
        raise LuffError(Problem(message, mark=Mark(file, error.lineno, error.offset + 1))) from None
    except (ValueError, LookupError, TypeError) as error:  # an encoding that expat, or Python, does not know
        raise LuffError(f"not well-formed XML: {error}", path=file) from None
    return roots[0]
