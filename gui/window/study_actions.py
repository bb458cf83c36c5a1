"""Studies of the window's diagram: from a parameter's menu to variants opened as runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from ...blocks.errors import LuffError, Problem
from ...blocks.params import Param, Sub
from ...blocks.text.quantity import written_unit
from ...blocks.text.raw_types import Raw
from ...solver.flatten.analysis_points import has_outputs_alone
from ...solver.flatten.flatten import flatten
from ...solver.flatten.unit_kinds import of_another_kind, own_unit
from ...solver.studies.study_file import load
from ...solver.studies.study_store import read_study
from ..document.document import Document
from ..plots.compared_runs import ComparedRun
from ..plots.plot_spec import PlotSpec
from ..properties.value_text import from_text, mistake, sentence_of
from ..run.run_history import History
from ..study.field_checks import unknown
from ..study.study_draft import Draft
from ..study.study_process import State, StudyRun
from ..theme.active_theme import paper
from .docks.sliders_dock import find_param
from .model_copy import model_file
from .proposed_file import proposed_file

if TYPE_CHECKING:
    from ...solver.results.result import Result
    from .shell import Shell

FILTER = "luff study (*.yaml *.yml);;All files (*)"
NUMBERS = ("number", "integer")


class Studies:
    def __init__(self, window: Shell):
        self.window = window
        self.run = StudyRun(window)
        self.asked: Draft | None = None  # the study that was run last; the panel may show another one by now

    def build(self) -> None:
        window, panel, run = self.window, self.window.study_panel, self.run
        window.properties.study_wanted.connect(self.vary)
        panel.run_wanted.connect(self.start)
        panel.stop_wanted.connect(run.stop)
        panel.open_wanted.connect(self.on_open_study)
        panel.save_wanted.connect(self.on_save_study)
        panel.report_wanted.connect(self._report)
        panel.variant_opened.connect(self.open_variant)
        panel.variant_compared.connect(self.compare_variant)
        panel.asking.connect(self._set_lookup)
        run.told.connect(self._show_progress)
        run.ended.connect(self._ended)
        run.failed.connect(self._failed)

    @property
    def top(self) -> Document:
        return self.window.top

    def close(self) -> None:
        self.run.close()

    def show_document(self) -> None:
        """Start a new study for another diagram."""
        self._replace(Draft())

    # ------------------------------------------------------------------ what is varied and measured

    def vary(self, path: str) -> None:
        window = self.window
        if window.document is not window.top:
            window.say("Studies vary the outermost diagram")
            return
        window.panels.show("Studies")
        window.study_panel.ask_values(path)

    def on_vary(self) -> None:
        self.vary("")

    def _set_lookup(self) -> None:
        panel = self.window.study_panel
        look, check = partial(value_of, self.top), partial(mistake_of, self.top)
        sources = self._sources()
        signals = sorted(self.window.signal_tree.names, key=lambda name: name.partition(".")[0] in sources)
        panel.know(list(numbers(self.top)), signals, self._first_plotted(sources), look, check)

    def _first_plotted(self, sources: Collection[str]) -> str:
        """First signal of the diagram's plots over time that is no source's: a source has the same in all variants."""
        specs = [PlotSpec.of(entry) for entry in self.top.diagram.plots]
        names = [name for spec in specs if spec.x == "time" for name in spec.y]
        return next(
            (name for name in names if name.partition(".")[0] not in sources), names[0] if names else ""
        )

    def _sources(self) -> set[str]:
        """Blocks with outputs alone, whose signals are the same in all variants."""
        diagram = self.top.diagram
        return {name for name in diagram.blocks if has_outputs_alone(diagram.block_ports(name).values())}

    # ------------------------------------------------------------------ its run

    def start(self) -> None:
        window = self.window
        if not window.can_run():
            return
        try:
            model = model_file(window.top, self.run.folder)
            self.run.start(window.study_panel.draft, model, window.top.diagram)
        except (LuffError, OSError) as error:
            window.say(str(error))
            return
        self.asked = window.study_panel.draft
        window.study_panel.set_active(True)
        window.say("The study has begun")

    def _shown(self) -> bool:
        """True if the panel still shows the study that was run."""
        return self.window.study_panel.draft is self.asked

    def _show_progress(self, states: list[State]) -> None:
        if self._shown():
            self.window.study_panel.show_progress(states)

    def _ended(self, outcomes: list[tuple[str, str, str]]) -> None:
        panel, window = self.window.study_panel, self.window
        panel.set_active(False)
        if not self._shown():
            return
        try:
            panel.open_results(read_study(self.run.output))
        except LuffError as error:
            window.say(str(error))
            return
        failed = [f"{name}: {message}" for name, status, message in outcomes if status == "failed"]
        left = sum(status == "interrupted" for _, status, _ in outcomes)
        words = f"{len(outcomes) - len(failed) - left} of {len(outcomes)} variants are done"
        panel.state.setText(words)
        window.say(f"The study was ended: {words}" if left else f"The study has ended: {words}")
        for sentence in failed:
            window.log.appendPlainText(sentence)

    def _failed(self, sentences: list[str]) -> None:
        self.window.study_panel.set_active(False)
        if self._shown():
            self.window.study_panel.state.setText("The study did not run: see Log")
        for sentence in sentences:
            self.window.say(f"The study did not run: {sentence}")

    # ------------------------------------------------------------------ its variants

    def _result(self, name: str) -> Result | None:
        results = self.window.study_panel.results
        if results is None or name not in results:
            self.window.say(f"{name} has no results yet")
            return None
        return results[name]

    def open_variant(self, name: str) -> None:
        result = self._result(name)
        if result is not None:
            self.window.results.show_run_of(result, name)
            self.window.panels.show("Plots")

    def compare_variant(self, name: str) -> None:
        result = self._result(name)
        if result is None:
            return
        kept = self.window.deck.kept
        inks = paper().curves[1:]
        history = History.of(result, self.window.signal_tree.units)
        run = ComparedRun(name, history, dict(result.parameters), pinned=True)
        run.colour = inks[len(kept.earlier) % len(inks)]
        kept.add(run)
        self.window.panels.show("Runs")

    # ------------------------------------------------------------------ its file

    def on_open_study(self) -> None:
        start = str(self.top.diagram.base or "")
        name, _ = QFileDialog.getOpenFileName(self.window, "Open Study", start, FILTER)
        if name:
            self.open_study(Path(name))

    def open_study(self, path: Path) -> None:
        """Open a study with its model, in the window that shows the model or in a new one."""
        window = self.window
        try:
            draft = Draft.open(path)
            model = draft.model()
        except LuffError as error:
            window.say(str(error))
            return
        if window.top.path is None or window.top.path.resolve() != model.resolve():
            if not window.files.open_path(model):
                return
            opened = next(
                w for w in window.open_windows if w.top.path and w.top.path.resolve() == model.resolve()
            )
            opened.studies.show(draft)
            return
        self.show(draft)

    def show(self, draft: Draft) -> None:
        self._replace(draft)
        self.window.panels.show("Studies")

    def _replace(self, draft: Draft) -> None:
        """Replace the study in the panel and stop the previous one."""
        self.run.stop()
        self.window.study_panel.show_draft(draft)

    def on_save_study(self) -> None:
        top, draft = self.top, self.window.study_panel.draft
        if top.path is None:
            self.window.say("Save the model first: the study names its file")
            return
        start = draft.path or proposed_file(top, "_study.yaml")
        name, _ = QFileDialog.getSaveFileName(self.window, "Save Study", str(start), FILTER)
        target = self.window.files.with_suffix(Path(name), ".yaml") if name else None
        if target is None:
            return
        if target.resolve() == top.path.resolve():
            self.window.say("That is the model's own file: choose another name")
            return
        try:
            draft.save(target, top.path)
        except LuffError as error:
            self.window.say(str(error))
            return
        self.window.say(f"Saved {target}")

    def _report(self) -> None:
        from ...solver.studies.study_report import report

        results, window = self.window.study_panel.results, self.window
        folder = QFileDialog.getExistingDirectory(window, "Write the Report into")
        if results is None or not folder:
            return
        try:
            study = load(self.run.output.with_suffix(".yaml"), allow_code=self.top.diagram.allow_code)
            files = report(study, results, Path(folder))
        except LuffError as error:
            window.say(str(error))
            return
        window.say(f"Wrote {', '.join(path.name for path in files)} into {folder}")


def value_of(document: Document, path: str) -> tuple[object, str]:
    """Raw value of a parameter, and the unit that a bare number is in: that of the value, else the parameter's own."""
    param = _param(document, path.partition("[")[0])  # of an element what is declared of its vector
    if param is None:
        return None, ""
    own = document.diagram.data.get("parameters")
    raw = own[path] if isinstance(own, dict) and path in own else document.diagram.value(path)
    if raw is None and "[" in path:
        return None, param.unit
    raw = param.default if raw is None else raw
    return raw, (written_unit(raw) if isinstance(raw, str) else "") or param.unit


def mistake_of(document: Document, path: str, raw: Raw) -> str:
    """Error message that the netlist would give for a value at a path; empty if valid.

    A path that leads to nothing is told with the nearest one that may be varied; None asks about the path alone.
    """
    param = _param(document, path)
    if param is not None:
        other = of_another_kind(raw, own_unit(document.diagram, path))
        own = mistake(param, raw, document.diagram.scope(), path)
        return own or (sentence_of(Problem(other)) if other else "")
    try:
        flatten(document.diagram, {path: raw})
    except LuffError as error:
        told = next((one for one in error.problems if one.path.endswith(path)), None)
        if told is not None and told.key:
            return unknown(path, numbers(document), "parameter", told.fix)
        return "" if raw is None else sentence_of(told)
    return ""


def value_mistake(document: Document, path: str, text: str) -> str:
    """Error message that the netlist would give for a typed value at a path; empty if valid, or if nothing is typed."""
    try:
        raw = from_text(text)
    except LuffError as error:
        return sentence_of(error.problems[0])
    return "" if raw is None else mistake_of(document, path, raw)


def _param(document: Document, path: str) -> Param | None:
    try:
        return find_param(document.diagram, path)
    except LuffError:
        return None


def numbers(document: Document) -> Iterator[str]:
    """Paths of all numbers that a study may vary: diagram parameters, then block parameters."""
    own = document.diagram.data.get("parameters")
    yield from own if isinstance(own, dict) else ()
    for name in document.diagram.blocks:
        try:
            params = document.diagram.block_params(name)
        except LuffError:
            continue
        yield from _numbers(document, params, name)


def _numbers(document: Document, params: Mapping[str, Param], before: str) -> Iterator[str]:
    for key, param in params.items():
        path = f"{before}.{key}"
        if param.kind in NUMBERS and (not param.shape or _is_single(document, path, param)):
            yield path
        elif param.kind in NUMBERS and isinstance(raw := document.diagram.value(path), list):
            yield from (f"{path}[{k}]" for k, each in enumerate(raw) if isinstance(each, int | float | str))
        elif param.kind == "struct" and isinstance(param, Sub):
            yield from _numbers(document, param.struct.params, path)


def _is_single(document: Document, path: str, param: Param) -> bool:
    """True for one number where several may stand, as a gain for all elements of a signal."""
    raw = document.diagram.value(path)
    return param.shape == (None,) and isinstance(param.default if raw is None else raw, int | float | str)
