"""Single changes of kernels, integrators and what keeps files, each with the tests that should notice it.

Lines are named by their text, so that a list that no longer fits the sources is told; `at` picks one of several.
"""

# ruff: noqa: E501  lines of sources are quoted whole

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutation:
    file: str
    old: str
    new: str
    tests: tuple[str, ...]
    at: int = 0


# one time each what is quick and sees much
LOOPS = (
    "tests/systems/test_rates_of_loops.py -k coriolis or reduced or (second and projected)",
    "tests/systems/test_redundant_forces.py",
    "tests/solver/test_orientation.py -k not tumble",
)
LOOP_TESTS = (*LOOPS, "tests/systems/test_loops.py -k six_freedoms or same_accelerations or led")
TREES = (
    "tests/solver/test_trees.py -k reference",
    "tests/solver/test_closed_forms.py -k accelerations or parabola or force_and_torque or line or sensor or bead or driven",
)
RUNS = (
    "tests/solver/test_sessions.py",
    "tests/solver/test_runs.py -k not shaper and not noise and not number",
)
IMPLICIT = (
    "tests/solver/test_implicit.py",
    "tests/solver/test_integrators.py -k implicit_satisfies or calm or jumps",
)
RUBS = (
    "tests/systems/test_load_that_turns_round.py",
    "tests/solver/test_friction.py -k loads or driven or jam",
    "tests/systems/test_friction.py -k closed_form or limit or coulomb",
)
STREAM = ("tests/solver/test_stream.py -k not flat and not killed",)
RECORD = ("tests/gui/test_files.py", "tests/gui/test_recording.py -k thin or full or limit or killed")
KEEP = ("tests/gui/test_files.py", "tests/gui/test_keeping.py", "tests/solver/test_saving.py")
HISTORY = ("tests/gui/test_history.py -k not half",)

K, I = "solver/kernels/", "solver/integrators/"


def several(
    file: str, tests: tuple[str, ...], *changes: tuple[str, str] | tuple[str, str, int]
) -> list[Mutation]:
    return [Mutation(file, old, new, tests, *at) for old, new, *at in changes]


MUTATIONS = [
    *several(
        K + "constraints.py",
        LOOP_TESTS,
        ("bias = -(tx * ex + ty * ey + tz * ez)", "bias = tx * ex + ty * ey + tz * ez"),
        ("tie[GAP_BIAS] = vx - ux - 2.0 * ex", "tie[GAP_BIAS] = vx - ux - 1.0 * ex"),
        ("tie[GAP_BIAS + 2] = vz - uz - 2.0 * ez", "tie[GAP_BIAS + 2] = vz - uz + 2.0 * ez"),
        ("bias - (bx * bx + by * by + bz * bz) * d.con[c, PHI]", "bias"),
        ("bias += (ux * bx + uy * by + uz * bz) * (wx * bx + wy * by + wz * bz)", "bias += 0.0"),
        ("d.row[i, FREE_ACC + 4] + ay + ey", "d.row[i, FREE_ACC + 4] + ay"),
        ("return ay * bz - az * by, az * bx - ax * bz", "return ay * bz - az * by, az * bx + ax * bz"),
        ("bias -= d.target[target, 2]", "bias += d.target[target, 2]"),
    ),
    *several(
        K + "closure.py",
        LOOP_TESTS,
        ("d.coupling[NOW, a, b] = -d.jac", "d.coupling[NOW, a, b] = d.jac"),
        ("s += d.jac[c, i] * d.row[i, V]", "s -= d.jac[c, i] * d.row[i, V]"),
        ("for k in range(r, m.constraint.shape[0]):", "for k in range(r, r):"),
        ("d.quat[j, 1] = a + w * e + b * g - c * f", "d.quat[j, 1] = a + w * e - b * g + c * f"),
        ("d.quat[j, 0] = w - a * e - b * f - c * g", "d.quat[j, 0] = w - a * e - b * f + c * g"),
        ("d.quat[j, 3] = c + w * g + a * f - b * e", "d.quat[j, 3] = c + w * g"),
        (
            "d.row[i, V] += d.jac[d.part[ACTIVE, a], i] * d.solve[a]",
            "d.row[i, V] -= d.jac[d.part[ACTIVE, a], i] * d.solve[a]",
        ),
        ("d.row[i, COS] -= turn * (s + 0.5 * turn * c)", "d.row[i, COS] += turn * (s + 0.5 * turn * c)"),
        (
            "d.scalar[VIOLATION] = max(d.scalar[VIOLATION], abs(d.con[c, PHI]))",
            "d.scalar[VIOLATION] = abs(d.con[c, PHI])",
        ),
        (
            "s += d.jac[d.part[ACTIVE, a], i] * d.jac[d.part[ACTIVE, b], i]",
            "s += d.jac[d.part[ACTIVE, a], i]",
        ),
    ),
    *several(
        K + "multipliers.py",
        LOOP_TESTS,
        ("if total > r:", "if total < r:"),
        ("s += d.jac[c, d.part[DEPENDENT, a]] * d.jac[c, d.part[DEPENDENT, b]]", "s += 1.0 * (a == b)"),
        ("d.row[i, WRENCH + 4] += factor * fy", "d.row[i, WRENCH + 4] -= factor * fy"),
        ("push_constraints(m, d, -1.0)", "pass"),
        (
            "constraint_push(m, d, c, m.constraint[c, C_FRAME_A], s)",
            "constraint_push(m, d, c, m.constraint[c, C_FRAME_A], -s)",
        ),
        (
            "gx, gy, gz = cross(px - qx, py - qy, pz - qz, fx, fy, fz)",
            "gx, gy, gz = cross(px + qx, py - qy, pz - qz, fx, fy, fz)",
        ),
    ),
    *several(
        K + "linear.py",
        (*IMPLICIT, *LOOP_TESTS, "tests/solver/test_random_loops.py", *RUBS[:1]),
        ("if abs(A[i, k]) > best:", "if abs(A[i, k]) < 0.0:"),
        ("A[k, j], A[at, j] = A[at, j], A[k, j]", "A[k, j], A[at, j] = A[k, j], A[at, j]"),
        ("b[i] -= A[i, k] * b[k]", "b[i] += A[i, k] * b[k]"),
        ("s -= A[k, j] * b[j]", "s += A[k, j] * b[j]"),
        ("s -= A[i, k] * b[i]", "s += A[i, k] * b[i]"),
        ("B[i, c] -= f * B[k, c]", "B[i, c] += f * B[k, c]"),
        ("f = 1.0 / (a * e - b * c)", "f = 1.0 / (a * e + b * c)"),
        (
            "u, v, w = q * z - r * y, r * x - p * z, p * y - q * x",
            "u, v, w = q * z - r * y, r * x + p * z, p * y - q * x",
        ),
    ),
    *several(
        K + "loop.py",
        ("tests/solver/test_orientation.py -k euler", *RUNS),
        ("x[j + c] /= length", "x[j + c] *= length"),
        ("if m.option[O_QUATS] > 0:", "if m.option[O_QUATS] < 0:"),
        ("run.before[j] = x[j]", "run.before[j] = run.before[j]"),
        ("run.number[TAKEN] = s - first\n", "run.number[TAKEN] = s - first + 1\n"),
        ("t = t0 + h * (s + 1)", "t = t0 + h * s"),
        ("run_updates(run, s + 1)", "run_updates(run, s)"),
        ("if (s + 1) % every == 0:", "if s % every == 0:"),
        ("run.times[row] = t\n", "run.times[row] = t0 + h * s\n"),
    ),
    *several(
        I + "rosenbrock.py",
        IMPLICIT,
        ("u[s, j] += RATES[s] * change[j]", "pass"),
        ("u[s, j] += C[s, r] / h * u[r, j]", "u[s, j] -= C[s, r] / h * u[r, j]"),
        ("W[i, j] = (slope[i] - z[i]) / nudge", "W[i, j] = (z[i] - slope[i]) / nudge"),
        ("rates(run, t + TIMES[s] * h, z, u[s])", "rates(run, t, z, u[s])"),
        ("x[j] = kept\n", "pass\n"),
        ("GAMMA = 0.435866521508459", "GAMMA = 0.435866521608459"),
    ),
    *several(
        I + "explicit.py",
        ("tests/solver/test_closed_forms.py -k parabola", "tests/solver/test_integrators.py -k declared"),
        ("x[j] += 0.5 * h * (k1[j] + k2[j])", "x[j] += 0.5 * h * (k1[j] + k1[j])"),
        ("rates(run, t + 0.5 * h, z, k3)", "rates(run, t, z, k3)"),
        ("z[j] = x[j] + h * k3[j]", "z[j] = x[j] + h * k2[j]"),
        ("2.0 * (work[1, j] + work[2, j])", "2.0 * (work[1, j] + work[1, j])"),
    ),
    *several(
        K + "friction.py",
        RUBS,
        ("return sign > 0.0", "return True"),
        ("length = math.sqrt(x * x + y * y + z * z)", "length = x + y + z"),
        ("A[j, j] += 1.0", "A[j, j] += 1.001"),
        (
            "return mu_k + (m.row[i, FRICTION + F_MU_S] - mu_k) * math.exp(-w * w)",
            "return mu_k + (m.row[i, FRICTION + F_MU_S] - mu_k) * math.exp(-w)",
        ),
        ("return x - s * sx, y - s * sy, z - s * sz", "return x, y, z"),
        ("effort = -d.row[i, GRIP] * d.row[i, NORMAL]", "effort = d.row[i, GRIP] * d.row[i, NORMAL]"),
        ("r = 1.0 - s0 * z * math.copysign(1.0, v)", "r = 1.0 + s0 * z * math.copysign(1.0, v)"),
    ),
    *several(
        K + "forces.py",
        (*TREES, "tests/solver/test_balance.py -k every_kind"),
        ("-=", "+=", 0),
        ("-=", "+=", 1),
        ("+=", "-=", 0),
        ("+=", "-=", 3),
    ),
    *several(
        K + "newton_euler.py",
        (*TREES, *LOOPS[:2]),
        ("+=", "-=", 0),
        ("+=", "-=", 4),
        ("-=", "+=", 0),
    ),
    *several(
        K + "kinematics.py",
        TREES,
        ("+=", "-=", 0),
        ("+=", "-=", 2),
    ),
    *several(
        "solver/stream.py",
        STREAM,
        ("self._write(0, memoryview(self._head))", "pass"),
        ('struct.pack_into("<Q", self._head, _EOF_FIELD, self._start + size)', "pass"),
        ("self._commit(self.rows + len(block))", "self._commit(len(block))"),
        ("min(count, self.rows - first)", "min(count, self.rows)"),
        ('encoded = text.encode()[:room].decode(errors="ignore").encode()', "encoded = text.encode()[:room]"),
        ("while len(text := to_json(kept)) > room:", "while len(text := to_json(kept)) > 2 * room:"),
        ("part.unlink(missing_ok=True)", "pass"),
        ("if _head(path) == head:", "if True:"),
        ("view = view[self._file.readinto(view) :]", "self._file.readinto(view); break"),
        ('self._set_text("status", status)', "pass"),
    ),
    *several(
        "gui/run_file.py",
        RECORD,
        ("slice(-self.seen % self.every, None, self.every)", "slice(0, None, self.every)"),
        ("self.seen += len(times)", "self.seen += len(times[mine])"),
        ("int(BLOCK / self.width) // 2 * 2", "int(BLOCK / self.width)"),
        ("RESERVE + self._stream.size / 2", "RESERVE"),
        ("RESERVE + self._stream.size / 2", "self._stream.size / 2"),
        (
            "self._stream, self.every = thinned, 2 * self.every",
            "self._stream, self.every = thinned, self.every",
        ),
        ("self._drop(whole)", "pass"),
        ("self._drop(thinned)", "pass"),
        ('if session_files.lives(place.name.rpartition("-")[0]):', "if False:"),
        ("if self._stream.size + ROOM > limit:", "if self._stream.size + ROOM < limit:"),
    ),
    *several(
        "gui/session.py",
        KEEP,
        ("if is_held(path):", "if False:"),
        ('if lives(file.stem.rpartition("-")[0]):', "if False:"),
        ("if not self._timer.isActive():", "if True:"),
        ("document.titled.connect(self._tidy)", "pass"),
        ("_alive.hold()\n            write_whole", "write_whole"),
        ("diagram.path = self.origin", "pass"),
        ("document.recovered = True", "pass"),
    ),
    *several(
        "gui/locks.py",
        KEEP,
        ("fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH | fcntl.LOCK_NB"),
        ("        _lock(file)\n    return file", "        pass\n    return file"),
    ),
    *several(
        "gui/document.py",
        KEEP,
        ("return (found.st_mtime_ns, found.st_size)", "return (0, found.st_size)"),
        ("return (found.st_mtime_ns, found.st_size)", "return (found.st_mtime_ns, 0)"),
        ("return now is not None and now != self._stamp", "return now is not None and now == self._stamp"),
        (
            "        self._stamp = self._on_disk()\n        self.undo.setClean()",
            "        self.undo.setClean()",
        ),
        ("self.undo.setClean()", "pass"),
        ("self.recovered = False\n        self._stamp", "self._stamp"),
    ),
    *several(
        "gui/files.py",
        KEEP,
        ("if not name:\n                return False", "if not name:\n                name = str(start)"),
        (
            "if path == document.path and document.changed_on_disk and",
            "if document.changed_on_disk and False and",
        ),
        ("if ask or path is None:", "if path is None:"),
        ("return self.save(level)\n", "self.save(level)\n            return True\n"),
        ("left.discard()", "pass", 1),
    ),
    *several(
        "solver/diagram.py",
        KEEP[2:],
        ("os.fsync(file.fileno())", "pass"),
        ("target = path.resolve()", "target = path"),
        ("os.chmod(temporary, mode)", "pass"),
        ("os.unlink(temporary)", "pass"),
    ),
    *several(
        K + "loop.py",
        ("tests/solver/test_jumps.py -k staircase or (across and pulse)",),
        ("        run_ends(run)\n", ""),
        ("run.w[at + 1] = t + 0.5 * h", "run.w[at + 1] = t - 0.5 * h"),
    ),
    *several(
        K + "articulated.py",
        ("tests/systems/test_armature.py -k tree",),
        ("sx * gx + sy * gy + sz * gz + m.row[i, COORDINATE + ARMATURE]", "sx * gx + sy * gy + sz * gz"),
        ("sx * ux + sy * uy + sz * uz + m.row[i, COORDINATE + ARMATURE]", "sx * ux + sy * uy + sz * uz"),
    ),
    *several(
        "gui/history.py",
        HISTORY,
        ("first = done + -(self._count + 1) % self.skip", "first = done + -self._count % self.skip"),
        ("self.skip *= 2", "self.skip += 2"),
        (
            "self.times, self.frames = self.times[::2], self.frames[::2]",
            "self.times, self.frames = self.times[::2], self.frames[1::2]",
        ),
        ('"right")) - 1', '"right"))'),
    ),
]
