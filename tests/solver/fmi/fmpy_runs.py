"""FMUs run by FMPy, an importer that is not this code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from ctypes import byref
from pathlib import Path
from typing import Any

import fmpy
import numpy as np
from fmpy.fmi2 import (
    FMU2Slave,
    defaultCallbacks,
    fmi2CallbackFunctions,
    fmi2CallbackLoggerTYPE,
    printLogMessage,
)
from fmpy.logging import addLoggerProxy

import luff

LOGGER = fmi2CallbackLoggerTYPE(printLogMessage)  # lives as long as the process


@contextmanager
def running(path: Path, begin: bool = True) -> Iterator[tuple[FMU2Slave, dict[str, int]]]:
    """A co-simulation under way, and its value references by name."""
    about = fmpy.read_model_description(str(path))
    where = path.with_suffix("")
    if not where.exists():  # else another instance may run what is there
        fmpy.extract(str(path), unzipdir=str(where))
    slave = FMU2Slave(
        guid=about.guid, unzipDirectory=str(where), modelIdentifier=about.coSimulation.modelIdentifier
    )
    # FMPy's native half keeps one logger for the process, and that of `simulate_fmu` dies with it
    callbacks = fmi2CallbackFunctions()
    for name in ("allocateMemory", "freeMemory"):
        setattr(callbacks, name, getattr(defaultCallbacks, name))
    callbacks.logger = LOGGER
    addLoggerProxy(byref(callbacks))
    slave.instantiate(callbacks=callbacks)
    slave.setupExperiment(startTime=0.0)
    if begin:
        slave.enterInitializationMode()
        slave.exitInitializationMode()
    yield slave, {one.name: one.valueReference for one in about.modelVariables}
    slave.terminate()
    slave.freeInstance()


def equal(result: luff.Result, rows: Any) -> list[str]:
    """Columns in which an FMU's rows differ from luff's."""
    return [
        name
        for name in result.columns
        if not np.array_equal(np.ravel(result[name]), rows[name], equal_nan=True)
    ]
