// Two-dimensional histogram: money offered against size delivered. One colour from pale to full, by the root of the count.
import { colour, faded } from "./colour.js";
import { h } from "./dom.js";
import { amount, short, whole } from "./format.js";

const NARROW = 380; // pixels, below which five numbers do not fit under the picture
const LEFT = 54, BOTTOM = 40, TOP = 10, RIGHT = 10;

export class Heat {
  constructor(place, onPick) {
    Object.assign(this, { place, onPick, data: null, cell: null });
    this.canvas = h("canvas", { tabindex: "0", role: "img" });
    this.tip = h("div", { class: "tip", hidden: true });
    this.empty = h("div", { class: "none" }, "No answers yet.");
    place.append(this.canvas, this.tip, this.empty);
    this.canvas.addEventListener("mousemove", (event) => this.over(this.at(event)));
    this.canvas.addEventListener("mouseleave", () => this.over(null));
    this.canvas.addEventListener("click", (event) => { const cell = this.at(event); if (cell) this.onPick(...cell); });
    this.canvas.addEventListener("keydown", (event) => this.pressed(event));
    this.resize = new ResizeObserver(() => this.draw());
    this.resize.observe(place);
    this.themed = () => this.draw();
    addEventListener("themed", this.themed);
  }

  set(data) {
    this.data = data;
    this.empty.hidden = Boolean(data && data.answered);
    const said = data ? `Round ${data.round}: ${data.delivered} of ${data.clients} clients delivered. Arrow keys move, Enter lists clients.` : "";
    this.canvas.setAttribute("aria-label", said);
    this.draw();
  }

  box() {
    const { clientWidth: width, clientHeight: height } = this.place;
    return { width, height, w: width - LEFT - RIGHT, t: height - BOTTOM - TOP, bins: this.data?.counts.length ?? 1 };
  }

  at(event) {
    const { w, t, bins } = this.box();
    const column = Math.floor(((event.offsetX - LEFT) / w) * bins), row = Math.floor((1 - (event.offsetY - TOP) / t) * bins);
    return this.data && column >= 0 && row >= 0 && column < bins && row < bins ? [column, row] : null;
  }

  pressed(event) {
    const bins = this.box().bins, [column, row] = this.cell ?? [0, 0];
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key];
    if (event.key === "Enter" && this.cell) this.onPick(...this.cell);
    if (!step || !this.data) return;
    event.preventDefault();
    const clipped = (value) => Math.min(bins - 1, Math.max(0, value));
    this.over([clipped(column + step[0]), clipped(row + step[1])]);
  }

  over(cell) {
    this.cell = cell;
    this.tip.hidden = !cell || !this.data?.answered;
    if (!this.tip.hidden) {
      const [column, row] = cell, { w, t, width, bins } = this.box(), { money, size, counts } = this.data;
      this.tip.textContent = `${whole(counts[row][column])} clients: ${amount(money[column])}\u2013${amount(money[column + 1])} USD, ${short(size[row])}\u2013${short(size[row + 1])} thousand samples`;
      const x = LEFT + ((column + 1) / bins) * w + 6;
      const wide = this.tip.offsetWidth;
      this.tip.style.left = `${Math.max(0, Math.min(x, width - wide - 4))}px`;
      this.tip.style.top = `${Math.max(0, TOP + (1 - (row + 1) / bins) * t - 30)}px`;
    }
    this.draw();
  }

  draw() {
    const { width, height, w, t, bins } = this.box();
    if (!width || !height) return;
    const ctx = this.canvas.getContext("2d"), ratio = devicePixelRatio;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    ctx.scale(ratio, ratio);
    if (!this.data?.answered) return;
    const { counts } = this.data, most = Math.sqrt(Math.max(...counts.flat()));
    const cw = w / bins, ch = t / bins;
    ctx.fillStyle = colour("soft");
    ctx.fillRect(LEFT, TOP, w, t);
    counts.forEach((line, row) => line.forEach((count, column) => {
      if (!count) return;
      ctx.fillStyle = faded("accent", 0.12 + 0.88 * (Math.sqrt(count) / most));
      ctx.fillRect(LEFT + column * cw + 0.5, TOP + t - (row + 1) * ch + 0.5, cw - 1, ch - 1);
    }));
    this.label(ctx, w, t);
    if (this.cell) {
      ctx.strokeStyle = colour("ink");
      ctx.lineWidth = 1.5;
      ctx.strokeRect(LEFT + this.cell[0] * cw, TOP + t - (this.cell[1] + 1) * ch, cw, ch);
    }
  }

  label(ctx, w, t) {
    const { money, size } = this.data, bins = money.length - 1;
    ctx.fillStyle = colour("muted");
    ctx.font = "12px system-ui, sans-serif";
    const ticks = w < NARROW ? 2 : 4;
    for (let part = 0; part <= ticks; part++) {
      const at = Math.round((part / ticks) * bins);
      ctx.textAlign = part === ticks ? "right" : part ? "center" : "left";
      ctx.fillText(short(money[at]), LEFT + (at / bins) * w, TOP + t + 16);
      ctx.textAlign = "right";
      ctx.fillText(short(size[at]), LEFT - 8, TOP + t - (at / bins) * t + 4);
    }
    ctx.textAlign = "center";
    ctx.fillText("most that the offer pays [USD]", LEFT + w / 2, TOP + t + 33);
  }

  leave() {
    removeEventListener("themed", this.themed);
    this.resize.disconnect();
  }
}
