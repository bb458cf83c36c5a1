"""Depth buffer of a picture: surfaces with interpolated shades, lines over them, and veils that let colours through.

A sample is one word: nearness to the eye in its upper half, premultiplied ARGB in its lower, so that one comparison
keeps the nearest. Nearness is linear in the picture: near / depth in perspective, without it (far - depth) / far.
Triangles follow Pineda's rule of centres (Pineda 1988): samples on a shared side belong to one of the two.

    corner          right, up, depth of a point in the camera's axes [m]
    lens            scale [samples * m; samples/m without perspective], middle x, y [samples], near, far [m], parallel
    touched         first and last sample written of each row; first > last where there is none
"""

from __future__ import annotations

from ..codegen.jit import INTEGER, entry_point, helper, inlined

SCALE, MIDDLE_X, MIDDLE_Y, NEAR, FAR, PARALLEL = range(6)  # of the lens
X, Y, NEARNESS, SHADE = range(4)  # of a corner in the picture; its colours follow
CUT = 8  # corners of a quad that the near plane has cut, at most
ONE = float(1 << 30)  # nearness at the near plane
HALF = 32  # bits of a colour
COLOUR = (1 << HALF) - 1
EVEN = 0x00FF00FF  # every second part of a colour


@inlined
def flattened(lens, corner, k, to, at):
    """Corner k in the picture, and how near it is, to row `at` of `to`."""
    depth = corner[k, 2]
    if lens[PARALLEL] > 0.0:
        scale, near = lens[SCALE], (lens[FAR] - depth) / lens[FAR]
    else:
        scale, near = lens[SCALE] / depth, lens[NEAR] / depth
    to[at, X] = lens[MIDDLE_X] + scale * corner[k, 0]
    to[at, Y] = lens[MIDDLE_Y] - scale * corner[k, 1]
    to[at, NEARNESS] = near


@helper
def cut_quad(lens, corner, value, first, columns, clip, to):
    """Corners of a quad beyond the near plane, in the picture with their values; returns their number."""
    count, near = 0, lens[NEAR]
    for j in range(4):
        k, after = first + j, first + (j + 1) % 4
        here, there = corner[k, 2] - near, corner[after, 2] - near
        if here >= 0.0:
            flattened(lens, corner, k, to, count)
            for c in range(columns):
                to[count, SHADE + c] = value[k, c]
            count += 1
        if (here >= 0.0) != (there >= 0.0):
            share = here / (here - there)
            for c in range(3):
                clip[0, c] = corner[k, c] + share * (corner[after, c] - corner[k, c])
            flattened(lens, clip, 0, to, count)
            for c in range(columns):
                to[count, SHADE + c] = value[k, c] + share * (value[after, c] - value[k, c])
            count += 1
    return count


@inlined
def area(p, a, b, c):
    """Twice the area of a triangle in the picture; negative where its outside faces the eye."""
    return (p[b, X] - p[a, X]) * (p[c, Y] - p[a, Y]) - (p[c, X] - p[a, X]) * (p[b, Y] - p[a, Y])


@inlined
def blended(below, red, green, blue, alpha):
    """Premultiplied ARGB of a colour (0 to 255) with an opacity over another."""
    rest = 1.0 - alpha
    a = int(rest * ((below >> 24) & 255) + 255.0 * alpha + 0.5)
    r = int(rest * ((below >> 16) & 255) + red * alpha + 0.5)
    g = int(rest * ((below >> 8) & 255) + green * alpha + 0.5)
    b = int(rest * (below & 255) + blue * alpha + 0.5)
    return (min(a, 255) << 24) | (min(r, 255) << 16) | (min(g, 255) << 8) | min(b, 255)


@helper
def crossing(p, a, b, y, column):
    """Value of a column where the side from a to b meets the height y; the same from b to a."""
    if p[a, Y] > p[b, Y] or (p[a, Y] == p[b, Y] and p[a, X] > p[b, X]):
        a, b = b, a
    share = (y - p[a, Y]) / (p[b, Y] - p[a, Y])
    return p[a, column] + share * (p[b, column] - p[a, column])


@inlined
def first_centre(at, most):
    """Number of the first sample whose centre is beyond a place, from 0 to `most`."""
    return int(min(max(at, 0.0), float(most)) + 0.5)


@helper
def paint_row(buffer, touched, p, side, y, table, look, veil):
    """Samples of one row of a triangle between its sides `side`: (a, b) to the left, (c, d) to the right."""
    middle = y + 0.5
    a, b, c, d = side[0], side[1], side[2], side[3]
    left, right = crossing(p, a, b, middle, X), crossing(p, c, d, middle, X)
    begin, end = first_centre(left, buffer.shape[1]), first_centre(right, buffer.shape[1])
    if begin >= end:
        return
    touched[y, 0], touched[y, 1] = min(touched[y, 0], begin), max(touched[y, 1], end - 1)
    span = right - left
    near, shade = crossing(p, a, b, middle, NEARNESS), crossing(p, a, b, middle, SHADE)
    near_step = (crossing(p, c, d, middle, NEARNESS) - near) / span
    shade_step = (crossing(p, c, d, middle, SHADE) - shade) / span
    if veil:
        green, blue = crossing(p, a, b, middle, SHADE + 1), crossing(p, a, b, middle, SHADE + 2)
        alpha = crossing(p, a, b, middle, SHADE + 3)
        green_step = (crossing(p, c, d, middle, SHADE + 1) - green) / span
        blue_step = (crossing(p, c, d, middle, SHADE + 2) - blue) / span
        alpha_step = (crossing(p, c, d, middle, SHADE + 3) - alpha) / span
        for x in range(begin, end):
            way = x + 0.5 - left
            known = buffer[y, x]
            depth = int(ONE * (near + way * near_step)) << HALF
            if depth > known:
                r, g, b = shade + way * shade_step, green + way * green_step, blue + way * blue_step
                over = blended(known & COLOUR, r, g, b, alpha + way * alpha_step)
                buffer[y, x] = (known & ~COLOUR) | over
        return
    levels = table.shape[1] - 1
    for x in range(begin, end):
        way = x + 0.5 - left
        depth = int(ONE * (near + way * near_step)) << HALF
        if depth > buffer[y, x]:
            level = int((shade + way * shade_step) * levels + 0.5)
            buffer[y, x] = depth | table[look, max(0, min(level, levels))]


@helper
def paint_triangle(buffer, touched, p, a, b, c, side, table, look, veil):
    """A triangle in the picture, row by row from its top."""
    if p[b, Y] < p[a, Y]:
        a, b = b, a
    if p[c, Y] < p[b, Y]:
        b, c = c, b
    if p[b, Y] < p[a, Y]:
        a, b = b, a
    turn = area(p, a, b, c)
    if turn == 0.0:
        return
    for y in range(first_centre(p[a, Y], buffer.shape[0]), first_centre(p[c, Y], buffer.shape[0])):
        upper = y + 0.5 < p[b, Y]
        m, n = (a, b) if upper else (b, c)
        if turn < 0.0:  # b is to the left of the side from a to c
            side[0], side[1], side[2], side[3] = m, n, a, c
        else:
            side[0], side[1], side[2], side[3] = a, c, m, n
        paint_row(buffer, touched, p, side, y, table, look, veil)


@entry_point("i2", "i2")
def clear(buffer, touched):
    """Empty the samples that were written."""
    for y in range(buffer.shape[0]):
        for x in range(touched[y, 0], touched[y, 1] + 1):
            buffer[y, x] = 0
        touched[y, 0], touched[y, 1] = buffer.shape[1], -1


@entry_point("i2", "i2", "f1", "f2", "f2", "i1", "i2", "f2", "f2", "i1")
def paint_faces(buffer, touched, lens, corner, shade, look, table, clip, p, side):
    """Quads whose outside faces the eye: corner (4n, 3), shade (4n, 1), look (n) a row of the table of colours."""
    for face in range(look.shape[0]):
        count = cut_quad(lens, corner, shade, 4 * face, 1, clip, p)
        turned = 0.0
        for k in range(1, count - 1):
            turned += area(p, 0, k, k + 1)
        if turned < 0.0:
            for k in range(1, count - 1):
                paint_triangle(buffer, touched, p, 0, k, k + 1, side, table, look[face], False)


@entry_point("i2", "i2", "f1", "f2", "f2", "i2", "f2", "f2", "i1")
def paint_veils(buffer, touched, lens, corner, colour, table, clip, p, side):
    """Quads of either side that let through what is beyond: colour (4n, 4) red, green, blue, opacity 0 to 1."""
    for quad in range(corner.shape[0] // 4):
        count = cut_quad(lens, corner, colour, 4 * quad, 4, clip, p)
        for k in range(1, count - 1):
            paint_triangle(buffer, touched, p, 0, k, k + 1, side, table, 0, True)


@inlined
def cut_line(lens, corner, k, clip, p):
    """Line from corner k to the next one beyond the near plane, in the picture; False if nothing of it is."""
    near = lens[NEAR]
    here, there = corner[k, 2] - near, corner[k + 1, 2] - near
    if here < 0.0 and there < 0.0:
        return False
    for end in range(2):
        from_plane = here if end == 0 else there
        share = here / (here - there) if from_plane < 0.0 else float(end)
        for c in range(3):
            clip[0, c] = corner[k, c] + share * (corner[k + 1, c] - corner[k, c])
        clip[0, 2] = max(clip[0, 2], near)
        flattened(lens, clip, 0, p, end)
    return True


@helper
def paint_line(buffer, touched, p, half, ahead, argb):
    """Line of a half width [samples] between two points of the picture, its rim smooth; nearness times `ahead`."""
    height, width = buffer.shape[0], buffer.shape[1]
    dx, dy = p[1, X] - p[0, X], p[1, Y] - p[0, Y]
    square, rim = max(dx * dx + dy * dy, 1e-12), half + 0.5
    length = square**0.5
    opaque = ((argb >> 24) & 255) / 255.0
    red, green, blue = float((argb >> 16) & 255), float((argb >> 8) & 255), float(argb & 255)
    low, high = min(p[0, Y], p[1, Y]) - rim, max(p[0, Y], p[1, Y]) + rim
    if not (high > 0.0 and low < float(height) and length < 1e9):
        return
    leans = abs(dy) > 1e-9 * length
    aside = rim * length / abs(dy) if leans else 0.0
    begin_near, near_change = ONE * ahead * p[0, NEARNESS], ONE * ahead * (p[1, NEARNESS] - p[0, NEARNESS])
    for y in range(int(max(low, 0.0)), int(min(high + 1.0, float(height)))):
        v = y + 0.5 - p[0, Y]
        begin, end = min(p[0, X], p[1, X]) - rim, max(p[0, X], p[1, X]) + rim
        if leans:
            middle = p[0, X] + v * dx / dy
            begin, end = max(begin, middle - aside), min(end, middle + aside)
        if not (end > 0.0 and begin < float(width)):
            continue
        first, last = int(max(begin, 0.0)), int(min(end, float(width - 1)))
        touched[y, 0], touched[y, 1] = min(touched[y, 0], first), max(touched[y, 1], last)
        for x in range(first, last + 1):
            u = x + 0.5 - p[0, X]
            t = (u * dx + v * dy) / square
            far = abs(u * dy - v * dx) / length
            beyond = max(-t, t - 1.0)
            if beyond > 0.0:  # round ends
                far = (far * far + beyond * beyond * square) ** 0.5
                t = min(max(t, 0.0), 1.0)
            cover = min(rim - far, 1.0) * opaque
            known = buffer[y, x]
            near = int(min(begin_near + t * near_change, 2.0 * ONE - 1.0)) << HALF
            if cover > 0.0 and near > known:
                if cover >= 1.0:
                    buffer[y, x] = near | argb
                else:
                    buffer[y, x] = (known & ~COLOUR) | blended(known & COLOUR, red, green, blue, cover)


@entry_point("i2", "i2", "f1", "f2", "f2", "i1", "f2", "f2")
def paint_lines(buffer, touched, lens, corner, pen, argb, clip, p):
    """Lines: corner (2n, 3) their ends, pen (n, 2) half width [samples] and factor of nearness, argb (n)."""
    for line in range(argb.shape[0]):
        if cut_line(lens, corner, 2 * line, clip, p):
            paint_line(buffer, touched, p, pen[line, 0], pen[line, 1], argb[line])


@inlined
def mean_of(buffer, samples, share, y, x):
    """Premultiplied ARGB of a pixel: the mean of its samples; share is 2**16 / samples**2, rounded."""
    # two parts of a colour at a time, 16 bits apart
    even, odd = 0, 0
    for j in range(y * samples, (y + 1) * samples):
        for i in range(x * samples, (x + 1) * samples):
            even += buffer[j, i] & EVEN
            odd += (buffer[j, i] >> 8) & EVEN
    half = samples * samples // 2
    low, high = ((even & 65535) + half) * share >> 16, ((even >> 16) + half) * share >> 16
    second, last = ((odd & 65535) + half) * share >> 16, ((odd >> 16) + half) * share >> 16
    return (last << 24) | (high << 16) | (second << 8) | low


@entry_point("i2", "i2", INTEGER, "i2")
def resolve(buffer, touched, samples, picture):
    """Picture of the buffer, two pixels a word; samples x samples of the buffer are one, at most three a side."""
    n = samples * samples
    share = ((1 << 16) + n // 2) // n
    for y in range(picture.shape[0]):
        begin, end = buffer.shape[1], -1
        for j in range(y * samples, (y + 1) * samples):
            begin, end = min(begin, touched[j, 0]), max(end, touched[j, 1])
        for x in range(picture.shape[1]):
            picture[y, x] = 0
        for x in range(begin // (2 * samples), end // (2 * samples) + 1):
            left, right = (
                mean_of(buffer, samples, share, y, 2 * x),
                mean_of(buffer, samples, share, y, 2 * x + 1),
            )
            picture[y, x] = left | (right << HALF)
