"""What the tests of the desktop share: documents, canvases with known scale, and a mouse that drives them."""

from __future__ import annotations

import os
import shutil
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QRect, QSettings, Qt
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from luff.gui.canvas.view import CanvasView
from luff.gui.document.document import Document
from luff.gui.run import run_files
from luff.gui.theme import active_theme
from luff.gui.view3d import depth_image
from luff.gui.window.docks import dock_layout
from luff.gui.window.file_actions import Files
from luff.gui.window.main_window import Window
from luff.solver.flatten.diagram import Diagram
from luff.tests.gui.driver import Canvas
from luff.tests.gui.user import TEXT, User
from luff.tests.shared.netlists import TWO_LINKS


@pytest.fixture(autouse=True, scope="session")
def painting() -> None:
    """Pictures of the 3-D view come at once."""
    depth_image.get_ready()


@pytest.fixture(autouse=True)
def own_settings(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, qapp: QApplication
) -> Iterator[None]:
    """No test reads or writes the settings and autosaves of the user, or meets what a killed one has left."""
    folder = tmp_path_factory.mktemp("settings")
    QSettings.setDefaultFormat(QSettings.Format.IniFormat)
    QSettings.setPath(QSettings.Format.IniFormat, QSettings.Scope.UserScope, str(folder))
    for home in (
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
    ):  # Qt's own test mode would share one folder among all runs
        monkeypatch.setenv(home, str(folder))
    qapp.setOrganizationName("luff-tests")
    qapp.setApplicationName(uuid.uuid4().hex)
    active_theme.holder.use("light")
    # the offscreen platform's screen has 800 px; tests of small screens say their own size
    monkeypatch.setattr(dock_layout, "_room", lambda window: QRect(0, 0, 1440, 900))
    yield
    let_go()
    delete_what_is_due()
    shutil.rmtree(run_files.folder().parent, ignore_errors=True)


def delete_what_is_due() -> None:
    """As an event loop does, of which tests have none: what is left of each test makes each change of the theme, each
    collection of garbage and each look at all widgets longer."""
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def let_go() -> None:
    """Release each button of the mouse that a gesture without an end, or a double click, has left pressed: wires do
    not come to rest under it."""
    window = QWindow()
    for button in (Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton):
        if QApplication.mouseButtons() & button:
            QTest.mouseRelease(window, button)


@pytest.fixture
def make_canvas(qapp: QApplication) -> Iterator[Callable[..., Canvas]]:
    made: list[Canvas] = []

    def make(text: str = TWO_LINKS, base: Path | None = None) -> Canvas:
        document = Document(Diagram.from_yaml(text, "test", base))
        view = CanvasView(document)
        view._fit_first = False
        view.resize(1300, 760)
        view.show()
        view.resetTransform()
        view.centerOn(560, 300)
        made.append(Canvas(document, view))
        return made[-1]

    yield make
    for canvas in made:
        canvas.view.cancel_gesture()
        canvas.document.close()
        canvas.view.close()
        canvas.view.deleteLater()
    qapp.processEvents()


@pytest.fixture
def canvas(make_canvas: Callable[..., Canvas]) -> Canvas:
    return make_canvas()


@pytest.fixture
def make_window(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Window]]:
    made: list[Window] = []

    def make(text: str = "", path: Path | None = None) -> Window:
        document = None
        if text and path:
            path.write_text(text)
            document = Document(Diagram.load(path))
        elif text:
            document = Document(Diagram.from_yaml(text))
        window = Window(document)
        window.tabs.show()
        qapp.processEvents()
        made.append(window)
        return window

    yield make
    monkeypatch.setattr(Files, "may_close", lambda self, level: True)
    for window in [*made, *Window.open_windows]:
        if window in Window.open_windows:
            window.close()
    qapp.processEvents()


@pytest.fixture
def user(make_window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> User:
    window = make_window(TEXT, tmp_path / "arm.yaml")
    window.tabs.resize(1500, 950)
    QApplication.processEvents()
    window.view.resetTransform()
    window.view.centerOn(500, 300)
    return User(window, monkeypatch, tmp_path)


@pytest.fixture
def display() -> Iterator[str]:
    """A free X display of its own."""
    server = shutil.which("Xvfb")
    if server is None:
        pytest.skip("Xvfb is not installed (Debian: apt-get install xvfb)")
    read, write = os.pipe()
    # -noreset: a server that begins anew when its last client leaves refuses the next one meanwhile
    command = [
        server, "-displayfd", str(write), "-screen", "0", "1600x1000x24", "-nolisten", "tcp", "-noreset"
    ]  # fmt: skip
    process = subprocess.Popen(
        command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        number = pipe.readline().strip()
    if not number:
        process.wait()
        pytest.fail("Xvfb did not start")
    yield f":{number}"
    process.terminate()
    process.wait()
