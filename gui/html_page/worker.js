// --- the worker: runs the model at the pace that is asked for, and tells where it is ------------------------------
const TICK = 16, BUSY = 12;  // ms: from report to report, and of these with steps
let engine = null, playing = false, speed = 1, end = 0, rows = [], paced = null, timer = null;

// one row of signals behind their time, whenever one is due
function sample() {
  const { every, step } = engine.about, count = Math.round(engine.time / step);
  if (count % every === 0) rows.push([engine.time, ...engine.row()]);
}

// whole steps up to a count of steps, until the time is up; in one sentence why not
function run(until, most) {
  const { every, step } = engine.about, before = performance.now();
  for (let done = Math.round(engine.time / step); done < until; done = Math.round(engine.time / step)) {
    const told = engine.step(Math.min(every - done % every, until - done));
    if (told) return told;
    sample();
    if (performance.now() - before > most) break;
  }
  return "";
}

function report(id, told, more = {}) {
  const samples = new Float64Array(rows.flat());
  rows = [];
  const frame = { time: engine.time, row: engine.row(), pose: engine.pose(), samples, playing, ...more };
  postMessage({ id, told, frame }, [frame.row.buffer, frame.pose.buffer, samples.buffer]);
}

// from here on the clock counts
function pace() { paced = { clock: performance.now(), time: engine.time, busy: 0, since: engine.time }; }

function tick() {
  timer = null;
  if (!playing) return;
  const now = performance.now(), { step } = engine.about;
  const due = Math.min(end, paced.time + speed * (now - paced.clock) / 1000);
  const told = run(Math.floor(due / step + 1e-6), BUSY), spent = performance.now() - now;
  paced.busy += spent;
  const late = due - engine.time > Math.max(0.05 * speed, 2 * step);
  if (late) paced = { ...paced, clock: performance.now(), time: engine.time };  // what is late is not made up for
  const ended = engine.time >= end - 0.5 * step;
  if (told || ended) playing = false;
  const able = paced.busy > 20 ? (engine.time - paced.since) / (paced.busy / 1000) : 0;
  if (paced.busy > 400) paced = { ...paced, busy: 0, since: engine.time };
  report(0, told, { ended: ended && !told, late, able });
  if (playing) timer = setTimeout(tick, Math.max(0, TICK - (performance.now() - now)));
}

function play(on) {
  playing = on;
  pace();
  if (on && timer === null) timer = setTimeout(tick, 0);
}

const ORDERS = {
  async load({ code, about }) {
    engine = new Engine(await WebAssembly.compile(code), about);
    end = about.stop;
    sample();
    return "";
  },
  play({ rate, until }) { speed = rate; end = until; play(true); return ""; },
  pace({ rate }) { speed = rate; pace(); return ""; },
  // at a row: curves end where the table and the picture are
  pause() {
    const { every, step } = engine.about;
    play(false);
    return run(Math.ceil(Math.round(engine.time / step) / every) * every, Infinity);
  },
  step({ count }) { play(false); return run(Math.round(engine.time / engine.about.step) + count, Infinity); },
  set({ reference, value }) { return engine.set(reference, value); },
  reset({ start, live }) {
    engine.start = start;
    engine.live = new Map(live);
    rows = [];
    const told = engine.reset();
    pace();
    if (told) play(false);
    else sample();
    return told;
  },
};

let line = Promise.resolve();
onmessage = event => {
  const { id, order, ...given } = event.data;
  line = line.then(() => ORDERS[order](given)).then(told => {
    if (order === "set" && !told && !playing) engine.look(0);
    report(id, told, { order });
  }, error => postMessage({ id, told: String(error.message || error), frame: null }));
};
