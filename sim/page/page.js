// sim/page/page.js - what the page of `lockstep report` can do: the chart of jobs and their stories, reading values
// off the figures, light and dark.  Part of the page by page_html.c; the layout of the data is in page_pack.h.
// Whatever comes from a run is put into the page as text only.
"use strict";
(() => {
const $ = id => document.getElementById(id);
const page = JSON.parse($("page-data").textContent);
const COLOURS = 8, OTHERS = 8;
const DAY_S = 86400;
const canvas = $("chart"), tip = $("chart-tip");
const chart = { run: null, by: "place", x0: 0, x1: 1, y0: 0, y1: 1, chosen: -1, pending: false };
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

// ---------------------------------------------------------------- light and dark

const media = matchMedia("(prefers-color-scheme: dark)");
function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : media.matches;
}
function showTheme() {
  $("theme").textContent = isDark() ? "Light" : "Dark";
  $("theme").setAttribute("aria-label", isDark() ? "Use light colours" : "Use dark colours");
  readColours();
  if (chart.run !== null) showLegend();
  drawSoon();
}
$("theme").addEventListener("click", () => {
  document.documentElement.dataset.theme = isDark() ? "light" : "dark";
  showTheme();
});
media.addEventListener("change", () => showTheme());

let colours = {};
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const value = name => style.getPropertyValue("--" + name).trim();
  colours = { paper: value("paper"), ink: value("ink"), quiet: value("quiet"), edge: value("edge"), grid: value("grid"),
    of: [] };
  for (let i = 0; i < COLOURS; i++) colours.of.push(value("c" + i));
  colours.of.push(colours.edge);
  FORMS.forEach(([name, form]) => colours.of.push(hatched(value("state-" + name), form)));
}

// ---------------------------------------------------------------- states

// What people expect of a state, the same in light and dark; and a form of its own, for eyes that do not tell the
// colours apart.  Lines and dots are in a tile of 8 by 8.
const FORMS = [["done", ""], ["failed", "M0 8L8 0M-2 2L2 -2M6 10L10 6"], ["timeout", "M4 0V8"], ["cancelled", "M2 3H4M6 7H8"],
  ["node", "M0 8L8 0M0 0L8 8"], ["memory", "M0 4H8"], ["back", "M0 0L8 8M-2 6L2 10M6 -2L10 2"], ["running", ""], ["pending", "M3 3H5V5H3Z"]];
const STATES = { COMPLETED: 0, FAILED: 1, TIMEOUT: 2, DEADLINE: 2, CANCELLED: 3, REVOKED: 3, NODE_FAIL: 4, BOOT_FAIL: 4, OUT_OF_MEMORY: 5,
  PREEMPTED: 6, REQUEUED: 6, SPECIAL_EXIT: 6, SUSPENDED: 6, RUNNING: 7, COMPLETING: 7, PENDING: 8 };
// A colour with a form on it: a pattern, and the picture of its tile for legends.
function hatched(colour, form) {
  if (form === "") return colour;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const context = tile.getContext("2d");
  context.fillStyle = colour;
  context.fillRect(0, 0, 8, 8);
  context.strokeStyle = "#ffffff";
  context.globalAlpha = .75;
  context.lineWidth = 1.6;
  context.stroke(new Path2D(form));
  const pattern = context.createPattern(tile, "repeat");
  pattern.picture = "url(" + tile.toDataURL() + ")";
  return pattern;
}

// ---------------------------------------------------------------- times

// Offset of the page's zone from UTC, in seconds.
function offsetAt(timeS) {
  let offset = page.offsets_s[1];
  for (let i = 0; i < page.offsets_s.length; i += 2) if (page.offsets_s[i] <= timeS) offset = page.offsets_s[i + 1];
  return offset;
}
const two = n => String(n).padStart(2, "0");
function moment(timeS) {
  const local = timeS + (page.zone === null ? 0 : offsetAt(timeS));
  const day = Math.floor(local / DAY_S), rest = local - day * DAY_S;
  const clock = two(Math.floor(rest / 3600)) + ":" + two(Math.floor(rest / 60) % 60) + ":" + two(Math.floor(rest % 60));
  if (page.zone === null) return "day " + day + ", " + clock;
  return new Date(day * DAY_S * 1000).toISOString().slice(0, 10) + " " + clock;
}
function duration(s) {
  const units = [[DAY_S, "d", 3600, "h"], [3600, "h", 60, "min"], [60, "min", 1, "s"]];
  for (const [unit, word, next, nextWord] of units) {
    if (s < unit) continue;
    const whole = Math.floor(s / unit), rest = Math.floor(s % unit / next);
    return whole + " " + word + (rest > 0 ? " " + rest + " " + nextWord : "");
  }
  return Number(s.toFixed(3)) + " s";
}
// Round times in the page's zone: pairs of a time and its text.
const STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, DAY_S, 2 * DAY_S,
  7 * DAY_S, 14 * DAY_S];
function ticks(beginS, endS, most) {
  const step = STEPS_S.find(s => (endS - beginS) / s <= most - 1);
  if (step === undefined) return monthTicks(beginS, endS, most);
  const out = [];
  // Days are counted from a Monday, 1970-01-05.
  const base = page.zone !== null && step >= 7 * DAY_S ? 4 * DAY_S : 0;
  const localOf = t => t + (page.zone === null ? 0 : offsetAt(t));
  let local = Math.floor((localOf(beginS) - base) / step) * step + base;
  for (let i = 0; i < 100; i++, local += step) {
    let at = local - (page.zone === null ? 0 : offsetAt(local));
    if (page.zone !== null) at = local - offsetAt(at);
    if (at > endS) break;
    if (at >= beginS) out.push([at, tickText(local, step)]);
  }
  return out;
}
function tickText(local, step) {
  if (page.zone === null) {
    if (step >= DAY_S) return local / DAY_S + " d";
    if (step >= 3600) return local / 3600 + " h";
    return step >= 60 ? local / 60 + " min" : local + " s";
  }
  const date = new Date(local * 1000);
  if (local % DAY_S === 0) return date.getUTCDate() + " " + MONTHS[date.getUTCMonth()];
  const text = two(date.getUTCHours()) + ":" + two(date.getUTCMinutes());
  return step < 60 ? text + ":" + two(date.getUTCSeconds()) : text;
}
function monthTicks(beginS, endS, most) {
  const months = (endS - beginS) / (30.4 * DAY_S);
  const step = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000].find(s => months / s <= most - 1) || 60000;
  const out = [];
  if (page.zone === null) {
    const stepS = step * 30 * DAY_S;
    for (let at = Math.ceil(beginS / stepS) * stepS; at <= endS; at += stepS) out.push([at, at / DAY_S + " d"]);
    return out;
  }
  const first = new Date(beginS * 1000);
  let month = first.getUTCFullYear() * 12 + first.getUTCMonth();
  for (month -= month % step; out.length < 100; month += step) {
    const local = Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000;
    const at = local - offsetAt(local);
    if (at > endS) break;
    const isYear = step % 12 === 0 || month % 12 === 0;
    if (at >= beginS) out.push([at, isYear ? String(Math.floor(month / 12)) : MONTHS[month % 12]]);
  }
  return out;
}

// ---------------------------------------------------------------- reading values off the figures

function nearby(svg, event) {
  const box = svg.getBoundingClientRect();
  const frame = svg.dataset.frame.split(" ").map(Number);
  const scale = svg.viewBox.baseVal.width / box.width;
  const x = (event.clientX - box.left) * scale;
  return { part: (x - frame[0]) / (frame[1] - frame[0]), x, frame };
}
function cursorOf(svg) {
  let line = svg.querySelector(".cursor");
  if (line === null) {
    line = document.createElementNS("http://www.w3.org/2000/svg", "line");
    line.setAttribute("class", "cursor");
    svg.append(line);
  }
  return line;
}
function readFigure(figure) {
  const section = $(figure.name);
  const readout = section.querySelector(".readout");
  const count = figure.values[0].length;
  const show = (svg, event) => {
    const { part, x, frame } = nearby(svg, event);
    if (part < 0 || part > 1) return;
    const bin = Math.min(count - 1, Math.floor(part * count));
    const line = cursorOf(svg);
    line.setAttribute("x1", x); line.setAttribute("x2", x);
    line.setAttribute("y1", frame[2]); line.setAttribute("y2", frame[3]);
    const parts = figure.values.map((values, i) => values[bin] === null ? null :
      (figure.labels.length > 1 ? figure.labels[i] + " " : "") + Number(values[bin].toFixed(2)));
    readout.textContent = moment((figure.begin_us + bin * figure.width_us) / 1e6) + ": " +
      parts.filter(p => p !== null).join(", ") + " " + figure.unit;
  };
  for (const svg of section.querySelectorAll("svg")) {
    svg.addEventListener("pointermove", event => show(svg, event));
    svg.addEventListener("pointerdown", event => show(svg, event));
  }
}
page.figures.forEach(readFigure);

// ---------------------------------------------------------------- the jobs of a run

async function unpack(index) {
  const text = $("run-" + index).textContent;
  const bytes = Uint8Array.from(atob(text), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
function decode(bytes) {
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const run = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  let at = 4 + length;
  const next = () => {
    let value = 0, scale = 1, byte;
    do {
      byte = bytes[at++];
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  };
  const count = run.kept_count;
  for (const column of page.columns) {
    const [name, sign] = column.split("/");
    const values = new Float64Array(count);
    for (let i = 0; i < count; i++) {
      const value = next();
      values[i] = sign === "u" ? value : value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    }
    run[name === "reasons" ? "reasonCount" : name] = values; // `reasons` are the texts
  }
  for (let i = 1; i < count; i++) {
    run.number[i] += run.number[i - 1];
    run.submit[i] += run.submit[i - 1];
  }
  readPlaces(run, next);
  run.cells = bytes.subarray(at, at + run.grid.rows * run.grid.columns);
  settle(run);
  return run;
}
function readPlaces(run, next) {
  const sum = values => values.reduce((a, b) => a + b, 0);
  run.placeOf = new Uint32Array(run.kept_count + 1);
  run.first = new Uint32Array(sum(run.places));
  run.rowsOf = new Uint32Array(run.first.length);
  for (let i = 0, k = 0; i < run.kept_count; i++) {
    let end = 0;
    for (let p = 0; p < run.places[i]; p++, k++) {
      run.first[k] = end + next();
      run.rowsOf[k] = next();
      end = run.first[k] + run.rowsOf[k];
    }
    run.placeOf[i + 1] = k;
  }
  run.why = [];
  for (let i = 0; i < run.kept_count; i++) {
    const why = [];
    for (let p = 0; p < run.reasonCount[i]; p++) why.push([next(), next()]);
    run.why.push(why);
  }
}
// Times in seconds: submission, start, end (of what has not ended: the last moment that is known).
function settle(run) {
  const unit = run.unit_us / 1e6, last = run.end_us / 1e6, count = run.kept_count;
  run.submitS = new Float64Array(count);
  run.startS = new Float64Array(count);
  run.endS = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    run.submitS[i] = run.submit[i] * unit;
    run.startS[i] = run.wait[i] > 0 ? (run.submit[i] + run.wait[i] - 1) * unit : Infinity;
    run.endS[i] = run.run[i] > 0 ? run.startS[i] + (run.run[i] - 1) * unit : last;
  }
}
const idOf = (run, i) => run.id[i] > 0 ? run.texts[run.id[i] - 1] : String(run.number[i]);
const textOf = (run, column, i) => run[column][i] > 0 ? run.texts[run[column][i] - 1] : null;

// ---------------------------------------------------------------- colours of jobs

const BY = { user: "user", account: "account", qos: "QOS", partition: "partition", state: "state", size: "size", gpus: "GPUs" };
function colourChoices(run) {
  const some = column => { const v = run[column]; for (let i = 1; i < v.length; i++) if (v[i] !== v[0]) return true; return false; };
  return Object.keys(BY).filter(by => by === "size" || some(by));
}
function sizeClass(procs) {
  const limits = [1, 4, 16, 64, 256, 1024, 4096];
  const at = limits.findIndex(limit => procs <= limit);
  return at < 0 ? limits.length : at;
}
const SIZES = ["1", "2-4", "5-16", "17-64", "65-256", "257-1024", "1025-4096", "more"];
function classify(run, by) {
  const count = run.kept_count;
  run.colour = new Uint8Array(count);
  run.legend = [];
  if (by === "size" || by === "gpus") {
    const used = new Set(), amount = by === "size" ? i => run.procs[i] : i => run.gpus[i] / 1000;
    for (let i = 0; i < count; i++) used.add(run.colour[i] = amount(i) > 0 ? sizeClass(amount(i)) : OTHERS);
    const word = by === "size" ? " processor" : " GPU";
    SIZES.forEach((text, i) => { if (used.has(i)) run.legend.push([i, text + word + (i === 0 ? "" : "s")]); });
    if (used.has(OTHERS)) run.legend.push([OTHERS, "none"]);
    return;
  }
  if (by === "state") { classifyStates(run); return; }
  const tally = new Map();
  // Those that are most of the picture have colours of their own.
  const area = i => run.startS[i] === Infinity ? 0 : run.procs[i] * (run.endS[i] - run.startS[i]);
  for (let i = 0; i < count; i++) tally.set(run[by][i], (tally.get(run[by][i]) || 0) + area(i));
  const order = [...tally.keys()].sort((a, b) => tally.get(b) - tally.get(a) || a - b);
  const colourOf = new Map(order.map((key, i) => [key, i < COLOURS ? i : OTHERS]));
  for (let i = 0; i < count; i++) run.colour[i] = colourOf.get(run[by][i]);
  order.slice(0, COLOURS).forEach((key, i) => run.legend.push([i, key > 0 ? run.texts[key - 1] : "none"]));
  if (order.length > COLOURS) run.legend.push([OTHERS, "others"]);
}
function classifyStates(run) {
  const texts = new Map();
  for (let i = 0; i < run.kept_count; i++) {
    const text = textOf(run, "state", i) || "none", state = STATES[text.split(" ")[0]];
    run.colour[i] = state === undefined ? OTHERS : OTHERS + 1 + state;
    texts.set(text, run.colour[i]);
  }
  [...texts].sort((a, b) => a[1] - b[1] || (a[0] < b[0] ? -1 : 1)).forEach(([text, colour]) => run.legend.push([colour, text]));
}
function showLegend() {
  $("chart-legend").replaceChildren(...chart.run.legend.map(([colour, text]) => {
    const entry = document.createElement("span"), mark = document.createElement("i");
    mark.style.background = colours.of[colour].picture || colours.of[colour];
    entry.append(mark, document.createTextNode(text));
    return entry;
  }));
}

// ---------------------------------------------------------------- the chart

const LEFT = 64, BOTTOM = 24, TOP = 6;

const widthPx = () => canvas.clientWidth - LEFT - 4;
const heightPx = () => canvas.clientHeight - TOP - BOTTOM;
const xOf = t => LEFT + (t - chart.x0) / (chart.x1 - chart.x0) * widthPx();
const yOf = row => TOP + (row - chart.y0) / (chart.y1 - chart.y0) * heightPx();
const timeAt = x => chart.x0 + (x - LEFT) / widthPx() * (chart.x1 - chart.x0);
const rowAt = y => chart.y0 + (y - TOP) / heightPx() * (chart.y1 - chart.y0);
const rowCount = () => Math.max(1, chart.by === "job" ? chart.run.kept_count : chart.run.row_count);

function drawSoon() {
  if (chart.pending || chart.run === null) return;
  chart.pending = true;
  requestAnimationFrame(() => { chart.pending = false; draw(); });
}
function draw() {
  const ratio = window.devicePixelRatio || 1;
  const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours.paper;
  context.fillRect(0, 0, canvas.clientWidth, canvas.clientHeight);
  context.save();
  context.beginPath();
  context.rect(LEFT, TOP, widthPx(), heightPx());
  context.clip();
  drawGrid(context);
  if (chart.by === "place") drawPlaces(context); else drawRows(context);
  if (chart.chosen >= 0) drawChosen(context);
  context.restore();
  drawAxes(context);
}
function drawGrid(context) {
  context.strokeStyle = colours.grid;
  context.lineWidth = 1;
  context.beginPath();
  for (const [at] of ticks(chart.x0, chart.x1, tickMost())) {
    context.moveTo(Math.round(xOf(at)) + .5, TOP);
    context.lineTo(Math.round(xOf(at)) + .5, TOP + heightPx());
  }
  context.stroke();
}
const tickMost = () => Math.max(2, Math.floor(widthPx() / 60));
function eachBox(i, use) {
  const run = chart.run;
  for (let k = run.placeOf[i]; k < run.placeOf[i + 1]; k++) use(run.first[k], run.rowsOf[k]);
}
function drawPlaces(context) {
  const run = chart.run;
  if (run.kept_count < run.job_count) drawShade(context);
  const gap = heightPx() / (chart.y1 - chart.y0) > 5 ? 1 : 0;
  const used = new Set(run.legend.map(([colour]) => colour));
  for (let colour = colours.of.length - 1; colour >= 0; colour--) {
    if (!used.has(colour)) continue;
    context.fillStyle = colours.of[colour];
    for (let i = 0; i < run.kept_count; i++) {
      if (run.colour[i] !== colour || run.startS[i] > chart.x1 || run.endS[i] < chart.x0) continue;
      const x = xOf(run.startS[i]), w = xOf(run.endS[i]) - x;
      eachBox(i, (first, rows) => {
        if (first > chart.y1 || first + rows < chart.y0) return;
        const y = yOf(first), h = yOf(first + rows) - y;
        context.fillRect(x, y, Math.max(.6, w - (w > 4 ? 1 : 0)), Math.max(.6, h - gap));
      });
    }
  }
}
// How much was in use, by all jobs: behind those that are drawn one by one. A picture with a pixel for each cell.
function shadeOf(run) {
  if (run.shadeColour === colours.edge) return run.shade;
  const shade = document.createElement("canvas");
  shade.width = run.grid.columns;
  shade.height = run.grid.rows;
  const context = shade.getContext("2d"), image = context.createImageData(shade.width, shade.height);
  const rgb = [1, 3, 5].map(at => parseInt(colours.edge.slice(at, at + 2), 16));
  for (let i = 0; i < run.cells.length; i++) {
    image.data.set(rgb, 4 * i);
    image.data[4 * i + 3] = run.cells[i] / 2;
  }
  context.putImageData(image, 0, 0);
  run.shade = shade;
  run.shadeColour = colours.edge;
  return shade;
}
function drawShade(context) {
  const run = chart.run, left = xOf(run.grid.begin_us / 1e6), top = yOf(0);
  context.imageSmoothingEnabled = false;
  context.drawImage(shadeOf(run), left, top, xOf(run.grid.end_us / 1e6) - left, yOf(run.row_count) - top);
}
// A row a job: what it waited, light, and what it ran.
function drawRows(context) {
  const run = chart.run, h = Math.max(1, heightPx() / (chart.y1 - chart.y0) - (chart.y1 - chart.y0 < heightPx() / 4 ? 1 : 0));
  const from = Math.max(0, Math.floor(chart.y0)), until = Math.min(run.kept_count, Math.ceil(chart.y1));
  for (let i = from; i < until; i++) {
    const y = yOf(i), submit = xOf(run.submitS[i]);
    const start = run.startS[i] === Infinity ? xOf(run.endS[i]) : xOf(run.startS[i]);
    context.fillStyle = colours.of[run.colour[i]];
    context.globalAlpha = .3;
    context.fillRect(submit, y, Math.max(0, start - submit), h);
    context.globalAlpha = 1;
    if (run.startS[i] !== Infinity) context.fillRect(start, y, Math.max(1, xOf(run.endS[i]) - start), h);
  }
}
function drawChosen(context) {
  const run = chart.run, i = chart.chosen;
  const frame = (x, y, w, h) => {
    context.strokeStyle = colours.paper;
    context.lineWidth = 5;
    context.strokeRect(x, y, w, h);
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.strokeRect(x, y, w, h);
  };
  const end = xOf(run.endS[i]);
  if (chart.by === "job") frame(xOf(run.submitS[i]), yOf(i), Math.max(3, end - xOf(run.submitS[i])), Math.max(3, yOf(i + 1) - yOf(i)));
  else eachBox(i, (first, rows) => frame(xOf(run.startS[i]), yOf(first), Math.max(3, end - xOf(run.startS[i])),
    Math.max(3, yOf(first + rows) - yOf(first))));
}
function drawAxes(context) {
  context.fillStyle = colours.ink;
  context.font = "12px system-ui, sans-serif";
  context.textAlign = "center";
  for (const [at, text] of ticks(chart.x0, chart.x1, tickMost())) {
    const x = xOf(at), half = context.measureText(text).width / 2;
    if (x - half > LEFT - 20 && x + half < canvas.clientWidth) context.fillText(text, x, canvas.clientHeight - 8);
  }
  context.textAlign = "right";
  const most = Math.max(2, Math.floor(heightPx() / 22)), span = chart.y1 - chart.y0;
  const step = [1, 2, 5].flatMap(n => [0, 1, 2, 3, 4, 5, 6].map(e => n * 10 ** e)).sort((a, b) => a - b).find(s => span / s <= most) || 1e7;
  // A label stands beside the middle of its row.
  for (let row = Math.ceil(chart.y0 / step) * step; row < Math.min(chart.y1, rowCount()); row += step) {
    const y = yOf(row + .5);
    if (y > TOP + 2 && y < TOP + heightPx() - 2) context.fillText(rowText(row), LEFT - 6, Math.max(y + 4, TOP + 9), LEFT - 8);
  }
  context.strokeStyle = colours.edge;
  context.lineWidth = 1;
  context.strokeRect(LEFT - .5, TOP - .5, widthPx() + 1, heightPx() + 1);
}
function rowText(row) {
  if (chart.by === "job") return idOf(chart.run, row);
  return chart.run.rows.length > 0 ? chart.run.rows[row] : String(row);
}

// ---------------------------------------------------------------- moving about

function clampView() {
  const spanMax = (page.end_us - page.begin_us) / 1e6, rows = rowCount();
  let span = Math.min(Math.max(chart.x1 - chart.x0, Math.min(1, spanMax)), spanMax * 1.04);
  const low = page.begin_us / 1e6 - spanMax * .02, high = page.end_us / 1e6 + spanMax * .02;
  chart.x0 = Math.min(Math.max(chart.x0, low), high - span);
  chart.x1 = chart.x0 + span;
  span = Math.min(Math.max(chart.y1 - chart.y0, Math.min(4, rows)), rows);
  chart.y0 = Math.min(Math.max(chart.y0, 0), rows - span);
  chart.y1 = chart.y0 + span;
}
function showAll() {
  const span = (page.end_us - page.begin_us) / 1e6;
  chart.x0 = page.begin_us / 1e6 - span * .01;
  chart.x1 = page.end_us / 1e6 + span * .01;
  chart.y0 = 0;
  chart.y1 = rowCount();
  clampView();
  drawSoon();
}
function zoom(factor, x, y) {
  const time = timeAt(x), row = rowAt(y), rowFactor = Math.sqrt(factor);
  chart.x0 = time + (chart.x0 - time) * factor;
  chart.x1 = time + (chart.x1 - time) * factor;
  chart.y0 = row + (chart.y0 - row) * rowFactor;
  chart.y1 = row + (chart.y1 - row) * rowFactor;
  clampView();
  drawSoon();
}
function pan(dx, dy) {
  const time = dx / widthPx() * (chart.x1 - chart.x0), rows = dy / heightPx() * (chart.y1 - chart.y0);
  chart.x0 -= time; chart.x1 -= time;
  chart.y0 -= rows; chart.y1 -= rows;
  clampView();
  drawSoon();
}
// The job below a point: the one that began last, of several.
function jobAt(x, y) {
  const run = chart.run, time = timeAt(x), row = rowAt(y), slack = (chart.x1 - chart.x0) / widthPx() * 3;
  if (x < LEFT || y > TOP + heightPx()) return -1;
  if (chart.by === "job") {
    const i = Math.floor(row);
    return i >= 0 && i < run.kept_count && time >= run.submitS[i] - slack && time <= run.endS[i] + slack ? i : -1;
  }
  const rowSlack = Math.max(0, (chart.y1 - chart.y0) / heightPx() * 2 - .5);
  let best = -1, bestOff = Infinity;
  for (let i = 0; i < run.kept_count; i++) {
    if (run.startS[i] > time + slack || run.endS[i] < time - slack) continue;
    const off = Math.max(0, run.startS[i] - time, time - run.endS[i]);
    eachBox(i, (first, rows) => {
      if (row >= first - rowSlack && row < first + rows + rowSlack && off <= bestOff) { best = i; bestOff = off; }
    });
  }
  return best;
}
function centreOn(i) {
  const run = chart.run, row = chart.by === "job" ? i : run.placeOf[i] < run.placeOf[i + 1] ? run.first[run.placeOf[i]] : chart.y0;
  const time = run.startS[i] === Infinity ? run.submitS[i] : run.startS[i];
  if (time < chart.x0 || time > chart.x1) { const half = (chart.x1 - chart.x0) / 2; chart.x0 = time - half; chart.x1 = time + half; }
  if (row < chart.y0 || row >= chart.y1) { const half = (chart.y1 - chart.y0) / 2; chart.y0 = row - half; chart.y1 = row + half; }
  clampView();
}
function choose(i, moves) {
  chart.chosen = i;
  if (i >= 0 && moves) centreOn(i);
  tellStory();
  drawSoon();
}

const pointers = new Map();
let moved = 0, pinch = 0;
const local = event => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
canvas.addEventListener("pointerdown", event => {
  pointers.set(event.pointerId, local(event));
  canvas.setPointerCapture(event.pointerId);
  moved = 0;
  pinch = 0;
});
canvas.addEventListener("pointermove", event => {
  const [x, y] = local(event);
  if (!pointers.has(event.pointerId)) { showTip(x, y); return; }
  const [beforeX, beforeY] = pointers.get(event.pointerId);
  pointers.set(event.pointerId, [x, y]);
  if (pointers.size === 1) {
    moved += Math.abs(x - beforeX) + Math.abs(y - beforeY);
    if (moved > 5) pan(x - beforeX, y - beforeY);
  } else if (pointers.size === 2) {
    const [a, b] = [...pointers.values()];
    const distance = Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (pinch > 0 && distance > 0) zoom(pinch / distance, (a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
    pinch = distance;
    moved = 100;
  }
});
canvas.addEventListener("pointerup", event => {
  const isClick = pointers.size === 1 && moved <= 5;
  pointers.delete(event.pointerId);
  pinch = 0;
  if (isClick) choose(jobAt(...local(event)), false);
});
canvas.addEventListener("pointercancel", event => { pointers.delete(event.pointerId); pinch = 0; });
canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
canvas.addEventListener("wheel", event => {
  if (!event.ctrlKey && document.activeElement !== canvas) return;
  event.preventDefault();
  zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), ...local(event));
}, { passive: false });
canvas.addEventListener("keydown", event => {
  const middle = [LEFT + widthPx() / 2, TOP + heightPx() / 2];
  const step = i => choose(Math.min(chart.run.kept_count - 1, Math.max(0, chart.chosen + i)), true);
  const keys = {
    ArrowLeft: () => pan(80, 0), ArrowRight: () => pan(-80, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60),
    "+": () => zoom(.7, ...middle), "=": () => zoom(.7, ...middle), "-": () => zoom(1 / .7, ...middle),
    Home: showAll, n: () => step(1), p: () => step(-1), Enter: () => choose(nearest(...middle), true),
  };
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (!(key in keys) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  keys[key]();
});
// For the keyboard: the job whose middle is nearest to a point.
function nearest(x, y) {
  const run = chart.run;
  let best = -1, bestOff = Infinity;
  for (let i = 0; i < run.kept_count; i++) {
    const row = chart.by === "job" ? i : run.placeOf[i] < run.placeOf[i + 1] ? run.first[run.placeOf[i]] : -1;
    if (row < 0 || run.startS[i] === Infinity) continue;
    const off = Math.hypot(xOf((run.startS[i] + run.endS[i]) / 2) - x, yOf(row) - y);
    if (off < bestOff) { best = i; bestOff = off; }
  }
  return best;
}
function showTip(x, y) {
  const i = chart.run === null ? -1 : jobAt(x, y);
  tip.hidden = i < 0;
  if (i < 0) return;
  const user = textOf(chart.run, "user", i);
  tip.textContent = "Job " + idOf(chart.run, i) + (user !== null ? ", user " + user : "") + ", " + chart.run.procs[i] +
    " processor" + (chart.run.procs[i] === 1 ? "" : "s");
  tip.style.left = Math.max(0, Math.min(x + 14, canvas.clientWidth - 200)) + "px";
  tip.style.top = y + 14 + "px";
}

// ---------------------------------------------------------------- a job's story

function paragraph(parent, text, kind) {
  const element = document.createElement(kind || "p");
  element.textContent = text;
  parent.append(element);
  return element;
}
function tellStory() {
  const story = $("story"), run = chart.run, i = chart.chosen;
  story.replaceChildren();
  if (i < 0) { paragraph(story, "Choose a job to see its story."); return; }
  const title = textOf(run, "title", i);
  paragraph(story, "Job " + idOf(run, i) + (title !== null ? " \u201c" + title + "\u201d" : ""), "h3");
  paragraph(story, whoAndWhat(run, i));
  const list = document.createElement("ol");
  story.append(list);
  paragraph(list, "Submitted " + moment(run.submitS[i]) + ".", "li");
  tellWait(list, run, i);
  tellRun(list, run, i);
}
function whoAndWhat(run, i) {
  const parts = [];
  for (const [column, word] of [["user", "user"], ["account", "account"], ["qos", "QOS"], ["partition", "partition"]]) {
    const text = textOf(run, column, i);
    if (text !== null) parts.push(word + " " + text);
  }
  parts.push(run.procs[i] + " processor" + (run.procs[i] === 1 ? "" : "s"));
  if (run.gpus[i] > 0) parts.push(run.gpus[i] / 1000 + " GPU" + (run.gpus[i] === 1000 ? "" : "s"));
  parts.push(run.limit[i] > 0 ? "time limit " + duration((run.limit[i] - 1) * run.unit_us / 1e6) : "no time limit");
  const text = parts.join(", ");
  return text[0].toUpperCase() + text.slice(1) + ".";
}
function tellWait(list, run, i) {
  const unit = run.unit_us / 1e6;
  const waits = run.startS[i] === Infinity ? run.endS[i] - run.submitS[i] : run.startS[i] - run.submitS[i];
  if (waits <= 0) { paragraph(list, "Did not wait.", "li"); return; }
  const why = run.why[i].filter(([, time]) => time > 0);
  const item = paragraph(list, "Waited " + duration(waits), "li");
  if (why.length > 0) item.append(": " + why.map(([reason, time]) => run.reasons[reason] + " for " + duration(time * unit)).join(", ") + ".");
  else if (run.has_reasons > 0) item.append(".");
  // Accounting keeps the last reason, where that was not others or room.
  else if (run.is_live > 0) item.append(run.why[i].length > 0 ? "; last for " + run.reasons[run.why[i][0][0]] + "." :
    "; last for other jobs, or for room.");
  else item.append("; why is told where the run has a journal.");
  nameBlockers(item, run, i);
}
// Who ran instead of it: jobs that started while it waited, by user, and the last that left its nodes or processors.
function nameBlockers(item, run, i) {
  const counts = new Map(), until = Math.min(run.startS[i], run.endS[i]);
  let started = 0, last = -1;
  for (let j = 0; j < run.kept_count; j++) {
    if (j === i) continue;
    if (run.startS[j] >= run.submitS[i] && run.startS[j] < until) {
      const user = textOf(run, "user", j);
      started++;
      counts.set(user, (counts.get(user) || 0) + 1);
    }
    if (run.endS[j] > run.submitS[i] && run.endS[j] <= run.startS[i] && run.run[j] > 0 && run.startS[i] !== Infinity &&
        (last < 0 || run.endS[j] > run.endS[last]) && sharesPlace(run, i, j)) last = j;
  }
  if (started > 0) {
    const [user, count] = [...counts].reduce((best, one) => one[1] > best[1] ? one : best);
    item.append(" Meanwhile " + started + " other job" + (started === 1 ? "" : "s") + " started" +
      (user !== null ? ", " + (count === started ? "" : count + " of them ") + "of user " + user : "") + ".");
  }
  if (last < 0) return;
  const user = textOf(run, "user", last);
  item.append(" The last to leave its " + (run.rows.length > 0 ? "nodes" : "processors") + ": job " + idOf(run, last) + " (" +
    (user !== null ? "user " + user + ", " : "") + run.procs[last] + " processor" + (run.procs[last] === 1 ? "" : "s") + ") at " +
    moment(run.endS[last]) + ".");
}
function sharesPlace(run, i, j) {
  for (let p = run.placeOf[i]; p < run.placeOf[i + 1]; p++)
    for (let q = run.placeOf[j]; q < run.placeOf[j + 1]; q++)
      if (run.first[p] < run.first[q] + run.rowsOf[q] && run.first[q] < run.first[p] + run.rowsOf[p]) return true;
  return false;
}
function tellRun(list, run, i) {
  if (run.startS[i] === Infinity) { paragraph(list, run.run[i] > 0 ? "Ended without having started." : "Had not started.", "li"); return; }
  let where = "";
  if (run.rows.length > 0 && run.placeOf[i] < run.placeOf[i + 1]) {
    const parts = [];
    eachBox(i, (first, rows) => parts.push(rows === 1 ? run.rows[first] : run.rows[first] + " to " + run.rows[first + rows - 1]));
    where = " on " + parts.slice(0, 20).join(", ") + (parts.length > 20 ? " and " + (parts.length - 20) + " more" : "");
  }
  const isBackfilled = run.flags[i] % 2 === 1, isRequeued = run.flags[i] >= 2;
  paragraph(list, "Started " + moment(run.startS[i]) + where + (isBackfilled ? ", backfilled: before a job that deserved to run before it" : "") + ".", "li");
  if (run.run[i] === 0) { paragraph(list, "Was running at the end of what is known.", "li"); return; }
  const state = textOf(run, "state", i);
  paragraph(list, "Ended " + moment(run.endS[i]) + " after " + duration(run.endS[i] - run.startS[i]) + ": " + state +
    (isRequeued && state !== "REQUEUED" ? ", and went back to the queue" : "") + ".", "li");
}

// ---------------------------------------------------------------- controls

const runs = [];
function fill(select, pairs) {
  select.replaceChildren(...pairs.map(([value, text]) => new Option(text, value)));
}
async function showRun(index) {
  if (runs[index] === undefined) runs[index] = decode(await unpack(index));
  const run = chart.run = runs[index];
  chart.chosen = -1;
  const word = run.rows.length > 0 ? "by node" : "by processor";
  $("chart-rows").options[0].textContent = word;
  const choices = colourChoices(run), before = $("chart-colour").value;
  fill($("chart-colour"), choices.map(by => [by, "by " + BY[by]]));
  $("chart-colour").value = choices.includes(before) ? before : choices[0];
  classify(run, $("chart-colour").value);
  $("chart-note").textContent = noteOf(run);
  showLegend();
  tellStory();
  showAll();
  canvas.dataset.ready = String(index);
}
function noteOf(run) {
  const count = run.kept_count.toLocaleString("en"), all = run.job_count.toLocaleString("en");
  const made = run.rows.length === 0 ? " A counted pool has no nodes: processors are numbered here, and a job is drawn on the lowest that were free." : "";
  if (run.kept_count === run.job_count) return count + " jobs." + made;
  return count + " of " + all + " jobs are drawn one by one: the largest, those that waited longest, and every n-th. " +
    "The shade is what all jobs used." + made;
}
function find() {
  const wanted = $("chart-find").value.trim();
  if (wanted === "") return;
  let found = -1;
  for (let i = 0; i < chart.run.kept_count && found < 0; i++) if (idOf(chart.run, i) === wanted) found = i;
  if (found >= 0) { choose(found, true); return; }
  chart.chosen = -1;
  tellStory();
  const isWhole = chart.run.kept_count === chart.run.job_count;
  $("story").firstChild.textContent = isWhole ? "There is no job " + wanted + "." : "Job " + wanted + " is not among those that are drawn one by one.";
  drawSoon();
}
$("chart-run").addEventListener("change", event => showRun(Number(event.target.value)));
$("chart-rows").addEventListener("change", event => { chart.by = event.target.value; showAll(); });
$("chart-colour").addEventListener("change", event => { classify(chart.run, event.target.value); showLegend(); drawSoon(); });
$("chart-find").addEventListener("change", find);
$("chart-in").addEventListener("click", () => zoom(.6, LEFT + widthPx() / 2, TOP + heightPx() / 2));
$("chart-out").addEventListener("click", () => zoom(1 / .6, LEFT + widthPx() / 2, TOP + heightPx() / 2));
$("chart-all").addEventListener("click", showAll);
window.addEventListener("resize", drawSoon);

fill($("chart-run"), page.labels.map((label, i) => [i, label]));
if (page.labels.length < 2) $("chart-run").parentElement.hidden = true;
showTheme();
if (typeof DecompressionStream === "undefined") $("chart-note").textContent = "The chart of jobs needs a newer browser.";
else showRun(0);
})();
