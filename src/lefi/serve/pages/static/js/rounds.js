// The four charts over rounds: accuracy, money per round, money in all, what became of the answers.
import { Chart, frame, key } from "./chart.js";
import { colour } from "./colour.js";
import { fill } from "./dom.js";
import { accuracy, amount, short, whole } from "./format.js";

const BARS = 120; // rounds up to which payments are bars; beyond, they would be hair
const usd = (value) => (!value ? "0" : amount(value, value >= 100 ? 0 : 2));

export class Rounds {
  constructor(place, { pick, zoom, head }) {
    this.pickRound = pick;
    this.onZoom = zoom;
    const { currency } = head;
    this.frames = {
      accuracy: frame("Does accuracy rise?", "accuracy per round"),
      paid: frame("Does every round keep its budget?", `${currency} per round`),
      spent: frame("How much is spent in all?", `${currency}, up to each round`),
      answers: frame("What became of the answers?", "clients per round"),
    };
    place.append(...Object.values(this.frames).map((one) => one.root));
    const common = { sync: "rounds", onPick: pick, onZoom: zoom };
    const shapes = {
      accuracy: { lines: [{ label: "accuracy", colour: "accent" }], format: (value) => short(value), none: "Nobody has measured accuracy yet." },
      spent: { lines: [{ label: "spent", colour: "accent", fill: 0.12 }, { label: "total", colour: "ink", dash: true, width: 1.5, level: true }], format: usd, low: 0, none: "No round is closed yet." },
      answers: { lines: [{ label: "delivered", colour: "waterfill" }, { label: "0 samples", colour: "ink", dotted: true }, { label: "no answer", colour: "muted", dash: true }, { label: "refused", colour: "bad", dotted: true }], format: short, low: 0, none: "No round is closed yet." },
    };
    this.charts = Object.fromEntries(Object.entries(shapes).map(([name, shape]) => [name, new Chart(this.frames[name].plot, { ...shape, ...common })]));
    this.common = common;
    for (const [name, chart] of Object.entries(this.charts)) chart.onCursor = (at) => this.told(name, at);
  }

  paid(bars) {
    if (this.charts.paid && this.bars === bars) return this.charts.paid;
    const before = this.charts.paid;
    const shown = before?.zoomed ? before.u.scales.x : null;
    before?.leave();
    this.frames.paid.plot.replaceChildren();
    this.bars = bars;
    this.charts.paid = new Chart(this.frames.paid.plot, {
      lines: [{ label: "paid", colour: "accent", bars, fill: bars ? 0.75 : 0.2, width: bars ? 0 : 1.5 }, { label: "budget", colour: "ink", dash: true, width: 1.5, level: true }],
      format: usd, low: 0, none: "No round is closed yet.", rug: (u, ctx, box) => this.rug(u, ctx, box), ...this.common,
    });
    this.charts.paid.onCursor = (at) => this.told("paid", at);
    if (shown) this.charts.paid.zoom(shown.min, shown.max);
    return this.charts.paid;
  }

  draw(store, head, picked) {
    this.store = store;
    this.head = head;
    const rounds = store.order;
    this.paid(rounds.length <= BARS).set([rounds, store.column("paid"), store.column("budget")]);
    this.charts.accuracy.set([rounds, store.column("accuracy")]);
    this.charts.spent.set([rounds, store.column("spent"), store.column(() => head.total)]);
    this.charts.answers.set([rounds, store.column("delivered"), store.column("nothing"), store.column("missing"), store.column("refused")]);
    this.pick(picked);
  }

  // Rounds with refused answers, as marks along the bottom.
  rug(u, ctx, box) {
    ctx.fillStyle = colour("bad");
    const tall = 7 * devicePixelRatio, wide = Math.max(2 * devicePixelRatio, 1);
    this.store?.order.forEach((round) => {
      if (this.store.at(round).refused) ctx.fillRect(u.valToPos(round, "x", true) - wide / 2, box.top + box.height - tall, wide, tall);
    });
  }

  pick(round) {
    this.picked = round;
    for (const chart of Object.values(this.charts)) chart.pick(round);
    for (const name of Object.keys(this.frames)) this.told(name, null);
  }

  follow(min, max) {
    for (const chart of Object.values(this.charts)) min === null ? chart.whole(false) : chart.zoom(min, max);
  }

  // The legend says what the cursor, the selection or the last round says.
  told(name, at) {
    const { store, head } = this;
    if (!store?.order.length) return;
    const round = at !== null && at !== undefined && store.order[at] !== undefined ? store.order[at] : this.picked ?? store.last;
    const row = store.at(round) ?? store.at(store.last);
    const { currency } = head;
    const entries = {
      accuracy: [{ label: "accuracy", colour: "accent", value: accuracy(row.accuracy) }],
      paid: [{ label: "paid", colour: "accent", block: true, value: `${amount(row.paid)} ${currency}` }, { label: "budget", colour: "ink", dash: true, value: row.budget === null ? "none" : amount(row.budget) }, { label: "answers refused", colour: "bad", value: whole(row.refused) }],
      spent: [{ label: "spent", colour: "accent", value: `${amount(row.spent)} ${currency}` }, ...(head.total ? [{ label: "total", colour: "ink", dash: true, value: amount(head.total) }] : [])],
      answers: [{ label: "delivered", colour: "waterfill", value: whole(row.delivered) }, { label: "0 samples", colour: "ink", dotted: true, value: whole(row.nothing) }, { label: "no answer", colour: "muted", dash: true, value: whole(row.missing) }, { label: "refused", colour: "bad", dotted: true, value: whole(row.refused) }],
    };
    fill(this.frames[name].legend, `round ${whole(round)}`, ...key(entries[name]));
  }

  leave() {
    for (const chart of Object.values(this.charts)) chart.leave();
  }
}
