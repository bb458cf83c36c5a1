"""A folder that starts luff's window by a double click: `python .ci/bundle.py FOLDER WHEEL [--extras gui,fmi]`.

luff starts interpreters beside itself, which a program frozen into one file could not: the folder has a whole one, a
copy of the one that runs this, with the wheel and what it depends on. Nothing of it is looked for elsewhere, so that
the folder may be moved. On Windows and macOS this wants an interpreter that may be moved too, such as those of
`uv python install`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

LEFT_OUT = shutil.ignore_patterns(
    "site-packages", "dist-packages", "__pycache__", "test", "tests", "idlelib", "ensurepip", "tkinter", "turtledemo",
    "lib2to3", "config-*", "*.a", "*.lib", "*.pdb",
)  # fmt: skip
POSIX = """#!/bin/sh
# the window; with words after it, the command luff
here=$(cd "$(dirname "$(readlink -f "$0" 2>/dev/null || echo "$0")")" && pwd)
LD_LIBRARY_PATH="$here/{python}/lib${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}}" PYTHONNOUSERSITE=1
export LD_LIBRARY_PATH PYTHONNOUSERSITE
unset PYTHONHOME PYTHONPATH
[ $# -eq 0 ] && set -- gui
exec "$here/{python}/bin/python3" -P -m luff "$@"
"""
DESKTOP = """[Desktop Entry]
Type=Application
Name=luff
Comment=Multibody systems as block diagrams
Exec=sh -c '"$(dirname "$1")"/luff' sh %k
Terminal=false
Categories=Science;Engineering;
"""
WINDOWS = """@echo off
set PYTHONHOME=
set PYTHONPATH=
set PYTHONNOUSERSITE=1
if "%~1"=="" (start "" "%~dp0python\\pythonw.exe" -P -m luff gui) else ("%~dp0python\\python.exe" -P -m luff %*)
"""
PLIST = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
<key>CFBundleName</key><string>luff</string>
<key>CFBundleIdentifier</key><string>org.luff.window</string>
<key>CFBundleExecutable</key><string>luff</string>
<key>CFBundlePackageType</key><string>APPL</string>
<key>NSHighResolutionCapable</key><true/>
</dict></plist>
"""


def copy_interpreter(to: Path) -> Path:
    """The interpreter without what was installed into it; where packages belong."""
    base, version = Path(sys.base_prefix), f"python{sys.version_info.major}.{sys.version_info.minor}"
    if os.name == "nt":
        to.mkdir(parents=True)
        for file in (*base.glob("*.exe"), *base.glob("*.dll")):
            shutil.copy2(file, to)
        for name in ("DLLs", "Lib"):
            shutil.copytree(base / name, to / name, ignore=LEFT_OUT)
        return to / "Lib" / "site-packages"
    library = to / "lib" / version
    shutil.copytree(sysconfig.get_path("stdlib"), library, ignore=LEFT_OUT, symlinks=False)
    (to / "bin").mkdir()
    shutil.copy2(Path(sys.executable).resolve(), to / "bin" / "python3")
    for file in (base / "lib").glob("libpython*"):
        if not file.is_symlink() and file.suffix != ".a":
            shutil.copy2(file, to / "lib")
    return library / "site-packages"


def write(path: Path, text: str, runs: bool = False) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\r\n" if path.suffix == ".cmd" else "\n")
    if runs:
        path.chmod(0o755)


def starters(folder: Path) -> None:
    """What is clicked on."""
    if os.name == "nt":
        write(folder / "luff.cmd", WINDOWS)
    elif sys.platform == "darwin":
        inside = folder / "luff.app" / "Contents"
        write(inside / "Info.plist", PLIST)
        write(inside / "MacOS" / "luff", POSIX.format(python="../../../python"), runs=True)
    else:
        write(folder / "luff", POSIX.format(python="python"), runs=True)
        write(folder / "luff.desktop", DESKTOP, runs=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--extras", default="gui")
    asked = parser.parse_args()
    if asked.folder.exists():
        raise SystemExit(f"{asked.folder} is there already")
    packages = copy_interpreter(asked.folder / "python")
    wanted = f"{asked.wheel.resolve()}[{asked.extras}]"
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--target", packages, wanted]
    subprocess.run([sys.executable, *install], check=True)
    starters(asked.folder)
    size = sum(file.stat().st_size for file in asked.folder.rglob("*") if file.is_file())
    kind = "zip" if os.name == "nt" else "gztar"
    packed = Path(shutil.make_archive(str(asked.folder), kind, asked.folder.parent, asked.folder.name))
    print(
        f"{asked.folder}: {size / 1e6:.0f} MB, packed {packed.stat().st_size / 1e6:.0f} MB in {packed.name}"
    )


if __name__ == "__main__":
    main()
