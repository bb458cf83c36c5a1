"""The blocks that a netlist may name: luff's own, and third parties' through the entry-point group `luff.blocks`."""

from __future__ import annotations

import importlib
import importlib.util
import linecache
import os
import sys
import traceback
from collections.abc import Iterable
from functools import cache
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING

from .block import Block
from .errors import LuffError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import CodeType

GROUP = "luff.blocks"  # of entry points

# blocks by their modules in this package, each of which is imported where one of its blocks is asked for
MODULES = {
    "mechanics.bodies": "world rigid_link",
    "mechanics.flexible_links": "rfem_link",
    "mechanics.flexible_body": "flexible_body",
    "mechanics.elastic_supports": "base_support",
    "mechanics.joints": "fixed revolute prismatic universal spherical free",
    "mechanics.moving_platform": "platform",
    "mechanics.release": "release",
    "mechanics.force_elements": "line_spring bushing applied_force applied_torque",
    "mechanics.plane_contact": "contact",
    "mechanics.pads": "pad",
    "mechanics.rail_wheel": "rail_wheel guide_roller",
    "mechanics.touch": "touch",
    "mechanics.shape_pairs": "fixture",
    "mechanics.clearance": "clearance",
    "drives.drive_trains": "motor gear brake",
    "drives.shaft_line": "shaft_inertia shaft_spring gearbox shaft_motor shaft_brake clutch torque_source speed_source "
    "rack",
    "mechanics.ropes": "rope winch shaft_winch",
    "environment.vessel_motion": "vessel_motion",
    "environment.floating_body": "floating_body",
    "environment.wave_elevation": "waves",
    "environment.splash_zone": "splash_zone",
    "environment.wind": "wind",
    "environment.wind_drag": "wind_drag",
    "hydraulics.hydraulic_cylinder": "hydraulic_cylinder",
    "mechanics.motion_sensors": "frame_sensor energy_sensor",
    "mechanics.section_sensor": "section_sensor",
    "mechanics.member_sensor": "member_sensor",
    "mechanics.stress_sensor": "stress_sensor",
    "mechanics.girder_path": "girder_path",
    "signals.rainflow": "rainflow",
    "signals.joystick": "joystick joystick_buttons",
    "signals.continuous_systems": "derivative integrator state_space transfer_function",
    "signals.memory_blocks": "delay rate_limit unit_delay zero_order_hold",
    "signals.expression_block": "expression",
    "signals.arithmetic": "dead_zone gain product quantizer saturation sum switch",
    "signals.relay": "relay",
    "signals.signal_routing": "demux make_trajectory mux split_trajectory",
    "signals.sequence_logic": "counter edge latch timer",
    "signals.signal_sources": "chirp constant noise pulse ramp sine step",
    "signals.state_machine": "state_machine",
    "signals.running_statistics": "rms peak percentile",
    "signals.lookup_table": "table",
    "signals.controllers": "pd pid",
    "signals.model_based_control": "gravity_compensation computed_torque",
    "signals.tip_velocity": "tip_velocity",
    "signals.state_feedback": "lqr",
    "signals.steady_kalman": "kalman",
    "foreign.observer": "observer",
    "foreign.mpc": "mpc",
    "signals.friction_compensation": "friction_compensation",
    "hydraulics.circuit_elements": "supply tank volume flow_source orifice relief_valve proportional_valve",
    "hydraulics.directional_valves": "spool_valve pressure_compensator shuttle",
    "hydraulics.mobile_hydraulics": "pump accumulator check_valve counterbalance_valve hose_rupture_valve hose",
    "planning.input_shaper": "input_shaper",
    "planning.motion_law": "motion_law",
    "planning.path_motion": "path",
    "planning.sampled_command": "sampled_command",
    "planning.stable_inversion": "stable_inversion",
    "planning.trajectory_limiter": "trajectory_limiter",
    "mechanics.constraint_blocks": "programmed_constraint",
    "foreign.fmu_block": "fmu",
    "foreign.udp": "udp_send udp_receive",
}
HOMES = {name: module for module, names in MODULES.items() for name in names.split()}


@cache
def _of_module(name: str) -> dict[str, type[Block]]:
    return _blocks_of(importlib.import_module(f".{name}", __package__))


def _may_announce(folder: str) -> bool:
    """True if a package installed in a folder may have blocks, or if that cannot be seen."""
    if os.path.isfile(folder):
        return True
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        if name.endswith((".dist-info", ".egg-info")):
            try:
                with open(os.path.join(folder, name, "entry_points.txt"), encoding="utf-8") as file:
                    if GROUP in file.read():
                        return True
            except FileNotFoundError:
                continue
            except (OSError, UnicodeDecodeError):
                return True
    return False


def _announced() -> Iterable[EntryPoint]:
    """Entry points of third parties' blocks; most have none, and loading what reads them takes a tenth of a check."""
    if not any(_may_announce(folder or ".") for folder in sys.path):
        return ()
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)


@cache
def _third_party() -> dict[str, type[Block]]:
    classes: dict[str, type[Block]] = {}
    for point in _announced():
        cls = point.load()
        classes[cls.type_name] = cls
    return classes


_loaded_files: dict[str, type[Block]] = {}


def _blocks_of(module: object) -> dict[str, type[Block]]:
    values = vars(module).values()
    classes = [value for value in values if isinstance(value, type) and issubclass(value, Block)]
    return {cls.type_name: cls for cls in classes if not cls.abstract}


def registered() -> dict[str, type[Block]]:
    """Registered blocks by type name; luff's own win over third parties'."""
    return {**_loaded_files, **_third_party(), **{name: own_class(name) for name in HOMES}}


def own_class(name: str) -> type[Block]:
    """Class of a block that comes with luff."""
    return _of_module(HOMES[name])[name]


def block_class(name: str) -> type[Block] | None:
    """The block of a type name, without loading all others."""
    return own_class(name) if name in HOMES else {**_loaded_files, **_third_party()}.get(name)


def register(cls: type[Block]) -> type[Block]:
    """Make a block known to this process (a decorator, for scripts and tests)."""
    _loaded_files[cls.type_name] = cls
    return cls


def is_own(cls: type[Block]) -> bool:
    """True if the block comes with luff."""
    return cls.__module__.startswith(f"{__package__}.")


class _FromSource(SourceFileLoader):
    """Loader that compiles a file anew: Python's bytecode cache tells files apart by time and size only."""

    def get_code(self, fullname: str) -> CodeType:
        linecache.cache.pop(self.path, None)
        return self.source_to_code(self.get_data(self.path), self.path)


def is_loaded(path: Path) -> bool:
    """True if this process has run a file of blocks, and no other of its name since."""
    module = sys.modules.get(_module_of(path))
    return module is not None and getattr(module.__loader__, "path", "") == str(path)


def _module_of(path: Path) -> str:
    return f"luff_user_blocks_{path.stem}"


def load_file(path: Path) -> list[type[Block]]:
    """Run a Python file that defines blocks: only ever called when the user allowed code."""
    name = _module_of(path)
    if path.suffix != ".py":
        raise LuffError(f"{path} is not a Python file", fix="`blocks:` lists .py files")
    loader = _FromSource(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        loader.exec_module(module)
    except LuffError:
        raise
    except Exception as error:  # of the user's own code, whatever it is
        lines = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
        ]
        line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
        place = f"{path}:{line}" if line else str(path)
        raise LuffError(f"{place} cannot be run: {type(error).__name__}: {error}") from error
    classes = [cls for cls in _blocks_of(module).values() if cls.__module__ == name]
    for cls in classes:
        register(cls)
    return classes
