"""Ropes over sheaves: segments between frames that share one rope length."""

from __future__ import annotations

import math

from ..codegen.jit import helper
from . import model_data as f
from .model_data import kernel
from .small_matrices import read_3, write_3
from .spring_dampers import apply_line_force, line_between_frames


@helper
def segment_geometry(m, d, e):
    """Length, rate and direction of segment e; adds falls * length to the rope's length at its first segment [m,
    m/s].
    """
    a, b, out = m.element[e, f.E_FRAME_A], m.element[e, f.E_FRAME_B], d.element_out
    length, rate, way = line_between_frames(m, d, a, b)
    write_3(out, e, f.SEGMENT_DIRECTION, way)
    out[e, f.SEGMENT_LENGTH], out[e, f.SEGMENT_RATE] = length, rate
    falls, first = m.element_value[e, f.R_FALLS], e - int(m.element_value[e, f.R_NUMBER])
    if first == e:
        out[e, f.ROPE_LENGTH] = out[e, f.ROPE_RATE] = out[e, f.MEETING] = 0.0
    out[first, f.ROPE_LENGTH] += falls * length
    out[first, f.ROPE_RATE] += falls * rate


@helper
def two_block_force(m, d, e):
    """Two-blocking force that separates hook and sheave: k s u / (1 - u), u = 1 - length / s [N].

    It is unbounded, so that no rope pulls them through each other; the rate enters as in Hunt and Crossley (1975). The
    energy is k s^2 (-u - log(1 - u)).
    """
    out, value = d.element_out, m.element_value
    s, length, rate = value[e, f.R_SHORTEST], out[e, f.SEGMENT_LENGTH], out[e, f.SEGMENT_RATE]
    out[e, f.STORED] = out[e, f.POWER_LOST] = 0.0
    if not 0.0 < length < s:
        return 0.0
    u, k = 1.0 - length / s, value[e, f.R_STOP]
    elastic = k * s * u / (1.0 - u)
    force = elastic * max(1.0 - value[e, f.R_DISSIPATION] * rate, 0.0)
    out[e, f.STORED], out[e, f.POWER_LOST] = k * s * s * (-u - math.log(1.0 - u)), (elastic - force) * rate
    return force


@helper
def segment_pull(m, d, e):
    """Apply rope force less two-blocking force on both ends of segment e."""
    out = d.element_out
    pull = d.inputs[m.element[e, f.E_INPUT] + int(m.element_value[e, f.R_PULL])]
    apart = two_block_force(m, d, e)
    apply_line_force(m, d, e, pull - apart, read_3(out, e, f.SEGMENT_DIRECTION))
    out[e, f.POWER_IN] = -pull * out[e, f.SEGMENT_RATE]
    out[e - int(m.element_value[e, f.R_NUMBER]), f.MEETING] += apart


@kernel
def rope_ways(m, d):
    """Geometry and rates of all rope segments; the rope force itself is a signal."""
    for e in range(m.element.shape[0]):
        if m.element[e, f.E_KIND] == f.SEGMENT:
            segment_geometry(m, d, e)
