"use strict";
// A mechanism on a canvas, with a camera that a hand moves: what films and live pages draw. `data` is `scene_data` of
// html_replay.py; whoever made the stage puts poses into `place`, and is told by `changed` when to draw anew.

const bytes = text => Uint8Array.from(atob(text), letter => letter.charCodeAt(0)).buffer;
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const sum = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const n = Math.sqrt(dot(a, a)) || 1; return [a[0] / n, a[1] / n, a[2] / n]; };

const SOFT = 3;  // pixels of the page to one of a shadow
const WAYS = [-1, 0, 1].flatMap(x => [-1, 0, 1].flatMap(y => [-1, 0, 1].map(z => [x, y, z])));

// corners as the modes of flexible bodies move them; the modal coordinate of a row is where its place is along x
function bending(bends, corners) {
  if (!(bends || []).length) return () => corners;
  const found = new Float64Array(corners.length);
  const all = bends.map(one => ({ ...one, points: new Int32Array(bytes(one.points)), shapes: new Float32Array(bytes(one.shapes)) }));
  return place => {
    found.set(corners);
    for (const { first, points, mode, modes, shapes } of all) {
      const moved = new Float64Array(shapes.length / modes);
      for (let k = 0, at = 0; k < moved.length; k++)
        for (let j = 0; j < modes; j++) moved[k] += shapes[at++] * place[12 * (mode + j) + 9];
      for (let k = 0; k < points.length; k++)
        for (let c = 0; c < 3; c++) found[3 * (first + k) + c] += moved[3 * points[k] + c];
    }
    return found;
  };
}

function makeStage(canvas, data, changed) {
  // rotation and place of each row, twelve numbers; the world is behind them
  const rows = data.rows, cornerRows = new Int32Array(bytes(data.corner_rows)), faces = cornerRows.length / 4;
  const faceColours = Uint16Array.from(data.face_colours), edges = Uint8Array.from(data.edges), back = Float64Array.from(data.back);
  const place = new Float64Array(12 * (rows + 1));
  place.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], 12 * rows);
  const shape = { corners: new Float32Array(bytes(data.corners)), lines: data.lines.map(line => line.points) };
  // of each corner: where it is in the world, and in the picture with its depth; of each face: its normal
  const world = new Float64Array(3 * cornerRows.length), flat = new Float64Array(world.length), normals = new Float64Array(3 * faces);
  cornerRows.forEach((row, k) => { if (row < 0 || row >= rows) cornerRows[k] = rows; });

  function put(row, x, y, z, into, at, from = place) {
    const o = 12 * row;
    into[at] = from[o] * x + from[o + 1] * y + from[o + 2] * z + from[o + 9];
    into[at + 1] = from[o + 3] * x + from[o + 4] * y + from[o + 5] * z + from[o + 10];
    into[at + 2] = from[o + 6] * x + from[o + 7] * y + from[o + 8] * z + from[o + 11];
  }

  const there = new Float64Array(3);
  // a point of a row, or of the world, where it is now
  function placed(row, [x, y, z]) {
    put(row < 0 || row >= rows ? rows : row, x, y, z, there, 0);
    return [there[0], there[1], there[2]];
  }

  const bent = bending(data.bends, shape.corners);

  function move() {
    const corners = bent(place);
    for (let k = 0; k < cornerRows.length; k++) put(cornerRows[k], corners[3 * k], corners[3 * k + 1], corners[3 * k + 2], world, 3 * k);
    for (let f = 0; f < faces; f++) {
      const a = 12 * f, b = a + 3, c = a + 6, d = a + 9;
      const px = world[c] - world[a], py = world[c + 1] - world[a + 1], pz = world[c + 2] - world[a + 2];
      const qx = world[d] - world[b], qy = world[d + 1] - world[b + 1], qz = world[d + 2] - world[b + 2];
      const x = py * qz - pz * qy, y = pz * qx - px * qz, z = px * qy - py * qx, n = Math.sqrt(x * x + y * y + z * z) || 1;
      normals[3 * f] = x / n;
      normals[3 * f + 1] = y / n;
      normals[3 * f + 2] = z / n;
    }
  }

  // --- a second run, faded, and where points have been ---------------------------------------------------------------
  const ghost = data.ghost && (() => {
    const rows = data.ghost.rows, of = new Int32Array(bytes(data.ghost.corner_rows)), place = new Float64Array(12 * (rows + 1));
    place.set([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0], 12 * rows);
    of.forEach((row, k) => { if (row < 0 || row >= rows) of[k] = rows; });
    return { place, of, bent: bending(data.ghost.bends, new Float32Array(bytes(data.ghost.corners))), at: new Float64Array(3 * of.length) };
  })();
  const trails = (data.trails || []).map(({ colour, points }) => ({ colour, points: points ? Float64Array.from(new Float32Array(bytes(points))) : [] }));
  let gone = Infinity;  // points of the trails up to now
  function faded() {
    const { place, of, at } = ghost, corners = ghost.bent(place);
    for (let k = 0; k < of.length; k++) put(of[k], corners[3 * k], corners[3 * k + 1], corners[3 * k + 2], at, 3 * k, place);
    cast(at, at, of.length);
    pen.fillStyle = data.themes[theme].text;
    pen.globalAlpha = theme === "light" ? 0.12 : 0.2;
    for (let f = 0; f < of.length / 4; f++) {
      if (!(area(at, f) < 0)) continue;
      pen.beginPath();
      outline(pen, at, f, false);
      pen.fill();
    }
    pen.globalAlpha = 1;
  }
  function trail({ colour, points }) {
    const count = Math.min(gone, points.length / 3), at = new Float64Array(3 * count);
    for (let k = 0; k < at.length; k++) at[k] = points[k];
    cast(at, at, count);
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.beginPath();
    for (let k = 0, on = false; k < count; k++) {
      if (at[3 * k + 2] <= 0) { on = false; continue; }
      if (on) pen.lineTo(at[3 * k], at[3 * k + 1]); else pen.moveTo(at[3 * k], at[3 * k + 1]);
      on = true;
    }
    pen.stroke();
  }

  // --- camera ------------------------------------------------------------------------------------------------------
  const pen = canvas.getContext("2d", { alpha: false });  // all of it is painted
  const camera = { azimuth: data.camera[0], elevation: data.camera[1], distance: 1, target: [0, 0, 0] };
  let width = 1, height = 1, ratio = 1;
  // from the frame of the view, whose z axis points upwards, to the world and back; data.view has its axes
  const inWorld = ([x, y, z]) => sum(sum(sum([0, 0, 0], data.view[0], x), data.view[1], y), data.view[2], z);
  const inView = p => data.view.map(axis => dot(axis, p));

  function axes() {
    const ca = Math.cos(camera.azimuth), sa = Math.sin(camera.azimuth);
    const ce = Math.cos(camera.elevation), se = Math.sin(camera.elevation);
    const towards = inWorld([ce * ca, ce * sa, se]), right = inWorld([-sa, ca, 0]);
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

  const level = elevation => Math.min(1.55, Math.max(-1.55, elevation));
  let mount = null;  // what the camera goes with
  let basis = axes(), outside = [], free = false;  // what was not in view; whether a hand has chosen the distance
  // points of the world, three numbers each, into the picture: across, down, depth
  function cast(from, to, count) {
    const [[rx, ry, rz], [ux, uy, uz], [tx, ty, tz]] = basis, [cx, cy, cz] = camera.target;
    const size = height / (2 * Math.tan(data.field / 2)), near = 0.02 * camera.distance;
    for (let k = 0; k < 3 * count; k += 3) {
      const x = from[k] - cx, y = from[k + 1] - cy, z = from[k + 2] - cz, depth = camera.distance - (x * tx + y * ty + z * tz);
      const scale = size / Math.max(depth, near);
      to[k] = width / 2 + scale * (x * rx + y * ry + z * rz);
      to[k + 1] = height / 2 - scale * (x * ux + y * uy + z * uz);
      to[k + 2] = depth;
    }
  }
  const one = new Float64Array(3);  // cast is given one kind of array alone, with which it is several times as fast
  function project(p) {
    [one[0], one[1], one[2]] = p;
    cast(one, one, 1);
    return [one[0], one[1], one[2]];
  }

  // as the first view says, or with all in view; which side that is among those to choose from, or none
  function begin() {
    if (!data.first) { fit(); return 0; }
    [camera.azimuth, camera.elevation, camera.distance] = data.first.camera;
    camera.target = data.first.target;
    mount = data.first.mount;
    free = true;
    return -1;
  }
  const sight = () => [...sum(camera.target, axes()[2], camera.distance), ...camera.target];  // the eye, and its target
  // with its frame: what hands do in between stays
  function carry() {
    if (!mount) return;
    const at = placed(mount.row, mount.point);
    if (mount.camera === "follow") camera.target = sum(camera.target, sum(at, mount.place, -1));
    else {
      const [x, y, z] = inView(sum(at, placed(mount.row, mount.ahead), -1)), heading = [Math.atan2(y, x), mount.camera === "tip" ? 0 : Math.atan2(z, Math.hypot(x, y))];
      camera.azimuth += heading[0] - mount.heading[0];
      camera.elevation = level(camera.elevation + heading[1] - mount.heading[1]);
      mount.heading = heading;
      camera.target = sum(at, axes()[2], -camera.distance);
    }
    mount.place = at;
  }

  // --- picture -----------------------------------------------------------------------------------------------------
  const parse = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16));
  const mix = (a, b, s) => a.map((part, k) => part * (1 - s) + b[k] * s);
  let theme = "light", palette = [], styles = new Map();

  function dress(name) {
    theme = name;
    palette = data.colours[theme].map(text => theme === "light" ? mix(parse(text), [255, 255, 255], 0.15) : parse(text));
    styles = new Map();
    seen = "";
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

  function way(points, pen) {
    pen.moveTo(points[0][0], points[0][1]);
    for (let k = 1; k < points.length; k++) pen.lineTo(points[k][0], points[k][1]);
  }

  // what stands still with the camera is kept as a picture; whether the view is another one than before
  const behind = document.createElement("canvas"), still = behind.getContext("2d", { alpha: false });
  let seen = "";
  function backdrop(colours) {
    const now = [width, height, ratio, camera.azimuth, camera.elevation, camera.distance, ...camera.target].join();
    const anew = now !== seen;
    if (anew) {
      seen = now;
      behind.width = canvas.width;
      behind.height = canvas.height;
      still.setTransform(ratio, 0, 0, ratio, 0, 0);
      const sky = still.createLinearGradient(0, 0, 0, height);
      sky.addColorStop(0, colours.canvas);
      sky.addColorStop(1, colours.window);
      still.fillStyle = sky;
      still.fillRect(0, 0, width, height);
      still.lineJoin = still.lineCap = "round";
      if (!water) ground(still);
    }
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(behind, 0, 0);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    return anew;
  }

  function ground(pen) {
    const [step, lines, x, y] = data.grid;
    pen.strokeStyle = data.themes[theme].grid;
    for (let k = -lines; k <= lines; k++) {
      pen.globalAlpha = 1 - 0.75 * Math.abs(k) / lines;
      for (const ends of [[[x + k * step, y - lines * step, data.ground], [x + k * step, y + lines * step, data.ground]],
                          [[x - lines * step, y + k * step, data.ground], [x + lines * step, y + k * step, data.ground]]]) {
        const flat = ends.map(end => project(inWorld(end)));
        if (flat.every(p => p[2] > 0)) { pen.beginPath(); way(flat, pen); pen.stroke(); }
      }
    }
    pen.globalAlpha = 1;
  }

  // a face in a picture, if all of it is before the eye: twice its area, negative from its front
  function area(at, f) {
    const a = 12 * f, b = a + 3, c = a + 6, d = a + 9;
    if (at[a + 2] <= 0 || at[b + 2] <= 0 || at[c + 2] <= 0 || at[d + 2] <= 0) return NaN;
    return (at[c] - at[a]) * (at[d + 1] - at[b + 1]) - (at[c + 1] - at[a + 1]) * (at[d] - at[b]);
  }
  function outline(pen, at, f, turned) {
    const a = 12 * f;
    pen.moveTo(at[a], at[a + 1]);
    for (let k = 3; k < 12; k += 3) {
      const o = a + (turned ? 12 - k : k);
      pen.lineTo(at[o], at[o + 1]);
    }
    pen.closePath();
  }

  // a picture with fewer points than the canvas, laid over it as a whole: what is empty around what it shows costs nothing
  function overlay() {
    const picture = document.createElement("canvas"), pen = picture.getContext("2d"), ends = new Float64Array(4);
    let left = 0, top = 0, wide = 0, high = 0;  // of its own points, what may be painted
    return {
      pen,
      size(x, y) { picture.width = x; picture.height = y; wide = high = 0; },
      begin() {
        pen.setTransform(1, 0, 0, 1, 0, 0);
        pen.clearRect(left, top, wide, high);
        pen.setTransform(picture.width / width, 0, 0, picture.height / height, 0, 0);
        ends.set([Infinity, Infinity, -Infinity, -Infinity]);
      },
      // a point of the canvas that is painted up to
      reach(x, y) {
        if (x < ends[0]) ends[0] = x;
        if (y < ends[1]) ends[1] = y;
        if (x > ends[2]) ends[2] = x;
        if (y > ends[3]) ends[3] = y;
      },
      // soft edges and what is between two points need some more around
      end() {
        const across = picture.width / width, down = picture.height / height;
        left = Math.max(0, Math.floor(ends[0] * across) - 3);
        top = Math.max(0, Math.floor(ends[1] * down) - 3);
        wide = Math.max(0, Math.min(picture.width, Math.ceil(ends[2] * across) + 3) - left);
        high = Math.max(0, Math.min(picture.height, Math.ceil(ends[3] * down) + 3) - top);
      },
      lay(onto, opaque) {
        if (!(wide && high)) return;
        const across = width / picture.width, down = height / picture.height;
        onto.globalAlpha = opaque;
        onto.drawImage(picture, left, top, wide, high, left * across, top * down, wide * across, high * down);
        onto.globalAlpha = 1;
      },
    };
  }

  const shade = overlay(), soft = shade.pen;  // few points, so that it comes out soft
  const onGround = new Float64Array(world.length), under = new Float64Array(world.length), feet = new Float64Array(world.length);
  const above = new Float64Array(world.length / 3), up = data.water ? [0, 0, 1] : data.view[2];  // the sea is the world's
  function shadow() {
    const l = data.light, [ux, uy, uz] = up, high = dot(l, up);
    for (let k = 0; k < world.length; k += 3) {
      const z = world[k] * ux + world[k + 1] * uy + world[k + 2] * uz - (water ? surface(world[k], world[k + 1]) : data.ground);
      above[k / 3] = z;
      under[k] = world[k] - z * ux;
      under[k + 1] = world[k + 1] - z * uy;
      under[k + 2] = world[k + 2] - z * uz;
      const way = Math.max(0, z) / high, left = Math.min(0, z);  // along the light, then straight up to the ground
      onGround[k] = world[k] - way * l[0] - left * ux;
      onGround[k + 1] = world[k + 1] - way * l[1] - left * uy;
      onGround[k + 2] = world[k + 2] - way * l[2] - left * uz;
    }
    cast(onGround, onGround, cornerRows.length);
    cast(under, feet, cornerRows.length);
    shade.begin();
    // from far up less dark than below what is near to the ground
    for (const [at, dark] of [[onGround, 0.67], [feet, 1]]) {
      soft.beginPath();
      for (let f = 0; f < faces; f++) {
        const n = 3 * f, o = 12 * f, a = above[4 * f], b = above[4 * f + 1], c = above[4 * f + 2], d = above[4 * f + 3];
        if (at === onGround) {
          if (normals[n] * l[0] + normals[n + 1] * l[1] + normals[n + 2] * l[2] <= 0) continue;
        } else if (normals[n] * ux + normals[n + 1] * uy + normals[n + 2] * uz <= 0 || Math.min(a, b, c, d) >= data.contact) continue;
        if (!(a > 0 || b > 0 || c > 0 || d > 0)) continue;
        const size = area(at, f);
        if (!(size === size)) continue;
        outline(soft, at, f, size <= 0);
        for (let k = o; k < o + 12; k += 3) shade.reach(at[k], at[k + 1]);
      }
      soft.fillStyle = `rgba(0,0,0,${dark})`;
      soft.fill();
    }
    shade.end();
  }

  // --- water: see sea_surface.py ------------------------------------------------------------------------------------------
  let { water } = data, heights = [], side = 1;
  const sheet = overlay(), wet = sheet.pen;
  const surface = (x, y) => {
    const { along, inner, heading } = water, last = along.length - 1, s = x * heading[0] + y * heading[1];
    // evenly spaced in the middle, growing beyond it
    const first = (last - inner) / 2, at = inner * (s - along[first]) / (along[last - first] - along[first]);
    let k = Math.min(last - 1, Math.max(0, first + Math.min(inner - 1, Math.max(0, Math.floor(at)))));
    while (k > 0 && s < along[k]) k--;
    while (k < last - 1 && s > along[k + 1]) k++;
    const share = Math.min(1, Math.max(0, (s - along[k]) / (along[k + 1] - along[k])));
    return heights[k] * (1 - share) + heights[k + 1] * share;
  };
  const before = (x, y, z) => side * (z - surface(x, y));
  function rise(time) {
    const part = water.fade_in > 0 ? Math.min(1, Math.max(0, time / water.fade_in)) : 1, fade = part ** 3 * (10 - 15 * part + 6 * part * part);
    const { along, waves } = water;
    if (heights.length !== along.length) heights = new Float64Array(along.length);
    const space = n => (along[Math.min(n + 1, along.length - 1)] - along[Math.max(n - 1, 0)]) / (n > 0 && n < along.length - 1 ? 2 : 1);
    const even = space((along.length - 1) / 2);
    for (let n = 0; n < along.length; n++) {
      let all = 0;
      for (const wave of waves) {
        const share = (water.shown - wave[2] * space(n)) / (water.shown - wave[2] * even);
        if (share > 0) all += Math.min(1, share) * wave[1] * Math.cos(wave[0] * time - wave[2] * along[n] + wave[3]);
      }
      heights[n] = fade * all;
    }
    side = 1;
    if (before(...sum(camera.target, basis[2], camera.distance)) < 0) side = -1;
  }
  // what of a polygon, or of a chain, has far > 0; of each point the side that begins there, or -1
  function cut(points, far, closed) {
    const kept = [], sides = [];
    points.forEach((p, k) => {
      const after = (k + 1) % points.length;
      if (far[k] > 0) { kept.push(p); sides.push(k); }
      if ((far[k] > 0) === (far[after] > 0) || !(closed || after)) return;
      kept.push(sum(p, sum(points[after], p, -1), far[k] / (far[k] - far[after])));
      sides.push(far[k] > 0 ? -1 : k);
    });
    return [kept, sides];
  }
  // what of a polygon is in the picture, with some margin: points with their share of the way from its back to its front
  function inPicture(points) {
    const [right, up, towards] = basis, half = Math.tan(data.field / 2), [x, y] = [1.2 * half * width / height, 1.2 * half];
    let all = points.map(([p, share]) => {
      const from = sum(p, camera.target, -1);
      return [dot(from, right), dot(from, up), camera.distance - dot(from, towards), share];
    });
    for (const far of [p => p[2] - water.near * camera.distance, p => x * p[2] - p[0], p => x * p[2] + p[0], p => y * p[2] - p[1], p => y * p[2] + p[1]]) {
      const values = all.map(far);
      if (values.every(value => value > 0)) continue;
      all = all.flatMap((p, k) => {
        const after = (k + 1) % all.length, a = values[k], b = values[after], kept = a > 0 ? [p] : [];
        if ((a > 0) !== (b > 0)) kept.push(p.map((part, c) => part + (all[after][c] - part) * a / (a - b)));
        return kept;
      });
    }
    const size = height / (2 * half);
    return all.map(([x, y, depth, share]) => [width / 2 + size * x / depth, height / 2 - size * y / depth, share]);
  }
  // strips from back to front on a canvas of their own, which is laid over the picture as a whole
  function sea() {
    const { along, across, heading: [c, s] } = water, [dark, bright] = data.themes[theme].water.map(parse), eye = sum(camera.target, basis[2], camera.distance);
    const text = parts => `rgb(${parts.map(Math.round)})`, at = eye[0] * c + eye[1] * s, ends = [across[0], across[across.length - 1]];
    const lit = heights.map((_, k) => {
      const [a, b] = [Math.max(0, k - 1), Math.min(heights.length - 1, k + 1)];
      return Math.min(1, Math.max(0, 0.5 + water.slope * (heights[b] - heights[a]) / (along[b] - along[a])));
    });
    const colour = (k, share) => text(mix(dark, bright, lit[k] * (1 - share) + lit[k + 1] * share));
    const away = k => Math.abs(along[k] + along[k + 1] - 2 * at), corner = (k, end) => [c * along[k] - s * end, s * along[k] + c * end, heights[k]];
    sheet.begin();
    wet.lineWidth = 4;  // two of its own points: no seam shows
    Array.from({ length: along.length - 1 }, (_, k) => k).sort((a, b) => away(b) - away(a)).forEach(k => {
      const points = inPicture([[corner(k, ends[0]), 0], [corner(k, ends[1]), 0], [corner(k + 1, ends[1]), 1], [corner(k + 1, ends[0]), 1]]);
      if (points.length < 3) return;
      wet.fillStyle = colour(k, 0.5);
      if (Math.abs(lit[k + 1] - lit[k]) > 0.01) wet.fillStyle = slope(points, share => colour(k, share));
      wet.strokeStyle = wet.fillStyle;
      wet.beginPath();
      way(points, wet);
      wet.closePath();
      wet.fill();
      wet.stroke();
      for (const [x, y] of points) sheet.reach(x, y);
    });
    haze(eye[2]);
    sheet.end();
  }
  // colours across a strip: its share of the way is linear in the picture as far as perspective lets it be
  function slope(points, colour) {
    const n = points.length, [mx, my, ms] = [0, 1, 2].map(k => points.reduce((all, p) => all + p[k], 0) / n);
    let [xx, xy, yy, xs, ys] = [0, 0, 0, 0, 0];
    for (const [x, y, share] of points) {
      xx += (x - mx) ** 2; xy += (x - mx) * (y - my); yy += (y - my) ** 2;
      xs += (x - mx) * (share - ms); ys += (y - my) * (share - ms);
    }
    const whole = xx * yy - xy * xy, gx = (yy * xs - xy * ys) / whole, gy = (xx * ys - xy * xs) / whole, square = gx * gx + gy * gy;
    if (!(square > 0) || !isFinite(square)) return colour(0.5);
    const end = share => [mx + (share - ms) * gx / square, my + (share - ms) * gy / square], fill = wet.createLinearGradient(...end(0), ...end(1));
    fill.addColorStop(0, colour(0));
    fill.addColorStop(1, colour(1));
    return fill;
  }
  // water fades with its depth before the eye, which is the same along lines that are level in the picture
  function haze(above) {
    const size = height / (2 * Math.tan(data.field / 2)), [rz, uz, tz] = basis.map(axis => axis[2]), square = rz * rz + uz * uz, side = Math.sign(above) || 1;
    const corners = [0, width].flatMap(x => [0, height].map(y => side * (tz - ((x - width / 2) * rz - (y - height / 2) * uz) / size)));
    const most = Math.max(...corners), end = water.haze * Math.max(camera.distance, water.reach);
    if (!(most > 0) || square < 1e-9) return;
    const point = share => [[width / 2, rz], [height / 2, -uz]].map(([middle, part]) => middle + size * (tz - side * share * most) / square * part);
    const fill = wet.createLinearGradient(...point(0), ...point(1));
    for (let k = 0; k <= 24; k++) {
      const share = (k / 24) ** 2, depth = Math.abs(above) / (share * most);
      fill.addColorStop(share, `rgba(0,0,0,${(1 - Math.exp(-((depth / end) ** 2))).toFixed(4)})`);
    }
    wet.globalCompositeOperation = "destination-out";
    wet.fillStyle = fill;
    wet.fillRect(0, 0, width, height);
    wet.globalCompositeOperation = "source-over";
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

  // what of the mechanism is not in view
  function leave() {
    outside = [];
    for (let k = 0; k < flat.length; k += 3) {
      const x = flat[k], y = flat[k + 1];
      if (flat[k + 2] <= 0 || x < 0 || x > width || y < 0 || y > height) outside.push([world[k], world[k + 1], world[k + 2]]);
    }
  }

  // a line in pieces, which faces may hide one by one
  function strands(line, local, pieces) {
    let points = local.map((p, k) => placed(line.rows[k], p));
    if (line.kind === "spring") points = coil(points[0], points[1], line.size);
    const seen = points.map(project), step = line.kind === "spring" || line.kind === "bar" ? 3 : 1;
    if (seen.some(p => p[2] <= 0)) return;
    for (let k = 0; k < seen.length - 1; k += step) {
      const piece = seen.slice(k, k + step + 1);
      pieces.push({ line, piece, points: points.slice(k, k + step + 1), depth: piece.reduce((all, p) => all + p[2], 0) / piece.length });
    }
  }

  // faces behind each other that look alike, and show no edges, are one path
  let alike = -1;
  function flush() {
    if (alike < 0) return;
    alike = -1;
    pen.fill();
    pen.stroke();
  }
  function lightOf(f) {
    const l = data.light, [ux, uy, uz] = data.view[2], x = normals[3 * f], y = normals[3 * f + 1], w = normals[3 * f + 2];
    const z = x * ux + y * uy + w * uz, towards = x * l[0] + y * l[1] + w * l[2];
    return Math.round(24 * (0.62 * Math.max(0, towards) + 0.38 * (0.5 + 0.5 * z)));
  }
  function paintFace(f) {
    const light = lightOf(f), [fill, edge] = style(faceColours[f], light), sides = edges[f];  // a bit for each
    const look = sides === 0 ? 64 * faceColours[f] + light : -1;
    if (look < 0 || look !== alike) {
      flush();
      pen.beginPath();
      pen.fillStyle = fill;
      pen.strokeStyle = sides === 15 ? edge : fill;
      pen.lineWidth = 0.8;
    }
    outline(pen, flat, f, false);
    alike = look;
    if (look >= 0) return;
    pen.fill();
    pen.stroke();
    if (sides === 15) return;
    pen.beginPath();
    for (let k = 0; k < 4; k++) {
      if (!(sides >> k & 1)) continue;
      const a = 12 * f + 3 * k, b = 12 * f + 3 * ((k + 1) % 4);
      pen.moveTo(flat[a], flat[a + 1]);
      pen.lineTo(flat[b], flat[b + 1]);
    }
    pen.strokeStyle = edge;
    pen.stroke();
  }

  function paintPiece({ line, piece }) {
    const tie = line.kind === "tie", thin = tie || line.kind === "bar";
    flush();
    pen.beginPath();
    way(piece, pen);
    pen.strokeStyle = `rgb(${palette[line.colour].map(Math.round)})`;
    pen.lineWidth = thin ? 1.2 : 1.8;
    if (tie) pen.setLineDash([5, 4]);
    pen.stroke();
    if (tie) pen.setLineDash([]);
  }

  // a face that goes through the water: what is before it
  function paintPart(f) {
    const points = [0, 1, 2, 3].map(k => [...world.subarray(12 * f + 3 * k, 12 * f + 3 * k + 3)]);
    const [part, on] = cut(points, points.map(p => before(...p)), true);
    const [fill, edge] = style(faceColours[f], lightOf(f)), at = part.map(project);
    flush();
    pen.fillStyle = fill;
    pen.strokeStyle = fill;
    pen.lineWidth = 0.8;
    pen.beginPath();
    way([...at, at[0]], pen);
    pen.fill();
    pen.stroke();
    pen.strokeStyle = edge;
    pen.beginPath();
    on.forEach((side, k) => { if (side >= 0 && edges[f] >> side & 1) way([at[k], at[(k + 1) % at.length]], pen); });
    pen.stroke();
  }
  // how far a corner of all faces is before the water
  const cornerBefore = k => before(world[3 * k], world[3 * k + 1], world[3 * k + 2]);
  // all of it, or what is before the water or beyond it
  function layer(order, pieces, front) {
    for (const k of order) {
      const piece = k < faces ? null : pieces[k - faces];
      if (front !== undefined) {
        const far = piece ? piece.points.map(p => before(p[0], p[1], p[2])) : [cornerBefore(4 * k), cornerBefore(4 * k + 1), cornerBefore(4 * k + 2), cornerBefore(4 * k + 3)];
        const least = Math.min(...far), most = Math.max(...far);
        const through = least < 0 && most > 0;
        if (front ? most <= 0 : least > 0) continue;
        if (front && through) {
          if (piece) paintPiece({ line: piece.line, piece: cut(piece.points, far, false)[0].map(project) }); else paintPart(k);
          continue;
        }
      }
      if (piece) paintPiece(piece); else paintFace(k);
    }
    flush();
  }

  const depths = [];  // of faces, behind them of pieces
  let wetter = false;  // whether the water was drawn anew last, or the shadow
  // while a mechanism in a sea moves before a camera that stands, one frame draws the water anew, the next one the shadow
  function draw(time, running = false) {
    carry();
    basis = axes();
    const colours = data.themes[theme];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    const whole = backdrop(colours) || !running || !water;
    wetter = !wetter;
    pen.lineWidth = 1;
    pen.lineJoin = pen.lineCap = "round";
    move();
    cast(world, flat, cornerRows.length);
    const pieces = [], order = [];
    for (let f = 0, o = 0; f < faces; f++, o += 12) {
      if (!(area(flat, f) < 0)) continue;
      depths[f] = (flat[o + 2] + flat[o + 5] + flat[o + 8] + flat[o + 11]) / 4 + back[f];
      order.push(f);
    }
    for (const [number, line] of data.lines.entries()) strands(line, shape.lines[number], pieces);
    pieces.forEach(({ depth }, k) => { order.push(faces + k); depths[faces + k] = depth; });
    order.sort((a, b) => depths[b] - depths[a]);
    if (water) {
      rise(time);
      layer(order, pieces, false);
      if (whole || wetter) sea();
      sheet.lay(pen, water.opaque);
    }
    if ((water ? side : dot(camera.target, up) + camera.distance * dot(basis[2], up) - data.ground) > 0) {
      if (whole || !wetter) shadow();
      shade.lay(pen, theme === "light" ? 0.2 : 0.6);
    }
    leave();
    if (ghost) faded();
    trails.forEach(trail);
    pen.lineWidth = 1;
    pen.lineJoin = "bevel";  // a round corner of a line this thin costs time, and is not seen
    layer(order, pieces, water ? true : undefined);
    return order.length;
  }

  // --- hands -------------------------------------------------------------------------------------------------------
  function resize() {
    ratio = devicePixelRatio || 1;
    width = Math.max(1, canvas.clientWidth);
    height = Math.max(1, canvas.clientHeight);
    canvas.width = Math.round(ratio * width);
    canvas.height = Math.round(ratio * height);
    shade.size(Math.ceil(width / SOFT), Math.ceil(height / SOFT));
    sheet.size(Math.ceil(canvas.width / 2), Math.ceil(canvas.height / 2));  // fades and waves have no sharp edge
  }
  // from one side, or as the mechanism shows most of itself
  function look(name) {
    [camera.azimuth, camera.elevation] = name ? data.views[name] : data.camera;
    if (!name) mount = null;
    if (!mount) {
      free = false;
      fit();
    }
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
      camera.elevation = level(camera.elevation + 0.008 * dy);
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
    camera.elevation = level(camera.elevation + elevation);
    changed();
  }
  function zoom(factor) { camera.distance *= factor; free = true; changed(); }

  return { place, shape, fill: other => { water = other; }, level: surface, ghost, trailed: count => { gone = count; }, trails, placed, draw, dress, begin, sight, look, keep, turn, zoom, resize };
}

// which of the two looks, unless it is said
function preferred(theme) {
  return theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}
function paint(colours) {
  for (const [name, value] of Object.entries(colours)) document.body.style.setProperty("--" + name.replace("_", "-"), value);
}
