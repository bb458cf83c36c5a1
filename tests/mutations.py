"""Single changes of kernels, each with the tests that should notice it."""

# ruff: noqa: E501  lines of sources are quoted whole

from __future__ import annotations

from luff.tests.mutation import Mutation, several
from luff.tests.mutations_of_integrators import IMPLICIT

# one time each what is quick and sees much
LOOPS = (
    "tests/systems/test_rates_of_loops.py -k coriolis or reduced or (second and projected)",
    "tests/systems/test_redundant_forces.py",
    "tests/solver/mechanism/test_orientation.py -k not tumble",
)
LOOP_TESTS = (*LOOPS, "tests/systems/test_loops.py -k six_freedoms or same_accelerations or led")
TREES = (
    "tests/solver/kernels/test_trees.py -k reference or nothing_behind",
    "tests/solver/kernels/test_closed_forms.py -k accelerations or parabola or force_and_torque or line or sensor or bead or driven",
)
RUBS = (
    "tests/systems/test_load_that_turns_round.py",
    "tests/solver/kernels/test_friction.py -k loads or driven or jam",
    "tests/systems/test_friction.py -k feeds",
    "tests/systems/test_friction.py -k dahl_deflection",
    "tests/systems/test_friction.py -k stribeck",
)
# the work of forces next to what they store: -k ledger runs one of every element
ENERGIES = (
    "tests/solver/diagnostics/test_energy_balance.py -k every_kind",
    "tests/systems/test_loops.py -k six_freedoms",
    "tests/solver/kernels/test_closed_forms.py -k ledger",
    "tests/solver/kernels/test_closed_forms.py -k energy and not seven and not ledger",
    "tests/systems/test_programmed.py -k moving_constraint and reduced",
    "tests/systems/test_friction.py -k closed_cycles and dahl",
)
FORCES = (
    "tests/solver/kernels/test_closed_forms.py -k limits_push",
    "tests/systems/test_base.py -k six_modes or damping",
    "tests/blocks/test_flexible.py -k torsion_is or cantilever",
    "tests/solver/diagnostics/test_energy_balance.py -k every_kind",
    "tests/solver/kernels/test_closed_forms.py -k resolve or line_spring or (decay and spring)",
    "tests/solver/kernels/test_closed_forms.py -k ledger",
    "tests/solver/kernels/test_closed_forms.py -k bushing",
    "tests/solver/kernels/test_closed_forms.py -k undamped_stop",
)

RESPONSES = (
    "tests/systems/test_load_that_turns_round.py",
    "tests/systems/test_friction_in_loops.py -k floating or driven_joint",
    "tests/systems/test_programmed.py -k realise",
)
RELATIONS = ("tests/systems/test_relations.py", "tests/systems/test_programmed.py -k ellipse or knife")
RUBBING_LOOPS = (
    "tests/systems/test_friction_in_loops.py -k rubs_alike and baumgarte and slide",
    "tests/systems/test_friction_in_loops.py -k floating",
    "tests/systems/test_friction_in_loops.py -k ideal or servo",
    "tests/systems/test_friction_in_loops.py -k driven_joint and ball",
)

K = "solver/kernels/"


MECHANICS = [
    *several(
        K + "constraint_jacobian.py",
        (
            *LOOP_TESTS,
            "tests/systems/test_programmed.py -k realise or moving_constraint",
            "tests/systems/test_rates_of_loops.py -k off",
        ),
        ("bias = -dot(torque, cross(w_a, w_b))", "bias = dot(torque, cross(w_a, w_b))"),
        (
            "scale_3(2.0, cross(angular_velocity(m, d, a), rate))",
            "scale_3(1.0, cross(angular_velocity(m, d, a), rate))",
        ),
        (
            "scale_3(2.0, cross(angular_velocity(m, d, a), rate))",
            "scale_3(-2.0, cross(angular_velocity(m, d, a), rate))",
        ),
        ("bias - dot(w, w) * d.con[c, f.PHI]", "bias"),
        ("bias += dot(u, w) * dot(v, w)", "bias += 0.0"),
        ("return add_3(a, cross(w, cross(w, r)))", "return a"),
        ("cross(read_3(d.row, i, f.ACC_BIAS), r))", "cross(r, read_3(d.row, i, f.ACC_BIAS)))"),
        ("bias -= d.target[target, f.TARGET_ACC]", "bias += d.target[target, f.TARGET_ACC]"),
    ),
    *several(
        K + "position_projection.py",
        LOOP_TESTS,
        ("d.coupling[f.NOW, a, b] = -d.jac", "d.coupling[f.NOW, a, b] = d.jac"),
        ("s += d.jac[c, i] * d.row[i, f.V]", "s -= d.jac[c, i] * d.row[i, f.V]"),
        ("for k in range(r, m.constraint.shape[0]):", "for k in range(r, r):"),
        ("d.quat[j, 1] = a + w * e + b * g - c * h", "d.quat[j, 1] = a + w * e - b * g + c * h"),
        ("d.quat[j, 0] = w - a * e - b * h - c * g", "d.quat[j, 0] = w - a * e - b * h + c * g"),
        ("d.quat[j, 3] = c + w * g + a * h - b * e", "d.quat[j, 3] = c + w * g"),
        (
            "d.row[i, f.V] += d.jac[d.part[f.ACTIVE, a], i] * d.solve[a]",
            "d.row[i, f.V] -= d.jac[d.part[f.ACTIVE, a], i] * d.solve[a]",
        ),
        ("d.row[i, f.COS] -= turn * (s + 0.5 * turn * c)", "d.row[i, f.COS] += turn * (s + 0.5 * turn * c)"),
        (
            "d.scalar[f.VIOLATION] = max(d.scalar[f.VIOLATION], abs(d.con[c, f.PHI]))",
            "d.scalar[f.VIOLATION] = abs(d.con[c, f.PHI])",
        ),
        (
            "s += d.jac[d.part[f.ACTIVE, a], i] * d.jac[d.part[f.ACTIVE, b], i]",
            "s += d.jac[d.part[f.ACTIVE, a], i]",
        ),
    ),
    *several(
        K + "joint_reactions.py",
        (*LOOP_TESTS, "tests/solver/diagnostics/test_energy_balance.py -k however"),
        ("if total > r:", "if total < r:"),
        ("scale_3(factor, force)", "scale_3(-factor, force)"),
        ("subtract_constraint_wrenches(m, d, -1.0)", "pass"),
        (
            "subtract_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], s)",
            "subtract_constraint_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], -s)",
        ),
        ("add_3(torque, cross(r, force))", "add_3(torque, cross(force, r))"),
    ),
    *several(
        K + "small_matrices.py",
        ("tests/solver/kernels/test_small_matrices.py",),
        ("a[2] * b[0] - a[0] * b[2], a[0] * b[1]", "a[0] * b[2] - a[2] * b[0], a[0] * b[1]"),
        ("v[0] + a[1] * b[2] - a[2] * b[1]", "v[0] - a[1] * b[2] + a[2] * b[1]"),
        ("v[1] + a[2] * b[0]", "v[1] - a[2] * b[0]"),
        ("v[2] + a[0] * b[1]", "v[2] - a[0] * b[1]"),
        ("+ S[5] * a[1] + S[2] * a[2]", "+ S[5] * a[1] - S[2] * a[2]"),
        ("v[1] + S[3] * a[0] + S[1] * a[1]", "v[1] + S[3] * a[0] - S[1] * a[1]"),
        ("dot(a0, r1), dot(a0, r2)", "dot(a0, r2), dot(a0, r1)"),
        ("H[3] * a[0] + H[4] * a[1] + H[5] * a[2]", "H[3] * a[0] + H[4] * a[1] - H[5] * a[2]"),
        ("H[2] * a[0] + H[5] * a[1]", "H[2] * a[0] - H[5] * a[1]"),
        ("S[5] - a[1] * b[2]", "S[5] + a[1] * b[2]"),
        ("H[8] - a[2] * b[2]", "H[8] + a[2] * b[2]"),
        ("b[1] * d[1] + b[2] * d[2]", "b[1] * d[1] - b[2] * d[2]"),
    ),
    *several(
        K + "redundant_reactions.py",
        ("tests/systems/test_self_stress.py", "tests/systems/test_redundant_forces.py"),
        ("d.self_stress[k, a] = -size * d.solve[a]", "d.self_stress[k, a] = size * d.solve[a]"),
        ("s += N[k, i] * N[e, i]", "s += 1.0 * (k == e)"),
        ("s += programmed_weight(", "s -= programmed_weight("),
    ),
    Mutation(K + "dense_linear_algebra.py", "return sign > 0.0", "return True", RUBS),
    *several(
        K + "dense_linear_algebra.py",
        (*IMPLICIT, *LOOP_TESTS, "tests/solver/kernels/test_random_loops.py", *RUBS[:1]),
        ("if abs(A[i, k]) > best:", "if abs(A[i, k]) < 0.0:"),
        ("A[k, j], A[at, j] = A[at, j], A[k, j]", "A[k, j], A[at, j] = A[k, j], A[at, j]"),
        ("b[i] -= A[i, k] * b[k]", "b[i] += A[i, k] * b[k]"),
        ("s -= A[k, j] * b[j]", "s += A[k, j] * b[j]"),
        ("s -= A[i, k] * b[i]", "s += A[i, k] * b[i]"),
        ("B[i, c] -= f * B[k, c]", "B[i, c] += f * B[k, c]"),
        ("f = A[k, i] * inv", "f = A[k, i]"),
        ("b[i] -= f * A[k, i]", "b[i] += f * A[k, i]"),
        ("f = 1.0 / (a * e - b * c)", "f = 1.0 / (a * e + b * c)"),
        (
            "u, v, w = q * z - r * y, r * x - p * z, p * y - q * x",
            "u, v, w = q * z - r * y, r * x + p * z, p * y - q * x",
        ),
    ),
    *several(
        K + "joint_friction.py",
        RUBS,
        ("length = math.sqrt(dot(load, load))", "length = load[0] + load[1] + load[2]"),
        ("d.solve[j] = length - d.row[i, f.NORMAL]", "d.solve[j] = length + d.row[i, f.NORMAL]"),
        (
            "subtract_3(load, scale_3(effort, read_down(C, 3 * j, b)))",
            "add_3(load, scale_3(effort, read_down(C, 3 * j, b)))",
        ),
        (
            "return mu_k + (m.row[i, f.FRICTION + f.F_MU_S] - mu_k) * math.exp(-w * w)",
            "return mu_k + (m.row[i, f.FRICTION + f.F_MU_S] - mu_k) * math.exp(-w)",
        ),
        ("return subtract_3(v, scale_3(dot(v, axis), axis))", "return v"),
        ("effort = -d.row[i, f.GRIP] * d.row[i, f.NORMAL]", "effort = d.row[i, f.GRIP] * d.row[i, f.NORMAL]"),
        ("r = 1.0 - s0 * z * math.copysign(1.0, v)", "r = 1.0 + s0 * z * math.copysign(1.0, v)"),
    ),
    *several(
        K + "passive_forces.py",
        FORCES,
        (
            "d.row[i, f.DAMPER_EFFORT] -= side * damped",
            "d.row[i, f.DAMPER_EFFORT] += side * damped",
        ),
        (
            "d.row[i, f.SPRING_EFFORT] -= c * stiffness * stretch",
            "d.row[i, f.SPRING_EFFORT] += c * stiffness * stretch",
        ),
        ("pieces = 0.5 * (depth < w)", "pieces = 0.0"),
        ("depth * shown * (2.0 - shown) if depth < w", "0.5 * depth * shown if depth < w"),
        ("max(shown * rate, -s)", "shown * rate"),
        ("rate += c * d.row[i, f.V]", "rate -= c * d.row[i, f.V]"),
        ("lost - damping * v", "lost + damping * v"),
    ),
    *several(
        K + "stiction.py",
        ("tests/systems/test_stiction.py -k alone or law or limit or swinging or forgets or slides_stops",),
        ("max(nx * v[0] + ny * v[1], 0.0)", "abs(nx * v[0] + ny * v[1])"),
        ("return ex + part * wx", "return ex + wx"),
        ("hold = 1.0 / share", "hold = 1.0"),
        ("return 0.0, 0.0, v[0] + FORGETS * z[0]", "return 0.0, 0.0, v[0]"),
        ("if share <= HOLDS:", "if share <= 0.5 * HOLDS:"),
    ),
    *several(
        K + "delta_q.py",
        ("tests/systems/test_programmed.py -k twice_the_size",),
        ("d.row[i, f.WRENCH_EXT + j] += d.row[i, f.WRENCH_EXT + j] - d.row[i, f.IA + j]", "pass"),
        ("d.row[i, f.DELTA_EFFORT] = d.row[i, f.DAMPER_EFFORT]", "pass"),
    ),
    *several(
        K + "spring_dampers.py",
        FORCES,
        ("0.5 * weighted_square(k, t)", "-0.5 * weighted_square(k, t)"),
        ("0.5 * (trace * g[1] - dot(y, g))", "-0.5 * (trace * g[1] - dot(y, g))"),
        (
            "ZERO_3, force, -1.0)\n    write_element_output(d, e, ZERO",
            "ZERO_3, force, 1.0)\n    write_element_output(d, e, ZERO",
        ),
    ),
    *several(
        K + "newton_euler.py",
        (*TREES, *LOOPS[:2], *ENERGIES),
        ("o += w", "o -= w"),
        (
            "add_to_3(d.row, k, f.REACTION + f.LINEAR, force)",
            "add_to_3(d.row, k, f.REACTION + f.LINEAR, scale_3(-1.0, force))",
        ),
        ("gravity -= m.constant[f.G]", "gravity += m.constant[f.G]"),
    ),
    *several(
        K + "kinematics.py",
        TREES,
        ("scale_3(2.0, cross(w, u))", "scale_3(-2.0, cross(w, u))"),
        (
            "write_3(d.row, i, f.VELOCITY_PRODUCT, cross(g, u))",
            "write_3(d.row, i, f.VELOCITY_PRODUCT, cross(w, u))",
        ),
    ),
    *several(
        K + "articulated_body.py",
        ("tests/systems/test_armature.py -k tree",),
        ("dot(s, g) + rotor", "dot(s, g)"),
        ("dot(s, u) + rotor", "dot(s, u)"),
    ),
    *several(
        K + "articulated_body.py",
        (*TREES, *LOOPS[:2]),
        ("H = H[0], H[1] - hz,", "H = H[0], H[1] + hz,"),
        ("add_3(F, read_3(d.row, i, f.BIAS_WRENCH + f.LINEAR))", "F"),
        ("subtract_symmetric_outer(J, u, p),", "subtract_symmetric_outer(J, u, q),"),
        ("H[6] + rx * xy", "H[6] - rx * xy"),
        ("J[5] + (H[4] * rx", "J[5] - (H[4] * rx"),
        ("if m.topo[i, f.BRANCHED]:\n            for", "if False:\n            for"),
        ("e = add_3(e, scale_3(d.row[i, f.QDD],", "e = add_3(e, scale_3(-d.row[i, f.QDD],"),
        ("subtract_3(e, gravity(m))", "add_3(e, gravity(m))"),
        ("J, H, M, t, F = add_branch_inertia(d, k, J, H, M, t, F)", "pass"),
        ("add_3(t, read_3(d.row, i, f.pA))", "t"),
        (
            "add_cross(read_3(d.row, k, f.ACC + f.LINEAR), alpha, read_3(d.row, i, f.p_parent))",
            "read_3(d.row, k, f.ACC + f.LINEAR)",
        ),
    ),
    *several(
        K + "articulated_body.py",
        RUBS[1:2],
        ("if m.option[f.O_FRICTION] > 0:", "if False:"),
    ),
    *several(
        K + "articulated_body.py",
        RESPONSES,
        (
            "add_to_3(L, k, a, add_cross(torque, r, force))",
            "add_to_3(L, k, a, add_cross(torque, force, r))",
        ),
        (
            "add_cross(read_3(L, k, at + f.LINEAR), alpha, r)",
            "add_cross(read_3(L, k, at + f.LINEAR), r, alpha)",
        ),
        (
            "there < count and d.part[f.LOADED, last - (there - whole)] >= i",
            "there < count and d.part[f.LOADED, last - (there - whole)] > i",
        ),
    ),
    *several(
        K + "constrained_dynamics.py",
        (
            *LOOPS,
            "tests/systems/test_loops.py -k same_accelerations",
            "tests/systems/test_programmed.py -k twice_the_size or realise",
        ),
        ("gamma = -d.con[c, f.PHI_BIAS]", "gamma = d.con[c, f.PHI_BIAS]"),
        ("gamma -= 2.0 * alpha * d.con[c, f.PHI_RATE]", "gamma -= alpha * d.con[c, f.PHI_RATE]"),
        ("+ beta * beta * d.con[c, f.PHI]", "- beta * beta * d.con[c, f.PHI]"),
        (
            "d.coupling[f.FORCES, a, b] = -unit_multiplier_effort",
            "d.coupling[f.FORCES, a, b] = unit_multiplier_effort",
        ),
        ("left -= g * sigma[k]", "left += g * sigma[k]"),
        ("A[b, e] += g * K[k, e] + l * P[k, e]", "A[b, e] += g * K[k, e]"),
        ("left += l * sigma[r + k] - g * sigma[k]", "left += l * sigma[r + k]"),
        (
            "backward_pass_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], -1.0, a)",
            "backward_pass_wrench(m, d, c, m.constraint[c, f.C_FRAME_A], 1.0, a)",
        ),
        ("u -= d.row[i, f.U + j] * d.row[i, f.ACC_BIAS + j]", "pass"),
        ("d.row[i, f.u] += s", "d.row[i, f.u] -= s"),
        ("d.factor[a, b] += y * Y[b, i]", "d.factor[a, b] -= y * Y[b, i]"),
        ("s -= d.jac[c, i] * d.row[i, f.QDD]", "s += d.jac[c, i] * d.row[i, f.QDD]"),
    ),
    *several(
        K + "one_dof.py",
        (
            "tests/systems/test_one_dof.py",
            LOOPS[0],
            "tests/systems/test_loops.py -k six_freedoms or flat",
        ),
        ("d.coupling[f.NOW, a, 0], d.solve[a]", "d.coupling[f.NOW, a, 0], 0.0"),
        (
            "f.MOTION + f.LINEAR), w, read_3(d.row, i, f.p_parent))",
            "f.MOTION + f.LINEAR), read_3(d.row, i, f.p_parent), w)",
        ),
        ("INERTIA), w), h, v)", "INERTIA), w), v, h)"),
        ("linear = add_cross(scale_3(mass, v), w, h)", "linear = add_cross(scale_3(mass, v), h, w)"),
        ("power += rate * d.row[i, f.TAU]", "power -= rate * d.row[i, f.TAU]"),
        (
            "power -= dot(w, read_3(d.row, i, f.BIAS_WRENCH))",
            "power += dot(w, read_3(d.row, i, f.BIAS_WRENCH))",
        ),
        ("power -= dot(v, read", "power += dot(v, read"),
        ("power -= dot(read_3(d.row, i, f.ACC), angular)", "power += dot(read_3(d.row, i, f.ACC), angular)"),
        (
            "power -= dot(read_3(d.row, i, f.ACC + f.LINEAR)",
            "power += dot(read_3(d.row, i, f.ACC + f.LINEAR)",
        ),
        ("power += rate * d.row[i, f.TAU] - rotor", "power += rate * d.row[i, f.TAU] + rotor"),
    ),
    *several(
        K + "holonomic_expression.py",
        RELATIONS,
        ("s[k, at] = f1 * s[k, at] + f2 * gi * s[k, 1 + j]", "s[k, at] = f1 * s[k, at]"),
        ("+ ai * s[b, 1 + j] + bi * s[a, 1 + j]", "+ ai * s[b, 1 + j]"),
        ("s[a, 1 + i] = va * s[b, 1 + i] + vb * s[a, 1 + i]", "s[a, 1 + i] = va * s[b, 1 + i]"),
        ("2.0 / (v * v * v)", "1.0 / (v * v * v)"),
        ("p * (p - 1.0) * v", "p * p * v"),
        (
            "chain_rule(s, top, math.sin(v), math.cos(v), -math.sin(v))",
            "chain_rule(s, top, math.sin(v), math.cos(v), math.sin(v))",
        ),
        ("-math.sin(v), -math.cos(v)", "-math.sin(v), math.cos(v)"),
        ("2.0 * f0 * (1.0 + f0 * f0)", "f0 * (1.0 + f0 * f0)"),
        ("g, v * g * g * g)", "g, -v * g * g * g)"),
        ("-g, -v * g * g * g)", "-g, v * g * g * g)"),
        ("-2.0 * v * g * g)", "2.0 * v * g * g)"),
        ("-0.25 / (f0 * v)", "0.25 / (f0 * v)"),
        ("chain_rule(s, top, f0, f0, f0)", "chain_rule(s, top, f0, f0, 0.0)"),
        ("math.log(v), 1.0 / v, -1.0", "math.log(v), 1.0 / v, 1.0"),
        ("1.0 if v >= 0.0 else -1.0", "1.0"),
        ("i * f.VARIABLES - i * (i - 1) // 2", "i * f.VARIABLES - i * (i + 1) // 2"),
    ),
    *several(
        K + "frame_kinematics.py",
        ("tests/solver/kernels/test_closed_forms.py -k falls or sensor or resolve", *LOOPS[:1]),
        ("read_3(d.row, i, f.TWIST), r)", "scale_3(-1.0, read_3(d.row, i, f.TWIST)), r)"),
        (
            "add_to_3(d.row, i, f.WRENCH_EXT, scale_3(sign, add_cross(torque, r, force)))",
            "add_to_3(d.row, i, f.WRENCH_EXT, scale_3(sign, torque))",
        ),
        ("return transposed_times(R, v)", "return matrix_times(R, v)"),
        ("subtract_3(v, point_velocity(m, d, a, at))", "v"),
        ("subtract_3(w, angular_velocity(m, d, a))", "add_3(w, angular_velocity(m, d, a))"),
        ("-math.asin(min(1.0, max(-1.0, r6)))", "math.asin(min(1.0, max(-1.0, r6)))"),
        ("r8 = transposed_times(A, (R[2], R[5], R[8]))[2]", "r8 = A[2] * R[2]"),
        (
            "add_3(read_3(d.row, i, f.ACC + f.LINEAR), gravity(m))",
            "subtract_3(read_3(d.row, i, f.ACC + f.LINEAR), gravity(m))",
        ),
        ("w, cross(w, r))", "w, cross(r, w))"),
    ),
    *several(
        K + "inverse_dynamics.py",
        ("tests/blocks/test_model_control.py",),
        ("if abs(A[i, k]) > best:", "if abs(A[i, k]) < 0.0:"),
        (
            "s += d.coupling[layer, a, b] * values[d.part[rows, a]]",
            "s -= d.coupling[layer, a, b] * values[d.part[rows, a]]",
        ),
        ("-d.row[i, f.WRENCH_EXT + j] if springs else 0.0", "d.row[i, f.WRENCH_EXT + j] if springs else 0.0"),
        (
            "efforts[i] = along_axis(m, d, f.REACTION, i) - d.row[i, f.SPRING_EFFORT]",
            "efforts[i] = along_axis(m, d, f.REACTION, i)",
        ),
        ("d.row[i, f.V] = kept[i]", "pass"),
        ("- d.row[i, f.SPRING_EFFORT] - d.row[i, f.DAMPER_EFFORT]", "- d.row[i, f.SPRING_EFFORT]"),
        (
            "A[factor + k, size] = work[1 + drives + k] - d.row[row, f.QDD]",
            "A[factor + k, size] = work[1 + drives + k]",
        ),
        ("s += M[i, d.part[f.DEPENDENT, a]] * d.coupling[f.NOW, a, b]", "pass"),
    ),
    *several(
        K + "constrained_friction.py",
        RUBBING_LOOPS,
        ("m.constraint[c, f.C_FRAME_A], -1.0, k, b)", "m.constraint[c, f.C_FRAME_A], 1.0, k, b)"),
        (
            "subtract_3(force, scale_3(d.solve[a], read_down(d.pushes, 3 * j, a)))",
            "add_3(force, scale_3(d.solve[a], read_down(d.pushes, 3 * j, a)))",
        ),
        ("effort = -d.row[i, f.GRIP] * d.row[i, f.NORMAL]", "effort = d.row[i, f.GRIP] * d.row[i, f.NORMAL]"),
        ("s += L[a, b] * effort[fd[a]]", "s -= L[a, b] * effort[fd[a]]"),
        (
            "s += d.coupling[f.CARRIED, a, b] * effort[ii[b]]",
            "s -= d.coupling[f.CARRIED, a, b] * effort[ii[b]]",
        ),
        ("a), alpha, read_3(d.row, i, f.FIRST_MOMENT))", "a), read_3(d.row, i, f.FIRST_MOMENT), alpha)"),
        (
            "push -= d.jac[d.part[f.ACTIVE, a], i] * d.response[u, i]",
            "push += d.jac[d.part[f.ACTIVE, a], i] * d.response[u, i]",
        ),
        ("C[j, b] += push * W[j, a]", "pass"),
        ("d.con[d.part[f.ACTIVE, a], f.MULTIPLIER] += push", "pass"),
        (
            "write_down(W, 3 * j, b, subtract_3(force, read_down(W, 3 * j, b)))",
            "write_down(W, 3 * j, b, force)",
        ),
    ),
    *several(
        K + "tree_dynamics.py",
        (
            "tests/solver/mechanism/test_orientation.py -k euler",
            "tests/solver/kernels/test_closed_forms.py -k tumbles",
            *TREES,
        ),
        ("d.dx[at] = 0.5 * (w * ox + y * oz - z * oy)", "d.dx[at] = 0.5 * (w * ox - y * oz + z * oy)"),
        ("d.dx[at] = -0.5 * (x * ox + y * oy + z * oz)", "d.dx[at] = 0.5 * (x * ox + y * oy + z * oz)"),
        ("d.dx[at] = 0.5 * (w * oz + x * oy - y * ox)", "d.dx[at] = 0.5 * (w * oz - x * oy + y * ox)"),
    ),
    *several(
        K + "newton_euler.py",
        (
            *TREES,
            *LOOPS[:2],
            *ENERGIES,
        ),
        (
            "add_cross(read_3(d.row, i, f.REACTION), read_3(d.row, i, f.p_parent), force)",
            "read_3(d.row, i, f.REACTION)",
        ),
        ("d.row[k, f.COMPOSITE] += mass", "pass"),
        ("d.row[k, f.COMPOSITE + 2] += hy + mass * ry", "d.row[k, f.COMPOSITE + 2] += hy"),
        ("jxx + around - 2.0 * rx * hx", "jxx + around + 2.0 * rx * hx"),
        ("jyz - ry * hz - rz * hy", "jyz + ry * hz - rz * hy"),
        ("kinetic += dot(v, cross(w, h))", "kinetic -= dot(v, cross(w, h))"),
        ("gravity -= m.constant[f.G + 1]", "gravity += m.constant[f.G + 1]"),
        ("(2.0 / 3.0 - 0.25 * depth / w)", "(2.0 / 3.0 + 0.25 * depth / w)"),
        (
            "elastic += 0.5 * m.spring_value[s, f.SP_STIFFNESS]",
            "elastic -= 0.5 * m.spring_value[s, f.SP_STIFFNESS]",
        ),
        (
            "return (0.5 * linear + 0.25 * cubic * off * off) * off * off",
            "return (0.5 * linear + 0.5 * cubic * off * off) * off * off",
        ),
        ("friction -= d.row[i, f.FRICTION_EFFORT] * v", "pass"),
        (
            "constraint += d.con[c, f.MULTIPLIER] * (d.con[c, f.PHI_RATE] - d.con[c, f.PHI_T])",
            "constraint += d.con[c, f.MULTIPLIER] * d.con[c, f.PHI_RATE]",
        ),
    ),
    *several(
        K + "kinematics.py",
        (*TREES, *LOOPS[:1]),
        ("e = add_3(e, scale_3(2.0, cross(w, u)))", "pass"),
        ("c), cross(w, c)", "c), cross(c, w)"),
        ("c * R[4] - s * R[3]", "c * R[4] + s * R[3]"),
        (
            "1 - scale * (y * y + z * z), scale * (x * y - w * z)",
            "1 - scale * (y * y + z * z), scale * (x * y + w * z)",
        ),
        ("scale = 2.0 / (w * w + x * x + y * y + z * z)", "scale = 2.0"),
        ("if kind == f.QUAT_Z:", "if False:"),
        (
            "cross(w, symmetric_times(J, w)), cross(w, cross(w, h))",
            "cross(symmetric_times(J, w), w), cross(w, cross(w, h))",
        ),
        ("cross(w, cross(w, h))", "cross(cross(w, h), w)"),
    ),
]
