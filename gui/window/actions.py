"""Action table of the window: menu entries with shortcuts and one-sentence tips."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QMenuBar

from ...solver.results.file_formats import listed_suffixes
from ..properties.parameter_editors import finish_typing
from ..theme.icons import icon

Slot = Callable[[], object]


@dataclass(frozen=True)
class Spec:
    key: str
    text: str
    tip: str
    shortcut: str = ""
    icon: str = ""
    checkable: bool = False


SEPARATOR = None
MENUS: dict[str, list[Spec | None]] = {
    "&File": [
        Spec("new", "&New", "Start an empty diagram in a new tab", "Ctrl+N", "new"),
        Spec("open", "&Open...", "Open a netlist", "Ctrl+O", "open"),
        Spec("recent", "Open &Recent", "Recently opened files"),
        Spec("examples", "&Examples", "Complete models from the library"),
        SEPARATOR,
        Spec("save", "&Save", "Save the diagram", "Ctrl+S", "save"),
        Spec("save_as", "Save &As...", "Save the diagram under another name", "Ctrl+Shift+S"),
        Spec("save_result", "Save Res&ult...", f"Save the signals of the last run as {listed_suffixes()}"),
        Spec("open_result", "Open Result...", "Show the signals and the motion of a saved run"),
        SEPARATOR,
        Spec(
            "compare",
            "Co&mpare...",
            "Compare this model with another file, or with an earlier version of its own",
        ),
        Spec("import", "&Import...", "Make a diagram of a URDF, MJCF or SSP file"),
        Spec("export", "E&xport", "Write the model, its diagram or the last run for other programs"),
        SEPARATOR,
        Spec("close", "&Close", "Close this diagram, and the window with the last one", "Ctrl+W"),
        Spec("quit", "&Quit", "Close all windows", "Ctrl+Q"),
    ],
    "&Edit": [
        Spec("undo", "&Undo", "Undo the last edit", "Ctrl+Z", "undo"),
        Spec("redo", "&Redo", "Redo the last edit that was undone", "Ctrl+Shift+Z", "redo"),
        SEPARATOR,
        Spec("cut", "Cu&t", "Cut the selected blocks", "Ctrl+X"),
        Spec("copy", "&Copy", "Copy the selected blocks", "Ctrl+C"),
        Spec("paste", "&Paste", "Paste blocks", "Ctrl+V"),
        Spec("duplicate", "&Duplicate", "Place a copy beside the selected blocks", "Ctrl+D"),
        Spec("delete", "De&lete", "Delete the selected blocks and wires", "Del"),
        Spec("select_all", "Select &All", "Select all blocks and wires", "Ctrl+A"),
        SEPARATOR,
        Spec("find", "&Find...", "Find blocks, signals and parameters on all levels", "Ctrl+F", "search"),
        Spec(
            "commands",
            "Command&s...",
            "Find any action or block by a few letters of its name",
            "Ctrl+Shift+P",
        ),
        Spec("connect", "Conn&ect...", "Wire two ports that are chosen by name", "Ctrl+L"),
        Spec("rename", "Rena&me", "Rename the selected block", "F2"),
        Spec(
            "effect",
            "Ta&ke out of Effect",
            "Disable the selected blocks with their wires, or enable them again",
            "Ctrl+E",
        ),
        Spec(
            "labels",
            "Show &Wire as Labels",
            "Show the selected wires as a label at each end, or as lines again",
        ),
        Spec("rotate", "R&otate", "Rotate the selected blocks by 90 degrees", "R"),
        Spec("align", "Al&ign", "Align the selected blocks, or make the gaps between them equal"),
        Spec(
            "note",
            "Add &Note",
            "Write on the canvas, or put an area around the selected blocks",
            "Ctrl+Shift+N",
        ),
        Spec("group", "Group t&he Selection", "Make a subsystem, one block, of the selection", "Ctrl+G"),
        Spec(
            "ungroup",
            "Ungroup Subs&ystem",
            "Put the blocks of the selected subsystems in their place",
            "Ctrl+Shift+G",
        ),
        Spec(
            "save_as_block", "Save as &Block...", "Save the selected subsystem as a block for other diagrams"
        ),
        Spec("arrange", "Arran&ge All", "Arrange the whole diagram again", "Ctrl+Shift+L"),
        SEPARATOR,
        Spec("preferences", "Preferences...", "Theme, size of text, minimap, and compiled code", "Ctrl+,"),
    ],
    "&View": [
        Spec("fit", "&Fit", "Show the whole diagram", "Space", "fit"),
        Spec("zoom_in", "Zoom &In", "Enlarge the canvas", "Ctrl++"),
        Spec("zoom_out", "Zoom &Out", "Shrink the canvas", "Ctrl+-"),
        Spec("zoom_one", "&100 %", "Show the canvas at its own size", "Ctrl+0"),
        Spec("minimap", "&Minimap", "The whole diagram small in a corner of the canvas", "", "", True),
        Spec("up", "&Up One Level", "Back to the diagram that holds this block", "Alt+Up", "up"),
        SEPARATOR,
        Spec("next_tab", "&Next Diagram", "Show the diagram of the next tab", "Ctrl+PgDown"),
        Spec("previous_tab", "Pre&vious Diagram", "Show the diagram of the tab before", "Ctrl+PgUp"),
        Spec("to_window", "Move to Ne&w Window", "Show this diagram in a window of its own"),
        SEPARATOR,
        Spec("docks", "&Panels", "Show or hide panels"),
        Spec("go_to", "&Go to", "Show a panel and move the keyboard focus into it"),
        Spec(
            "large_view",
            "&Large View",
            "Give the window to the plot that has the focus, else to the 3-D view, or give it back",
            "F11",
        ),
        Spec("reset_panels", "&Reset Panels", "Restore the layout of the first start"),
        Spec("dark", "&Dark Theme", "Switch between the light and the dark theme", "", "", True),
    ],
    "&Run": [
        Spec("run", "&Run", "Run the model, or continue after a pause", "Ctrl+Return", "run"),
        Spec("pause", "&Pause", "Pause the run", "Ctrl+P", "pause"),
        Spec("step", "S&tep", "Compute one recorded sample", "Ctrl+.", "step"),
        Spec("stop", "&Stop", "End the run and keep its results", "Ctrl+Shift+Return", "stop"),
        Spec("reset", "R&eset", "Return to the start and pause there", "Ctrl+Backspace", "reset"),
        SEPARATOR,
        Spec(
            "recording", "Re&cording...", "Limit the recording of a run, and choose what happens at the limit"
        ),
    ],
    "&Analyse": [
        Spec("static", "&Static", "Equilibrium of the model, its reactions, and what prevents it"),
        Spec("modes", "&Modes", "Natural frequencies, damping ratios, and mode shapes in the 3-D view"),
        SEPARATOR,
        Spec("linearise", "&Linearise", "The matrices A, B, C, D about a state"),
        Spec("response", "&Frequency Response", "Bode's diagram, Nyquist's, or the response to a step"),
        Spec("margins", "Mar&gins", "Gain, phase and delay margins of a loop"),
        Spec(
            "locus",
            "&Root Locus",
            "Roots over a parameter, and the value at which the model becomes unstable",
        ),
        SEPARATOR,
        Spec(
            "sensitivity",
            "Sensiti&vity",
            "Derivatives of a run's numbers by parameters and initial states",
        ),
        Spec(
            "buckling",
            "&Buckling",
            "Load factor at which an equilibrium loses its stability, and the mode",
        ),
        SEPARATOR,
        Spec(
            "assess",
            "&Assess",
            "Load cases, checks and fatigue lives of a crane, from an assessment file",
        ),
        Spec(
            "load_chart",
            "Load C&hart",
            "Capacity of a crane over one or two parameters, and what limits it",
        ),
    ],
    "&Study": [
        Spec("open_study", "&Open Study...", "Open a study file with its model"),
        Spec("save_study", "&Save Study...", "Save the study as a file"),
        SEPARATOR,
        Spec("vary", "&Vary...", "Give a parameter several values, and run each"),
        Spec("plan", "P&lan", "Best motion within limits"),
        Spec("fit_parameters", "&Fit", "Find parameters from measured signals"),
        Spec("optimise", "O&ptimise", "Find the best parameters"),
    ],
    "&Help": [
        Spec("reference", "&Block Reference", "Every block with its ports and parameters", "F1"),
        Spec("tour", "&Tour", "A short tour of the parts of the window"),
        Spec("shortcuts", "&Keys and Gestures", "List of keys and mouse gestures", "?"),
        SEPARATOR,
        Spec("about", "&About luff", "Version and licence"),
    ],
}
INNER: dict[str, list[Spec]] = {  # menus in a menu, by the key of their entry
    "export": [
        Spec("export_animation", "&Animation...", "Save the last run as a film: a browser page or a video"),
        Spec("export_diagram", "&Diagram...", "Save the diagram as a picture: PNG, SVG or PDF"),
        Spec(
            "export_netlist",
            "&Netlist...",
            "Save a copy of the netlist with other values",
        ),
        Spec("export_page", "&Page...", "Save the model as a page that runs it in any browser, with sliders"),
        Spec("export_fmu", "&FMU...", "Save the model as an FMU, which other simulators run"),
        Spec("export_ssp", "&SSP...", "Save a diagram of FMUs as a system that other programs run"),
        Spec("export_library", "&Library...", "Save the model as a static library for C"),
    ],
}
# shown in the menu, handled by the canvas itself: as window shortcuts they would steal keys from text fields
CANVAS_KEYS = {"fit", "rotate", "rename", "shortcuts"}
SUBMENUS = {"recent", "examples", "docks", "go_to", "align", *INNER}
ALIASES = {
    "redo": ["Ctrl+Y"],
    "delete": ["Backspace"],
    "zoom_in": ["Ctrl+="],
    "run": ["Ctrl+Enter", "F5"],
    "stop": ["Shift+F5"],
}


def specs() -> Iterator[Spec]:
    """All action specifications, including those of submenus."""
    for menu in (*MENUS.values(), *INNER.values()):
        yield from filter(None, menu)


class Actions:
    """Actions by key: each opens its dialog or panel, or calls the handler's method `on_<key>`."""

    def __init__(
        self, window: QMainWindow, bar: QMenuBar, handlers: list[object], openers: Mapping[str, Slot]
    ):
        self.handlers, self.openers = handlers, openers
        self.all: dict[str, QAction] = {}
        self.menus: dict[str, QMenu] = {}
        for title, specs in MENUS.items():
            menu = bar.addMenu(title)
            menu.setToolTipsVisible(True)
            for spec in specs:
                if spec is None:
                    menu.addSeparator()
                elif spec.key in SUBMENUS:
                    inner = self.menus[spec.key] = menu.addMenu(spec.text)
                    inner.setToolTipsVisible(True)
                    for each in INNER.get(spec.key, ()):
                        inner.addAction(self._make(window, each))
                else:
                    menu.addAction(self._make(window, spec))

    def _make(self, window: QMainWindow, spec: Spec) -> QAction:
        action = QAction(spec.text, window)
        if spec.icon:
            action.setIcon(icon(spec.icon))
        plain = spec.text.replace("&", "").replace("...", "")
        action.setToolTip(
            f"{plain}: {spec.tip[0].lower()}{spec.tip[1:]}" + (f" ({spec.shortcut})" if spec.shortcut else "")
        )
        action.setStatusTip(spec.tip)
        action.setCheckable(spec.checkable)
        slot = self.openers.get(spec.key) or self._handled(f"on_{spec.key}")
        if spec.key in CANVAS_KEYS:
            action.setText(f"{spec.text}\t{spec.shortcut}")
        elif spec.shortcut:
            keys = [spec.shortcut, *ALIASES.get(spec.key, [])]
            action.setShortcuts([QKeySequence(key) for key in keys])
        if spec.checkable:
            action.toggled.connect(slot)
        else:
            action.triggered.connect(lambda _=False: self._do(slot))
        self.all[spec.key] = action
        window.addAction(action)
        return action

    def _handled(self, name: str) -> Slot:
        return next(getattr(handler, name) for handler in self.handlers if hasattr(handler, name))

    def _do(self, slot: Slot) -> None:
        finish_typing()
        slot()

    def __getitem__(self, key: str) -> QAction:
        return self.all[key]
