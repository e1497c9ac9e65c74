// Charts over rounds. Data are put in place of data: zoom, cursor and selection stay as they were.
import { colour, faded } from "./colour.js";
import { h } from "./dom.js";
import { short } from "./format.js";

const { uPlot } = window;
const DASH = [6, 4], DOTS = [2, 3];

// A titled place for a picture: the question, its unit, tools at the right.
export function frame(title, unit, { tall = false, tools = [], kind = "" } = {}) {
  const plot = h("div", { class: `plot${tall ? " tall" : ""}` });
  const unitText = h("span", { class: "unit" }, unit);
  const heading = h("h2", {}, title);
  const legend = h("div", { class: "legend" });
  const bar = h("div", { class: "tools" }, tools);
  const root = h("section", { class: `chart ${kind}`, "aria-label": title }, h("header", {}, heading, unitText, bar), plot, legend);
  return { root, plot, legend, heading, unit: unitText, tools: bar };
}

export function key(entries) {
  return entries.map((entry) =>
    h("span", {}, h("i", { class: entry.pale ? "block pale" : entry.block ? "block" : entry.dash ? "dashed" : entry.dotted ? "dotted" : entry.dots ? "dot" : "", style: { color: `var(--${entry.colour})` } }), entry.label, entry.value === undefined ? null : h("b", {}, entry.value)));
}

function axes(format, x = "round") {
  const common = { stroke: () => colour("muted"), font: "12px system-ui, sans-serif", ticks: { show: false } };
  return [
    { ...common, grid: { show: false }, size: 27, gap: 6, label: x, labelSize: 16, labelFont: "12px system-ui, sans-serif", labelGap: 0, space: 60, values: (_, splits) => splits.map((value) => (x !== "round" || (Number.isInteger(value) && value > 0) ? short(value) : "")) },
    { ...common, grid: { stroke: () => colour("grid"), width: 1 }, size: 54, gap: 6, space: 34, values: (_, splits) => splits.map(format) },
  ];
}

function drawn(line) {
  const bars = line.bars ? uPlot.paths.bars({ size: [0.72, 40], align: 0 }) : undefined;
  return {
    label: line.label,
    stroke: () => (line.hidden ? "transparent" : colour(line.colour)),
    fill: line.fill ? () => faded(line.colour, line.fill) : undefined,
    width: line.hidden ? 0 : line.width ?? 2,
    dash: line.dash ? DASH : line.dotted ? DOTS : undefined,
    paths: bars ?? (line.step ? uPlot.paths.stepped({ align: 1 }) : line.dots ? () => null : undefined),
    points: line.hidden || line.bars || line.level ? { show: false } : line.dots ? { show: true, size: 6, width: 0, fill: () => faded(line.colour, 0.75) } : { show: (u, at) => lonely(u, at), size: 7, fill: () => colour(line.colour) },
    spanGaps: Boolean(line.span || line.level),
  };
}

// One value between two gaps would be no line at all: it is drawn as a point.
function lonely(u, at) {
  const values = u.data[at];
  let some = 0;
  for (const value of values) if (value !== null && value !== undefined && ++some > 1) return false;
  return some === 1;
}

export class Chart {
  // lines: [{ label, colour, dash, fill, bars, hidden, dots, dotted, level }], bands: [[upper, lower, colour, share]]
  constructor(place, { lines, bands = [], format = short, low = null, high = null, x = "round", sync = null, onZoom, onPick, rug, marker, none = "Nothing yet." }) {
    Object.assign(this, { place, onZoom, onPick, rug, marker, lines, zoomed: false, picked: null, low, high });
    place.chart = this; // for whoever looks from outside: tests, the console
    this.empty = h("div", { class: "none" }, none);
    const options = {
      width: Math.max(place.clientWidth, 200), height: place.clientHeight || 230, padding: [10, 10, 0, 0],
      legend: { show: false },
      scales: { x: { time: false, range: (u, min, max) => this.across(min, max) }, y: { range: (u, min, max) => this.upward(min, max) } },
      axes: axes(format, x),
      series: [{}, ...lines.map(drawn)],
      bands: bands.map(([upper, lower, name, share]) => ({ series: [upper, lower], fill: () => faded(name, share) })),
      cursor: { sync: sync ? { key: sync, setSeries: false } : undefined, drag: { x: true, y: false, setScale: true }, points: { size: 7 }, y: false },
      hooks: { setSelect: [() => { this.zoomed = true; }], setScale: [(u, name) => this.scaled(name)], draw: [(u) => this.drawMore(u)], setCursor: [(u) => this.onCursor?.(u.cursor.idx)] },
    };
    this.u = new uPlot(options, [[], ...lines.map(() => [])], place);
    place.append(this.empty);
    this.listen();
  }

  listen() {
    const over = this.u.over;
    over.addEventListener("dblclick", () => this.whole());
    over.addEventListener("click", () => {
      const at = this.u.cursor.idx;
      if (this.u.select.width < 2 && at !== null && at !== undefined && this.onPick) this.onPick(this.u.data[0][at]);
    });
    if (this.onPick) {
      this.place.tabIndex = 0;
      this.place.setAttribute("role", "group");
      this.place.setAttribute("aria-label", "Left and right choose a round, Escape shows all");
      this.place.addEventListener("keydown", (event) => this.pressed(event));
    }
    this.resize = new ResizeObserver(() => this.u.setSize({ width: Math.max(this.place.clientWidth, 200), height: this.place.clientHeight }));
    this.resize.observe(this.place);
    this.themed = () => this.u.redraw(false);
    addEventListener("themed", this.themed);
  }

  pressed(event) {
    const rounds = this.u.data[0];
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (event.key === "Escape") this.whole();
    if (!step || !rounds.length) return;
    event.preventDefault();
    const at = this.picked === null ? rounds.length - 1 : rounds.indexOf(this.picked) + step;
    this.onPick(rounds[Math.min(rounds.length - 1, Math.max(0, at))]);
  }

  across(min, max) {
    if (min === null || min === undefined) return [0, 1];
    if (min === max) return [min - 1, max + 1];
    return this.lines.some((line) => line.bars) && !this.zoomed ? [min - 0.6, max + 0.6] : [min, max];
  }

  upward(min, max) {
    if (min === null || min === undefined || !Number.isFinite(min)) return [0, 1];
    const least = this.low ?? min, most = this.high === null ? max : Math.max(max, this.high);
    const room = (most - least || Math.abs(most) || 1) * 0.08;
    return [this.low === null ? least - room : least, most + room];
  }

  scaled(name) {
    if (name !== "x" || !this.zoomed || this.telling) return;
    const { min, max } = this.u.scales.x;
    this.onZoom?.(min, max);
  }

  // Other charts of the same rounds follow a zoom.
  zoom(min, max) {
    this.telling = true;
    this.zoomed = true;
    this.u.setScale("x", { min, max });
    this.telling = false;
  }

  whole(told = true) {
    this.zoomed = false;
    this.u.setData(this.u.data, true);
    if (told) this.onZoom?.(null, null);
  }

  set(columns) {
    const { min, max } = this.u.scales.x;
    this.empty.hidden = columns[0].length > 0 && columns.slice(1).some((column) => column.some((value) => value !== null));
    if (!this.zoomed) return this.u.setData(columns, true);
    this.u.setData(columns, false);
    return this.zoom(min, max);
  }

  pick(round) {
    this.picked = round;
    this.u.redraw(false);
  }

  drawMore(u) {
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    this.rug?.(u, ctx, bbox);
    if (u.data[0].length === 1) this.lines.forEach((line, at) => line.level && this.level(u, ctx, bbox, line, u.data[at + 1][0]));
    const at = this.marker === undefined ? this.picked : this.marker;
    if (at !== null && at !== undefined) {
      const x = Math.round(u.valToPos(at, "x", true));
      ctx.strokeStyle = colour("ink");
      ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
    }
    ctx.restore();
  }

  // What holds in every round is a line, also where there is one round only.
  level(u, ctx, bbox, line, value) {
    if (value === null || value === undefined) return;
    const y = Math.round(u.valToPos(value, "y", true));
    ctx.strokeStyle = colour(line.colour);
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash(DASH.map((part) => part * devicePixelRatio));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.setLineDash([]);
  }

  leave() {
    removeEventListener("themed", this.themed);
    this.resize.disconnect();
    this.u.destroy();
  }
}
