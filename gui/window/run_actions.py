"""Run actions: tool bar, badge, time, results; edits that reach the active run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from ...blocks import LuffError
from ...blocks.errors import Problem
from ...blocks.text.quantity import quantity
from ...solver.diagram.edit_events import Event
from ...solver.diagram.same_model import UNSEEN
from ..canvas.wire_values import active_states, value_words
from ..document.document import Document, without_stale
from ..document.part_stand import HINT, SHOWN_ON_A_STAND, is_part, part_on_stand
from ..plots.compared_runs import written_settings
from ..plots.plot_pane import COMPILING as COMPILING_NOW
from ..run.run_control import BackgroundCompiler
from ..run.run_thread import COMPILING, FAILED, FINISHED, PAUSED, RUNNING
from ..run.wired_units import wired_units
from ..theme.number_format import clock_text
from ..theme.small_widgets import set_style_property
from ..theme.window_words import placed
from ..view3d.canvas3d import AWAITS
from .actions import MENUS
from .live_edits import LiveEdits
from .open_level import OpenLevel
from .run_bar import RunBar, counted, summary_text, to_mend

if TYPE_CHECKING:
    from ...solver.simulation.simulation import Simulation
    from .shell import Shell

OF_FILES = {"assess", "load_chart"}  # whatever the diagram in the window is
NEEDS_MODEL = [spec.key for spec in MENUS["&Analyse"] if spec and spec.key not in OF_FILES]  # that compiles
ANALYSE_DELAY = 500  # ms after the last edit


class Running:
    def __init__(self, window: Shell):
        self.window = window
        self.analyser = BackgroundCompiler(window)
        self.analyser.done.connect(self._analysed)
        self._analysis: list[Problem] = []  # problems found by compilation only
        self._remarks: list[Problem] = []  # of the last run, and why it failed
        self._summary = ""
        self._errors = self._left = self._doubts = 0  # problems: what is wrong, left to do, or doubted
        self._stale = False
        self.reach = LiveEdits(window)
        self._older = False  # results are of an older model, as far as edits have been heard of
        self._paused = False  # the last run was started paused
        self._shown: float | None = None  # the time of what the 3-D view shows after a run
        self._pointed: float | None = None  # time of the plots' cursor [s], if moved last
        self._ask_timer = QTimer(window, singleShot=True, interval=ANALYSE_DELAY)
        self._ask_timer.timeout.connect(self._check_diagram)
        self._clock = QTimer(window, interval=100)
        self._clock.timeout.connect(self._show_time)

    def build(self) -> None:
        window = self.window
        bar = window.views.bar
        bar.addSeparator()
        for key in ("run", "pause", "step", "stop", "reset"):
            bar.addAction(window.actions_[key])
        self.bar = RunBar(window.runner, bar)
        window.addToolBar(self.bar.told)
        self.speed, self.time, self.progress = self.bar.speed, self.bar.time, self.bar.progress
        self.badge, self.note = self.bar.badge, self.bar.note
        window.runner.state_changed.connect(self._on_state)
        window.runner.failed.connect(self._on_failed)
        window.runner.remarked.connect(self._on_remarked)
        window.runner.compiled.connect(self._on_compiled)
        window.runner.was_set.connect(self._on_set)
        window.view3d.shown.connect(self._on_shown)
        window.deck.pointed.connect(self._on_pointed)
        self._on_state(window.runner.state)

    # ------------------------------------------------------------------ orders

    def on_run(self) -> None:
        window = self.window
        if window.runner.state == PAUSED:
            window.runner.resume()
            return
        if window.runner.active:
            return
        if self.is_part:
            self._try_part()
            return
        self._start(paused=False)

    @property
    def is_part(self) -> bool:
        """True if the diagram is a composite that cannot run by itself."""
        return bool(self.window.levels) and is_part(self.window.top.diagram) and not self._summary

    def _try_part(self) -> None:
        window = self.window
        path = window.top.path
        if path is None or window.top.modified:
            window.say("Save the part first: the stand reads the file")
            return
        try:
            document = Document(part_on_stand(path))
        except LuffError as error:
            window.say(str(error))
            return
        window.files.show(document).running.on_run()

    def _start(self, paused: bool) -> None:
        window = self.window
        files = [level.document for level in window.levels[1:] if level.document.is_root]
        unsaved = [document.title for document in files if document.modified]
        if unsaved:
            window.say(f"Save {', '.join(unsaved)} first: the run reads the file")
            return
        window.top.tried = True
        if not window.can_run() or not window.recording.may_be_discarded():
            return
        self._stale = False
        self._forget_remarks()
        window.deck.loaded = None
        self.reach.begin()
        if not window.top.problems and window.panels.is_visible("Problems"):
            window.panels.reveal("Plots", "Problems")  # nothing is told there, and curves begin
        self._paused = paused
        window.runner.start(window.top.diagram, paused)

    def on_pause(self) -> None:
        self.window.runner.pause()

    def on_step(self) -> None:
        runner = self.window.runner
        if runner.active:
            runner.pause()
            runner.step()
        else:
            self._start(paused=True)

    def on_stop(self) -> None:
        self.window.runner.stop()

    def on_reset(self) -> None:
        self.window.runner.stop()
        self._start(paused=True)

    def close(self) -> None:
        self._ask_timer.stop()
        self._clock.stop()
        self.analyser.close()
        self.window.runner.close()

    # ------------------------------------------------------------------ following the run

    def _on_state(self, state: str) -> None:
        window = self.window
        can = {
            "run": state not in (RUNNING, COMPILING),
            "pause": state == RUNNING,
            "step": state != COMPILING,
            "stop": window.runner.active,
            "reset": True,
        }
        for key, on in can.items():
            window.actions_[key].setEnabled(on)
        self._show_empty_text()
        running = "true" if window.runner.active else "false"
        for bar in (window.views.bar, self.bar.told):
            set_style_property(bar, "running", running)
        if window.runner.active:
            self._shown = None
            self.window.deck.show_moment(None)
            self._clock.start()
        else:
            self._clock.stop()
            window.deck.kept.touch()  # the list of runs says where it ended
        window.signal_tree.follow(window.deck.history, window.runner.active)
        window.view3d.follow()
        if state == RUNNING:
            self._hand_over()
        if state == FINISHED:
            window.say(f"The run ended at {clock_text(window.runner.time)}")
            self._stale = False
        self._show_time()
        self.show_age()
        self.show_note()

    def _hand_over(self) -> None:
        """Show the dashboard and give it the keyboard in a real-time run with an operator."""
        window, course = self.window, self.window.runner.course
        if course is not None and course.drives and window.runner.rule.speed > 0.0 and window.board.dials:
            window.panels.show("Dashboard")
            window.dashboard.setFocus()

    def _on_pointed(self, time: float | None) -> None:
        """Follow the time cursor of the plots."""
        self._pointed = time
        self.show_states()

    def _levels(self) -> Iterator[tuple[OpenLevel, str]]:
        """Open levels, and the path of each in the model; empty for the outermost one."""
        labels: list[str] = []
        for depth, level in enumerate(self.window.levels):
            labels += [level.label] if depth else []
            yield level, ".".join(labels)

    def show_states(self) -> None:
        """Show the active states of state machines on all open levels: current during a run, else at the cursor's or
        the 3-D view's time."""
        window, history = self.window, self.window.deck.history
        still = self._shown if self._pointed is None else self._pointed
        time = None if window.runner.state == RUNNING else still
        for level, inside in self._levels():
            states: dict[str, int] = {}
            if history is not None and history.rows:
                states = active_states(level.document.diagram.blocks, history, time, inside)
            level.view.canvas.show_states(states)

    def show_values(self) -> None:
        """Show signal values on the wires of all open levels while a run is paused or paced by a clock, or the 3-D
        view shows one of its moments."""
        window, history = self.window, self.window.deck.history
        self.show_states()
        runner, loaded = window.runner, window.deck.loaded is not None
        rule = runner.run.rule if runner.run is not None else runner.rule
        slow = runner.state == RUNNING and rule.speed > 0.0  # paced by a clock: the numbers can be read
        seen = self._shown is not None or (not loaded and (runner.state == PAUSED or slow))
        for level, inside in self._levels():
            words: dict[str, str] = {}
            if seen and history is not None and history.rows:
                diagram = level.document.diagram
                words = value_words(diagram.connections, history, self._shown, inside, diagram)
            level.view.show_values(words)

    def _show_time(self) -> None:
        self.show_values()
        loaded = self.window.deck.loaded
        if loaded is None or self.window.runner.state == COMPILING:
            self.bar.show_time(self._shown)
            if self.window.runner.active:
                self.window.view3d.show_clock(self.window.runner.time)
        else:
            self.bar.show_time_of(self.window.results.name, loaded.span()[1], self._shown)

    def _on_shown(self, time: float) -> None:
        """Update clock, progress bar and signals to the time shown in the 3-D view."""
        if self.window.deck.loaded is None or self.window.view3d.film is not None:
            self.window.signal_tree.show_at(time)
            self.show_moment(time)

    def show_moment(self, time: float | None) -> None:
        """Show one moment of a finished run or result; None shows its end."""
        self.window.deck.show_moment(time if self.window.deck.history is not None else None)
        self._shown, self._pointed = time, None
        self._show_time()

    def forget_run(self) -> None:
        """Clear the data of the last run, for another diagram."""
        self._shown, self._pointed, self._summary = None, None, ""
        self.window.deck.show_moment(None)
        self.show_age()
        self._forget_remarks()
        self.window.view3d.rest()
        self._show_time()
        self.show_note()

    def _on_failed(self, problems: list[Problem]) -> None:
        window = self.window
        for problem in problems:
            window.say(str(placed(problem)))
        if window.runner.state == FAILED:
            self._remarks = [*self._remarks, *problems]  # no analysis, which may come yet, takes them away
            window.show_problems()
            window.panels.show("Problems")
            window.leave.after_failure(window.top, problems, lambda: self._start(self._paused))

    def _on_remarked(self, remarks: list[Problem]) -> None:
        for remark in remarks[len(self._remarks) :]:
            self.window.log.appendPlainText(str(placed(remark)))
        self._remarks = remarks
        self.window.show_problems()
        self.show_note()

    def _forget_remarks(self) -> None:
        if self._remarks:
            self._remarks = []
            self.window.show_problems()

    def _on_compiled(self, sim: Simulation) -> None:
        run = self.window.runner.run
        if run is not None and run.history is not None:
            self.window.deck.kept.begin(run.history, run.parameters, written_settings(run.netlist))
        self.window.signal_tree.follow(self.window.runner.history, True)
        self.window.view3d.show_model(sim)

    def _on_set(self, path: str, raw: object) -> None:
        """Record a parameter change during the active run."""
        try:
            value = quantity(raw).value if isinstance(raw, str) else raw
        except LuffError:  # an expression
            value = raw
        value = float(value) if isinstance(value, int) and not isinstance(value, bool) else value
        self.window.deck.kept.note_set(path, value)

    # ------------------------------------------------------------------ following edits

    def on_edit(self, event: Event) -> None:
        if event.kind in ("moved", "routed") or (event.kind == "section" and event.name in UNSEEN):
            return
        runner = self.window.runner
        self.window.view3d.end_film()
        self.window.analyses.edited()
        self._drop_gone(event)
        same = self.reach.follow_names(event)
        if not self.window.in_top and not same:
            runner.edit_inside()
        current = not self._older if same else runner.active
        if runner.active and not self.reach.hand_over(event, same):
            self._stale, current = True, False
        if current and not self._stale and runner.run is not None:
            runner.run.freshness.begin(self.window.top.diagram)
        if not self._run_is_shown() and (run := self.reach.take_run_up()):
            self._remarks = run.remarks
            self.window.show_problems()
        self._show_run_again()
        self.show_values()  # wires that are new or come back have theirs
        self.ask_analysis()
        self.show_age()
        self.show_note()

    def _run_is_shown(self) -> bool:
        """True if the rows of a run are shown, not the start of the model: of an active one, or one of this model."""
        runner = self.window.runner
        return bool(runner.history and runner.history.rows) and (runner.active or not self.outdated)

    def _show_run_again(self) -> None:
        """Show the last run at its end if its model is there again, and the 3-D view has shown another one."""
        window, run = self.window, self.window.runner.run
        if run and run.sim and not window.runner.active and not window.deck.loaded and self._run_is_shown():
            window.view3d.show_run(run.sim)

    def _drop_gone(self, event: Event) -> None:
        """Remove why the run of the model before failed, and problems of blocks and wires that an edit removed."""
        self._remarks = [one for one in self._remarks if one.severity == "warning"]
        if self.window.in_top:
            diagram = self.window.top.diagram
            self._analysis = without_stale(self._analysis, event, diagram)
            self._remarks = without_stale(self._remarks, event, diagram)
        self.window.show_problems()

    @property
    def outdated(self) -> bool:
        """True if the last run's results are of an older model."""
        run = self.window.runner.run
        if not self.window.levels or run is None or run.history is None:
            return False
        return run.freshness.outdated(self.window.top.diagram)

    def show_age(self) -> None:
        """Mark plots, wires and the 3-D view where results are of an older model."""
        window = self.window
        self._older = self.outdated
        older = self._older and window.deck.loaded is None
        window.deck.show_age(older)
        window.view3d.show_age(older)
        for level in window.levels:
            level.view.show_age(older)

    def show_note(self) -> None:
        active = self.window.runner.active
        stale = "Edited: takes effect with the next run" if self._stale else self.window.recording.note()
        count = sum(remark.severity == "warning" for remark in self._remarks)
        remarks = f"The run has {counted(count, 'warning')}: see Problems" if count else ""
        older = "Results are of an older model" if self.outdated else ""
        self.bar.show_note(stale if active else HINT if self.is_part else older or remarks)

    def ask_analysis(self) -> None:
        self._ask_timer.start()
        self.show_badge(self._errors, self._left, self._doubts)

    def _check_diagram(self) -> None:
        """Check the diagram in the background; an invalid one too, so that outdated problems disappear."""
        if self.window.top.diagram.blocks:
            self.analyser.ask(self.window.top.diagram)

    def _analysed(self, ticket: int, answer: Simulation | list[Problem]) -> None:
        if ticket != self.analyser.ticket:
            return
        if isinstance(answer, list):
            # a composite's missing wires come from the diagram around it
            self._analysis, self._summary = [] if is_part(self.window.top.diagram) else answer, ""
        else:
            self._analysis = answer.remarks
            self._summary = summary_text(answer.summary)
            self._know_units(answer)
            if not self._run_is_shown():  # an answer may come after a run that took less time
                self.window.view3d.show_model(answer)
            elif not self._ask_timer.isActive():
                self.window.view3d.show_names(answer)
        self.window.show_problems()
        self.show_note()
        if not isinstance(answer, list):
            self.window.analyses.model_compiled()
        if self.is_part:
            self.window.say(HINT)

    def _know_units(self, model: Simulation) -> None:
        """Show signals with their units, and those that only the model's wires tell at results that are shown."""
        units, loaded = wired_units(model), self.window.deck.loaded
        self.window.signal_tree.show_signals(model.signal_names, units)
        if loaded is not None:
            loaded.complete_units(units)
            self.window.deck.tick(force=True)

    def compile_problems(self) -> list[Problem]:
        if not self.window.top.diagram.blocks:
            return []
        known = {(p.path, p.message) for p in self.window.document.root.problems}
        compile_problems = {(p.path, p.message): p for p in (*self._analysis, *self._remarks)}
        return [problem for key, problem in compile_problems.items() if key not in known]

    def show_badge(self, errors: int, left: int, doubts: int) -> None:
        """Show how many problems there are of each kind, as the panel lists them; else what the model is."""
        self._errors, self._left, self._doubts = errors, left, doubts
        compiles = bool(self._summary) and not errors + left and bool(self.window.top.diagram.blocks)
        for key in NEEDS_MODEL:
            self.window.actions_[key].setEnabled(compiles)
        state = ""
        if not self.window.top.diagram.blocks:
            text = "Empty"
        elif errors or left:
            text, state = to_mend(errors, left, doubts), "error" if errors else ""
        elif self.is_part:
            text = f"Part, {counted(len(self.window.top.diagram.ports), 'port')}"
        else:
            text, state = self._summary or "Checking...", "busy"
            if self._summary:
                state = "warning" if doubts else ""
        self._show_empty_text()
        self.bar.show_badge(text, state, HINT if self.is_part and not errors else "")

    def _show_empty_text(self) -> None:
        """Say in the 3-D view without a mechanism what it waits for, in the words of the plots."""
        awaits = SHOWN_ON_A_STAND if self.is_part and not self._errors else AWAITS
        compiling = self.window.runner.state == COMPILING
        self.window.view3d.canvas.show_empty_text(COMPILING_NOW if compiling else awaits)
