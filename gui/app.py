"""Application start: the QApplication, the main window, error reports."""

from __future__ import annotations

import atexit
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMessageBox

from ..solver.flatten.diagram import Diagram
from ..version import __version__
from .run.run_control import RunControl
from .termination_signals import Interrupts
from .theme import active_theme
from .theme.fusion_style import FusionStyle
from .theme.icons import app_icon
from .window.compile_status import compiling
from .window.dialogs.compare_view import SideBySide
from .window.main_window import Window
from .window.tabbed_window import tabbed_windows


def application() -> QApplication:
    """Return the one QApplication, with luff's name, icon and theme."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        # Qt would share each fill among threads of its own and wait for them all; beside a solver that has a
        # processor to itself that costs a third more, and holds the window whenever one of them has to queue
        os.environ.setdefault("QT_NO_GUI_THREADPOOL", "1")
        QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
        app = QApplication(sys.argv[:1])
        atexit.register(close_windows)
    QCoreApplication.setOrganizationName("luff")
    QCoreApplication.setApplicationName("luff")
    QCoreApplication.setApplicationVersion(__version__)
    QGuiApplication.setDesktopFileName("luff")
    app.setWindowIcon(app_icon())
    active_theme.holder.style = FusionStyle
    active_theme.holder.restore()
    # the solver's thread asks for the interpreter between its chunks: it should not wait long behind a repaint
    sys.setswitchinterval(2e-4)
    return app


def close_windows() -> None:
    """Autosave unsaved documents and delete the windows at interpreter exit, while the Qt objects they use still
    exist."""
    for window in list(Window.open_windows):
        for level in window.levels:
            if level.autosave is not None:
                level.autosave.write()
            level.view.cancel_gesture()
            level.view.canvas.blockSignals(True)
            level.document.close()
        window.running.close()
    for tabs in tabbed_windows():
        tabs.deleteLater()
        QCoreApplication.sendPostedEvents(tabs, QEvent.Type.DeferredDelete.value)
    Window.open_windows.clear()


def has_display() -> bool:
    """True if a display can be opened; without one, Qt on Linux aborts the process."""
    named = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return not sys.platform.startswith("linux") or any(os.environ.get(name) for name in named)


def main(paths: Sequence[Path] = (), devices: Mapping[str, str] | None = None) -> int:
    """Run `luff gui [FILES]`: open the window with a tab for each file, of which the first is shown, or with the files
    of the last session; return the exit code when the last window closes. `devices` maps joystick blocks to device
    files."""
    if not has_display():
        sys.stderr.write("luff gui: there is no display; set DISPLAY, or run the model with `luff run`\n")
        return 2
    app = application()
    RunControl.devices = dict(devices or {})
    interrupts = Interrupts(app)
    sys.excepthook = report
    window = Window()
    window.tabs.show()
    window.files.offer_recovery()
    compiling.warm_up()
    for path in paths:
        window.files.open_path(path)
    if paths:
        window.tabs.show_page(window.tabs.pages[0])
    elif not window.files.restore_session():
        window.views.offer_tour()
    return 0 if interrupts.caught else app.exec()


def compare(a: Diagram, b: Diagram, names: tuple[str, str]) -> int:
    """Run `luff diff A B --window`: show both diagrams side by side until the window is closed."""
    app = application()
    interrupts = Interrupts(app)
    window = SideBySide(a, b, names)
    window.show()
    return 0 if interrupts.caught else app.exec()


def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Report an unhandled exception; windows stay open and autosaved work is kept."""
    text = "".join(traceback.format_exception(kind, error, trace))
    sys.stderr.write(text)
    for window in Window.open_windows:
        window.log.appendPlainText(text)
        for level in window.levels:
            if level.autosave is not None:
                level.autosave.write()
    parent = Window.open_windows[0] if Window.open_windows else None
    box = QMessageBox(QMessageBox.Icon.Critical, "luff", f"An internal fault: {error}", parent=parent)
    box.setInformativeText(
        "Your work is still open, and a copy of it was kept. Please report what the Log panel says."
    )
    box.open()
