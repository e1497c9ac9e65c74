// The playground: mechanisms on the same simulated clients, side by side and live. The address is the setting.
import { get } from "./api.js";
import { Chart, frame, key } from "./chart.js";
import { ofMechanism } from "./colour.js";
import { copy, fill, h } from "./dom.js";
import { accuracy, amount, short, whole } from "./format.js";
import { keep } from "./main.js";
import { command, python } from "./snippets.js";
import { listen } from "./stream.js";

const WAIT = 1500; // milliseconds before a busy service is asked again
const NUMBERS = { clients: "Clients", budget: "Budget per round [USD]", rounds: "Rounds", seed: "Seed" };

export async function show(root, _, query) {
  const game = new Playground(root, await get("/v1/playground/options"), query);
  game.run();
  return game;
}

class Playground {
  constructor(root, options, query) {
    this.options = options;
    const { first } = options;
    const asked = Object.fromEntries(Object.keys(first).map((name) => [name, query.get(name) ?? String(first[name])]));
    this.chosen = new Set(asked.mechanisms.split(",").filter((name) => name in options.mechanisms));
    this.inputs = { scenario: h("select", { name: "scenario" }, options.scenarios.map((one) => h("option", { value: one.name }, one.name))) };
    this.inputs.scenario.value = asked.scenario;
    for (const name of Object.keys(NUMBERS)) this.inputs[name] = h("input", { type: "number", name, value: asked[name], min: name === "seed" ? "0" : name === "budget" ? "0.001" : "1", max: options.limits[name], step: name === "budget" ? "any" : "1", required: true });
    this.lay(root);
    this.charts = {};
  }

  lay(root) {
    const about = h("p", { class: "muted small wide" });
    const tell = () => { about.textContent = this.options.scenarios.find((one) => one.name === this.inputs.scenario.value)?.about ?? ""; };
    this.inputs.scenario.addEventListener("change", tell);
    tell();
    this.chips = Object.entries(this.options.mechanisms).map(([name, way]) => h("button", { type: "button", title: `pays by ${way}`, "aria-pressed": String(this.chosen.has(name)), style: { "--chip": `var(--${ofMechanism(name)})` }, onclick: (event) => this.toggle(name, event.currentTarget) }, name));
    this.go = h("button", { class: "main wide" }, "Run");
    const form = h("form", { onsubmit: (event) => { event.preventDefault(); this.run(); } },
      h("label", { class: "field wide" }, "Scenario", this.inputs.scenario), about,
      Object.entries(NUMBERS).map(([name, label]) => h("label", { class: "field" }, label, this.inputs[name])),
      h("div", { class: "field wide" }, "Mechanisms", h("div", { class: "chips" }, this.chips)), this.go);
    const button = (label, text) => h("button", { type: "button", onclick: () => copy(text()) }, label);
    this.accuracy = frame("Who finds the optimum?", "accuracy per round", { tall: true });
    this.paid = frame("Who keeps the budget?", "USD per round", { tall: true });
    this.results = h("section", { class: "section" });
    this.status = h("p", { class: "muted small", role: "status" });
    root.append(h("div", { class: "head" }, h("h1", {}, "Playground"), h("span", { class: "muted" }, "simulated clients, nobody is paid"),
      h("div", { class: "buttons" }, button("Copy as command", () => command(this.values())), button("Copy as Python", () => python(this.values(), this.options.mechanisms)), button("Share link", () => location.href))),
      h("div", { class: "game" }, form, h("div", {}, h("div", { class: "charts" }, this.accuracy.root, this.paid.root), this.status, this.results)));
  }

  toggle(name, chip) {
    this.chosen.has(name) ? this.chosen.delete(name) : this.chosen.add(name);
    chip.setAttribute("aria-pressed", String(this.chosen.has(name)));
  }

  values() {
    return { scenario: this.inputs.scenario.value, ...Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, Number(this.inputs[name].value)])), mechanisms: [...this.chosen].join(",") };
  }

  run() {
    clearTimeout(this.waiting);
    if (!this.chosen.size) { this.status.textContent = "Choose at least one mechanism."; return; }
    this.stop?.();
    const values = this.values();
    keep(values);
    this.names = [...this.chosen];
    this.rounds = [];
    this.played = Object.fromEntries(this.names.map((name) => [name, { accuracy: [], paid: [] }]));
    this.equal = null;
    this.begin(values);
    this.status.textContent = "Playing.";
    this.stop = listen(`/v1/playground/run?${new URLSearchParams(values)}`, { once: true, on: (kind, data) => this.heard(kind, data), state: (state, error) => this.ended(state, error) });
  }

  begin(values) {
    for (const chart of Object.values(this.charts)) chart.leave();
    this.accuracy.plot.replaceChildren();
    this.paid.plot.replaceChildren();
    const lines = this.names.map((name) => ({ label: name, colour: ofMechanism(name) }));
    const none = "Playing.";
    this.budget = values.budget;
    this.charts = {
      accuracy: new Chart(this.accuracy.plot, { lines: [...lines, { label: "oracle", colour: "oracle", dash: true, width: 1.5, level: true }], sync: "game", none }),
      paid: new Chart(this.paid.plot, { lines: [...lines, { label: "budget", colour: "oracle", dash: true, width: 1.5, level: true }], low: 0, sync: "game", none }),
    };
    fill(this.accuracy.legend, key([...lines, { label: "oracle: clients known", colour: "oracle", dash: true }]));
    fill(this.paid.legend, key([...lines, { label: "budget", colour: "oracle", dash: true }]));
    fill(this.results);
  }

  heard(kind, data) {
    if (kind === "begin") this.oracle = data.oracle;
    if (kind === "end") { this.equal = data.equal; this.draw(); }
    if (kind !== "round") return;
    this.rounds.push(data.round);
    for (const name of this.names) for (const what of ["accuracy", "paid"]) this.played[name][what].push(data.played[name][what]);
    this.drawing ||= requestAnimationFrame(() => { this.drawing = null; this.draw(); });
  }

  ended(state, error) {
    if (state === "refused" && error.status === 503) {
      this.status.textContent = "Others are playing; waiting for a place.";
      this.waiting = setTimeout(() => this.run(), WAIT);
    } else if (state === "refused") this.status.textContent = error.message;
    if (state === "end") this.status.textContent = `${whole(this.rounds.length)} rounds played.`;
  }

  draw() {
    const column = (what) => this.names.map((name) => this.played[name][what]);
    this.charts.accuracy.set([this.rounds, ...column("accuracy"), this.rounds.map(() => this.oracle)]);
    this.charts.paid.set([this.rounds, ...column("paid"), this.rounds.map(() => this.budget)]);
    const line = (name) => {
      const { accuracy: reached, paid } = this.played[name], over = paid.filter((money) => money > this.budget * (1 + 1e-9)).length;
      const needs = this.equal?.[name];
      const told = needs === undefined || !this.equal ? "\u2026" : needs === null ? "no amount" : `${amount(needs)} USD`;
      return h("tr", { style: { "--chip": `var(--${ofMechanism(name)})` } }, h("td", {}, h("span", { class: "dot" }), name), h("td", { class: "number", "data-label": "Accuracy" }, accuracy(reached.at(-1))), h("td", { class: "number", "data-label": "Paid, last round" }, `${amount(paid.at(-1))} USD`),
        h("td", { class: `number ${over ? "bad" : ""}`, "data-label": "Rounds over budget" }, whole(over)), h("td", { class: "number", "data-label": "Uniform would pay for it" }, told), h("td", { class: "number", "data-label": "Times as much" }, needs ? `${short(needs / paid.at(-1))}\u00d7` : ""));
    };
    const labels = ["Mechanism", "Accuracy", "Paid, last round", "Rounds over budget", "Uniform would pay for it", "Times as much"];
    fill(this.results, h("table", { class: "results stack" }, h("thead", {}, h("tr", {}, labels.map((label, at) => h("th", { class: at ? "number" : null }, label)))), h("tbody", {}, this.names.map(line))));
  }

  changed(query) {
    const now = new URLSearchParams(this.values());
    if ([...now].some(([name, value]) => query.get(name) !== value)) location.reload();
  }

  leave() {
    this.stop?.();
    clearTimeout(this.waiting);
    cancelAnimationFrame(this.drawing);
    for (const chart of Object.values(this.charts)) chart.leave();
  }
}
