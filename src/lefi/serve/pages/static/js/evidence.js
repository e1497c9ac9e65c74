// Who was caught, and who was not: evidence against clients over rounds, with the line of accusation.
import { get, view } from "./api.js";
import { Chart, frame, key } from "./chart.js";
import { fill, h } from "./dom.js";
import { short, whole } from "./format.js";

export class Evidence {
  constructor(place, job, pick, choose) {
    Object.assign(this, { job, pickRound: pick, choose, chart: null, drawn: "" });
    this.frame = frame("Who was caught, and who was not?", "log of the evidence against a client", { tall: true });
    this.table = h("div", { class: "table" });
    this.frame.root.append(this.table);
    this.frame.root.hidden = true;
    place.append(this.frame.root);
  }

  async refresh() {
    const told = await get(view(this.job, "/evidence")).catch(() => null);
    if (!told?.watched) return;
    this.frame.root.hidden = false;
    this.draw(told);
  }

  draw(told) {
    const lines = told.clients.map((one) => ({ label: one.client, colour: one.accused ? "bad" : "muted", width: one.accused ? 2 : 1 }));
    const drawn = lines.map((line) => line.label + line.colour).join(" ");
    if (!this.chart || drawn !== this.drawn) this.begin(lines);
    this.drawn = drawn;
    this.chart.set([told.rounds, ...told.clients.map((one) => one.evidence), told.rounds.map(() => told.line)]);
    fill(this.frame.legend, key([
      { label: "accused", colour: "bad", value: whole(told.accused.length) },
      { label: "closest to it", colour: "muted" },
      { label: "line of accusation", colour: "ink", dash: true },
    ]));
    fill(this.table, this.rows(told));
  }

  begin(lines) {
    this.chart?.leave();
    this.frame.plot.replaceChildren();
    const level = { label: "line", colour: "ink", dash: true, width: 1.5, level: true };
    this.chart = new Chart(this.frame.plot, { lines: [...lines, level], format: short, onPick: (round) => this.pickRound(round), none: "Nobody is judged before the second round." });
  }

  rows(told) {
    const silent = told.silent && h("p", { class: "muted" }, `Nobody was judged in the last round: ${told.silent}.`);
    const limits = h("p", { class: "muted" }, `${whole(told.weighed)} clients were weighed. Half of the work is not seen in updates: only audits find it.`);
    if (!told.accused.length) return [silent, limits];
    const head = h("tr", {}, ["client", "round", "found by", "forfeited [USD]", "appeal"].map((name) => h("th", {}, name)));
    const lines = told.accused.map((one) => h("tr", {},
      h("td", {}, h("button", { type: "button", class: "text", onclick: () => this.choose(one.client) }, one.client)),
      [one.round, one.why, one.forfeited, one.appeal ?? "-"].map((cell) => h("td", {}, String(cell)))));
    return [silent, h("table", {}, h("thead", {}, head), h("tbody", {}, lines)), limits];
  }

  pick(round) {
    this.chart?.pick(round);
  }

  leave() {
    this.chart?.leave();
  }
}
