"""Single changes of what runs are measured by: section loads, cycles, margins, metrics, endings, oil, files."""

# ruff: noqa: E501  lines of sources are quoted whole

from __future__ import annotations

from luff.tests.mutation import several

SECTIONS = (
    "tests/blocks/test_section_sensor.py -k pieces or point_mass or uniform or torsion or by_hand or given or cut or shear",
)
COUNTS = ("tests/solver/results/test_cycle_counting.py -k not online and not bounded and not vector",)
ONLINE = (*COUNTS, "tests/solver/results/test_cycle_counting.py -k bounded or online or vector")
METRICS = (
    "tests/solver/results/test_run_metrics.py -k not pendulum",
    "tests/solver/results/test_cycle_counting.py -k rises",
)
STEPS = ("tests/solver/results/test_step_response.py -k not studies and not mistakes and not run",)
MARGINS = ("tests/solver/analysis/test_stability_margins.py -k closed_form or least_gain",)
BOUNDED = ("tests/solver/analysis/test_eigenvalues.py -k double or any_matrix or chain",)
RATES = ("tests/solver/analysis/test_confirmed.py -k fast_loop or short_delay or between_samples or table",)
SAMPLED = ("tests/solver/analysis/test_stability_margins.py -k half_of or no_loop",)
ENDINGS = ("tests/solver/simulation/test_terminal_events.py -k not fmu and not study and not adaptive",)
OIL = (
    "tests/blocks/test_oil.py -k vacuum or inverse or side_by_side or own_law or tears or expansion or fills",
)
SHARES = ("tests/systems/test_self_stress.py", "tests/systems/test_redundant_forces.py")
EXPORT = ("tests/solver/results/test_result_files.py",)
LAWS = ("tests/solver/studies/test_sampling.py -k quantiles",)

RESULTS = [
    *several(
        "blocks/mechanics/section_sensor.py",
        SECTIONS,
        ("recovery[k + 1] * M_y + recovery[k + 2] * M_z", "recovery[k + 1] * M_y - recovery[k + 2] * M_z"),
        ("s * s + 3.0 * t * t", "s * s + t * t"),
        ("math.copysign(recovery[k + 6] * T, flow)", "recovery[k + 6] * T"),
        ("worst = max(worst, math.sqrt(", "worst = (math.sqrt("),
        ("if self.at > length * (1.0 + 1e-9):", "if self.at > 2.0 * length:"),
        ("if length == 0.0 and self.at == 0.0", "if False"),
    ),
    *several(
        "blocks/geometry/link_stations.py",
        SECTIONS,
        ("0.5 * np.trace(J) * np.eye(3) - J", "np.trace(J) * np.eye(3) - J"),
        ("return whole if centre >= at else NOTHING", "return whole"),
        ("start, end = max(at, centre - half), centre + half", "start, end = at, centre + half"),
        ("share = (end - start) / (2.0 * half)", "share = (end - start) / half"),
        ("mass * (end - start) ** 2 / 12.0", "mass * (end - start) ** 2 / 3.0"),
        ("across = S - along * np.outer(slope, slope)", "across = S"),
        ("(0.5 * (start + end) - centre) * slope", "0.5 * (start + end) * slope"),
        ("if here.mass < -1e-9 * max(mass, 1e-300):", "if False:"),
        ("axes.T @ (c - origin)", "axes.T @ c"),
        ("S = here.second - here.mass * np.outer(c, c)", "S = here.second"),
    ),
    *several(
        "blocks/signals/rainflow.py",
        COUNTS,
        ("return 2.0 * math.sqrt(top * 0.5 * span)", "return math.sqrt(top * 0.5 * span)"),
        ("if kind == 0.0 or mean <= 0.0:", "if kind == 0.0:"),
        ("share = share * share", "pass"),
        ("if share >= 1.0:", "if share > 2.0:"),
        ("if s < law[3]:", "if s > law[3]:"),
        ("knee * (s / law[3]) ** law[4]", "knee * (s / law[3]) ** law[1]"),
        ("(self.reference / self.knee) ** (1.0 / self.slope)", "(self.reference / self.knee) ** self.slope"),
    ),
    *several(
        "blocks/signals/rainflow.py",
        ONLINE,
        ("count_cycle(state, 0.5, open[0], open[1], law)\n            open[0]", "count_cycle(state, 1.0, open[0], open[1], law)\n            open[0]"),
        ("open[n - 3] = open[n - 1]", "open[n - 3] = open[n - 2]"),
        ("elif abs(u - state[1]) > law[7]:", "else:"),
        ("        for k in range(1, n):\n            open[k - 1] = open[k]", "        pass"),
        ("b = x if k == n - 1 else open[k + 1]", "b = open[k + 1] if k + 1 < n else open[k]"),
        ("if abs(x - b) < abs(b - a):", "if True:"),
    ),
    *several(
        "solver/results/cycle_counting.py",
        COUNTS,
        ("0.5 if len(left) == 3 else 1.0", "1.0"),
        ("(total / cycles) ** (1.0 / fatigue.slope)", "total ** (1.0 / fatigue.slope)"),
        ("& (steps[1:] * steps[:-1] == 0.0)", "& False"),
        ("if abs(x - kept[0]) > smallest:", "if True:"),
        ("return [*kept, tip] if way else kept", "return kept"),
    ),
    *several(
        "solver/results/run_metrics.py",
        METRICS,
        ("np.diff(path, axis=0) != 0.0, axis=1", "np.diff(path, axis=0) != 9.0, axis=1"),
        ("np.maximum(near - 1, 0), np.minimum", "near, np.minimum"),
        ("1.0), 0.0, 1.0)", "1.0), -9.0, 9.0)"),
        ("up > falls[0]", "up >= 0"),
        ("np.maximum(a, b) / np.abs(a - b)", "0.5"),
        ("share = (level - values[k - 1])", "share = 0.5 * (level - values[k - 1])"),
        ("slack = 1e-9 * max(", "slack = 0.0 * max("),
        ("wanted[chosen], actual_rows[chosen, :width]", "wanted[chosen], actual_rows[chosen, -width:]"),
    ),
    *several(
        "solver/results/step_response.py",
        STEPS,
        ("max(0.0, float(shares[top]) - 1.0)", "float(shares[top]) - 1.0"),
        ("max(0.0, -float(shares.min()))", "-float(shares.min())"),
        ("float(time[top] - time[0])", "float(time[top])"),
        ("if k == len(errors) - 1:", "if False:"),
        ("share * (time[k + 1] - time[k])", "(time[k + 1] - time[k])"),
        ("steady_error=end - float(values[-1])", "steady_error=float(values[-1]) - end"),
        ("if step == 0.0:", "if False:"),
    ),
    *several(
        "solver/analysis/stability_margins.py",
        MARGINS,
        ("min((one for one in axis if one.margin > 1.0)", "max((one for one in axis if one.margin > 1.0)"),
        ("below = max(", "below = min("),
        ("key=lambda one: abs(one.margin)", "key=lambda one: -abs(one.margin)"),
        ("one.margin % (2 * math.pi)", "abs(one.margin)"),
        ("np.angle(1.0 - 1.0 / S(one))", "np.angle(1.0 / S(one) - 1.0)"),
        ("loop < -NOTHING", "loop < 0.5"),
        ("1.0 / s - 1.0, lin", "1.0 / s, lin"),
        ("return float(best.x), float(-1.0 / best.fun)", "return float(best.x), float(-best.fun)"),
    ),
    *several(
        "solver/analysis/stability_margins.py",
        SAMPLED,
        ("np.append(w[w < transfer.highest * (1 - 1e-12)], transfer.highest)", "w"),
        ("(abs(1.0 - s) <= NOTHING * abs(s)).all()", "False"),
        ("if len(place.elements) != 1:", "if False:"),
    ),
    *several(
        "solver/analysis/eigenvalues.py",
        BOUNDED,
        ("abs(self.values) <= self.bounds", "abs(self.values) < 0.0"),
        ("(apart[np.ix_(group, group)] + r[group])", "(r[group] + 0.0)"),
        ("apart <= r[:, None] + r[None, :]", "apart < 0.0"),
        ("sizes < CIRCLE", "sizes < 0.0"),
    ),
    *several(
        "solver/analysis/bounded_roots.py",
        RATES,
        ("else GROWS if z.real - off > 0.0", "else GROWS if z.real - off > 1e9"),
        ("elif growing:", "elif not growing:"),
        ("verdict = \"indifferent\" if OPEN in signs else \"unjudged\"", "verdict = \"stable\""),
    ),
    *several(
        "solver/analysis/sampled_loops.py",
        RATES,
        ("passed = self.passed()\n        return self.part(", "passed = self.passed() | True\n        return self.part("),
    ),
    *several(
        "blocks/stop_conditions.py",
        ENDINGS,
        ("side * (u - level) > 0.0", "side * (u - level) < 0.0"),
        ("holds == wanted else 0.0", "holds != wanted else 0.0"),
        ("0.0 if one.asserted else 1.0", "1.0"),
        ("(above|below)", "(above)"),
    ),
    *several(
        "solver/simulation/terminal_events.py",
        ENDINGS,
        ("next((one for one in met if one.asserted), met[0])", "met[0]"),
        ("run.w[first : first + count].any()", "run.w[first : first + count].all()"),
    ),
    *several(
        "blocks/hydraulics/oil_properties.py",
        OIL,
        ("(bulk_modulus / (bulk_modulus + pressure) + gas)", "(bulk_modulus / (bulk_modulus + pressure) - gas)"),
        ("return -bulk_modulus if air > 0.0 else -101325.0", "return -101325.0"),
        ("return max(content, -101325.0)", "return content"),
        ("gas / (exponent * absolute)", "gas / absolute"),
        ("if share <= 0.0:", "if share < -9.0:"),
        ("for _ in range(40):", "for _ in range(2):"),
        ("* heat - pressure)", "* heat)"),
        ("power = 1.0 - 1.0 / exponent", "power = 1.0 / exponent"),
        ("absolute / (absolute + air * (101325.0 - absolute))", "absolute / 101325.0"),
        ("if absolute >= 101325.0:\n        return 1.0", "if False:\n        return 1.0"),
    ),
    *several(
        "solver/kernels/redundant_reactions.py",
        SHARES,
        ("return -m.way[", "return m.way["),
        ("size = 1.0 if m.constraint[c, f.C_SERVO] < 0 else 0.0", "size = 1.0"),
        ("y[k] -= on_force * dot(", "y[k] += on_force * dot("),
        ("torque, force = add_3(torque, scale_3(s, unit_torque))", "torque, force = subtract_3(torque, scale_3(s, unit_torque))"),
        ("A[k, k] = 1.0", "A[k, k] = 0.0"),
        ("y[k] -= push * d.self_stress[k, a]", "y[k] += push * d.self_stress[k, a]"),
        ("d.solve[a] += y[k] * d.self_stress[k, a]", "d.solve[a] -= y[k] * d.self_stress[k, a]"),
    ),
    *several(
        "solver/results/mat_format.py",
        EXPORT,
        ("if info is None:", "if False:"),
        ("if isinstance(below, dict):", "if False:"),
        ('info["luff"] = ', "_ = "),
        ("if done.returncode != 0:", "if False:"),
        ("if isinstance(content, Exception):\n        raise content", "pass"),
    ),
    *several(
        "solver/codegen/python_subprocess.py",
        ("tests/test_planted_programs.py",),
        ('"-P", ', ""),
        ("if folder]", "]"),
        ("sys.path[:] = {path!r}", "pass"),
    ),
    *several(
        "solver/studies/distributions.py",
        LAWS,
        ("return mean + deviation * ndtri(p)", "return mean - deviation * ndtri(p)"),
        ("return mean + deviation * ndtri(p)", "return mean + 1.02 * deviation * ndtri(p)"),
        ("np.log(mean) - variance / 2.0", "np.log(mean)"),
        ("p < (mode - low) / (high - low)", "p < 0.5"),
        ("low * (high / low) ** p", "low + (high - low) * p"),
    ),
    *several(
        "solver/studies/stored_measures.py",
        ("tests/solver/studies/test_stored_measures.py",),
        ("row >= len(self.known) or not self.known[row, column]", "not self.known[row, column]"),
        ("row >= len(self.known) or not self.known[row, column]", "row >= len(self.known)"),
        ("if column is None or row", "if row"),
    ),
    *several(
        "gui/document/wire_splice.py",
        ("tests/gui/document/test_room.py -k inserted", "tests/gui/canvas/test_gestures.py -k goes_into_it or keeps_its_own"),
        ("right += missing", "pass"),
        ("x = min(max(at[0] - shape.width / 2, left + APART), right - APART - shape.width)", "x = at[0] - shape.width / 2"),
        ("return to_grid(x), y - anchor.y", "return to_grid(x), y"),
        ("if document.card(other)[0] >= middle", "if document.card(other)[0] < middle"),
        ("if missing > 0:", "if missing > 1e6:"),
        ("{way.into, way.out} & document.used_ports().get(name, set())", "set()"),
    ),
    *several(
        "gui/document/block_cards.py",
        ("tests/gui/document/test_room.py -k shows_them_apart", "tests/gui/window/test_opening.py -k laid_out"),
        ("x0 = min((x for x, _, _ in free.values()), default=0.0)", "x0 = 0.0"),
        ("top = min((y for _, y, _ in free.values()), default=0.0)", "top = 0.0"),
        (".items()) + 60", ".items()) - 600"),
        ("free_world = places.get(WORLD, left)", "free_world = left"),
        (".width - 80", ".width + 80"),
    ),
    *several(
        "gui/document/document.py",
        ("tests/gui/canvas/test_gestures.py -k drag_moves or expose", "tests/gui/document/test_room.py -k by_nothing", "tests/gui/document/test_composites.py -k expos or port"),
        ("renamed if name in renamed else {**ports, name: reference}", "{**ports, name: reference}"),
        ("renamed if name in renamed else {**ports, name: reference}", "renamed"),
        ("if name in others:", "if False:"),
        ("if not carried:", "if False:"),
    ),
    *several(
        "gui/theme/number_format.py",
        ("tests/gui/properties/test_properties.py",),
        ("len(short) + ENOUGH <= len(plain)", "len(short) <= len(plain)"),
        ("'-' * (number < 0)", "''"),
        ("repr(number + 0.0)", "repr(number)"),
    ),
    *several(
        "solver/exchange/urdf.py",
        ("tests/solver/exchange/test_relations.py",),
        ('mimic.number("offset"), mimic.number("multiplier", 1.0)', 'mimic.number("multiplier", 1.0), mimic.number("offset")'),
        ('mimic.number("multiplier", 1.0)', 'mimic.number("multiplier", 2.0)'),
    ),
    *several(
        "solver/exchange/netlist_writer.py",
        ("tests/solver/exchange/test_relations.py",),
        ("relation.at(starts.get(relation.leader, 0.0))", "starts.get(relation.leader, 0.0)"),
    ),
    *several(
        "blocks/mechanics/constraint_blocks.py",
        ("tests/systems/test_joint_relations.py -k told or refused",),
        ("if bool(self.relation) == bool(self.components):", "if False:"),
        ("if self.joints and not self.relation:", "if False:"),
    ),
    *several(
        "solver/diagram/composite_types.py",
        ("tests/solver/flatten/test_flatten.py", "tests/solver/diagram/test_composite_units.py"),
        ("files = (base, *files) if base is not None else files", "pass"),
        ('type_name.startswith(("/", "~", "\\\\"))', "False"),
        ('coherent(written, dimension) if dimension else ""', '""'),
        ("return declared | {name: exposed_input_port(", "return {name: exposed_input_port("),
    ),
]  # fmt: skip
