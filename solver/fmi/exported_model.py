"""`Model`: a diagram on its way to where no Python is: into an FMU, a page of a browser, or a controller.

What goes along is what a run of luff is: the compiled entry points, and the numbers of a run that is about to begin.
"""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from math import log10
from pathlib import Path

import numpy as np

from ...blocks.errors import CompileError, LuffError, ModelWarning, Problem
from ...blocks.signals.sequence_logic import Edge, Timer
from ...blocks.stop_conditions import NAME as CONDITIONS
from ..codegen import cross_compile
from ..codegen.jit import ENABLED, EntryPoint, NoCode
from ..flatten.diagram import Diagram
from ..integrators import run_loop
from ..integrators.method_table import Method, fixed_step_methods, listed_names, method_of
from ..integrators.run_data import COUNT, EVERY, FILM, FIRST, NOW, START, STEP, TAKEN, WITHIN
from ..kernels.model_data import COUPLING_MAX, FRICTION_JAM, LOOP_OPEN, O_METHOD, PROJECTED, SCALARS, SINGULAR
from ..program.band_checks import banded_blocks
from ..program.external_callbacks import ExternalExchange
from ..program.started_program import Started
from ..program.work_space import data_place
from ..simulation.constraint_state import restore_start
from ..simulation.inputs_outputs import chart_state_names, io_signals
from ..simulation.simulation import Simulation
from . import model_description as xml
from .fmu_inputs import Input, declared_inputs, not_exported
from .fmu_variables import Parameter
from .instance_image import Image
from .portable_code import Code, bitcode_of
from .tangent_tables import TangentTables

CORE = Path(__file__).with_name("core.h")
STEPPED = (Edge, Timer)  # what they give follows the steps
LOOKED_AT = 2000  # steps, by which the size of states is judged
STILL, ROUNDED = 1e-12, 1e-12  # SI, and of the largest of its unit: below these a state rests
HUGE = 1e100


class ExportedModel:
    """`choose` says which parameters are offered."""

    def __init__(
        self,
        diagram: Diagram,
        overrides: Mapping[str, object],
        inputs: list[Input],
        choose: Callable[[Simulation], list[Parameter]],
    ):
        if not ENABLED:
            mistake = "an export holds compiled code, and NUMBA_DISABLE_JIT switches the compiler off"
            raise LuffError(mistake, path="export")
        self.diagram = diagram
        self.sim = Simulation(diagram, overrides)
        program = self.program = self.sim.program
        self.settings = program.flat.simulation
        method = method_of(self.settings.method)
        check_exportable(program, method)
        for words in not_exported(diagram, program.flat):
            warnings.warn(ModelWarning(words), stacklevel=3)
        projected = len(program.model.constraint) and program.model.option[O_METHOD] == PROJECTED
        self.exchange = not projected  # which wants a correction after each step
        self.parameters = choose(self.sim)
        # the instance of a run, before its first evaluation
        self.instance = self.sim.new_instance()
        self.instance.real[STEP] = self.sim.settings.step  # until the importer gives one
        restore_start(self.instance)
        self.instance.scalars[:, FRICTION_JAM] = 0.0
        self.instance.choose_method(method)
        self.instance.locate(self.settings.events == "locate")
        for sampled in program.sampled:
            self.instance.params[sampled.slot] = max(1, round(sampled.period / self.settings.step))
        x = np.concatenate([program.x0, np.zeros(program.trailing)])
        values = np.array([one.value for one in self.parameters])
        run = self.instance.run(x, self.instance.work_vectors(method, len(x)), np.zeros(1))
        run.rows.fill(0.0)
        self.instance.move_numbers()  # derivatives may be by parameters
        self.image = Image(self.instance, run, values)
        self._run = run
        self.tangents: TangentTables | None = None
        for one in inputs:
            one.place = "p", program.param_names.index(f"{one.block}.value")
        self.given = inputs
        self.inputs = [*declared_inputs(program), *inputs]

    @property
    def identifier(self) -> str:
        """Name of the model as an identifier of C."""
        name = re.sub(r"\W", "_", self.program.flat.name, flags=re.ASCII) or "model"
        return name if not name[0].isdigit() else f"m{name}"

    # --- variables -----------------------------------------------------------------------------------------------

    @cached_property
    def nominals(self) -> list[float]:
        """Nominal of each state: the power of ten next to the largest number of its first steps.

        One that rests, but for rounding, is taken for as large as the largest of its unit, and at most for 1.
        """
        count, units = len(self.program.x0), self.program.state_units
        largest = np.abs(self.program.x0)
        with suppress(LuffError):  # of a run that ends early what came before counts
            session = self.sim.start()
            for _ in range(LOOKED_AT):
                if session.advance(steps=1) != "running":
                    break
                largest = np.fmax(largest, np.abs(session.x[:count]))
        sizes = np.where(largest < HUGE, largest, 1.0)
        of_unit = {unit: max(sizes[k] for k in range(count) if units[k] == unit) for unit in units}
        for k, unit in enumerate(units):
            if sizes[k] <= max(STILL, ROUNDED * of_unit[unit]):
                sizes[k] = min(of_unit[unit], 1.0) if of_unit[unit] > STILL else 1.0
        return [float(10.0 ** round(log10(size))) for size in sizes]

    def counts(self, column: int) -> str:
        """Meanings of the numbers of a state machine's state: 1 rest, 2 up."""
        names = chart_state_names(self.program.flat, self.program.columns[column].key)
        return ", ".join(f"{number} {name}" for number, name in enumerate(names, 1))

    def variables(self) -> list[xml.Variable]:
        program = self.program
        variables = [xml.Variable("time", xml.TIME, "s", doc="simulation time")]
        taken = {"time"}

        def add(variable: xml.Variable) -> None:
            while variable.name in taken:  # a parameter and a signal may have one name
                variable = replace(variable, name=f"{variable.name}_")
            taken.add(variable.name)
            variables.append(variable)

        signals, listed = io_signals(program), bool(program.flat.outputs)
        for name, k in zip(signals.outputs, signals.columns, strict=True):
            add(xml.Variable(name, xml.OUTPUT, program.columns[k].unit, doc=self.counts(k), of=k))
        for k, column in enumerate(program.columns if listed else ()):
            if column.top:
                continue
            add(xml.Variable(column.name, xml.OUTPUT, column.unit, doc=self.counts(k), of=k, inner=True))
        for one in self.inputs:
            add(xml.Variable(one.name, xml.INPUT, one.unit, one.default, one.doc))
        for one in self.parameters:
            kind = xml.PARAMETER if one.reaches else xml.CONSTANT
            lower, upper = ((v if np.isfinite(v) else None) for v in (one.lower, one.upper))
            one_of_them = xml.Variable(one.name, kind, one.param.unit, one.value, one.param.doc)
            add(replace(one_of_them, lower=lower, upper=upper) if one.reaches else one_of_them)
        if self.exchange:
            for k, (name, unit) in enumerate(zip(program.state_names, program.state_units, strict=True)):
                size = self.nominals[k]
                add(xml.Variable(f"state({name})", xml.STATE, unit, float(program.x0[k]), nominal=size))
            first = len(variables) - len(program.x0)
            for k, (name, unit) in enumerate(zip(program.state_names, program.state_units, strict=True)):
                add(xml.Variable(f"der({name})", xml.RATE, _per_second(unit), of=first + k))
            for k in self.indicators:
                switch = program.switches[k]
                add(xml.Variable(f"event({switch.block}.{switch.what})", xml.INDICATOR, of=k))
        return variables

    @property
    def indicators(self) -> list[int]:
        """Switching functions whose sign changes a piece, and is not told alone."""
        return [k for k, one in enumerate(self.program.switches) if one.room is None] if self.exchange else []

    def events(self) -> list[str]:
        """C tables of the time events at which an importer that integrates has to stop."""
        program, image = self.program, self.image
        jumps = {row for block in program.flat.blocks.values() for row in (*block.jumps(), *block.kinks())}
        slots = {image.w + program.sections.at(("p", one.slot)) for one in program.sampled}
        slots |= {0 for block in program.flat.blocks.values() if isinstance(block, STEPPED)}
        sizes = {
            "INDICATORS": len(self.indicators), "JUMPS": len(jumps), "SAMPLERS": len(slots),
            "DECIDED": sum(one.decided for one in program.switches),
            "AT_CROSSINGS": image.w + program.sections.first["g"],
            "AT_MEMORY": image.w + program.sections.first["mem"], "MEMORY": len(program.memory_names),
        }  # fmt: skip
        return [
            *(f"#define {name} {value}" for name, value in sizes.items()),
            *_array("const Word indicators", [str(k) for k in self.indicators]),
            *_array("const Word periods", [str(slot) for slot in sorted(slots)]),
            *_array("const Jump jumps", [f"{{{first!r}, {every!r}}}" for first, every in sorted(jumps)]),
        ]

    # --- C -------------------------------------------------------------------------------------------------------

    def header(self, token: str, variables: list[xml.Variable]) -> str:
        """Text of model.h."""
        image, program = self.image, self.program
        scalar = (
            image.w + self.instance.sections.at(data_place("scalar", 0)) if len(program.model.topo) else 0
        )
        names = {
            "TOTAL_WORDS": image.size, "STATE_WORDS": image.state, "AT_RUN": image.run, "AT_MODEL": image.model,
            "AT_DATA": image.data, "AT_X": image.x, "AT_BEFORE": image.before, "AT_ROWS": image.rows,
            "AT_NUMBER": image.number, "AT_REAL": image.real, "STATES": len(program.x0),
            "ALL_STATES": len(program.x0) + program.trailing, "COLUMNS": len(program.columns),
            "VARIABLES": len(variables), "SAMPLED": int(program.updated),
            "OFFERS_EXCHANGE": int(self.exchange), "NUMBER_FIRST": FIRST, "NUMBER_COUNT": COUNT,
            "NUMBER_EVERY": EVERY, "NUMBER_FILM": FILM, "NUMBER_TAKEN": TAKEN, "REAL_START": START,
            "REAL_NOW": NOW, "REAL_STEP": STEP,
            "REAL_WITHIN": WITHIN, "AT_OPEN": scalar + LOOP_OPEN, "AT_COUPLING_MAX": scalar + COUPLING_MAX,
            "AT_SINGULAR": scalar + SINGULAR,
            "ADVANCE": run_loop.advance.symbol, "EVALUATE_RATES": run_loop.evaluate_rates.symbol,
            "EVALUATE_OUTPUTS": run_loop.evaluate_outputs.symbol, "EVALUATE_UPDATES": run_loop.evaluate_updates.symbol,
            "EVALUATE_CROSSINGS": run_loop.evaluate_crossings.symbol,
        }  # fmt: skip
        if program.closed:
            names |= {"EVALUATE_SETTLED": run_loop.evaluate_settled.symbol, "SCALARS": SCALARS}
            names["COMPONENTS"] = len(program.components)
        lines = [f"#define {name} {value}" for name, value in names.items()]
        lines += [f'#define TOKEN "{token}"', f"#define STEP_LENGTH {float(self.settings.step)!r}"]
        called = {entry.symbol: len(entry.kinds) for entry in self.entry_points()}
        for symbol, count in called.items():
            lines.append(f"extern void {symbol}({', '.join(['Word'] * count)});")
        lines += ["typedef void (*Code)(void);"]
        lines += _array("const Code functions", [f"(Code){unit.symbol}" for unit in image.functions])
        lines += self._numbers()
        lines += _array("const Reloc addresses", [f"{{{at}, {to}}}" for at, to in image.addresses])
        lines += _array("const Reloc codes", [f"{{{at}, {to}}}" for at, to in image.codes])
        lines += _array("const char *const state_names", [_quoted(name) for name in program.state_names])
        if self.exchange:
            lines += _array("const double nominal", [repr(size) for size in self.nominals])
        lines += [
            *self.events(),
            *self._tables(variables),
            *(self.tangents.lines(_array) if self.tangents else ()),
        ]
        return "\n".join(lines) + "\n"

    def derive(self) -> Code:
        """Code for exact derivatives, which the FMU has from here on."""
        self.tangents = TangentTables(self.image, self.instance, self._run, evaluations())
        try:
            return bitcode_of([*self.tangents.functions, *self.tangents.evaluations])
        except NoCode as reason:
            fix = "export it without derivatives"
            raise CompileError(
                Problem(f"some of its code has no derivative: {reason}", "export", fix)
            ) from None

    def entry_points(self) -> list[EntryPoint]:
        """Entry points that the image, or the C beside it, calls."""
        own = [run_loop.advance, *evaluations(), run_loop.evaluate_crossings]
        settle = [run_loop.evaluate_settled] if self.program.closed else []
        return list(dict.fromkeys([*self.image.functions, *own, *settle]))

    def _numbers(self) -> list[str]:
        """The image without its zeros."""
        numbers = self.image.plain
        here = np.flatnonzero(numbers)
        parts = np.split(here, np.flatnonzero(np.diff(here) > 1) + 1) if len(here) else []
        segments = [f"{{{part[0]}, {len(part)}}}" for part in parts]
        words = [f"(Word)0x{word:x}u" for word in numbers[here].view(np.uint64).tolist()]
        return [*_array("const Segment segments", segments), *_array("const Word packed", words)]

    def _tables(self, variables: list[xml.Variable]) -> list[str]:
        """Variables, and the sums that parameters are part of."""
        image = self.image
        places: dict[int, list[tuple[int, float]]] = {}  # word -> parameters with their slopes
        uses: list[list[int]] = []
        for k, one in enumerate(self.parameters):
            words = [self.word(reach.array, reach.place) for reach in one.reaches]
            for word, reach in zip(words, one.reaches, strict=True):
                places.setdefault(word, []).append((k, reach.slope))
            uses.append(words)
        number = {word: k for k, word in enumerate(places)}
        now = image.numbers.view(float)
        terms, sums, part_of = [], [], []
        for word, parts in places.items():
            base = _base(float(now[word]), parts, self.parameters)
            sums.append(f"{{{word}, {base!r}, {len(terms)}, {len(parts)}}}")
            terms += [f"{{{image.extra + k}, {slope!r}}}" for k, slope in parts]
        rows = []
        counters = dict.fromkeys(xml.KINDS, 0)
        index = 0  # of the parameter under way
        for one in variables:
            at, first, count, strict = counters[one.kind], 0, 0, 0
            counters[one.kind] += 1
            if one.kind in (xml.OUTPUT, xml.INDICATOR):
                at = one.of
            elif one.kind == xml.INPUT:
                at = image.w + self.sim.program.sections.at(self.inputs[at].place)
            elif one.kind in (xml.PARAMETER, xml.CONSTANT):
                at, first, count = image.extra + index, len(part_of), len(uses[index])
                strict = self.parameters[index].strict
                part_of += [number[word] for word in uses[index]]
                index += 1
            bounds = [
                "-INFINITY" if one.lower is None else repr(float(one.lower)),
                "INFINITY" if one.upper is None else repr(float(one.upper)),
            ]
            rows.append(
                f"{{{one.kind}, {at}, {first}, {count}, {', '.join(bounds)}, {strict}, {_quoted(one.name)}}}"
            )
        return [
            *_array("const Term terms", terms),
            *_array("const Sum sums", sums),
            *_array("const Word part_of", list(map(str, part_of))),
            *_array("const Variable variables", rows),
        ]

    def word(self, array: str, place: int) -> int:
        """Place in the image of a number that follows a parameter."""
        if array == "w":
            return self.image.w + place
        return self.image.put(getattr(self.instance.model, array)) + place

    # --- code ----------------------------------------------------------------------------------------------------

    def bitcode(self) -> Code:
        """Bitcode of all functions that are called, for any processor."""
        return bitcode_of(self.entry_points())

    def sources(
        self, folder: Path, main: Path, code: Code, more: str = ""
    ) -> tuple[Path, list[xml.Variable], str]:
        """The C beside the code, put into a folder: `main` with what it includes; variables, and a name of it all.

        `more` comes before the model's own header.
        """
        variables = self.variables()
        token = self._token(code, variables, main)
        (folder / "model.h").write_text(more + self.header(token, variables), "utf-8")
        for source in (CORE, main):
            (folder / source.name).write_bytes(source.read_bytes())
        return folder / main.name, variables, token

    def objects(self, folder: Path, code: Code, machine: str) -> list[Path]:
        """Object code for a machine, in files."""
        folder.mkdir()
        paths = []
        for symbol, made in cross_compile.objects(code, machine).items():
            paths.append(folder / f"{symbol}.o")
            paths[-1].write_bytes(made)
        return paths

    def _token(self, code: Code, variables: list[xml.Variable], main: Path) -> str:
        """Hash of the model in the form of a GUID."""
        from ...version import __version__

        digest = hashlib.sha256(__version__.encode() + CORE.read_bytes() + main.read_bytes())
        digest.update(repr(variables).encode() + self.header("", variables).encode())
        for symbol in sorted(code):
            digest.update(code[symbol][1])
        text = digest.hexdigest()[:32]
        return "{" + "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:])) + "}"


def evaluations() -> list[EntryPoint]:
    return [run_loop.evaluate_rates, run_loop.evaluate_outputs, run_loop.evaluate_updates]


def _base(now: float, parts: list[tuple[int, float]], known: list[Parameter]) -> float:
    """Rest of a number without its parameters; 0 where it is a parameter, or in proportion to it."""
    if len(parts) == 1:
        k, slope = parts[0]
        if now == slope * known[k].value:
            return 0.0
    return now - sum(slope * known[k].value for k, slope in parts)


def _array(declaration: str, rows: list[str]) -> list[str]:
    """A table of C; an empty one is not allowed there."""
    *kind, name = declaration.split()
    return [f"static {' '.join(kind)} {name}[] = {{{', '.join(rows) or '0'}}};"]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _per_second(unit: str) -> str:
    return f"{unit or '1'}/s"


def check_exportable(program: Started, method: Method) -> None:
    """CompileError for what an importer of a model cannot run."""
    if method.adaptive:
        mistake = f"found the method {method.name}, which adapts its step"
        fix = f"an exported model needs a method of fixed step: {listed_names(fixed_step_methods())}"
        raise CompileError(program.flat.located(Problem(mistake, "simulation.method", fix)))
    if CONDITIONS in program.flat.blocks:
        mistake = "a model with stop_when or assert ends its runs by itself: it cannot be exported"
        fix = "take them out: an importer decides when to end"
        raise CompileError(program.flat.located(Problem(mistake, "simulation", fix)))
    for block in program.releases:
        mistake = "a release changes rates at an instant, which an importer would not see"
        raise CompileError(
            program.flat.located(Problem(mistake, block, "weld it (`fixed`), or leave it open"))
        )
    for block, kind in banded_blocks(program.mechanism).items():
        mistake = f"{kind} changes rates by impacts, which an importer would not see"
        raise CompileError(program.flat.located(Problem(mistake, block, "remove the constraint")))
    for call in program.tables["updates"].calls:
        if isinstance(call.code, ExternalExchange):
            block = call.code.block
            mistake = f"a block {block.type_name} works outside of the compiled model: it cannot be exported"
            raise CompileError(program.flat.located(Problem(mistake, block.name, "make it an input")))
