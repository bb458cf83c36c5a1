"""Problems of the entries of a block or group: one that it does not have, one that it needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from .errors import Missing, Move, Place, Problem, Suggestion, did_you_mean, listing
from .text.did_you_mean import KnownWords

LONGEST = 60  # letters of a name in a message


class Known(Protocol):
    """Parameter that is known."""

    kind: str

    def meant(self, key: str, raw: object) -> dict[str, object]: ...


def unknown_parameter(
    key: str, raw: Mapping[str, object], params: Mapping[str, Known], path: str, owner: str
) -> Problem:
    """Problem of the entry `key` of `raw`, which none of the parameters of `owner` takes."""
    name = key if len(key) <= LONGEST else f"{key[: LONGEST - 3]}..."
    fix = _fix(key, raw, params) if params else "it has none"
    where = f"{path}.{key}"
    return Problem(f'{owner} has no parameter "{name}"', where, fix, key=True, spare=where)


def missing_parameter(name: str, expected: str, doc: str, path: str, owner: str) -> Problem:
    """Problem of a required parameter that the entry at `path` does not give."""
    return Problem(
        f'{owner} needs a value for "{name}": {expected}', path, Missing(name, doc), incomplete=True
    )


def _fix(key: str, raw: Mapping[str, object], params: Mapping[str, Known]) -> str:
    """Group in which the entry belongs, else a name that is near and takes such a value."""
    meant = {group: entry for group, param in params.items() if (entry := param.meant(key, raw[key]))}
    if meant:
        places = [
            _place(group, key, entry)
            for group, entry in meant.items()
            if params[group].kind == "struct" and _is_free(raw.get(group), entry)
        ]
        words = _words(key, meant)
        return Move(words, places) if places else words
    single = isinstance(raw[key], str | int | float)
    near = did_you_mean(
        key, (one for one, param in params.items() if not (single and param.kind.startswith("struct")))
    )
    return near if isinstance(near, Suggestion) else listing(key, KnownWords(params))


def _words(key: str, meant: Mapping[str, Mapping[str, object]]) -> str:
    inside = [f'"{group}"' for group, entry in meant.items() if key in entry]
    others = [
        f"as {group}: {{{name}: {_shown(value)}}}"
        for group, entry in meant.items()
        if key not in entry
        for name, value in entry.items()
    ]
    return "give it " + " or ".join([*([f"inside {' or '.join(inside)}"] if inside else []), *others])


def _place(group: str, key: str, entry: Mapping[str, object]) -> Place:
    told = [f"{name} {_shown(value).strip('[]')}" for name, value in entry.items()]
    words = f"Move into {group}" if key in entry else f"Give {group} {', '.join(told)}"
    return Place(words, {f"{group}.{name}": value for name, value in entry.items()})


def _is_free(group: object, entry: Mapping[str, object]) -> bool:
    """True if a group as it is written can take an entry."""
    return group is None or (isinstance(group, dict) and not group.keys() & entry.keys())


def _shown(value: object) -> str:
    return f"[{', '.join(map(str, value))}]" if isinstance(value, list) else str(value)
