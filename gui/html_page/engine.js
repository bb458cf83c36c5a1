"use strict";
// A model: its code, and where things are in its words. It knows no page, so that a worker runs it as a test does.

const half = x => { const whole = Math.trunc(x); return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole; };
const even = x => { const low = Math.floor(x), rest = x - low; return rest < 0.5 || (rest === 0.5 && low % 2 === 0) ? low : low + 1; };
// what the code calls of the C library: names of `solver/fmi/wasm_module.py`
const MATHS = {
  ceil: Math.ceil, fabs: Math.abs, floor: Math.floor, sqrt: Math.sqrt, trunc: Math.trunc, round: half, rint: even,
  nearbyint: even,
  copysign: (x, y) => (y < 0 || Object.is(y, -0) ? -1 : 1) * Math.abs(x),
  fmax: (x, y) => (x !== x ? y : y !== y ? x : Math.max(x, y)), fmin: (x, y) => (x !== x ? y : y !== y ? x : Math.min(x, y)),
  fmod: (x, y) => x % y, ldexp: (x, power) => x * 2 ** power, remainder: (x, y) => x - y * even(x / y),
};

class Engine {
  // about: rows, columns, poses, stride, bodies (places in words, and counts), step (s)
  constructor(module, about) {
    this.about = about;
    this.model = new WebAssembly.Instance(module, { env: MATHS }).exports;
    this.words = this.model.numbers();
    this.live = new Map();  // by reference: what was set, SI
    this.start = null;      // other words at the beginning: { at, words }
    this.reset();
  }

  get time() { return this.model.time(); }
  numbers(at, count) { return new Float64Array(this.model.memory.buffer, this.words + 8 * at, count); }

  // why it cannot be done, in one sentence
  said(status) {
    if (!status) return "";
    const bytes = new Uint8Array(this.model.memory.buffer, this.model.text());
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  reset() {
    this.model.prepare();
    if (this.start) {
      const all = new BigInt64Array(this.model.memory.buffer, this.words);
      this.start.at.forEach((at, k) => { all[at] = this.start.words[k]; });
    }
    for (const [reference, value] of this.live) this.model.set(reference, value);
    return this.look(this.model.start());
  }

  set(reference, value) {
    const told = this.said(this.model.set(reference, value));
    if (!told) this.live.set(reference, value);
    return told;
  }

  step(count) { return this.look(this.model.step(count)); }

  look(status) {
    const told = this.said(status);
    if (!told) this.model.look_at_outputs();
    return told;
  }

  row() { return this.numbers(this.about.rows, this.about.columns).slice(); }

  // rotation and place of each body, twelve numbers
  pose() {
    const { poses, stride, bodies } = this.about, found = new Float64Array(12 * bodies);
    for (let k = 0; k < bodies; k++) found.set(this.numbers(poses + stride * k, 12), 12 * k);
    return found;
  }
}
