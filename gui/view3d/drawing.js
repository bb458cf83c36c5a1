"use strict";
// A mechanism on a canvas, with a camera that a hand moves: what films and live pages draw. `data` is `scene_data` of
// replay.py; whoever made the stage puts poses into `place`, and is told by `changed` when to draw anew.

const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0)).buffer;
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const sum = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const n = Math.sqrt(dot(a, a)) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };

const WAYS = [-1, 0, 1].flatMap(x => [-1, 0, 1].flatMap(y => [-1, 0, 1].map(z => [x, y, z])));

function makeStage(canvas, data, changed) {
  // rotation and place of each row, twelve numbers; the world is behind them
  const rows = data.rows, cornerRows = new Int32Array(bytes(data.corner_rows)), faces = cornerRows.length / 4;
  const place = new Float64Array(12 * (rows + 1));
  place.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], 12 * rows);
  const shape = { corners: new Float32Array(bytes(data.corners)), lines: data.lines.map(line => line.points) };

  function put(row, x, y, z) {
    const o = 12 * (row < 0 || row >= rows ? rows : row);
    return [
      place[o] * x + place[o + 1] * y + place[o + 2] * z + place[o + 9],
      place[o + 3] * x + place[o + 4] * y + place[o + 5] * z + place[o + 10],
      place[o + 6] * x + place[o + 7] * y + place[o + 8] * z + place[o + 11],
    ];
  }

  // --- camera ------------------------------------------------------------------------------------------------------
  const pen = canvas.getContext("2d");
  const camera = { azimuth: data.camera[0], elevation: data.camera[1], distance: 1, target: [0, 0, 0] };
  let width = 1, height = 1, ratio = 1;

  function axes() {
    const ca = Math.cos(camera.azimuth), sa = Math.sin(camera.azimuth);
    const ce = Math.cos(camera.elevation), se = Math.sin(camera.elevation);
    const towards = [ce * ca, ce * sa, se], right = [-sa, ca, 0];
    return [right, cross(towards, right), towards];
  }

  // as large as perspective allows: two planes an axis bound the eye, as in the window's own camera
  function fit() {
    const [right, up, towards] = axes();
    const local = data.hull.map(p => [dot(p, right), dot(p, up), dot(p, towards)]);
    const spans = [0, 1, 2].map(k => local.map(p => p[k])).map(all => [Math.min(...all), Math.max(...all)]);
    const middle = (spans[2][0] + spans[2][1]) / 2, slope = data.filled * Math.tan(data.field / 2);
    const slopes = [slope * width / height, slope];
    const high = slopes.map((s, k) => Math.max(...local.map(p => s * (p[2] - middle) + p[k])));
    const low = slopes.map((s, k) => Math.max(...local.map(p => s * (p[2] - middle) - p[k])));
    const needed = slopes.map((s, k) => (high[k] + low[k]) / (2 * s));
    camera.distance = Math.max(0.1, ...needed, 0.6 * Math.max(...spans.map(([least, most]) => most - least)));
    camera.target = [right, up].reduce((at, axis, k) => sum(at, axis, (high[k] - low[k]) / 2), sum([0, 0, 0], towards, middle));
  }

  let basis = axes(), outside = [], free = false;  // what was not in view; whether a hand has chosen the distance
  function project(p) {
    const local = sum(p, camera.target, -1), depth = camera.distance - dot(local, basis[2]);
    const scale = height / (2 * Math.tan(data.field / 2)) / Math.max(depth, 0.02 * camera.distance);
    return [width / 2 + scale * dot(local, basis[0]), height / 2 - scale * dot(local, basis[1]), depth];
  }

  // --- picture -----------------------------------------------------------------------------------------------------
  const parse = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16));
  const mix = (a, b, s) => a.map((part, k) => part * (1 - s) + b[k] * s);
  let theme = "light", palette = [], styles = new Map();

  function dress(name) {
    theme = name;
    palette = data.colours[theme].map(text => theme === "light" ? mix(parse(text), [255, 255, 255], 0.15) : parse(text));
    styles = new Map();
  }

  function style(colour, level) {
    const key = 64 * colour + level;
    if (!styles.has(key)) {
      const share = level / 24, base = mix(palette[colour], [255, 255, 255], share > 0.5 ? 0.34 * share : 0);
      const lit = base.map(part => part * (0.66 + 0.34 * Math.min(1, 1.4 * share)));
      const text = parts => `rgb(${parts.map(Math.round)})`;
      styles.set(key, [text(lit), text(lit.map(part => 0.82 * part))]);
    }
    return styles.get(key);
  }

  function way(points) {
    pen.moveTo(points[0][0], points[0][1]);
    for (let k = 1; k < points.length; k++) pen.lineTo(points[k][0], points[k][1]);
  }

  function ground() {
    const [step, lines, x, y] = data.grid;
    pen.strokeStyle = data.themes[theme].grid;
    for (let k = -lines; k <= lines; k++) {
      pen.globalAlpha = 1 - 0.75 * Math.abs(k) / lines;
      for (const ends of [[[x + k * step, y - lines * step, 0], [x + k * step, y + lines * step, 0]],
                          [[x - lines * step, y + k * step, 0], [x + lines * step, y + k * step, 0]]]) {
        const flat = ends.map(project);
        if (flat.every(p => p[2] > 0)) { pen.beginPath(); way(flat); pen.stroke(); }
      }
    }
    pen.globalAlpha = 1;
  }

  function shadow(quads, normals) {
    if (camera.target[2] + camera.distance * basis[2][2] <= 0) return;
    const l = data.light;
    pen.save();
    pen.filter = `blur(${3 * ratio}px)`;
    pen.globalAlpha = theme === "light" ? 0.14 : 0.45;
    pen.fillStyle = "#000";
    pen.beginPath();
    quads.forEach((quad, k) => {
      if (dot(normals[k], l) <= 0 || quad.some(p => p[2] <= 0)) return;
      const flat = quad.map(p => project([p[0] - p[2] / l[2] * l[0], p[1] - p[2] / l[2] * l[1], 0]));
      if (flat.some(p => p[2] <= 0)) return;
      const area = (flat[2][0] - flat[0][0]) * (flat[3][1] - flat[1][1]) - (flat[2][1] - flat[0][1]) * (flat[3][0] - flat[1][0]);
      way(area > 0 ? flat : flat.reverse());
      pen.closePath();
    });
    pen.fill();
    pen.restore();
  }

  function coil(a, b, radius) {
    const along = sum(b, a, -1), n = unit(along);
    const u = unit(cross(Math.abs(n[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], n)), v = cross(n, u), found = [a];
    for (let k = 0; k <= 108; k++) {
      const angle = 2 * Math.PI * k / 12;
      found.push(sum(sum(sum(a, along, 0.1 + 0.8 * k / 108), u, radius * Math.cos(angle)), v, radius * Math.sin(angle)));
    }
    return [...found, sum(a, along, 0.9), b];
  }

  function draw() {
    basis = axes();
    const colours = data.themes[theme];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const sky = pen.createLinearGradient(0, 0, 0, height);
    sky.addColorStop(0, colours.canvas);
    sky.addColorStop(1, colours.window);
    pen.fillStyle = sky;
    pen.fillRect(0, 0, width, height);
    pen.lineWidth = 1;
    pen.lineJoin = pen.lineCap = "round";
    ground();
    const quads = [], normals = [], items = [];
    for (let f = 0; f < faces; f++) {
      const quad = [];
      for (let k = 4 * f; k < 4 * f + 4; k++) quad.push(put(cornerRows[k], shape.corners[3 * k], shape.corners[3 * k + 1], shape.corners[3 * k + 2]));
      quads.push(quad);
      normals.push(unit(cross(sum(quad[2], quad[0], -1), sum(quad[3], quad[1], -1))));
    }
    shadow(quads, normals);
    outside = [];
    quads.forEach((quad, f) => {
      const flat = quad.map(project);
      flat.forEach((p, k) => {
        if (p[2] <= 0 || p[0] < 0 || p[0] > width || p[1] < 0 || p[1] > height) outside.push(quad[k]);
      });
      const area = (flat[2][0] - flat[0][0]) * (flat[3][1] - flat[1][1]) - (flat[2][1] - flat[0][1]) * (flat[3][0] - flat[1][0]);
      if (area >= 0 || flat.some(p => p[2] <= 0)) return;
      items.push([(flat[0][2] + flat[1][2] + flat[2][2] + flat[3][2]) / 4 + data.back[f], f, flat]);
    });
    for (const [number, line] of data.lines.entries()) {
      let points = shape.lines[number].map((p, k) => put(line.rows[k], ...p));
      if (line.kind === "spring") points = coil(points[0], points[1], line.size);
      const flat = points.map(project), step = line.kind === "spring" ? 3 : 1;
      if (flat.some(p => p[2] <= 0)) continue;
      for (let k = 0; k < flat.length - 1; k += step) {
        const piece = flat.slice(k, k + step + 1);
        items.push([piece.reduce((all, p) => all + p[2], 0) / piece.length, line, piece]);
      }
    }
    items.sort((a, b) => b[0] - a[0]);
    for (const [, what, flat] of items) {
      pen.beginPath();
      way(flat);
      if (typeof what === "number") {
        const n = normals[what], light = 0.62 * Math.max(0, dot(n, data.light)) + 0.38 * (0.5 + 0.5 * n[2]);
        const [fill, edge] = style(data.face_colours[what], Math.round(24 * light));
        pen.closePath();
        pen.fillStyle = fill;
        const sides = data.edges[what];  // a bit for each
        pen.strokeStyle = sides === 15 ? edge : fill;
        pen.lineWidth = 0.8;
        pen.fill();
        if (sides > 0 && sides < 15) {
          pen.stroke();
          pen.beginPath();
          flat.forEach((p, k) => { if (sides >> k & 1) way([p, flat[(k + 1) % 4]]); });
          pen.strokeStyle = edge;
        }
      } else {
        pen.strokeStyle = `rgb(${palette[what.colour].map(Math.round)})`;
        pen.lineWidth = what.kind === "tie" ? 1.2 : 1.8;
        pen.setLineDash(what.kind === "tie" ? [5, 4] : []);
      }
      pen.stroke();
      pen.setLineDash([]);
    }
    return items.length;
  }

  // --- hands -------------------------------------------------------------------------------------------------------
  function resize() {
    ratio = devicePixelRatio || 1;
    width = Math.max(1, canvas.clientWidth);
    height = Math.max(1, canvas.clientHeight);
    canvas.width = Math.round(ratio * width);
    canvas.height = Math.round(ratio * height);
  }
  // from one side, or as the mechanism shows most of itself
  function look(name) {
    [camera.azimuth, camera.elevation] = name ? data.views[name] : data.camera;
    free = false;
    fit();
    changed();
  }
  const fingers = new Map();
  canvas.onpointerdown = event => { canvas.setPointerCapture(event.pointerId); fingers.set(event.pointerId, [event.clientX, event.clientY]); };
  canvas.onpointerup = canvas.onpointercancel = event => fingers.delete(event.pointerId);
  canvas.oncontextmenu = event => event.preventDefault();
  canvas.onpointermove = event => {
    const from = fingers.get(event.pointerId);
    if (!from) return;
    const dx = event.clientX - from[0], dy = event.clientY - from[1];
    if (fingers.size > 1) {
      const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)[1];
      const gap = at => Math.hypot(at[0] - other[0], at[1] - other[1]) || 1;
      camera.distance *= gap(from) / gap([event.clientX, event.clientY]);
        free = true;
    } else if (event.shiftKey || event.buttons & 6) {
      const scale = 2 * camera.distance * Math.tan(data.field / 2) / height;
      camera.target = sum(sum(camera.target, basis[0], -dx * scale), basis[1], dy * scale);
      free = true;
    } else {
      camera.azimuth -= 0.008 * dx;
      camera.elevation = Math.min(1.55, Math.max(-1.55, camera.elevation + 0.008 * dy));
    }
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    changed();
  };
  canvas.addEventListener("wheel", event => { event.preventDefault(); camera.distance *= 1.0015 ** event.deltaY; free = true; changed(); }, { passive: false });
  canvas.ondblclick = () => look("");

  resize();
  // further away, where the mechanism has left the view; whether that was so
  function keep() {
    if (free || !outside.length) return false;
    data.hull.push(...outside);
    if (data.hull.length > 400) data.hull = WAYS.map(way => data.hull.reduce((far, p) => (dot(p, way) > dot(far, way) ? p : far)));
    fit();
    return true;
  }

  // by keys, in radians; and nearer or further by a factor
  function turn(azimuth, elevation) {
    camera.azimuth += azimuth;
    camera.elevation = Math.min(1.55, Math.max(-1.55, camera.elevation + elevation));
    changed();
  }
  function zoom(factor) { camera.distance *= factor; free = true; changed(); }

  return { place, shape, draw, dress, fit, look, keep, turn, zoom, resize };
}

// which of the two looks, unless it is said
function preferred(theme) {
  return theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
function paint(colours) {
  for (const [name, value] of Object.entries(colours)) document.body.style.setProperty("--" + name.replace("_", "-"), value);
}
