"""Benchmarks in other engines: of a `RigidModel` and a step, signals at the end and the time [s]."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .peer_bullet import bullet
from .peer_drake import drake
from .peer_exudyn import exudyn
from .peer_mujoco import mujoco
from .peer_pinocchio import aba_alone, pinocchio
from .rigid_model import Result, RigidModel

PEERS: Mapping[str, Callable[[RigidModel, float], Result]] = {
    "exudyn": exudyn,
    "mujoco": mujoco,
    "drake": drake,
    "pinocchio": pinocchio,
    "aba": aba_alone,
    "bullet": bullet,
}
