"""`Simulation`: a compiled diagram that can be evaluated, changed and run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast
from weakref import WeakSet

from ...blocks import LuffError, RunError
from ...blocks.errors import ModelWarning, Problem, did_you_mean
from ..codegen.blas_threads import one_blas_thread
from ..diagnostics.model_summary import StaticSummary, Summary, static_summary_of, summary_of
from ..diagram.run_settings import EVENTS, SECTIONS, nearest_multiple
from ..flatten.diagram import Diagram
from ..flatten.flatten import Flat, flatten
from ..flatten.leaf_blocks import entry_at
from ..integrators.method_table import method_of
from ..netlist import path_steps
from ..program.started_program import Started, start_program, started
from .given_state import GivenState
from .model_evaluation import Evaluation
from .parameters import Parameters
from .script_values import Time, Value, as_arrays, log, netlist_entries, seconds
from .session import Session

if TYPE_CHECKING:
    from ..results.result import Result
    from .input_signals import Drive, InputSignals
    from .turning_points import Watched

CHUNK_SECONDS = 0.1  # [s] wall time between checks of the keyboard and flushes of the result file


class Simulation(Evaluation):
    """A compiled model: evaluated at states, changed by `set`, run by `run`. `luff.compile` makes it.

    States x are in the order of `state_names`, in SI units. Single evaluations may be called from any thread.

    Examples
    --------
    >>> import luff
    >>> sim = luff.compile("library/templates/pendulum.yaml")
    >>> sim.derivative(0.0, [0.0, 2.0]).round(2).tolist()  # [rad/s, rad/s^2] at the bottom
    [2.0, -0.15]
    >>> sim.mass_matrix().round(4).tolist()  # m l^2 / 3 for 2 kg and 1 m
    [[0.6667]]
    >>> sim.set("rod.mass", 4.0)
    >>> result = sim.run(stop=0.5)
    >>> result.status
    'finished'
    """

    def __init__(
        self,
        diagram: Diagram,
        overrides: Mapping[str, object] | None = None,
        begin: Callable[[Flat], Started] = started,
    ):
        self.diagram = diagram
        self.overrides = dict(overrides or {})
        with one_blas_thread():
            super().__init__(begin(flatten(diagram, self.overrides)))

    def adopt(self, program: Started) -> None:
        """Take over a program; no run of an earlier one sees later changes.

        Parameters
        ----------
        program : Started
            A compiled program that stands at its start.
        """
        super().adopt(program)
        self._stale = False  # True while the first state is that of earlier parameters
        self._unread = False  # True while warnings of the netlist are those of earlier parameters
        self._parameters = Parameters(program)
        self._at_other_steps: WeakSet[Simulation] = WeakSet()

    @property
    def program(self) -> Started:
        """The compiled program with all parameters that were set, started."""
        if self._stale:
            with self.lock:
                if self._stale:
                    self._start_anew()
        return self._program

    def _start_anew(self) -> None:
        """Solve for the first state with the parameters that were set; the netlist is not read."""
        if not self._program.begun:
            new = start_program(self._program.described)
            self._hand_on(new)
            self._program, self._parameters = new, self._parameters.moved(new, {})
        self._stale = False

    @property
    def notes(self) -> list[str]:
        """Notes on the model before it runs: redundant constraints, a start other than the netlist's, ..."""
        self._read_anew()
        return super().notes

    @property
    def remarks(self) -> list[Problem]:
        """Warnings and notes on the model, each with its place in the file."""
        self._read_anew()
        return super().remarks

    def _read_anew(self) -> None:
        """Read the netlist with the parameters that were set, where only numbers were written so far."""
        with self.lock:
            if self._unread:
                self.program = self._whole(self.overrides)

    @program.setter
    def program(self, program: Started) -> None:
        self._program, self._stale, self._unread = program, False, False
        self._parameters = Parameters(program)

    # --- what it is ----------------------------------------------------------------------------------------------

    @property
    def summary(self) -> Summary:
        """Counts of blocks, bodies, degrees of freedom, states, constraints and signals."""
        return summary_of(self.program)

    def __repr__(self) -> str:
        from ..results.notebook_display import count_words

        about, s = self.summary, self.settings
        counts = {"degrees of freedom": about["degrees_of_freedom"]}
        counts |= {name: about[name] for name in ("states", "constraints", "signals")}
        named = f' "{about["name"]}"' if about["name"] else ""
        return f"<Simulation{named}: {count_words(counts)}; {s.method}, {s.step:g} s to {s.stop:g} s>"

    def _repr_html_(self) -> str:
        from ..results.notebook_display import model_html

        return model_html(repr(self)[1:-1], self.diagram._repr_svg_() or "", self.remarks)

    # --- parameters ----------------------------------------------------------------------------------------------

    def set(self, path: str | Mapping[str, Value], value: Value = None) -> None:
        """Set parameters, as `set` of a netlist does; runs under way see them at their next step.

        Several, as a mapping, are checked and take effect together: `sim.set({"table.x": xs, "table.y": ys})`. Where
        the form of the model stays, the numbers are written into the runs under way. A change of form (a table of
        another size, a delay of another length) is for runs that begin later: those under way keep their program.

        Parameters
        ----------
        path : str or mapping
            A parameter, `rod.mass` or an entry of `parameters:`; or a mapping of such paths to values.
        value : object, optional
            A number in SI units, a text with its unit, a list or an array; with a mapping as `path` it is not used.

        Raises
        ------
        LuffError
            There is no such parameter, or the values are not valid together; nothing is changed then.
        """
        changes = netlist_entries({path: value} if isinstance(path, str) else path, "set")
        with self.lock:
            overrides, began = {**self.overrides, **changes}, perf_counter()
            new = self._parameters.with_values(self.diagram, self.overrides, changes, begun=False)
            if new is None:
                self.program = self._whole(overrides)
                log("debug", "set %s: read the netlist anew in %.3g s", [*changes], perf_counter() - began)
            else:
                self._hand_on(new)
                self._program, self._stale, self._unread = new, True, True
                self._parameters = self._parameters.moved(new, changes)
            self.overrides = overrides
            for other in self._at_other_steps:
                other.set(cast("Mapping[str, Value]", changes))

    def get(self, path: str) -> Any:
        """Value of a parameter as it is set now.

        Parameters
        ----------
        path : str
            A parameter as `set` takes it: `rod.mass`, `pin.initial.position`, `simulation.step`, an entry of
            `parameters:`.

        Returns
        -------
        float, ndarray or object
            A number in SI units, an array of a list of numbers, a dictionary of a group, a word, or None.

        Raises
        ------
        LuffError
            There is no such parameter.
        """
        flat = self._program.flat
        head, *rest = path_steps(path) or [""]
        try:
            if head in SECTIONS and head not in flat.blocks and rest:
                return as_arrays(entry_at(getattr(flat, str(head)), tuple(rest)))
            with self.lock:
                return as_arrays(self._parameters.value(self.diagram, self.overrides, path))
        except LookupError:
            own = [f"{block.name}.{key}" for block in flat.blocks.values() for key in block.values]
            fix = did_you_mean(path, [*self.diagram.parameters, *own])
            raise LuffError("there is no such parameter", path=path, fix=fix) from None

    def _hand_on(self, new: Started) -> None:
        """Hand a program to the runs under way; a run in another thread sees all of a change or nothing."""
        self.__dict__.pop("instance", None)
        for instance in self._running:
            if instance.program is self._program:
                instance.take(new)

    def _whole(self, overrides: Mapping[str, object]) -> Started:
        """Program from the netlist with overrides; runs of equal form take its numbers."""
        flat = flatten(self.diagram, overrides)
        new = self._parameters.of(flat) or started(flat)
        if self._program.like(new):
            self._hand_on(new)
        else:
            self.__dict__.pop("instance", None)
        return new

    def _laid_out_for(self, step: float) -> Simulation:
        """This simulation, or one whose memories suit the step: delays are sized in steps."""
        sized = any(
            isinstance(memory.size, str)
            for block in self.program.flat.blocks.values()
            for memory in block.memories.values()
        )
        if not sized or step >= self.settings.step:
            return self
        other = Simulation(self.diagram, {**self.overrides, "simulation.step": step})
        self._at_other_steps.add(other)
        return other

    def _driven(self, driven: InputSignals) -> Simulation:
        """Simulation that begins with these inputs."""
        return type(self)(driven.fed(self.diagram), {**self.overrides, **driven.changes})

    def static(self) -> StaticSummary:
        """Static equilibrium with the joints held that `initial: {hold: [...]}` of the netlist names.

        Returns
        -------
        StaticSummary
            A dictionary: `positions` of the coordinates with their `errors` (bounds to first order, NaN where none is
            known) and `units`, `held` (the efforts that hold) with `held_errors`, `supports` with `support_errors`,
            `neutral`, `unstable` and `undecided` directions, `left` (coordinates that left an equilibrium which the
            least push destroys), `at_start` (blocks whose forces are those of signals at t = 0), `left_out`
            (forces that statics does not know of), `iterations`, `residual`.

        Raises
        ------
        CompileError
            No equilibrium was found.
        """
        hold = self.program.flat.initial.hold
        program = started(
            flatten(self.diagram, {**self.overrides, "initial.solve": "static", "initial.hold": hold})
        )
        return static_summary_of(program)

    # --- runs ----------------------------------------------------------------------------------------------------

    def start(
        self,
        stop: Time | None = None,
        step: Time | None = None,
        method: str | None = None,
        output_step: Time | None = None,
        events: str | None = None,
        watched: Sequence[Watched] = (),
        x0: GivenState | None = None,
    ) -> Session:
        """Begin a run that the caller advances.

        Parameters
        ----------
        stop : float or str, optional
            End of the run [s], or a text with its unit: `"2 min"`. This and all that follow are by default those of
            `simulation:` in the netlist.
        step : float or str, optional
            Step of the method [s].
        method : str, optional
            Integration method: `rk4`, `implicit`, ... or an adaptive one.
        output_step : float or str, optional
            Time between recorded rows [s], a multiple of the step.
        events : str, optional
            `step`, or `locate`: steps end where something changes.
        watched : sequence of Watched, optional
            Signals of which every turning point is recorded too.
        x0 : array_like or mapping, optional
            State at t = 0 in place of the netlist's start: all in the order of `state_names` [SI], or some by name,
            `{"pin.position": "20 deg"}`, while the others are the netlist's. Nothing is solved for but the dependent
            coordinates of closed loops, which follow from the netlist's start on their branch.

        Returns
        -------
        Session
            The run at its start.

        Raises
        ------
        RunError
            A setting is wrong, loops cannot be closed at `x0`, or the start has no finite rates.
        """
        s = self.settings
        chosen, met = method_of(method or s.method).name, checked_word(EVENTS, "events", events or s.events)
        end, length = seconds("stop", stop, s.stop), seconds("step", step, s.step)
        every = seconds("output_step", output_step, s.output_step)
        if step is not None and output_step is None:
            every = nearest_multiple(
                every, length
            )  # a step that is set by hand need not divide the netlist's
        with self.program.flat.telling_places(), self.lock:
            sim = self._laid_out_for(length)
            return Session(sim, end, length, chosen, every, met, watched, x0)

    def run(
        self,
        stop: Time | None = None,
        step: Time | None = None,
        method: str | None = None,
        output_step: Time | None = None,
        events: str | None = None,
        output: str | Path | None = None,
        progress: Callable[[Session], object] | None = None,
        inputs: Mapping[str, Drive] | None = None,
        replay: str | Path | None = None,
        x0: GivenState | None = None,
    ) -> Result:
        """Run to the end and return what was recorded.

        Remarks on the model and the run are in `result.remarks`; each is also a Python warning (`luff.ModelWarning`).
        Ctrl-C ends the run: its rows are returned with the status `interrupted`.

        Parameters
        ----------
        stop, step, method, output_step, events : optional
            Settings in place of the netlist's, as in `start`; times in seconds or as texts, `stop="1 min"`.
        output : str or Path, optional
            An .h5 file to which rows are streamed, so that memory stays flat.
        progress : callable, optional
            Called with the session about every 0.1 s of wall time; the run is cancelled when it returns False.
        inputs : mapping, optional
            Signals of `inputs:` by name, in SI units. A number (or one for each element) holds through the run; a pair
            (times, values) is interpolated linearly; a function of time is called at the beginning of each step, over
            which its value holds.
        replay : str or Path, optional
            A recording of an operator (`luff run --keep`) that is repeated; excludes `inputs`.
        x0 : array_like or mapping, optional
            State at t = 0, as in `start`.

        Returns
        -------
        Result
            The recorded signals.

        Raises
        ------
        RunError
            The run failed; its attribute `result` has the rows up to there.
        """
        from .input_signals import InputSignals

        driven = InputSignals(self.program, inputs or {})
        sim = self._driven(driven) if inputs else self.twin() if replay is not None else self
        session = sim.start(stop, step, method, output_step, events, x0=x0)
        go = partial(driven.advance, session) if driven.functions else session.advance
        if replay is not None:
            if inputs:
                raise RunError(
                    "found both inputs and replay, which drive the same inputs", fix="give one of them"
                )
            from .operator_log import OperatorLog, OperatorReplay

            go = OperatorReplay(session, OperatorLog.read(replay), sim.set).advance
        try:
            result = sim.record(session, output, progress, go)
        except RunError as error:
            warn_remarks(getattr(error, "result", None))
            raise
        warn_remarks(result)
        return result

    def record(
        self,
        session: Session,
        output: str | Path | None = None,
        progress: Callable[[Session], object] | None = None,
        go: Callable[[float], str] | None = None,
    ) -> Result:
        """Run a session to its end and return what was recorded; remarks make no Python warning.

        Parameters
        ----------
        session : Session
            A run of this simulation.
        output : str or Path, optional
            An .h5 file to which rows are streamed.
        progress : callable, optional
            Called with the session between chunks; the run is cancelled when it returns False.
        go : callable, optional
            Advances the session by about a wall time [s] and returns its status; `session.advance` by default.

        Returns
        -------
        Result
            The recorded signals.

        Raises
        ------
        RunError
            The run failed; its attribute `result` has the rows up to there.
        """
        from .recorder import Recorder

        began = perf_counter()
        with Recorder(self, session, output) as recorder:
            try:
                while (go or session.advance)(CHUNK_SECONDS) == "running":
                    recorder.write(*session.take())
                    if progress is not None and progress(session) is False:
                        session.cancel()
            except KeyboardInterrupt:
                session.cancel("interrupted", f"interrupted at t = {session.time:g} s")
            recorder.write(*session.take())
            recorder.close()
        result = recorder.result()
        log("info", "%r in %.3g s", session, perf_counter() - began)
        if session.status == "failed":
            error = RunError(session.problem)
            error.result = result  # type: ignore[attr-defined]
            raise error
        return result


def warn_remarks(result: Result | None, level: int = 3) -> None:
    """Python warning for each remark, at the line of the caller's caller."""
    for remark in () if result is None else result.remarks:
        warnings.warn(ModelWarning(str(remark).replace("warning: ", "", 1)), stacklevel=level)


def checked_word(known: tuple[str, ...], name: str, word: str) -> str:
    """Check a word against the known ones."""
    if word not in known:
        raise RunError(
            f'found {name} "{word}", expected one of {", ".join(known)}', fix=did_you_mean(word, known)
        )
    return word
