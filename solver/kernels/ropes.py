"""Ropes over sheaves, as segments between frames that share one length."""

from __future__ import annotations

from ..machine.fields import (
    E_FRAME_A,
    E_FRAME_B,
    E_INPUT,
    E_KIND,
    PUT_IN,
    R_FALLS,
    R_NUMBER,
    R_PULL,
    ROPE_LENGTH,
    ROPE_RATE,
    SEGMENT,
    WAY,
    WAY_LENGTH,
    WAY_RATE,
    kernel,
)
from ..machine.jit import helper
from .mounts import between, pull_together


@helper
def segment_way(m, d, e):
    """Length of a segment of a rope, its rate and direction; the rope's whole length stands at its first segment."""
    a, b, out = m.element[e, E_FRAME_A], m.element[e, E_FRAME_B], d.element_out
    length, rate, ex, ey, ez = between(m, d, a, b)
    out[e, WAY], out[e, WAY + 1], out[e, WAY + 2] = ex, ey, ez
    out[e, WAY_LENGTH], out[e, WAY_RATE] = length, rate
    falls, first = m.element_value[e, R_FALLS], e - int(m.element_value[e, R_NUMBER])
    if first == e:
        out[e, ROPE_LENGTH] = out[e, ROPE_RATE] = 0.0
    out[first, ROPE_LENGTH] += falls * length
    out[first, ROPE_RATE] += falls * rate


@helper
def segment_pull(m, d, e):
    """The rope's force on both ends of a segment."""
    out = d.element_out
    pull = d.inputs[m.element[e, E_INPUT] + int(m.element_value[e, R_PULL])]
    pull_together(m, d, e, pull, out[e, WAY], out[e, WAY + 1], out[e, WAY + 2])
    out[e, PUT_IN] = -pull * out[e, WAY_RATE]


@kernel
def rope_ways(m, d):
    """Where ropes run, and how fast; what pulls in them is a signal's matter."""
    for e in range(m.element.shape[0]):
        if m.element[e, E_KIND] == SEGMENT:
            segment_way(m, d, e)
