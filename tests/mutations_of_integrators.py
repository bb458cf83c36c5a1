"""Single changes of integrators, each with the tests that should notice it."""

from __future__ import annotations

from luff.tests.mutation import several

RUNS = (
    "tests/solver/simulation/test_sessions.py",
    "tests/solver/simulation/test_runs.py -k not shaper and not noise and not number",
)
IMPLICIT = (
    "tests/solver/integrators/test_implicit.py",
    "tests/solver/integrators/test_integrators.py -k implicit_satisfies or calm or jumps",
)

I = "solver/integrators/"

INTEGRATORS = [
    *several(
        I + "step_projection.py",
        ("tests/solver/mechanism/test_orientation.py -k euler",),
        ("x[j + c] /= length", "x[j + c] *= length"),
    ),
    *several(
        I + "event_location.py",
        ("tests/solver/integrators/test_event_location.py -k relay or chatters",),
        ("run_decisions(run)", "run_crossings(run)"),
        (" if halved else high\n", " if halved else low\n"),
        ("done += length", "done += 0.5 * length"),
    ),
    *several(
        I + "substeps.py",
        (
            "tests/blocks/test_hydraulic_power.py -k relief_valve",
            "tests/blocks/test_hydraulic_power.py -k sine-implicit or too_quick",
        ),
        ("FAR = 0.25 ", "FAR = 3.5 "),
        ("if w[at + r.OPENING * n] == 0.0:", "if w[at + r.OPENING * n] != 0.0:"),
        ("            copy_row(x, begin)\n", "            copy_row(begin, x)\n"),
        ("opening_travel(run, j) > FAR", "opening_travel(run, j) > 3.0"),
    ),
    *several(
        I + "zero_crossings.py",
        (
            "tests/solver/integrators/test_zero_crossings.py -k counted or ball or seldom",
            "tests/blocks/test_cylinder.py -k leaves and pins",
        ),
        ("w[at + r.CHANGES * n] += 1.0", "w[at + r.CHANGES * n] += 2.0"),
        ("if step % STRETCH == 0:", "if step < 0:"),
        ("w[at + r.LOWEST * n + j] = w[at + j]", "w[at + r.LOWEST * n + j] = 0.0"),
    ),
    *several(
        I + "run_loop.py",
        ("tests/solver/mechanism/test_orientation.py -k euler", *RUNS),
        ("if m.option[f.O_QUATS] > 0:", "if m.option[f.O_QUATS] < 0:"),
        ("        copy_row(run.before, x)\n", ""),
        ("run.number[r.TAKEN] = s - first\n", "run.number[r.TAKEN] = s - first + 1\n"),
        ("t = t0 + h * (s + 1)", "t = t0 + h * s"),
        ("run_updates(run, s + 1)", "run_updates(run, s)"),
        ("written = (s + 1) % every == 0", "written = s % every == 0"),
        ("run.times[row] = t\n", "run.times[row] = t0 + h * s\n"),
    ),
    *several(
        I + "rosenbrock.py",
        IMPLICIT,
        ("u[s, j] += RATES[s] * change[j]", "pass"),
        ("u[s, j] += C[s, r] / h * u[r, j]", "u[s, j] -= C[s, r] / h * u[r, j]"),
        ("W[i, j] = (slope[i] - z[i]) / nudge", "W[i, j] = (z[i] - slope[i]) / nudge"),
        ("stage(run, t + TIMES[s] * h, z, u[s])", "stage(run, t, z, u[s])"),
        ("x[j] = kept\n", "pass\n"),
        ("GAMMA = 0.435866521508459", "GAMMA = 0.435866521608459"),
    ),
    *several(
        I + "runge_kutta.py",
        (
            "tests/solver/kernels/test_closed_forms.py -k parabola",
            "tests/solver/integrators/test_integrators.py -k declared",
        ),
        ("x[j] += 0.5 * h * (k1[j] + k2[j])", "x[j] += 0.5 * h * (k1[j] + k1[j])"),
        ("stage(run, t + 0.5 * h, z, k3)", "stage(run, t, z, k3)"),
        ("z[j] = x[j] + h * k3[j]", "z[j] = x[j] + h * k2[j]"),
        ("2.0 * (work[1, j] + work[2, j])", "2.0 * (work[1, j] + work[1, j])"),
    ),
    *several(
        I + "run_loop.py",
        ("tests/solver/integrators/test_jumps.py -k staircase or (across and pulse)",),
        ("        run_ends(run)\n", ""),
        ("run.w[at + 1] = t + 0.5 * h", "run.w[at + 1] = t - 0.5 * h"),
    ),
]
