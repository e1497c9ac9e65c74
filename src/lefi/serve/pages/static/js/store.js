// The rounds of a job that the page knows. Points are added by round: thinned ones first, finer ones after a zoom.
export const COLUMNS = ["accuracy", "paid", "budget", "spent", "offers", "delivered", "nothing", "missing", "refused", "size"];

export class Store {
  constructor() {
    this.rounds = new Map();
    this.last = 0;
    this.sorted = null;
  }

  add({ series, last }) {
    series.round.forEach((round, at) => this.rounds.set(round, Object.fromEntries(COLUMNS.map((name) => [name, series[name][at]]))));
    this.last = Math.max(this.last, last);
    this.sorted = null;
  }

  get order() {
    this.sorted ||= [...this.rounds.keys()].sort((a, b) => a - b);
    return this.sorted;
  }

  column(of) {
    return this.order.map((round) => (typeof of === "string" ? this.rounds.get(round)[of] : of(this.rounds.get(round), round)));
  }

  at(round) {
    return this.rounds.get(round);
  }
}
