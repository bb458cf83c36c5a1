"""Control steps of many environments in SIMD groups; environments that diverge step by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from ...codegen.jit import ENABLED, NoCode
from ...codegen.transforms.entry_point_variants import LANES
from ...integrators.method_table import method_of
from ...program.started_program import Started
from ...program.work_space import DURING, TIME
from ...simulation.given_state import GivenState
from ...simulation.inputs_outputs import io_signals
from ...simulation.instance import Instance
from ...simulation.run_state import poses
from ..simd_group import LEAST
from ..simd_memory import LaneMember, MemoryGroups, shared_integers, step_entry_points
from .environment import Env, Why

LONGEST = 64  # most control steps of environments by themselves after repeated divergence


@dataclass
class EpisodeStart:
    """Start of episodes without drawn parameters: program, and the memory of a lane."""

    program: Started
    x0: bytes
    memory: np.ndarray
    inputs: np.ndarray
    outputs: np.ndarray


class EnvironmentLanes:
    """Environments of one model in groups of LANES.

    The state of an environment that is `inside` is in its group's memory, of any other in its session.
    """

    def __init__(self, envs: Sequence[Env], wanted: bool, pool: Executor | None):
        self.envs, self._map = envs, pool.map if pool else map
        first = envs[0]
        self._hold, self._size = first.hold, first.session.step_size
        self._program = first.session.instance.program
        self._timeless = is_autonomous(self._program)
        count = -(-len(envs) // LANES)
        self._spans = [range(k, min(k + LANES, len(envs))) for k in range(0, len(envs), LANES)]
        self._numbers = [*range(count)]
        names = io_signals(self._program)
        # a column for each lane; there may be more lanes than environments
        self._inputs, self._outputs = (
            np.zeros((len(each), count * LANES)) for each in (names.inputs, names.outputs)
        )
        self.inputs, self.outputs = (each[:, : len(envs)] for each in (self._inputs, self._outputs))
        self._by_groups = [each.reshape(len(each), -1, LANES) for each in (self._inputs, self._outputs)]
        self.ages = np.zeros(len(envs), np.int64)  # [control steps]
        self.inside, self._behind = (
            [False] * len(envs),
            [False] * len(envs),
        )  # behind: the session still has the last episode
        self._whole = [False] * count  # True if a group needs no check before the next step
        self._alone, self._few = (
            [0] * count,
            [1] * count,
        )  # control steps until the group meets again; the last such number
        self._start: EpisodeStart | None = None
        self._groups = self._make_groups(pool) if wanted and self._possible() else None

    def _possible(self) -> bool:
        """True if there is SIMD code for the model; it is compiled if missing."""
        session = self.envs[0].session
        if not ENABLED or len(self.envs) < LEAST:
            return False
        if method_of(session.method).adaptive or session.instance.has_partners:
            return False
        from ...codegen.object_loader import load

        try:
            load(step_entry_points(session.instance))
        except NoCode:
            return False
        return True

    def _make_groups(self, pool: Executor | None) -> MemoryGroups:
        """Memory groups of the environments."""
        session, signals = self.envs[0].session, io_signals(self._program)
        self._members = [
            [recording_instance(session.instance, session.work, signals.places) for _ in range(LANES)]
            for _ in self._spans
        ]
        groups = MemoryGroups(self._members, 1, pool)
        instance = self._members[0][0].instance
        at = instance.sections.first["mem"]
        self._given = groups.wide(instance.w)[:, at : at + len(signals.inputs)].transpose(1, 0, 2)
        self._seen = groups.rows[:, 0].transpose(1, 0, 2)
        self._integers = shared_integers(instance)
        return groups

    # --- entering and leaving groups --------------------------------------------------------------------------------

    def begin(
        self, k: int, parameters: Mapping[str, object], state: GivenState | None = None
    ) -> dict[str, object]:
        """Start an episode of environment k; returns its drawn parameters."""
        env, group = self.envs[k], k // LANES
        self.ages[k], self._whole[group] = 0, False
        if state is None and self._copy_equal_start(k, parameters):
            return {}
        self.inside[k] = self._behind[k] = False
        self.outputs[:, k], drawn = env.begin(parameters, state)
        self.inputs[:, k] = env.session.inputs
        if not self._alone[group]:
            self._enter_group(k)
            if self.inside[k] and not drawn and state is None:
                lane = self._lane(k).copy()
                columns = (each[:, k].copy() for each in (self.inputs, self.outputs))
                self._start = EpisodeStart(env.sim.program, env.sim.x0.tobytes(), lane, *columns)
        return drawn

    def _copy_equal_start(self, k: int, parameters: Mapping[str, object]) -> bool:
        """Start by a copy of a lane that started alike; True if possible. The session follows when it is needed."""
        env, start = self.envs[k], self._start
        if start is None or parameters or env.randomise or self._alone[k // LANES]:
            return False
        if start.program is not env.sim.program or start.x0 != env.sim.x0.tobytes():
            return False
        self._lane(k)[:], env.session.x0 = start.memory, None
        self.inputs[:, k], self.outputs[:, k] = start.inputs, start.outputs
        self.inside[k] = self._behind[k] = True
        return True

    def _lane(self, k: int) -> np.ndarray:
        """Memory of environment k in its group."""
        assert self._groups is not None
        return self._groups.memory[k // LANES].reshape(-1, LANES)[:, k % LANES]

    def _enter_group(self, k: int) -> None:
        """Move environment k into its group if its structure is the group's."""
        session = self.envs[k].session
        if self._groups is None or session.status != "running":
            return
        theirs = session.instance
        if theirs.program is not self._program and not theirs.program.like(self._program):
            return
        if not np.array_equal(shared_integers(theirs), self._integers):
            return
        ours = self._members[k // LANES][k % LANES]
        ours.instance.put(theirs.memories)
        ours.instance.real[:], ours.run.x[:] = theirs.real, session.x
        self._groups.each[k // LANES].enter(k % LANES, k % LANES)
        self.inside[k] = True

    def _leave_group(self, k: int) -> None:
        """Move environment k back into its session."""
        if self._groups is None or not self.inside[k]:
            return
        env, ours = self.envs[k], self._members[k // LANES][k % LANES]
        session = env.session
        if self._behind[k]:
            session.reset()
        self.inside[k] = self._behind[k] = self._whole[k // LANES] = False
        self._groups.each[k // LANES].leave(k % LANES, k % LANES)
        session.instance.put(ours.instance.memories)
        session.instance.real[:], session.x[:] = ours.instance.real, ours.run.x
        session.done = int(self.ages[k]) * self._hold

    def poses(self, k: int) -> np.ndarray:
        """R_WB and p_WB of all rows of environment k."""
        if self._groups is None or not self.inside[k]:
            return self.envs[k].poses()
        group = self._groups.each[k // LANES]
        return poses(group.numbers(group.instance.data.row)[..., k % LANES])

    # --- steps ------------------------------------------------------------------------------------------------------

    def step(self, on: np.ndarray | None) -> dict[int, Why]:
        """One control step of the environments `on` (default: all); returns the ended ones with the reason."""
        left = self._step_groups(self._groups, on) if self._groups else [*self._spans]
        ends: dict[int, Why] = {}
        if left:
            going = [[k for k in span if on is None or on[k]] for span in left]
            for told in self._map(self._step_sessions, going):
                ends |= told
        self.ages += 1 if on is None else on
        return ends

    def _step_sessions(self, going: Sequence[int]) -> dict[int, Why]:
        """Control step of single environments in their sessions."""
        ends = {}
        for k in going:
            env = self.envs[k]
            env.session.inputs[:] = self.inputs[:, k]
            self.outputs[:, k], why = env.go_on()
            if why:
                ends[k] = why
        return ends

    def _step_groups(self, groups: MemoryGroups, on: np.ndarray | None) -> list[Sequence[int]]:
        """Control step of the groups; returns environments that have not taken it."""
        looked_at = [g for g, whole in enumerate(self._whole) if on is not None or not whole]
        here = {g: self._steppable(g, on) for g in looked_at}
        inputs, outputs = self._by_groups
        self._given[...] = inputs
        firsts, going = self._hold * self.ages[::LANES], self._numbers
        if here:
            going = [g for g in going if here.get(g, True)]
        for g, lanes in here.items():
            if lanes:
                groups.each[g].fill({*range(LANES)} - {k % LANES for k in lanes}, lanes[0] % LANES)
                firsts[g] = self._hold * self.ages[lanes[0]]
        short = groups.advance(going, firsts, self._hold, self._hold, self._size)
        left: list[Sequence[int]] = []
        if not here and not short:
            outputs[...] = self._seen
            return left
        for g, span in enumerate(self._spans):
            lanes = here.get(g, span)
            if lanes and g not in short:
                places = [k % LANES for k in lanes]
                outputs[:, g, places] = self._seen[:, g, places]
                self._few[g] = 1
            else:
                if lanes:
                    self._alone[g], self._few[g] = self._few[g], min(2 * self._few[g], LONGEST)
                for k in lanes:
                    self._leave_group(k)
                lanes = []
            others = [k for k in span if k not in lanes]
            left += [others] if others else []
        return left

    def _steppable(self, g: int, on: np.ndarray | None) -> list[int]:
        """Environments of a group that step together: all, or for time-dependent models the most frequent age."""
        if self._alone[g]:
            self._alone[g] -= 1
            return []
        wanted = [k for k in self._spans[g] if on is None or on[k]]
        for k in wanted:
            if not self.inside[k]:
                self._enter_group(k)
        lanes = [k for k in wanted if self.inside[k]]
        if not self._timeless and lanes:
            ages = self.ages[lanes].tolist()
            most = max(ages, key=ages.count)
            lanes = [k for k, age in zip(lanes, ages, strict=True) if age == most]
        lanes = lanes if len(lanes) >= LEAST else []
        for k in wanted:
            if k not in lanes:
                self._leave_group(k)
        self._whole[g] = len(lanes) == LANES
        return lanes


def recording_instance(instance: Instance, work: np.ndarray, places: np.ndarray) -> LaneMember:
    """Copy of an instance that records these places."""
    twin = instance.twin()
    x = np.zeros(len(twin.program.x0) + twin.program.trailing)
    run = twin.run(x, np.zeros_like(work), np.zeros(1), np.zeros((1, len(places))), record=places)
    return LaneMember(twin, run)


def is_autonomous(program: Started) -> bool:
    """True if no number of a run depends on time or on the step count."""
    calls = [call for table in program.tables.values() for call in table.calls]
    times = {TIME, DURING}
    return all(
        call.due < 0 and not any(times.intersection(one.entries) for one in call.operations) for call in calls
    )
