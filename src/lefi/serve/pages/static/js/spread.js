// How offers, answers and payments spread over clients: the middle, half of them, nine in ten.
import { get, view } from "./api.js";
import { Chart, frame, key } from "./chart.js";
import { fill, h } from "./dom.js";
import { short } from "./format.js";

const KINDS = { offered: "offered [USD]", size: "delivered [thousand samples]", paid: "paid [USD]" };

export class Spread {
  constructor(place, job, pick) {
    Object.assign(this, { job, kind: "size", data: null, ready: true });
    const buttons = Object.keys(KINDS).map((kind) => h("button", { type: "button", "aria-pressed": String(kind === this.kind), onclick: () => this.choose(kind) }, kind));
    this.buttons = buttons;
    this.frame = frame("How do clients differ?", KINDS.size, { tall: true, tools: [h("div", { class: "segments" }, buttons)] });
    place.append(this.frame.root);
    const hidden = { colour: "accent", hidden: true };
    this.chart = new Chart(this.frame.plot, {
      lines: [{ label: "95%", ...hidden }, { label: "75%", ...hidden }, { label: "middle", colour: "accent" }, { label: "25%", ...hidden }, { label: "5%", ...hidden }],
      bands: [[1, 2, "accent", 0.13], [2, 3, "accent", 0.3], [3, 4, "accent", 0.3], [4, 5, "accent", 0.13]],
      format: short, low: 0, onPick: (round) => pick(Math.round(round)), none: "No round is closed yet.",
    });
    fill(this.frame.legend, key([{ label: "middle client", colour: "accent" }, { label: "half of the clients", colour: "accent", block: true }, { label: "nine in ten", colour: "accent", pale: true }]));
  }

  choose(kind) {
    this.kind = kind;
    this.buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.textContent === kind)));
    this.frame.unit.textContent = KINDS[kind];
    this.draw();
  }

  async refresh() {
    this.data = await get(view(this.job, "/bands")).catch(() => this.data);
    this.ready = this.data?.ready ?? true;
    this.draw();
  }

  draw() {
    if (!this.data) return;
    let { round, [this.kind]: rows } = this.data;
    if (round.length === 1) { // a band needs two sides
      round = [round[0] - 0.5, round[0] + 0.5];
      rows = [rows[0], rows[0]];
    }
    this.chart.set([round, ...[4, 3, 2, 1, 0].map((at) => rows.map((five) => five[at]))]);
  }

  pick(round) {
    this.chart.pick(round);
  }

  leave() {
    this.chart.leave();
  }
}
