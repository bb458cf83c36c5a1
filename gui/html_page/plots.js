// --- what was recorded: rows of time and signals, as many as fit --------------------------------------------------
const STRETCH = 64;  // rows whose least and greatest are kept together, so that a long run is drawn as fast as a short one

class Record {
  constructor(columns, most = 4e6) {
    this.width = columns + 1;
    this.most = Math.max(2000, Math.floor(most / this.width));
    this.clear();
  }
  clear() { this.numbers = new Float64Array(this.width * 256); this.count = 0; this.dropped = false; this.kept = new Map(); }
  copy() {
    const other = new Record(this.width - 1);
    other.numbers = this.numbers.slice(0, this.count * this.width);
    other.count = this.count;
    return other;
  }
  add(samples) {
    const more = samples.length / this.width;
    if (this.count + more > this.most) {  // the older half goes
      const half = this.count >> 1;
      this.numbers.copyWithin(0, half * this.width, this.count * this.width);
      this.count -= half;
      this.kept.clear();
      this.dropped = true;
    }
    if ((this.count + more) * this.width > this.numbers.length) {
      const wider = new Float64Array(2 * (this.count + more) * this.width);
      wider.set(this.numbers.subarray(0, this.count * this.width));
      this.numbers = wider;
    }
    this.numbers.set(samples, this.count * this.width);
    this.count += more;
  }
  at(row, column) { return this.numbers[row * this.width + column + 1]; }
  time(row) { return this.numbers[row * this.width]; }
  // the least and the greatest of a column, from a row up to another
  extent(column, from, until) {
    if (!this.kept.has(column)) this.kept.set(column, []);
    const kept = this.kept.get(column), reach = [Infinity, -Infinity];
    while ((kept.length / 2 + 1) * STRETCH <= this.count) kept.push(...this.scan(column, kept.length / 2 * STRETCH, (kept.length / 2 + 1) * STRETCH, [Infinity, -Infinity]));
    const first = Math.ceil(from / STRETCH), last = Math.floor(until / STRETCH);
    if (first >= last) return this.scan(column, from, until, reach);
    this.scan(column, from, first * STRETCH, reach);
    for (let k = first; k < last; k++) {
      if (kept[2 * k] < reach[0]) reach[0] = kept[2 * k];
      if (kept[2 * k + 1] > reach[1]) reach[1] = kept[2 * k + 1];
    }
    return this.scan(column, last * STRETCH, until, reach);
  }
  scan(column, from, until, reach) {
    for (let k = from * this.width + column + 1; k < until * this.width; k += this.width) {
      const y = this.numbers[k];
      if (y < reach[0]) reach[0] = y;
      if (y > reach[1]) reach[1] = y;
    }
    return reach;
  }
  // the last row that is not after a time
  row(time) {
    let low = 0, high = this.count;
    while (low < high) { const k = (low + high) >> 1; if (this.time(k) <= time + 1e-9) low = k + 1; else high = k; }
    return Math.max(0, low - 1);
  }
}

const NOTHING = 1e-18;  // what is smaller, in any unit, is left of rounding
const short = (x, digits = 5) => {
  if (!Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  if (size !== 0 && (size < 1e-4 || size >= 1e7)) return x.toExponential(digits - 2).replace(/\.?0*e\+?/, "e");
  return String(Number(x.toPrecision(digits)));
};
// to a fixed width, so that what runs does not jump
const steady = x => {
  if (Math.abs(x) < NOTHING) x = 0;
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return String(x);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return x.toExponential(3).replace("e+", "e");
  return x.toFixed(size >= 1000 ? 1 : size >= 10 ? 2 : 4).replace(/^-(0\.0+)$/, "$1");
};

function ticks(low, high, wanted) {
  const rough = (high - low) / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(k => k * power).find(one => one >= rough * 0.999), found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

// with equal places, and large or small ones with one exponent for all
function labels(marks) {
  if (marks.length < 2) return marks.map(x => short(x));
  const size = Math.max(...marks.map(Math.abs)), power = size >= 1e5 || size < 1e-3 ? 3 * Math.floor(Math.log10(size) / 3) : 0;
  const places = -Math.floor(Math.log10(marks[1] - marks[0]) - power + 1e-9);
  return marks.map(x => (x / 10 ** power).toFixed(Math.min(20, Math.max(0, places))) + (power && x ? `e${power}` : ""));
}

// One plot: `entry` has title, unit, x (a column, none for time), lines [{ name, column, factor }], range.
class Plot {
  constructor(place, entry, record, moved) {
    Object.assign(this, { entry, record, cursor: null, before: null, drawn: 0, key: "", rows: 0, range: null });
    this.box = place.appendChild(document.createElement("div"));
    this.box.className = "plot";
    this.legend = this.box.appendChild(document.createElement("div"));
    this.legend.className = "legend";
    this.canvas = this.box.appendChild(document.createElement("canvas"));
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `Plot: ${entry.title}. Left and right move a cursor, which the legend reads.`);
    const title = this.legend.appendChild(document.createElement("b"));
    title.textContent = entry.title + (entry.unit ? ` [${entry.unit}]` : "");
    this.reads = entry.lines.map(line => {
      const item = this.legend.appendChild(document.createElement("span"));
      item.append(document.createElement("i"), entry.lines.length > 1 || line.name !== entry.title ? line.name + " " : "");
      return item.appendChild(document.createElement("span")).appendChild(document.createTextNode(""));
    });
    const seen = event => {
      const box = this.canvas.getBoundingClientRect(), share = (event.clientX - box.left - this.left) / this.wide;
      if (entry.x === null) moved(this.ends[0] + Math.min(1, Math.max(0, share)) * (this.ends[1] - this.ends[0]));
    };
    this.canvas.onpointermove = this.canvas.onpointerdown = seen;
    this.canvas.onpointerleave = () => moved(null);
    this.canvas.onkeydown = event => {
      const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (event.key === "Escape") moved(null);
      if (!way || entry.x !== null) return;
      event.preventDefault();
      event.stopPropagation();
      const from = this.cursor === null ? this.ends[1] : this.cursor;
      moved(Math.min(this.ends[1], Math.max(this.ends[0], from + way * (this.ends[1] - this.ends[0]) / 100)));
    };
  }

  stride(record) { return Math.max(1, Math.floor(record.count / (this.entry.x === null ? 2 * this.wide : 6000))); }

  // values of a line from a row on, one a pixel: the least and the greatest of each stretch
  *points(line, scale, record, from) {
    const { entry } = this, count = record.count, stride = this.stride(record);
    for (let k = from; k < count; k += stride) {
      if (stride === 1 || entry.x !== null) { yield [scale(k), record.at(k, line.column) * line.factor]; continue; }
      const [low, high] = record.extent(line.column, k, Math.min(count, k + stride));
      yield [scale(k), low * line.factor];
      yield [scale(k), high * line.factor];
    }
  }

  // ends with room for the planned curves, of x (0) or y (1)
  around([low, high], axis) {
    const ends = this.entry.planned.flatMap(curve => curve[axis]);
    if (!ends.length) return [low, high];
    const least = ends.reduce((a, b) => Math.min(a, b)), most = ends.reduce((a, b) => Math.max(a, b)), room = 0.06 * (most - least);
    return [Math.min(low, least - room), Math.max(high, most + room)];
  }

  spread(columns, factors) {
    let low = Infinity, high = -Infinity;
    for (const [n, column] of columns.entries()) {
      for (const record of this.before ? [this.record, this.before] : [this.record]) {
        const ends = record.extent(column, 0, record.count).map(y => y * factors[n]);
        low = Math.min(low, ...ends);  // a factor may be negative
        high = Math.max(high, ...ends);
      }
    }
    if (!(low <= high)) return [0, 1];
    if (Math.max(Math.abs(low), Math.abs(high)) < NOTHING) return [-0.1, 0.1];
    const room = 0.06 * (high - low), least = 1e-9 * Math.max(Math.abs(low), Math.abs(high));
    return room > least ? [low - room, high + room] : [low - (Math.abs(low) || 1) * 0.1, high + (Math.abs(high) || 1) * 0.1];
  }

  // within a run what has been drawn stays, and the range leaves room to grow into
  growing(running) {
    const { entry, range } = this, found = entry.range || this.around(this.spread(entry.lines.map(line => line.column), entry.lines.map(line => line.factor)), 1);
    if (!running || entry.range || !range) return found;
    const [low, high] = found, room = 0.2 * (high - low);
    if (low >= range[0] && high <= range[1] && range[1] - range[0] < 2 * (high - low)) return range;
    return [low < range[0] ? low - room : Math.max(low, range[0]), high > range[1] ? high + room : Math.min(high, range[1])];
  }

  // all that curves are drawn upon
  frame(pen, width, height, ratio, range, colours) {
    const { canvas, entry } = this;
    if (canvas.width !== Math.round(ratio * width) || canvas.height !== Math.round(ratio * height)) {
      canvas.width = Math.round(ratio * width);
      canvas.height = Math.round(ratio * height);
    }
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = this.font = this.font || getComputedStyle(document.body).font.replace(/\d+px/, "11px");
    const marks = ticks(...range, Math.max(2, height / 34)), texts = labels(marks);
    this.left = Math.ceil(Math.max(24, ...texts.map(text => pen.measureText(text).width))) + 8;
    this.wide = Math.max(10, width - this.left - 10);
    const top = 5, high = Math.max(10, height - 34);
    const across = x => this.left + (x - this.ends[0]) / (this.ends[1] - this.ends[0]) * this.wide;
    const up = y => top + high - (y - range[0]) / (range[1] - range[0]) * high;
    pen.strokeStyle = colours.grid;
    pen.fillStyle = colours.muted;
    pen.lineWidth = 1;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    pen.beginPath();
    marks.forEach((y, k) => {
      pen.moveTo(this.left, Math.round(up(y)) + 0.5);
      pen.lineTo(this.left + this.wide, Math.round(up(y)) + 0.5);
      pen.fillText(texts[k], this.left - 6, up(y));
    });
    pen.textAlign = "center";
    const below = ticks(...this.ends, Math.max(2, this.wide / 60)), words = labels(below);
    below.forEach((x, k) => {
      pen.moveTo(Math.round(across(x)) + 0.5, top);
      pen.lineTo(Math.round(across(x)) + 0.5, top + high);
      pen.fillText(words[k], across(x), top + high + 10);
    });
    pen.stroke();
    pen.textAlign = "right";
    pen.fillText(entry.xLabel, this.left + this.wide, top + high + 23);
  }

  draw(stop, colours, lines, running = false) {
    const { canvas, entry, record } = this, ratio = devicePixelRatio || 1, pen = canvas.getContext("2d");
    if (!running || !this.size) this.size = [canvas.clientWidth, canvas.clientHeight];
    const [width, height] = this.size;
    if (!width || !height) return;
    const begin = record.count ? record.time(0) : 0, last = record.count ? record.time(record.count - 1) : 0;
    this.ends = entry.x === null ? [begin, Math.max(stop, last)] : this.around(this.spread([entry.x], [1]), 0);
    const range = this.range = this.growing(running), dashed = entry.lines.length > lines.length;
    const key = [...this.size, ratio, ...this.ends, ...range, this.wide && this.stride(record)].join();
    const goes = running && key === this.key && this.cursor === null && !this.before && !dashed && record.count >= this.rows;
    const from = goes ? Math.max(0, this.rows - this.rows % this.stride(record) - this.stride(record)) : 0;
    if (!goes) this.frame(pen, width, height, ratio, range, colours);
    const top = 5, high = Math.max(10, height - 34);
    const across = x => this.left + (x - this.ends[0]) / (this.ends[1] - this.ends[0]) * this.wide;
    const up = y => top + high - (y - range[0]) / (range[1] - range[0]) * high;
    this.key = [...this.size, ratio, ...this.ends, ...range, this.stride(record)].join();
    this.rows = record.count;
    pen.save();
    pen.beginPath();
    pen.rect(this.left - 1, top - 1, this.wide + 2, high + 2);
    pen.clip();
    pen.lineWidth = 1.5;
    pen.lineJoin = "round";
    const along = record => entry.x === null ? k => across(record.time(k)) : k => across(record.at(k, entry.x));
    const curves = record => entry.lines.forEach((line, n) => {
      pen.strokeStyle = lines[n % lines.length];
      pen.setLineDash([[], [6, 3], [2, 3]][Math.floor(n / lines.length) % 3]);
      pen.beginPath();
      let begun = false;
      for (const [x, y] of this.points(line, along(record), record, record === this.record ? from : 0)) {
        if (!Number.isFinite(y)) { begun = false; continue; }
        if (begun) pen.lineTo(x, up(y)); else pen.moveTo(x, up(y));
        begun = true;
      }
      pen.stroke();
    });
    if (!goes) {
      pen.lineWidth = 1;
      pen.strokeStyle = colours.muted;
      pen.setLineDash([6, 4]);
      for (const [x, y] of entry.planned) {
        pen.beginPath();
        x.forEach((at, k) => pen.lineTo(across(at), up(y[k])));
        pen.stroke();
      }
      pen.setLineDash([]);
      pen.lineWidth = 1.5;
    }
    if (this.before) {
      pen.globalAlpha = 0.4;
      curves(this.before);
      pen.globalAlpha = 1;
    }
    curves(record);
    pen.setLineDash([]);
    const scale = along(record);
    const at = this.at();
    if (this.cursor !== null && at >= 0) {
      pen.strokeStyle = colours.text;
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(scale(at), top);
      pen.lineTo(scale(at), top + high);
      pen.stroke();
    }
    pen.restore();
  }

  at() {
    const { cursor, record } = this;
    return record.count ? (cursor === null ? record.count - 1 : record.row(cursor)) : -1;
  }

  // the legend, with what the curves are at the cursor
  tell(lines) {
    const { entry, record, cursor } = this, at = this.at();
    this.reads.forEach((read, n) => {
      const line = entry.lines[n], text = at < 0 ? "" : steady(record.at(at, line.column) * line.factor) + (line.unit ? ` ${line.unit}` : "");
      if (read.data !== text) read.data = text;
      const mark = read.parentElement.parentElement.firstChild, colour = lines[n % lines.length];
      if (mark.dataset.colour !== colour) mark.style.background = mark.dataset.colour = colour;
    });
    this.box.dataset.cursor = cursor === null ? "" : record.count ? record.time(at) : "";
  }
}
