"""`luff mcp`: a server of the Model Context Protocol, for agents that write and run models.

Each tool is a command of luff in a process of its own, without `--allow-code`: no code of a netlist runs, a run that
does not end is killed, and messages are those of the command line.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..blocks.errors import RunError
from .shared_options import argument

if TYPE_CHECKING:
    from mcp.server.mcpserver import Image, MCPServer

    from ..solver.results.recorded_run import RecordedRun

LONGEST = 1_000_000  # characters of a netlist
POINTS, SIGNALS = 200, 20  # of an answer: rows of a signal, signals
ANALYSES = ("info", "static", "modes", "linearize")
ABOUT = (
    "luff simulates rigid and flexible multibody systems and control from block diagrams in YAML. "
    "A netlist is given to the tools as its text, or as the name of a file in the served folder or of the library "
    "(library/hoist.yaml). Look blocks up with `blocks` before you write; `check` a netlist before you `run` it: it "
    'tells every mistake with its line and the likely fix. Values have units ("9 t", "30 deg"); answers are SI.'
)


def mcp(
    folder: Annotated[Path, argument("The folder whose netlists may be read.")] = Path(),
    limit: Annotated[float, typer.Option("--limit", min=1.0, help="Seconds that a tool may take.")] = 120.0,
) -> None:
    """Serve the tools check, run, plot, analyse, blocks and examples to agents, by the Model Context Protocol on stdio.

    No code of a netlist runs, nothing outside of the folder and of the library is read, and nothing but luff's cache
    and temporary files is written.
    """
    server(folder.resolve(), limit).run()


def server(folder: Path, limit: float) -> MCPServer:
    """Server of the tools."""
    try:
        from mcp.server.mcpserver import Image, MCPServer
    except ImportError:
        raise RunError("luff mcp needs the package mcp", fix="pip install 'luff[mcp]'") from None
    from ..version import __version__

    made = MCPServer("luff", instructions=ABOUT, version=__version__, log_level="ERROR")
    tools = Tools(folder, limit, Image)
    for tool in (tools.check, tools.run, tools.plot, tools.analyse, tools.blocks, tools.examples):
        made.tool(structured_output=False)(tool)
    return made


class Tools:
    """Tools of the server: netlists come as text or by name, answers are JSON or a picture."""

    def __init__(self, folder: Path, limit: float, image: type[Image]):
        self.folder, self.limit, self.image = folder, limit, image

    async def check(self, netlist: str) -> str:
        """Tell every mistake and warning of a netlist, with line, column and likely fix."""
        return json.dumps(await self._json("check", netlist))

    async def run(
        self,
        netlist: str,
        signals: list[str] | None = None,
        set: dict[str, str | float] | None = None,
        stop: str = "",
        step: str = "",
        points: int = 20,
    ) -> str:
        """Simulate a netlist: its report with energy balance and warnings, and signals (names or globs) over time.

        Of each signal: least, greatest and final value of all rows, and `points` rows (200 at most) evenly spaced.
        `set` changes parameters by path, {"king.mass": "9 t"}.
        """
        with tempfile.TemporaryDirectory(prefix="luff-mcp-") as home:
            file = Path(home) / "run.h5"
            report = await self._json("run", netlist, set, stop, step, ["-o", str(file)])
            report.pop("files", None)
            if file.exists():
                report["results"] = rows_of(file, signals or ["*"], points)
        return json.dumps(report)

    async def plot(
        self,
        netlist: str,
        signals: list[str] | None = None,
        set: dict[str, str | float] | None = None,
        stop: str = "",
        x: str = "time",
    ) -> list[Any]:
        """Simulate a netlist and draw signals, or the plots that it asks for, as a PNG."""
        from ..blocks.errors import LuffError
        from ..solver.results.result import read_result

        with tempfile.TemporaryDirectory(prefix="luff-mcp-") as home:
            rows, picture = Path(home) / "run.h5", Path(home) / "plot.png"
            report = await self._json("run", netlist, set, stop, more=["-o", str(rows)])
            if not rows.exists():
                return [json.dumps(report)]
            try:  # a column of this run is neither an option of the command nor a further result file
                columns = columns_of(read_result(rows), signals or ())
            except LuffError as error:
                return [refused(str(error))]
            out = await self._called(["plot", str(rows), "-o", str(picture), f"--x={x}", "--", *columns])
            if not picture.exists():
                return [out]
            return [str(report.get("status", "")), self.image(data=picture.read_bytes(), format="png")]

    async def analyse(
        self, netlist: str, what: str = "info", set: dict[str, str | float] | None = None
    ) -> str:
        """Analyse a netlist: info (counts, states, signals), static (equilibrium), modes, or linearize (A, B, C, D)."""
        if what not in ANALYSES:
            return refused(f'found "{what}", expected {", ".join(ANALYSES)}')
        return json.dumps(await self._json(what, netlist, set))

    async def blocks(self, name: str = "") -> str:
        """List all blocks by family; explain one by its name: ports, parameters, units; or search for a word."""
        if name.startswith("-"):
            return refused(f'found "{name}", expected the name of a block')
        return await self._called(["blocks", *([name] if name else []), "--json"])

    async def examples(self, name: str = "") -> str:
        """List netlists of the library and of the served folder with a line about each, or return the text of one."""
        from ..solver.netlist.library_paths import LIBRARY

        if name:
            found = self._file(name)
            return found.read_text("utf-8", "replace") if isinstance(found, Path) else found
        listed = {f"library/{path.name}": about(path) for path in sorted(LIBRARY.glob("*.yaml"))}
        own = ((path.name, self._file(path.name)) for path in sorted(self.folder.glob("*.yaml")))
        listed |= {name: about(file) for name, file in own if isinstance(file, Path)}
        return json.dumps(listed)

    def _file(self, name: str) -> Path | str:
        """File of a name inside of the folder or the library; a refusal for any other."""
        from ..solver.netlist.library_paths import LIBRARY, library_path

        full = (self.folder / library_path(name, self.folder)).resolve()
        inside = full.is_relative_to(self.folder) or full.is_relative_to(LIBRARY.resolve())
        if not inside or full.suffix not in (".yaml", ".yml") or not full.is_file():
            return refused(f'found no netlist "{name}" in the served folder or the library')
        return full

    async def _json(
        self,
        command: str,
        netlist: str,
        set_: dict[str, str | float] | None = None,
        stop: str = "",
        step: str = "",
        more: Sequence[str] = (),
    ) -> dict[str, Any]:
        """JSON of a command about a netlist."""
        text, file = "", "-"
        if "\n" in netlist or ": " in netlist:
            text = netlist
        else:
            found = self._file(netlist)
            if isinstance(found, str):
                return json.loads(found)
            file = str(found)
        if len(text) > LONGEST:
            return json.loads(refused(f"found a netlist of {len(text)} characters"))
        changes = [word for path, value in (set_ or {}).items() for word in ("--set", f"{path}={value}")]
        times = [
            word for key, value in (("stop", stop), ("step", step)) if value for word in (f"--{key}", value)
        ]
        out = await self._called([command, file, *times, *changes, *more, "--json"], text)
        try:
            return json.loads(out)
        except json.JSONDecodeError:
            return json.loads(refused(out or "the command said nothing"))

    async def _called(self, words: Sequence[str], text: str = "") -> str:
        """Output of a command of luff, run in the served folder by a process of its own; its errors if there is
        none."""
        import anyio

        from ..solver.codegen.python_subprocess import python_words

        line = python_words("luff.__main__", *words)
        try:
            with anyio.fail_after(self.limit):
                done = await anyio.run_process(line, input=text.encode(), check=False, cwd=self.folder)
        except TimeoutError:
            return refused(f"the command took longer than {self.limit:g} s", "a shorter stop, a longer step")
        err, out = (part.decode("utf-8", "replace") for part in (done.stderr, done.stdout))
        return out if out.strip() else refused(err.strip() or f"luff ended with code {done.returncode}")


def rows_of(file: Path, patterns: Sequence[str], points: int) -> dict[str, Any]:
    """Signals of a result: extremes and evenly spaced rows."""
    import numpy as np

    from ..blocks.errors import LuffError
    from ..solver.results.result import read_result

    result = read_result(file)
    try:
        names = columns_of(result, patterns)
    except LuffError as error:
        return {"problems": [str(problem) for problem in error.problems]}
    chosen = np.unique(np.linspace(0, len(result.time) - 1, max(2, min(points, POINTS))).round().astype(int))
    told = {
        name: {
            "unit": result.units[name],
            "least": finite(result[name].min()),
            "greatest": finite(result[name].max()),
            "final": finite(result[name][-1]),
            "values": [finite(value) for value in result[name][chosen]],
        }
        for name in names[:SIGNALS]
    }
    more = {"left_out": names[SIGNALS:]} if len(names) > SIGNALS else {}
    return {
        "time": [finite(t) for t in result.time[chosen]],
        "signals": told,
        "rows": len(result.time),
        **more,
    }


def columns_of(result: RecordedRun, patterns: Sequence[str]) -> list[str]:
    """Columns that names and globs match, in their order; LuffError where one matches none."""
    return list(dict.fromkeys(name for pattern in patterns for name in result.match(pattern)))


def finite(value: float) -> float | None:
    """Number for JSON; null for what is none."""
    return float(f"{value:.9g}") if abs(value) < float("inf") else None


def about(path: Path) -> str:
    """Name of a netlist in its text."""
    with path.open(encoding="utf-8", errors="replace") as lines:
        named = (line.partition(":")[2].strip() for line in lines if line.startswith("name:"))
        return next(named, "")


def refused(message: str, fix: str = "") -> str:
    """Problem in the form of the commands."""
    return json.dumps(
        {"status": "error", "problems": [{"severity": "error", "message": message, "fix": fix}]}
    )
