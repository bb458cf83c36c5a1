"""Pictures of every dialog and panel of File, Analyse and Study at the end of its work, and words with too little room.

    python -m luff.bench.gui_forms FOLDER [--only modes assess] [--screen 1920x1080] [--dark]

The X server is one of its own (xvfb-run), and the window one of `luff gui`. What is written lies in FOLDER/files.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from luff.bench.gui_looks import path_of, rest, until

MODELS = Path(__file__).parents[1] / "docs" / "models"
SYSTEM = """luff: 1
name: system
simulation: {stop: 1 s, step: 10 ms}
outputs: {lean: crane.stand_phi}
blocks:
  crane: {type: fmu, file: export_fmu.fmu, step: 10 ms, outputs: [stand.phi]}
"""
FIT = """luff: 1
name: load that was slewed
model: CRANE
fit:
  parameters: {load: {lower: 1 t, upper: 8 t, start: 3 t}}
  data: [{file: crane.csv, signals: {stand.phi: {column: stand.phi, unit: rad, deviation: 0.01 deg}}}]
"""
OPTIMISE = """luff: 1
name: stiffness of the ground
model: CRANE
optimise:
  parameters: {k: {lower: 1e7, upper: 4e7, start: 2e7}}
  minimise: {metric: range, of: stand.phi, unit: deg}
  method: local
"""


class Look(NamedTuple):
    """A dialog or panel, the model below it, and what is put into its form."""

    model: str
    form: dict[str, str]


OUTRIGGERS, OVERHEAD = "crane_on_outriggers", "crane_overhead"
LOOP = {"Inputs": "drive.effort", "Outputs": "load.position"}
LOOKS = {
    "static": Look(OUTRIGGERS, {}),
    "modes": Look(OUTRIGGERS, {}),
    "sensitivity": Look(OUTRIGGERS, {"Parameters": "load, reach", "Signals": "stand.phi, stand.force_1[2]"}),
    "load_chart": Look(
        OUTRIGGERS,
        {
            "Load": "load",
            "Largest load": "60 t",
            "X axis": "reach",
            "X values": "6m:10m:2m",
            "Curves": "slewing.start_value",
            "Curve values": "90deg,180deg",
        },
    ),
    "assess": Look(OUTRIGGERS, {"Runs in": "assess.h5"}),
    "fit_parameters": Look(OUTRIGGERS, {"File": "fit.yaml"}),
    "optimise": Look(OUTRIGGERS, {"File": "optimise.yaml"}),
    "plan": Look("slewing_crane", {}),
    "export_netlist": Look(OUTRIGGERS, {"Changes": "load=5 t, reach=9 m"}),
    "export_page": Look(OUTRIGGERS, {"More sliders": "boom.mass=0.5 t..2 t"}),
    "export_fmu": Look(OUTRIGGERS, {}),
    "export_library": Look(OUTRIGGERS, {"Targets": "linux-x86_64"}),
    "export_ssp": Look("system", {}),
    "import": Look("system", {"File": str(MODELS / "small_crane.xml")}),
    "linearise": Look(OVERHEAD, LOOP),
    "response": Look(OVERHEAD, {"Inputs": "drive.effort", "Outputs": "load.position[0]"}),
    "margins": Look(OVERHEAD, {"Loop opening": "drive.effort[0]"}),
    "locus": Look(OVERHEAD, {"Parameter": "load_mass", "From": "0.1 kg", "To": "5 kg", "Points": "21"}),
    "buckling": Look("straight", {"Scaled load": "head.mass"}),
}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(LOOKS), choices=list(LOOKS))
    parser.add_argument("--screen", default="1920x1080")
    parser.add_argument("--dark", action="store_true")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)  # of an X server
    options = parser.parse_args()
    if options.inside:
        take(options.folder.absolute(), options.only, "dark" if options.dark else "light")
        return 0
    server = ["xvfb-run", "-a", "-s", f"-screen 0 {options.screen}x24"]
    command = [*server, sys.executable, "-m", "luff.bench.gui_forms", *sys.argv[1:], "--inside"]
    with tempfile.TemporaryDirectory() as settings:
        places = {f"XDG_{name}_HOME": settings for name in ("DATA", "CONFIG")}
        environment = {**os.environ, **places, "QT_QPA_PLATFORM": "xcb"}
        return subprocess.run(command, env=environment, check=False).returncode


def take(folder: Path, keys: list[str], look: str) -> None:
    from PySide6.QtCore import QTimer
    from PySide6.QtGui import QDesktopServices
    from PySide6.QtWidgets import QApplication, QFileDialog

    from luff.cli import main as command_line
    from luff.gui.app import application
    from luff.gui.theme import active_theme
    from luff.gui.window.analyses.panel_table import PANELS
    from luff.gui.window.dialogs.dialog_table import DIALOGS
    from luff.gui.window.file_actions import Files

    assert LOOKS.keys() == DIALOGS.keys() | PANELS.keys(), "a form of the menus has no picture"
    files = folder / "files"
    files.mkdir(parents=True, exist_ok=True)
    write_files(files)
    application()
    active_theme.holder.use(look)
    Files.may_close = lambda self, level: True  # type: ignore[method-assign]
    QDesktopServices.openUrl = lambda url: True  # type: ignore[method-assign, assignment]
    wanted = [""]
    QFileDialog.getSaveFileName = lambda *_, **__: (str(files / wanted[0]), "")  # type: ignore[method-assign, assignment]

    def drive() -> None:
        try:
            for key in keys:
                wanted[0] = key
                window = opened(LOOKS[key].model, files)
                picture(window, key, folder)
        finally:
            QApplication.exit()

    QTimer.singleShot(500, drive)
    sys.argv = ["luff", "gui", str(path_of(OUTRIGGERS))]
    command_line()


def write_files(files: Path) -> None:
    """What the dialogs are asked to read."""
    import luff

    crane = path_of(OUTRIGGERS)
    luff.compile(crane).run().save(files / "crane.csv")
    for name, text in (("fit", FIT), ("optimise", OPTIMISE)):
        (files / f"{name}.yaml").write_text(text.replace("CRANE", str(crane)), encoding="utf-8")
    (files / "system.yaml").write_text(SYSTEM, encoding="utf-8")
    column = path_of("column").read_text(encoding="utf-8")
    (files / "straight.yaml").write_text(
        column.replace("eccentricity: 10 mm", "eccentricity: 0"), encoding="utf-8"
    )


def opened(name: str, files: Path):
    """The window with this model, alone."""
    from luff.gui.window.main_window import Window

    path = files / f"{name}.yaml" if name in ("system", "straight") else path_of(name)
    window = Window.open_windows[-1]
    if window.top.path != path:
        window.files.open_path(path)
        window = Window.open_windows[-1]
    for other in [other for other in Window.open_windows if other is not window]:
        other.close()
    until(lambda: window.running.badge.text() not in ("Checking...", "Empty"))
    rest(300)
    return window


def picture(window, key: str, folder: Path) -> None:
    """Pictures of the form before it is asked, when it has answered, and of each of its pages."""
    from PySide6.QtWidgets import QTabWidget

    from luff.gui.window.analyses.panel_table import PANELS
    from luff.gui.window.dialogs.work_dialog import WorkDialog
    from luff.gui.window.work_form import restore_entries

    window.actions_[key].trigger()
    shown = [child for child in window.findChildren(WorkDialog) if child.isVisible()]
    form = window.analyses.panels[PANELS[key]] if key in PANELS else shown[0]
    rest(200)
    grab(form, folder / f"{key}-0.png")
    for label, text in LOOKS[key].form.items():
        named = label in ("File", "Runs in")
        restore_entries(form.fields[label], str(folder / "files" / text) if named else text)
    form.begin.click()
    until(form.begin.isEnabled)
    rest(300)
    tabs = form.findChild(QTabWidget)
    for k in range(tabs.count() if tabs is not None else 1):
        if tabs is not None:
            tabs.setCurrentIndex(k)
            rest(200)
        grab(form, folder / f"{key}-{k + 1}.png")
    window.screen().grabWindow(0).save(str(folder / f"{key}-screen.png"))
    print(f"{key}: {form.said.text()}", flush=True)
    (form.close_button.click if key in PANELS else form.close)()
    rest(100)


def grab(dialog, path: Path) -> None:
    from luff.tests.gui.cut_text import cut_texts

    dialog.grab().save(str(path))
    for line in cut_texts(dialog):
        print(f"{path.stem}: {line}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
