// --- the page: knobs, run, plots and table, over a model that runs in a worker -----------------------------------
const $ = id => document.getElementById(id);
const text = id => $(id).textContent.trim();
const unpacked = async packed => {
  const stream = new Blob([bytes(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
};
const address = URL.createObjectURL(new Blob(['"use strict";\n' + $("worker").textContent], { type: "text/javascript" }));
const worker = new Worker(address);
const FRAME = 80, READ = 200;  // ms in a run between drawings of a plot, and between numbers that are read
const SLOW = "This machine runs the model more slowly than asked.", CALM = 2000;  // ms

let stale = true;  // plots have to be drawn as a whole
let about, stage, theme, record, plots = [], knobs = new Map(), frame = null, playing = false, stop = 0, cursor = null;
let asked = false, read = 0, count = 0, slow = 0, start = null;  // start: the knob whose start holds, with its number
const waiting = new Map();

function order(what, given = {}, moved = []) {
  return new Promise((done, failed) => {
    waiting.set(++count, { done, failed });
    worker.postMessage({ id: count, order: what, ...given }, moved);
  });
}

worker.onmessage = ({ data: { id, told, frame: found } }) => {
  if (found) take(found, id);
  if (told) say(told, true);
  const wait = waiting.get(id);
  if (!wait) return;
  waiting.delete(id);
  if (told) wait.failed(new Error(told)); else wait.done();
};
worker.onerror = event => say(`The model cannot run here: ${event.message}`, true);

function say(sentence, wrong = false) {
  $("status").textContent = sentence;
  $("status").classList.toggle("wrong", wrong);
}

// a name between backticks stands in the letters of code; a long name may break behind its dots
function write(element, sentence) {
  sentence.split(/`([^`]+)`/).forEach((part, k) => {
    if (k % 2) element.appendChild(document.createElement("code")).textContent = part;
    else element.append(part);
  });
}
function writeName(element, name) {
  name.split(/(?<=\.)/).forEach((part, k) => element.append(...(k ? [document.createElement("wbr"), part] : [part])));
}

// --- what the worker tells ---------------------------------------------------------------------------------------
function take(found, id) {
  frame = found;
  record.add(found.samples);
  if (!id && playing && !found.playing) {  // by itself, not an answer to what was asked before Play
    showPlaying(false);
    if (found.ended) say(`The run has come to its end at ${short(found.time)} s; Play goes on.`);
  }
  if (found.able) $("pace").textContent = `${found.able >= 10 ? Math.round(found.able) : found.able.toFixed(1)} x real time possible`;
  if (playing) tellPace(found.late);
  ask();
}

// what is late tells so on and off: it is over when nothing was late for a while
function tellPace(late) {
  const now = performance.now();
  if (late) {
    slow = now;
    say(SLOW);
  } else if (now - slow > CALM && $("status").textContent === SLOW) say("Running.");
}

const redraw = () => { stale = true; read = 0; ask(); };
function ask() { if (!asked) { asked = true; requestAnimationFrame(show); } }

function show(now) {
  asked = false;
  if (!frame) return;
  if (stage) {
    stage.place.set(frame.pose);
    about.trails.forEach(follow);
    const drawn = String(stage.draw(frame.time, playing));
    if (document.body.dataset.drawn !== drawn) document.body.dataset.drawn = drawn;
    if (stage.keep()) ask();
  }
  const reads = !playing || now - read > READ;
  if (reads) {
    read = now;
    $("time").textContent = `t = ${frame.time.toFixed(2)} s`;
    tabulate();
  }
  // of the plots one a frame, that which waits longest: no frame is much longer than the others
  const due = playing && !stale ? plots.filter(plot => now - plot.drawn > FRAME).sort((a, b) => a.drawn - b.drawn).slice(0, 1) : plots;
  for (const plot of due) {
    plot.drawn = now;
    plot.draw(Math.max(stop, about.stop), about.themes[theme], about.lines[theme], playing && !stale);
  }
  for (const plot of reads ? plots : []) plot.tell(about.lines[theme]);
  stale = false;
  document.body.dataset.time = frame.time.toFixed(6);
}

// the way of a frame: as far as it is seen, and no longer than can be drawn
const LONGEST = 6000;
function follow({ row, moved, point }, k) {
  const { points } = stage.trails[k], at = stage.placed(row, moved || point);
  if (points.length && at.every((x, axis) => x === points[points.length - 3 + axis])) return;
  if (points.length >= 3 * LONGEST) points.splice(0, points.length / 2 - points.length / 2 % 3);
  points.push(...at);
}

// --- table -------------------------------------------------------------------------------------------------------
const cells = [];
function rowOf(body, name, column) {
  const row = body.insertRow(), head = row.insertCell(), value = row.insertCell();
  writeName(head, name);
  row.insertCell().textContent = about.units[column];
  cells.push({ text: value.appendChild(document.createTextNode("")), now: "", column });
}
// of the active state, where a column is the number of one
const nameOf = column => (about.states[column] || [])[Math.round(frame.row[column]) - 1];
function tabulate() {
  const shown = $("values").querySelector("details").open ? cells : cells.slice(0, about.chosen.length);
  for (const cell of shown) {
    const now = nameOf(cell.column) || steady(frame.row[cell.column]);
    if (cell.now !== now) cell.text.data = cell.now = now;
  }
}
$("values").querySelector("details").ontoggle = () => {
  if (!$("all").rows.length) about.names.forEach((name, column) => rowOf($("all"), name, column));
  redraw();
};

const headed = (name, unit) => (unit ? `${name} [${unit}]` : name);
const quoted = word => (/[",\n]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word);
function csv() {
  const rows = [["time [s]", ...about.names.map((name, k) => quoted(headed(name, about.units[k])))].join(",")];
  for (let k = 0; k < record.count; k++) rows.push(record.numbers.subarray(k * record.width, (k + 1) * record.width).join(","));
  return rows.join("\n") + "\n";
}
$("csv").onclick = () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
  link.download = `${about.file}.csv`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

// --- run ---------------------------------------------------------------------------------------------------------
function showPlaying(on) {
  playing = on;
  $("play").textContent = on ? "\u275A\u275A" : "\u25B6";
  $("play").setAttribute("aria-label", on ? "Pause" : "Play");
}
function play(on) {
  if (on === playing) return Promise.resolve();
  showPlaying(on);
  if (!on) return order("pause").then(() => say(`Paused at ${short(frame.time)} s.`));
  say("Running.");
  if (frame.time >= stop - 0.5 * about.step) stop = frame.time + about.stop;
  return order("play", { rate: Number($("speed").value), until: stop });
}
async function step(steps = 1) {
  showPlaying(false);
  await order("step", { count: steps });
  say(`At ${short(frame.time)} s.`);
}
// from the start, with what the knobs say
function again(sentence) {
  record.clear();
  stale = true;
  if (stage) for (const { points } of stage.trails) points.length = 0;
  stop = about.stop;
  const live = [...knobs.values()].filter(knob => knob.reference !== null && knob.value !== knob.at).map(knob => [knob.reference, knob.at * knob.factor]);
  say(sentence);
  return order("reset", { start: start && start.knob.starts[start.number], live });
}
$("play").onclick = () => play(!playing);
$("step").onclick = () => step(about.every).catch(() => {});
$("reset").onclick = () => again("Back at the start.").catch(() => {});
// the curves of this run stay, pale, behind those of the next
$("keep").onclick = () => {
  const before = $("keep").getAttribute("aria-pressed") === "true" ? null : record.copy();
  $("keep").setAttribute("aria-pressed", String(before !== null));
  for (const plot of plots) plot.before = before;
  say(before ? "The curves of this run are kept." : "The kept curves are gone.");
  redraw();
};
$("speed").onchange = () => order("pace", { rate: Number($("speed").value) });

// --- knobs -------------------------------------------------------------------------------------------------------
const typed = knob => `${short(knob.at, 7)}${knob.unit ? " " + knob.unit : ""}`;

function makeKnob(given) {
  const knob = { ...given, at: given.value }, box = document.createElement("div"), label = document.createElement("label");
  box.className = "knob";
  writeName(label, given.name);
  label.htmlFor = `knob-${given.name}`;
  if (given.doc) write(label.appendChild(document.createElement("small")), given.doc);
  knob.slider = document.createElement("input");
  knob.slider.type = "range";
  knob.slider.id = label.htmlFor;
  const unit = document.createElement("span");
  unit.textContent = given.unit;
  box.append(label);
  if (given.kind === "start") {
    knob.values = [...given.starts.map(one => one.value), given.value].sort((a, b) => a - b);
    Object.assign(knob.slider, { min: 0, max: knob.values.length - 1, step: 1 });
    knob.number = document.createElement("output");
  } else {
    knob.number = document.createElement("input");
    const step = 10 ** Math.floor(Math.log10((given.high - given.low) / 100));
    Object.assign(knob.slider, { min: given.low, max: given.high, step: "any" });
    Object.assign(knob.number, { type: "number", min: given.kind === "input" ? "" : given.low, max: given.kind === "input" ? "" : given.high, step });
    knob.number.setAttribute("aria-label", `${given.name}, as a number`);
    knob.slider.oninput = () => change(knob, Number(Number(knob.slider.value).toPrecision(4)));
    knob.number.onchange = () => change(knob, Number(knob.number.value));
  }
  if (given.kind === "start") knob.slider.onchange = () => change(knob, knob.values[Number(knob.slider.value)]);
  if (given.kind === "start") knob.slider.oninput = () => { knob.number.textContent = short(knob.values[Number(knob.slider.value)], 7); };
  box.append(knob.number, unit, knob.slider);
  knob.box = box;
  tell(knob);
  return knob;
}
function tell(knob) {
  const start = knob.kind === "start";
  knob.slider.value = start ? knob.values.indexOf(knob.at) : knob.at;
  knob.slider.setAttribute("aria-valuetext", typed(knob));
  if (start) knob.number.textContent = short(knob.at, 7); else knob.number.value = short(knob.at, 7);
  knob.box.classList.toggle("moved", knob.at !== knob.value);
}
function lock(names) {
  for (const knob of knobs.values()) {
    const locked = names.includes(knob.name);
    knob.slider.disabled = locked;
    if (knob.kind !== "start") knob.number.disabled = locked;
    knob.box.title = locked ? `It follows from ${start.knob.name}, which is moved.` : "";
  }
}
function change(knob, value) {
  const done = knob.kind === "start" ? begin(knob, value) : turn(knob, value);
  return done.catch(error => { tell(knob); say(error.message, true); });
}
// at once, in the run under way
async function turn(knob, value) {
  if (!Number.isFinite(value)) throw new Error(`${knob.name} is no number.`);
  if (knob.slider.disabled) throw new Error(knob.box.title);
  await order("set", { reference: knob.reference, value: value * knob.factor });
  knob.at = value;
  tell(knob);
  reshape();
}
// from a start that was computed before
function begin(knob, value) {
  const near = one => Math.abs(one - value) <= 1e-9 * (knob.high - knob.low);
  const number = knob.starts.findIndex(one => near(one.value));
  if (number < 0 && !near(knob.value)) throw new Error(`${knob.name} can be ${knob.values.map(one => short(one, 7)).join(", ")}${knob.unit ? " " + knob.unit : ""}.`);
  const back = [];
  start = number < 0 ? null : { knob, number };
  for (const other of knobs.values()) {
    const apart = other !== knob && other.at !== other.value && (other.kind === "start" || (start && knob.apart.includes(other.name)));
    if (!apart) continue;
    other.at = other.value;
    tell(other);
    back.push(other.name);
  }
  knob.at = number < 0 ? knob.value : knob.starts[number].value;
  tell(knob);
  lock(start ? knob.apart : []);
  reshape();
  const rest = back.length ? ` ${back.join(", ")} went back: starts are computed for one change at a time.` : "";
  return again(`${knob.name} is ${typed(knob)}: the run began anew.${rest}`);
}

// what is drawn follows the knobs
function reshape() {
  if (!stage) return;
  const { corners, lines } = stage.shape;
  corners.set(new Float32Array(bytes(about.scene.corners)));
  about.scene.lines.forEach((line, k) => { lines[k] = line.points; });
  for (const trail of about.trails) trail.moved = trail.point;
  stage.fill(start?.knob.starts[start.number].water ?? about.scene.water);
  const put = (change, share) => {
    if (!change) return;
    const at = new Int32Array(bytes(change.at)), to = new Int16Array(bytes(change.to));
    at.forEach((k, n) => { corners[k] += share * change.unit * to[n]; });
    about.trails.forEach((trail, k) => { trail.moved = trail.moved.map((x, axis) => x + share * change.trails[k][axis]); });
    for (const [k, points] of change.lines) lines[k] = lines[k].map((p, n) => p.map((x, axis) => x + share * points[n][axis]));
  };
  for (const knob of knobs.values()) {
    if (!knob.shapes.length || knob.at === knob.value) continue;
    const up = knob.at > knob.value, end = up ? knob.high : knob.low;
    put(up ? knob.shapes[1] : knob.shapes[0], (knob.at - knob.value) / (end - knob.value));
  }
  ask();
}

// --- hands and look ----------------------------------------------------------------------------------------------
function dress() {
  paint(about.themes[theme]);
  document.documentElement.style.colorScheme = theme;
  if (stage) stage.dress(theme);
  redraw();
}
function look(side) {
  $("side").value = side;
  stage.look(side);
}
function point(time) {
  cursor = time;
  for (const plot of plots) plot.cursor = time;
  redraw();
}
addEventListener("keydown", event => {
  if (event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey || !about) return;
  const sides = { 0: "iso", 1: "front", 2: "side", 3: "top", 4: "back", 5: "left", 6: "bottom", Home: "" };
  if (event.key === " " && !event.target.matches("button, summary")) { event.preventDefault(); play(!playing); }
  else if (event.key === "r") $("reset").click();
  else if (event.key === ".") $("step").click();
  else if (stage && event.target === $("stage")) {
    const turns = { ArrowLeft: [0.08, 0], ArrowRight: [-0.08, 0], ArrowUp: [0, 0.08], ArrowDown: [0, -0.08] }[event.key];
    const zoom = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[event.key];
    if (event.key in sides) look(sides[event.key]);
    else if (turns) stage.turn(...turns);
    else if (zoom) stage.zoom(zoom);
    else return;
    event.preventDefault();
  }
});
$("side").onchange = () => look($("side").value);
$("theme").onclick = () => { theme = theme === "light" ? "dark" : "light"; dress(); };

// --- beginning ---------------------------------------------------------------------------------------------------
function build() {
  theme = preferred(about.theme);
  stop = about.stop;
  record = new Record(about.names.length);
  write($("doc"), about.doc);
  $("doc").title = $("doc").textContent;
  if (about.scene) {
    stage = makeStage($("stage"), { ...about.scene, themes: about.themes, trails: about.trails }, ask);
    $("side").selectedIndex = stage.begin();
  } else document.body.classList.add("still");
  dress();
  const groups = { input: "Inputs", live: "Parameters that act at once", start: "Parameters that begin the run anew", fixed: "Parameters that are fixed here" };
  for (const [kind, heading] of Object.entries(groups)) {
    const own = about.sliders.filter(one => one.kind === kind);
    if (!own.length) continue;
    const box = kind === "fixed" ? document.createElement("details") : document.createElement("div");
    box.dataset.kind = kind;
    const head = box.appendChild(document.createElement(kind === "fixed" ? "summary" : "h2"));
    head.className = "group";
    head.textContent = heading;
    for (const one of own) {
      if (kind === "fixed") {
        const line = box.appendChild(document.createElement("div"));
        line.append(`${one.name} = ${short(one.value, 7)} ${one.unit} `);
        line.appendChild(document.createElement("small")).textContent = `(${one.why})`;
        continue;
      }
      const knob = makeKnob(one);
      knobs.set(one.name, knob);
      box.append(knob.box);
    }
    $("knobs").append(box);
  }
  document.body.classList.toggle("bare", ![...knobs.values()].some(knob => knob.kind !== "start"));
  plots = about.plots.map(entry => new Plot($("plots"), entry, record, point));
  for (const [name, column] of about.chosen) rowOf($("chosen"), name, column);
  new ResizeObserver(() => { if (stage) stage.resize(); redraw(); }).observe(document.body);
}

const ready = (async () => {
  about = JSON.parse(new TextDecoder().decode(await unpacked(text("data"))));
  const words = packed => new BigInt64Array(bytes(packed)), places = packed => [...new Int32Array(bytes(packed))];
  for (const one of about.sliders) for (const each of one.starts) Object.assign(each, { at: places(each.at), words: words(each.words) });
  build();
  const code = await unpacked(text("code")), { rows, poses, stride, bodies, every, step: length } = about;
  const own = { rows, poses, stride, bodies, every, step: length, stop: about.stop, columns: about.names.length };
  await order("load", { code, about: own }, [code]);
  for (const id of ["play", "step", "reset", "keep", "csv"]) $(id).disabled = false;
  say("Ready.");
  const wanted = location.hash.slice(1).split("&");
  if (wanted.includes("embed")) document.body.classList.add("embedded");
  if (wanted.includes("play") && !matchMedia("(prefers-reduced-motion: reduce)").matches) play(true);
})();
ready.catch(error => say(`The model cannot run here: ${error.message}`, true));

// for those who put the page into another one; numbers are SI
window.luff = {
  ready,
  get names() { return [...new Set([...about.outputs.map(([name]) => name), ...about.names, ...about.sliders.map(one => one.name)])]; },
  get time() { return frame.time; },
  value(name) {
    const knob = knobs.get(name) || about.sliders.find(one => one.name === name);
    if (knob) return (knob.at === undefined ? knob.value : knob.at) * knob.factor;
    const column = (about.outputs.find(([one]) => one === name) || [name, about.names.indexOf(name)])[1];
    if (column < 0) throw new Error(`There is no "${name}" in this model.`);
    return frame.row[column];
  },
  async set(name, value) {
    const knob = knobs.get(name), fixed = about.sliders.find(one => one.name === name);
    if (!knob) throw new Error(fixed ? `${name} is fixed here: ${fixed.why}.` : `There is no parameter or input "${name}" in this model.`);
    await (knob.kind === "start" ? begin(knob, value / knob.factor) : turn(knob, value / knob.factor));
  },
  step,
  reset: () => again("Back at the start."),
};
