"""Parameters: one declaration drives validation, units, YAML, schema, property panel and docs.

`convert(raw, scope, path)` turns what YAML holds into what equations use (SI floats, tuples), or raises `LuffError`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from .entry_problems import missing_parameter, unknown_parameter
from .errors import LuffError, Problem, Suggestion, did_you_mean
from .text.quantity import Quantity
from .text.raw_types import shown_value as shown_value


class Scope(Protocol):
    def number(self, raw: object, unit: str) -> float: ...
    def quantity(self, raw: object) -> Quantity: ...


REQUIRED = object()  # default of a parameter that has none


def fail(path: str, message: str, fix: str = "") -> LuffError:
    return LuffError(Problem(message, path, fix))


class Param:
    """A number, or with `shape=(3,)` or `(None,)` a list of numbers, in `unit`.

    `live=True` (the default for numbers) means that a change needs no recompile and may happen during a run.
    """

    kind = "number"
    key = ""  # name in the netlist where a port of the same name takes the attribute
    entries: tuple[str, ...] = ()  # names of the numbers of a list, or of the columns of a table

    def __init__(
        self,
        default: object = REQUIRED,
        unit: str = "",
        *,
        shape: tuple[int | None, ...] = (),
        ge: float = -math.inf,
        gt: float = -math.inf,
        le: float = math.inf,
        lt: float = math.inf,
        doc: str = "",
        live: bool = True,
    ):
        self.default, self.unit, self.shape, self.doc, self.live = default, unit, shape, doc, live
        self.ge, self.gt, self.le, self.lt = ge, gt, le, lt
        self.name = ""

    if TYPE_CHECKING:  # a block's attribute is the converted value

        def __get__(self, instance: object, owner: type) -> Any: ...
        def __set__(self, instance: object, value: Any) -> None: ...

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        return self._nested(raw, self.shape, scope, path)

    def _row(self, raw: object, scope: Scope, path: str) -> tuple[float, ...]:
        items = self._items(raw, self.shape[0], path)
        return tuple(self._scalar(item, scope, f"{path}[{k}]") for k, item in enumerate(items))

    def _nested(self, raw: object, shape: tuple[int | None, ...], scope: Scope, path: str) -> object:
        if not shape:
            return self._scalar(raw, scope, path)
        items = self._items(raw, shape[0], path)
        return tuple(self._nested(item, shape[1:], scope, f"{path}[{k}]") for k, item in enumerate(items))

    def _items(self, raw: object, size: int | None, path: str) -> Sequence[object]:
        if not isinstance(raw, Sequence) or isinstance(raw, str):
            raise self.refused(raw, path)
        if size is not None and len(raw) != size:
            raise fail(path, f"found {len(raw)} entries, expected {self.expected()}")
        return raw

    def _scalar(self, raw: object, scope: Scope, path: str) -> float:
        if isinstance(raw, bool) or not isinstance(raw, int | float | str):
            raise self.refused(raw, path)
        try:
            value = self._number(raw, scope)
        except LuffError as error:
            raise LuffError(problem.at(path=path) for problem in error.problems) from None
        if not math.isfinite(value):
            raise fail(path, f"found {shown_value(raw)}, expected a finite number")
        if not self._is_within(value):
            message = f"found {self._valued(raw, value)}, expected a number {self.bounds()}"
            raise fail(path, message, self._without_sign(raw, value))
        return value

    def _is_within(self, value: float) -> bool:
        return self.ge <= value <= self.le and self.gt < value < self.lt

    def _without_sign(self, raw: object, value: float) -> str:
        """Fix of a number that is negative by a slip."""
        text = str(raw).strip()
        slip = text.startswith("-") and self._is_within(-value)
        return Suggestion(text, text[1:].lstrip(), False) if slip else ""

    def _number(self, raw: object, scope: Scope) -> float:
        return scope.number(raw, self.unit)

    def _valued(self, raw: object, value: float) -> str:
        """A raw entry as it is written; an expression with what it comes to."""
        if not (isinstance(raw, str) and raw.lstrip().startswith("=")):
            return shown_value(raw)
        return f"{shown_value(raw)}, which is {f'{value:g} {self.unit}'.rstrip()}"

    def refused(self, raw: object, path: str, fix: str = "") -> LuffError:
        """The error for an entry that is none of what is expected."""
        return fail(path, f"found {shown_value(raw)}, expected {self.expected()}", fix)

    def beside(self, raw: Mapping[str, object]) -> Param:
        """Parameter for given raw values of its neighbours, on which the accepted values may depend."""
        return self

    def entries_beside(self, raw: Mapping[str, object]) -> tuple[str, ...]:
        """Names of the entries for given raw values of its neighbours; no accepted value depends on them."""
        return self.entries

    def meant(self, key: str, raw: object) -> dict[str, object]:
        """Entries of the group that an unknown entry beside it may mean; none of what is no group."""
        return {}

    def bounds(self) -> str:
        limits = [(">=", self.ge), (">", self.gt), ("<=", self.le), ("<", self.lt)]
        unit = f" {self.unit}" if self.unit else ""
        return " and ".join(f"{sign} {limit:g}{unit}" for sign, limit in limits if math.isfinite(limit))

    def expected(self) -> str:
        if not self.shape:
            return f"a number in {self.unit}" if self.unit else "a number"
        count = " x ".join("n" if size is None else str(size) for size in self.shape)
        return f"a list of {count} numbers" + (f" in {self.unit}" if self.unit else "")


class Integer(Param):
    """A whole number; it usually shapes the model, so a change recompiles."""

    kind = "integer"

    def __init__(
        self, default: object = REQUIRED, *, ge: float = -math.inf, le: float = math.inf, doc: str = ""
    ):
        super().__init__(default, ge=ge, le=le, doc=doc, live=False)

    def _scalar(self, raw: object, scope: Scope, path: str) -> int:
        value = super()._scalar(raw, scope, path)
        if value != round(value):
            raise fail(path, f"found {self._valued(raw, value)}, expected a whole number")
        return round(value)

    def expected(self) -> str:
        return "a whole number"


class Flag(Param):
    """Parameter: true or false."""

    kind = "flag"

    def __init__(self, default: bool = False, *, doc: str = ""):
        super().__init__(default, doc=doc, live=False)

    def convert(self, raw: object, scope: Scope, path: str) -> bool:
        if not isinstance(raw, bool):
            raise self.refused(raw, path)
        return raw

    def expected(self) -> str:
        return "true or false"


class Text(Param):
    """Free text; with `pattern` documented in `doc`."""

    kind = "text"

    def __init__(self, default: object = REQUIRED, *, doc: str = ""):
        super().__init__(default, doc=doc, live=False)

    def convert(self, raw: object, scope: Scope, path: str) -> str:
        if not isinstance(raw, str):
            raise self.refused(raw, path)
        return raw

    def expected(self) -> str:
        return "text"


class BlockName(Text):
    """The name of another block of the same netlist, or of one below it; it follows when that is renamed."""

    def expected(self) -> str:
        return "the name of a block"


class Use(NamedTuple):
    """Names of the parameters beside a choice that it needs, and of those that it does not use."""

    needed: frozenset[str] = frozenset()
    unused: frozenset[str] = frozenset()


class Choice(Param):
    """Parameter that is one word of a list; `uses` says of a word, and the raw values beside it, what it uses."""

    kind = "choice"

    def __init__(
        self,
        default: object,
        choices: Sequence[str],
        *,
        uses: Callable[[Any, Mapping[str, object]], Use] | None = None,
        doc: str = "",
    ):
        super().__init__(default, doc=doc, live=False)
        self.choices = tuple(choices)
        self.uses = uses

    def use(self, raw: Mapping[str, object]) -> Use:
        """Parameters that the choice among raw values needs, and those that it leaves unused; of a wrong word none."""
        chosen = raw.get(self.name, self.default)
        known = chosen == self.default or chosen in self.choices
        return self.uses(chosen, raw) if self.uses is not None and known else Use()

    def convert(self, raw: object, scope: Scope, path: str) -> str:
        if not isinstance(raw, str) or raw not in self.choices:
            raise self.refused(raw, path, did_you_mean(str(raw), self.choices, listed=True))
        return raw

    def expected(self) -> str:
        return "one of " + ", ".join(self.choices)


class Names(Param):
    """A list of words: names of blocks, coordinates or signals, which follow when a block is renamed.

    `choices` narrows them; `follows` is false for names of the block's own, or of another model.
    """

    kind = "names"

    def __init__(
        self,
        default: object = REQUIRED,
        *,
        choices: Sequence[str] = (),
        follows: bool = True,
        doc: str = "",
    ):
        super().__init__(default, doc=doc, live=False)
        self.choices = tuple(choices)
        self.follows = follows and not self.choices

    def convert(self, raw: object, scope: Scope, path: str) -> tuple[str, ...]:
        if (
            not isinstance(raw, Sequence)
            or isinstance(raw, str)
            or not all(isinstance(item, str) for item in raw)
        ):
            raise self.refused(raw, path)
        for item in raw:
            if self.choices and item not in self.choices:
                raise self.refused(item, path, did_you_mean(item, self.choices, listed=True))
        if len(set(raw)) != len(raw):
            raise fail(path, f"found {shown_value(raw)}, expected every name once")
        return tuple(raw)

    def expected(self) -> str:
        return "a list of names" + (f" out of {', '.join(self.choices)}" if self.choices else "")


class Struct:
    """A group of parameters: subclass it, declare `Param`s, use it in `Sub`, `SubList` or `SubMap`."""

    params: dict[str, Param] = {}

    def __init_subclass__(cls) -> None:
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Param)}
        cls.params = {**cls.params, **own}

    def __init__(self, values: dict[str, object], given: frozenset[str] = frozenset()):
        self.__dict__.update(values)
        self.given = given  # names that the user wrote, to tell a value from its default

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({ {k: v for k, v in vars(self).items() if k != 'given'} })"

    def __reduce__(self) -> tuple[Callable[..., Struct], tuple[object, ...]]:
        cls = type(self)
        # those that a function has made have no name that another process would find
        known = getattr(sys.modules.get(cls.__module__), cls.__qualname__, None) is cls
        return _revived, (cls if known else cls.__name__, dict(vars(self)))


def _revived(cls: type[Struct] | str, values: dict[str, object]) -> Struct:
    """A group as another process has sent it."""
    revived = object.__new__(_nameless(cls) if isinstance(cls, str) else cls)
    revived.__dict__.update(values)
    return revived


@cache
def _nameless(name: str) -> type[Struct]:
    return type(name, (Struct,), {})


def convert_all(
    params: dict[str, Param], raw: Mapping[str, object], scope: Scope, path: str, owner: str
) -> dict[str, object]:
    """Convert every entry of a mapping; all mistakes are collected before anything is raised."""
    problems: list[Problem] = []
    values: dict[str, object] = {}
    for key in raw:
        if key not in params:
            problems.append(unknown_parameter(str(key), raw, params, path, owner))
    for name, param in params.items():
        where = f"{path}.{name}"
        if name not in raw and param.required:
            problems.append(missing_parameter(name, param.expected(), param.doc, path, owner))
            continue
        given = raw.get(name, param.default)
        if given is None and (name not in raw or param.default is None):
            values[name] = None
            continue
        try:
            values[name] = param.beside(raw).convert(given, scope, where)
        except LuffError as error:
            problems.extend(error.problems)
    if problems:
        raise LuffError(problems)
    return values


Group = TypeVar("Group", bound=Struct)


class Sub(Param, Generic[Group]):
    """Nested group of parameters; `None` when it is not given and `default` is None."""

    kind = "struct"

    def __init__(self, struct: type[Group], default: object = None, *, doc: str = "", key: str = ""):
        super().__init__(default, doc=doc)
        self.struct = struct
        self.key = key

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        return self.group(raw, scope, path)

    def group(self, raw: object, scope: Scope, path: str) -> Group:
        if not isinstance(raw, dict):
            raise self.refused(raw, path, self._placed(raw, scope, path))
        values = convert_all(self.struct.params, raw, scope, path, path.rpartition(".")[2])
        return self.struct(values, frozenset(raw))

    def meant(self, key: str, raw: object) -> dict[str, object]:
        return {key: raw} if key in self.struct.params else {}

    def _placed(self, raw: object, scope: Scope, path: str) -> str:
        """Fix for a bare position where a mapping with one is expected."""
        if "at" not in self.struct.params or not isinstance(raw, list):
            return ""
        try:
            self.struct.params["at"].convert(raw, scope, path)
        except LuffError:
            return ""
        text = f"[{', '.join(map(str, raw))}]"
        return Suggestion(text, f"{{at: {text}}}", False, f"write {{at: {text}}} if that is a position")

    def expected(self) -> str:
        return "a mapping {" + ", ".join(self.struct.params) + "}"


class SubList(Sub[Group]):
    """Parameter: a list of nested groups."""

    kind = "struct list"

    def __init__(self, struct: type[Group], default: object = (), *, doc: str = ""):
        super().__init__(struct, default, doc=doc)

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        if not isinstance(raw, Sequence) or isinstance(raw, str):
            raise self.refused(raw, path)
        one = Sub(self.struct)
        return tuple(one.group(item, scope, f"{path}[{k}]") for k, item in enumerate(raw))

    def expected(self) -> str:
        return f"a list of mappings {{{', '.join(self.struct.params)}}}"


class SubMap(Sub[Group]):
    """A mapping from names to nested groups."""

    kind = "struct map"

    def __init__(self, struct: type[Group], default: object = REQUIRED, *, doc: str = "", key: str = ""):
        super().__init__(struct, {} if default is REQUIRED else default, doc=doc, key=key)

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        if not isinstance(raw, dict):
            raise self.refused(raw, path)
        one = Sub(self.struct)
        for name in raw:
            if not isinstance(name, str) or not name.isidentifier():
                raise fail(
                    path, f"found the name {shown_value(name)}, expected letters, digits and underscores"
                )
        return {name: one.group(item, scope, f"{path}.{name}") for name, item in raw.items()}

    def expected(self) -> str:
        return f"a mapping from names to {{{', '.join(self.struct.params)}}}"


class Either(Param):
    """The first of several kinds that accepts the value: `load: reaction` or `load: 500 N`."""

    kind = "either"

    def __init__(self, default: object, *options: Param, doc: str = ""):
        super().__init__(default, options[0].unit, doc=doc, live=any(option.live for option in options))
        self.options = options

    def convert(self, raw: object, scope: Scope, path: str) -> object:
        problems: list[Problem] = []
        for option in self.options:
            try:
                return option.convert(raw, scope, path)
            except LuffError as error:
                # a mistake inside the entry (a bound, a unit) is better told than a list of alternatives
                if option.kind == "number" and isinstance(raw, int | float):
                    raise
                problems = error.problems
        if len(problems) == 1 and not problems[0].message.startswith("found"):
            raise LuffError(problems)
        raise self.refused(raw, path)

    def expected(self) -> str:
        return ", or ".join(option.expected() for option in self.options)
