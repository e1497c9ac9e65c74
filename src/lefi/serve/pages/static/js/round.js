// One round, client by client, as a histogram; a cell lists its clients.
import { get, view } from "./api.js";
import { frame } from "./chart.js";
import { fill, h } from "./dom.js";
import { amount, short, whole } from "./format.js";
import { Heat } from "./heat.js";

export class Clients {
  constructor(place, job, choose) {
    Object.assign(this, { job, choose, round: 0 });
    this.frame = frame("Who delivers what?", "thousand samples against money offered", { tall: true, kind: "heat" });
    this.list = h("div", { class: "listed", hidden: true });
    this.frame.root.append(this.list);
    place.append(this.frame.root);
    this.heat = new Heat(this.frame.plot, (column, row) => this.open(column, row));
  }

  async show(round) {
    if (!round) return this.heat.set(null);
    const asked = (this.round = round);
    const data = await get(view(this.job, `/histogram?round=${round}`)).catch(() => null);
    if (asked !== this.round || !data) return undefined;
    this.heat.set(data);
    this.list.hidden = true;
    const told = [`round ${whole(round)}:`, `${whole(data.delivered)} of ${whole(data.clients)} clients delivered`];
    if (data.answered > data.delivered) told.push(`${whole(data.answered - data.delivered)} answered with 0 samples`);
    if (data.missing) told.push(`${whole(data.missing)} did not answer`);
    if (data.refused) told.push(`${whole(data.refused)} were refused`);
    fill(this.frame.legend, told.map((text) => h("span", {}, text)));
    return undefined;
  }

  async open(column, row) {
    const { clients, all } = await get(view(this.job, `/cell?round=${this.round}&column=${column}&row=${row}`));
    this.list.hidden = false;
    const line = (client) => h("tr", {},
      h("td", {}, h("button", { type: "button", class: "text", onclick: () => this.choose(client.client) }, client.client)),
      h("td", { class: "number" }, amount(client.offered)), h("td", { class: "number" }, short(client.size)), h("td", { class: "number" }, amount(client.paid)),
      h("td", {}, h("a", { href: `#/clients/${encodeURIComponent(this.job)}/${encodeURIComponent(client.client)}` }, "account")));
    const rest = all > clients.length ? h("p", { class: "muted" }, `and ${whole(all - clients.length)} more`) : null;
    fill(this.list, clients.length ? h("table", {}, h("thead", {}, h("tr", {}, ["Client", "Offered [USD]", "Thousand samples", "Paid [USD]", ""].map((label, at) => h("th", { class: at && at < 4 ? "number" : null }, label)))), h("tbody", {}, clients.map(line))) : h("p", { class: "muted" }, "Nobody is in this cell."), rest);
  }

  leave() {
    this.heat.leave();
  }
}
