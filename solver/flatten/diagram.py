"""`Diagram`: a netlist that is opened, edited, checked and saved."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from ...blocks import LuffError, NetlistError
from ...blocks.errors import Problem
from ..diagram.netlist_document import Netlist
from ..diagram.spelling_repair import Findings
from ..netlist.section_structure import section, subsystem
from .flatten import check


class Diagram(Netlist):
    """A netlist as a document: read, edited, checked and saved without losing a comment.

    `luff.load` and `luff.loads` read one, `Diagram()` is an empty one to build on. `data` is the raw document. Each
    edit has an inverse, and tells subscribers.

    Examples
    --------
    >>> import luff
    >>> diagram = luff.load("library/templates/pendulum.yaml")
    >>> diagram.value("pin.damping")
    '0.05 N*m*s/rad'
    >>> diagram.set_value("pin.damping", "0.2 N*m*s/rad")
    >>> removed = diagram.remove_block("energy")
    >>> diagram.check(), diagram.modified
    ([], True)
    >>> "# z points up" in diagram.to_yaml()
    True
    >>> built = luff.Diagram()
    >>> built.add_block("one", {"type": "constant", "value": 3})
    >>> built.add_block("sum", {"type": "integrator"})
    >>> built.connect("one.y", "sum.u")
    'one.y -> sum.u'
    >>> float(luff.compile(built).run(stop="2 s")["sum.y"][-1].round(12))
    6.0
    """

    def __fspath__(self) -> str:
        """The file that holds it: processes of a study read it there."""
        if self.path is None or self.modified:
            raise NetlistError(
                "this netlist is in no file yet, or was changed since", fix="diagram.save(path)"
            )
        return str(self.path.resolve())

    _svg_of: ClassVar[Callable[[Diagram], str] | None] = (
        None  # set by the package: drawings stand above the solver
    )

    def _repr_svg_(self) -> str | None:
        """Drawing for a notebook, as `luff.draw` makes it; None for a netlist that cannot be drawn."""
        try:
            return Diagram._svg_of(self) if Diagram._svg_of else None
        except LuffError:
            return None

    def check(self) -> list[Problem]:
        """Find every mistake that shows without compiling.

        Returns
        -------
        list of Problem
            Errors and warnings in the order of the text, each with its place and a likely fix; of a level inside,
            those that concern it.
        """
        problems = check(self.root).problems
        return [*self.problems_here(problems)] if self.level else [*problems]

    def level_of(self, path: str) -> tuple[tuple[str, ...], str]:
        """Level of the entry, block or port that a problem is about, and its path from there.

        Parameters
        ----------
        path : str
            Path of a problem, as the outermost netlist's `check` has it.

        Returns
        -------
        tuple
            Names of the subsystems in place that lead to it, and the rest of the path.
        """
        head = "blocks." if path.startswith("blocks.") else ""
        level, rest, data = (), path.removeprefix(head), self.root.data
        while True:
            name, _, below = rest.partition(".")
            inner = subsystem(section(data, "blocks", dict).get(name))
            word = below.replace("[", ".").partition(".")[0]
            if inner is None or word not in (*section(inner, "blocks", dict), *inner, "world"):
                return level, head + rest
            level, rest, data = (*level, name), below, inner

    def problems_here(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        """Problems of the whole document that concern this level, by paths from here.

        Parameters
        ----------
        problems : iterable of Problem
            Problems of the outermost netlist.

        Returns
        -------
        iterator of Problem
            Those of this level.
        """
        if not self.level:
            yield from problems
            return
        depth = len(self.level)
        for problem in problems:
            level, rest = self.level_of(problem.path)
            if level[:depth] == self.level:
                head = "blocks." if rest.startswith("blocks.") else ""
                path = ".".join((*level[depth:], rest.removeprefix(head)))
                yield replace(problem, path=head + path)


def load(path: str | Path, allow_code: bool = False, files: Iterable[str | Path] = ()) -> Diagram:
    """Read a netlist file.

    Tables and other netlists are read from its own folder and below, and from the folders `files`.

    Parameters
    ----------
    path : str or Path
        A netlist (.yaml); `library/...` names the models that come with luff.
    allow_code : bool, optional
        Permission to run the Python files that the netlist lists.
    files : iterable of str or Path, optional
        Further folders from which it may read.

    Returns
    -------
    Diagram
        The netlist as a document; mistakes of meaning are found by `check` and `luff.compile`.

    Raises
    ------
    NetlistError
        The file is not there or is not a netlist: each problem with its place.

    Examples
    --------
    >>> import luff
    >>> diagram = luff.load("library/templates/pendulum.yaml")
    >>> list(diagram.blocks)
    ['pin', 'rod', 'energy']
    """
    return Diagram.load(path, allow_code, files)


def loads(
    text: str, base: str | Path | None = None, allow_code: bool = False, files: Iterable[str | Path] = ()
) -> Diagram:
    r"""Read a netlist from text.

    Parameters
    ----------
    text : str
        A netlist in YAML.
    base : str or Path, optional
        The folder in which the files that it names are looked for.
    allow_code : bool, optional
        Permission to run the Python files that the netlist lists.
    files : iterable of str or Path, optional
        Further folders from which it may read.

    Returns
    -------
    Diagram
        The netlist as a document.

    Raises
    ------
    NetlistError
        The text is not a netlist: each problem with its line.

    Examples
    --------
    >>> import luff
    >>> diagram = luff.loads("luff: 1\nblocks: {one: {type: constant, value: 1}, sum: {type: integrator}}\n")
    >>> diagram.connect("one.y", "sum.u")
    'one.y -> sum.u'
    >>> diagram.check()
    []
    """
    folder = Path(base) if base is not None else None
    return Diagram.from_yaml(text, base=folder, allow_code=allow_code, files=files)


def check_text(
    text: str,
    name: str = "",
    base: Path | None = None,
    allow_code: bool = False,
    files: Iterable[Path] = (),
    path: Path | None = None,
) -> Findings:
    """Problems of a netlist's text, read as `Diagram.from_yaml` reads it, and what they keep back."""
    try:
        return check(Diagram.from_yaml(text, name, base, allow_code, files, path))
    except LuffError as error:
        return Findings(error.problems)
