// The account of one client: what it earned, what is due, what became of its answers.
import { get, view } from "./api.js";
import { Chart, frame, key } from "./chart.js";
import { fill, h } from "./dom.js";
import { amount, exact, moment, short, whole } from "./format.js";
import { keep } from "./main.js";
import { statement } from "./orders.js";

export async function show(root, [job, client]) {
  const path = view(job, `/clients/${encodeURIComponent(client)}`);
  const told = await get(path);
  let rows = told.rows, next = told.next;
  const { currency } = told;

  const csv = h("button", { type: "button", onclick: () => statement(job, client).catch((error) => { csv.textContent = error.message; }) }, "Statement as CSV");
  root.append(h("div", { class: "head" }, h("a", { href: `#/jobs/${encodeURIComponent(job)}?client=${encodeURIComponent(client)}` }, job), h("h1", {}, client),
    told.blocked ? h("span", { class: "bad" }, "blocked") : null, told.cap ? h("span", { class: "muted" }, `paid at most ${exact(told.cap)} ${currency} in all`) : null,
    h("div", { class: "buttons" }, csv)));
  const figure = (what, much, note) => h("div", { class: "figure" }, h("div", { class: "what" }, what), h("div", { class: "much" }, much, h("small", {}, ` ${currency}`)), h("div", { class: "note" }, note));
  const taken = Number(told.taken_back) ? `${exact(told.taken_back)} taken back` : `in ${whole(told.payments)} payments`;
  const trust = h("div", { class: "figure" });
  root.append(h("div", { class: "figures" }, figure("Earned", amount(Number(told.earned)), taken), figure("Due", amount(Number(told.due)), "earned, not paid out yet"), figure("Paid out", amount(Number(told.paid_out)), ""), trust));

  const charts = h("div", { class: "charts" });
  const answers = frame("What did it deliver?", "thousand samples per round"), money = frame("What was it paid?", `${currency} per round`);
  charts.append(answers.root, money.root);
  root.append(charts);
  const delivered = new Chart(answers.plot, { lines: [{ label: "delivered", colour: "accent" }], low: 0, sync: "client", none: "It has delivered nothing yet." });
  const paid = new Chart(money.plot, { lines: [{ label: "offered at most", colour: "uniform", dash: true }, { label: "paid", colour: "accent" }], low: 0, sync: "client", none: "It was offered nothing yet." });
  fill(money.legend, key([{ label: "paid", colour: "accent" }, { label: "offered at most", colour: "uniform", dash: true }]));

  const months = h("section", { class: "section" }, h("header", {}, h("h2", {}, "By month")), h("table", {}, h("tbody", {}, told.months.map((month) => h("tr", {}, h("td", {}, month.month), h("td", { class: "number" }, `${exact(month.amount)} ${currency}`))))));
  const list = h("section", { class: "section" });
  root.append(told.months.length ? months : "", list);

  function draw() {
    const by = new Map();
    for (const row of rows) {
      const round = by.get(row.round) ?? by.set(row.round, {}).get(row.round);
      if (row.kind === "offer") round.offered = row.most;
      if (row.kind === "answer" && row.size !== null) round.size = row.size;
      if (row.kind === "payment") round.paid = Number(row.amount);
    }
    const order = [...by.keys()].sort((a, b) => a - b), column = (name) => order.map((round) => by.get(round)[name] ?? null);
    delivered.set([order, column("size")]);
    paid.set([order, column("offered"), column("paid")]);
    fill(answers.legend, h("span", {}, order.length ? `rounds ${whole(order[0])} to ${whole(order.at(-1))}` : ""));
    judged(trust, rows);
    const older = next === null ? null : h("button", { type: "button", onclick: more }, "Older rounds");
    fill(list, h("header", {}, h("h2", {}, "Round by round")), table(rows, currency), older);
  }

  async function more() {
    const page = await get(`${path}?before=${next}`);
    rows = rows.concat(page.rows);
    next = page.next;
    draw();
  }

  draw();
  keep({});
  return { leave() { delivered.leave(); paid.leave(); } };
}

// Trust, as far as rows tell: the share of its answers that counted.
function judged(place, rows) {
  const answers = rows.filter((row) => row.kind === "answer"), counted = answers.filter((row) => row.size !== null).length;
  const other = {};
  for (const row of answers) if (row.size === null) other[row.verdict] = (other[row.verdict] ?? 0) + 1;
  const refused = Object.entries(other).map(([verdict, count]) => `${whole(count)} ${verdict}`).join(", ");
  fill(place, h("div", { class: "what" }, "Answers that counted"), h("div", { class: "much" }, whole(counted), h("small", {}, ` of ${whole(answers.length)} listed`)), h("div", { class: `note ${refused ? "warn" : ""}` }, refused));
}

// One line a round: what came, what the server made of it, what was paid or taken back.
function table(rows, currency) {
  const by = new Map();
  for (const row of rows) {
    const round = by.get(row.round) ?? by.set(row.round, { at: row.at }).get(row.round);
    if (row.kind === "answer") Object.assign(round, { size: row.size, verdict: row.verdict });
    if (row.kind === "payment") round.paid = row.amount;
    if (row.kind === "reversal") round.back = row.amount;
  }
  const line = ([round, told]) => h("tr", {}, h("td", {}, whole(round)), h("td", { class: "number" }, told.size === null || told.size === undefined ? "" : short(told.size)), h("td", {}, told.verdict ?? "offered"),
    h("td", { class: "number" }, told.paid ?? ""), h("td", { class: "number bad" }, told.back ?? ""), h("td", { class: "muted" }, moment(told.at)));
  const labels = ["Round", "Thousand samples", "Verdict", `Paid [${currency}]`, `Taken back [${currency}]`, "Time (UTC)"];
  return h("div", { class: "scroll" }, h("table", { class: "rows" }, h("thead", {}, h("tr", {}, labels.map((label, at) => h("th", { class: [1, 3, 4].includes(at) ? "number" : null }, label)))), h("tbody", {}, [...by].map(line))));
}
