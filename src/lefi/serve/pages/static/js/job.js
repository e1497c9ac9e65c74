// A job, live. Events say that a round was closed; the views then give what is new, and charts take it in.
import { get, view } from "./api.js";
import { Beliefs } from "./beliefs.js";
import { h } from "./dom.js";
import { Evidence } from "./evidence.js";
import { keep, link } from "./main.js";
import { Clients } from "./round.js";
import { Rounds } from "./rounds.js";
import { Spread } from "./spread.js";
import { Store } from "./store.js";
import { listen } from "./stream.js";
import { alerts, figures, heading } from "./summary.js";

const POLL = 1000; // milliseconds, where events cannot be had or rows are still being counted

export async function show(root, [job], query) {
  const page = new JobPage(root, job, query);
  await page.begin();
  return page;
}

class JobPage {
  constructor(root, job, query) {
    Object.assign(this, { job, store: new Store(), gone: false, busy: false, again: false });
    this.picked = Number(query.get("round")) || null;
    this.parts = { head: h("div", {}), figures: h("div", {}), alerts: h("section", { class: "section" }) };
    this.charts = h("div", { class: "charts" });
    root.append(this.parts.head, this.parts.figures, this.parts.alerts, this.charts);
    this.client = query.get("client");
  }

  async begin() {
    this.head = await get(view(this.job));
    this.store.add(await get(view(this.job, "/series")));
    this.rounds = new Rounds(this.charts, { pick: (round) => this.pick(round), zoom: (min, max) => this.zoom(min, max), head: this.head });
    this.clients = new Clients(this.charts, this.job, (client) => this.choose(client));
    this.spread = new Spread(this.charts, this.job, (round) => this.pick(round));
    this.beliefs = new Beliefs(this.charts, this.job, (client) => keep({ client }), (worth) => { this.worth = worth; heading(this.parts.head, this.head, () => this.refresh(), worth); });
    this.evidence = new Evidence(this.charts, this.job, (round) => this.pick(round), (client) => this.choose(client));
    this.draw();
    await Promise.allSettled([this.clients.show(this.shown()), this.beliefs.show(this.client), this.spread.refresh(), this.evidence.refresh()]);
    this.stop = listen(`/v1/jobs/${encodeURIComponent(this.job)}/events`, { on: (kind) => this.heard(kind), state: (state) => this.linked(state) });
    if (this.head.read < 1) this.later();
  }

  shown() {
    return this.picked ?? this.store.last;
  }

  draw() {
    heading(this.parts.head, this.head, () => this.refresh(), this.worth);
    figures(this.parts.figures, this.head, this.store);
    alerts(this.parts.alerts, this.head, (round) => this.pick(round), (client) => this.choose(client));
    this.rounds.draw(this.store, this.head, this.picked);
  }

  heard(kind) {
    if (["round", "state", "budget"].includes(kind)) this.refresh();
  }

  linked(state) {
    link(state === "lost" ? "The connection was lost; trying again." : null);
    if (state === "open" && this.opened) this.refresh();
    this.opened ||= state === "open";
    if (state === "refused") this.later();
  }

  later() {
    clearTimeout(this.timer);
    if (!this.gone) this.timer = setTimeout(() => this.refresh(), POLL);
  }

  async refresh() {
    if (this.gone) return;
    if (this.busy) { this.again = true; return; }
    this.busy = true;
    try {
      await this.look();
      link(null);
    } catch (error) {
      link(error.status ? error.message : "The service does not answer; trying again.");
      this.later();
    }
    this.busy = false;
    if (this.again) { this.again = false; this.refresh(); }
  }

  async look() {
    const before = this.store.last, whole = this.head.read < 1;
    const [head, series] = await Promise.all([get(view(this.job)), get(view(this.job, `/series?after=${whole ? 0 : before}`))]);
    if (this.gone) return;
    this.head = head;
    this.store.add(series);
    this.draw();
    if (this.store.last > before) {
      const follow = this.picked === null ? [this.clients.show(this.shown())] : [];
      await Promise.allSettled([...follow, this.beliefs.refresh(), this.spread.refresh(), this.evidence.refresh()]);
    }
    if (head.read < 1 || !this.spread.ready || !this.stop) this.later();
  }

  pick(round) {
    this.picked = round === this.picked ? null : round;
    keep({ round: this.picked });
    this.rounds.pick(this.picked);
    this.spread.pick(this.picked);
    this.evidence.pick(this.picked);
    this.clients.show(this.shown());
    figures(this.parts.figures, this.head, this.store);
  }

  choose(client) {
    this.beliefs.show(client);
    keep({ client });
  }

  async zoom(min, max) {
    this.rounds.follow(min, max);
    if (min === null) return;
    const range = `/series?start=${Math.max(1, Math.floor(min))}&end=${Math.ceil(max)}`;
    const finer = await get(view(this.job, range)).catch(() => null);
    if (finer && !this.gone) {
      this.store.add(finer);
      this.rounds.draw(this.store, this.head, this.picked);
    }
  }

  changed(query) {
    const round = Number(query.get("round")) || null;
    if (round !== this.picked) this.pick(round);
    if (query.get("client") && query.get("client") !== this.beliefs.client) this.choose(query.get("client"));
  }

  leave() {
    this.gone = true;
    this.stop?.();
    clearTimeout(this.timer);
    link(null);
    for (const part of [this.rounds, this.clients, this.beliefs, this.spread, this.evidence]) part?.leave();
  }
}
