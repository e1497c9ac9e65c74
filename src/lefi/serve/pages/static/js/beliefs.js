// What the mechanism believes of a client: expected size against money with a band, its answers as dots.
import { get, view } from "./api.js";
import { Chart, frame, key } from "./chart.js";
import { fill, h } from "./dom.js";
import { amount, short } from "./format.js";

const WORTH = "price of money [accuracy / USD]"; // one for all clients, where a mechanism has it

export class Beliefs {
  constructor(place, job, chosen, worth) {
    Object.assign(this, { job, chosen, worth, client: null });
    const names = h("datalist", { id: "clients" });
    this.input = h("input", { type: "search", list: "clients", placeholder: "client", "aria-label": "Client", onchange: () => this.pick(this.input.value.trim()), oninput: () => this.suggest(names) });
    this.frame = frame("What do we believe of a client?", "thousand samples against money", { tall: true, kind: "believed", tools: [h("span", { class: "search" }, this.input, names)] });
    this.told = h("div", { class: "told" });
    this.frame.root.append(this.told);
    place.append(this.frame.root);
    this.suggest(names);
    const hidden = { colour: "price", hidden: true, span: true };
    this.chart = new Chart(this.frame.plot, {
      lines: [{ label: "high", ...hidden }, { label: "expected", colour: "price", span: true }, { label: "low", ...hidden }, { label: "answers", colour: "ink", dots: true }],
      bands: [[1, 2, "price", 0.2], [2, 3, "price", 0.2]],
      format: short, low: 0, x: "what the offer would pay for the largest size [USD]", none: "Choose a client: by name, in a cell, or in an alert.",
    });
  }

  async suggest(names) {
    const start = encodeURIComponent(this.input.value.trim());
    const { clients } = await get(view(this.job, `/clients?start=${start}`)).catch(() => ({ clients: [] }));
    fill(names, clients.map((client) => h("option", { value: client })));
    if (!this.client && clients.length && !start) this.show(clients[0]);
  }

  pick(client) {
    if (!client) return;
    this.chosen(client);
    this.show(client);
  }

  async show(client) {
    if (!client) return;
    this.client = client;
    if (this.input.value !== client && document.activeElement !== this.input) this.input.value = client;
    await this.refresh();
  }

  async refresh() {
    if (!this.client) return;
    const asked = this.client;
    try {
      const { beliefs } = await get(view(this.job, `/beliefs?client=${encodeURIComponent(asked)}`));
      if (asked === this.client) this.draw(beliefs[0]);
    } catch (error) {
      fill(this.told, h("p", { class: "muted small" }, error.message));
    }
  }

  draw(belief) {
    this.frame.heading.textContent = `What do we believe of client ${belief.client}?`;
    const xs = [...new Set([...(belief.money ?? []), ...belief.dots.map((dot) => dot[0])])].sort((a, b) => a - b);
    const curve = (values) => { const at = new Map((belief.money ?? []).map((money, i) => [money, values?.[i]])); return xs.map((x) => at.get(x) ?? null); };
    const dots = new Map(belief.dots);
    this.chart.empty.textContent = "It has delivered nothing lately.";
    this.chart.marker = belief.offered ?? null;
    this.chart.set([xs, curve(belief.high), curve(belief.expected), curve(belief.low), xs.map((x) => dots.get(x) ?? null)]);
    const entries = [{ label: "its answers", colour: "ink", dots: true }];
    if (belief.explained) entries.push({ label: "expected", colour: "price" }, { label: "nine answers in ten", colour: "price", block: true });
    const offer = belief.offered === null || belief.offered === undefined ? null : h("span", {}, "last offer (dotted)", h("b", {}, `${amount(belief.offered)} USD`));
    fill(this.frame.legend, key(entries), offer);
    const account = h("a", { href: `#/clients/${encodeURIComponent(this.job)}/${encodeURIComponent(belief.client)}` }, "account");
    const why = belief.explained ? belief.why : "The mechanism of this job does not say what it believes, or runs elsewhere: these are the answers alone.";
    const learned = Object.entries(belief.learned ?? {}).flatMap(([what, value]) => [h("dt", {}, what), h("dd", {}, short(value))]);
    this.worth(belief.learned?.[WORTH] ?? null);
    fill(this.told, h("p", { class: "small" }, why, " ", account), h("dl", { class: "learned" }, learned));
  }

  leave() {
    this.chart.leave();
  }
}
