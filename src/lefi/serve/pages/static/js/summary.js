// The top of a job's page: what it is, whether the money is safe, what needs a look.
import { fill, h } from "./dom.js";
import { accuracy, ago, amount, exact, short, signed, whole } from "./format.js";
import * as orders from "./orders.js";

const FAR = 0.9; // share of the rows that are counted, below which that is worth a word
let may = null;

export function heading(place, head, again, worth = null) {
  may ??= orders.mayOrder();
  const order = (label, work, kind = "") => h("button", { type: "button", class: kind, onclick: async (event) => { event.target.disabled = true; (await work()) ? again() : (event.target.disabled = false); } }, label);
  const buttons = h("div", { class: "buttons" });
  may.then((operator) => {
    if (!operator || ["finished", "stopped"].includes(head.state)) return;
    fill(buttons,
      head.state === "paused" ? order("Resume", () => orders.resume(head.job)) : order("Pause", () => orders.pause(head.job)),
      order("Budget\u2026", () => orders.budget(head.job, head.budget, head.currency)),
      order("Stop\u2026", () => orders.stop(head.job), "danger"));
  });
  const key = [head.job, head.state, head.done, head.round, head.rounds, head.mechanism, head.budget, head.read, worth].join("|");
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  const reading = head.read < FAR ? h("span", { class: "muted small" }, `reading the ledger: ${Math.floor(100 * head.read)}%`) : null;
  fill(place, h("div", { class: "head" },
    h("h1", {}, head.job), h("span", { class: `state ${head.state}`, title: head.done || "" }, head.state),
    h("span", { class: "muted" }, `round ${whole(head.round)}${head.rounds ? ` of ${whole(head.rounds)}` : ""}`),
    head.mechanism ? h("span", { class: "muted" }, head.mechanism, valued(worth)) : null, reading, buttons),
    head.done ? h("p", { class: "muted ended" }, head.done) : null);
}

// What another dollar would add, as the mechanism reckons.
function valued(worth) {
  if (worth === null) return "";
  return worth > 0 ? `, price of money ${short(worth)} accuracy / USD` : ", more money would add nothing";
}

function figure(what, much, small, note, kind = "") {
  return h("div", { class: "figure" }, h("div", { class: "what" }, what), h("div", { class: "much" }, much, small ? h("small", {}, ` ${small}`) : null), h("div", { class: `note ${kind}` }, note));
}

export function figures(place, head, store) {
  const last = store.at(store.last), { currency } = head;
  const share = head.total ? head.spent / head.total : null;
  const bar = share === null ? "" : h("span", { class: `meter${head.within ? "" : " over"}` }, h("i", { style: { width: `${Math.min(100, 100 * share)}%` } }));
  const rounds = head.round === 1 ? "its round" : `all ${whole(head.round)} rounds`;
  const safe = head.within ? (head.round ? `within budget in ${rounds}` : "nothing paid yet") : "a round paid more than it had";
  const proof = head.proof;
  const holds = proof.holds ? `signed ${ago(proof.at)}` : proof.signed === null ? "no signed head yet" : `signed up to row ${whole(proof.signed)}`;
  const unit = last && last.size > 0 ? last.paid / last.size : null;
  fill(place, h("div", { class: "figures" },
    figure("Accuracy", accuracy(head.accuracy), signed(head.change), head.accuracy === null ? "not measured yet" : `measured ${ago(head.at)}`),
    h("div", { class: "figure", title: `${exact(head.spent_exact)} ${currency}` }, h("div", { class: "what" }, "Spent"),
      h("div", { class: "much" }, amount(head.spent), h("small", {}, head.total ? ` of ${amount(head.total)} ${currency}` : ` ${currency}`)), h("div", { class: "note" }, bar)),
    figure("Last round", last ? amount(last.paid) : "\u2013", last && last.budget !== null ? `of ${amount(last.budget)} ${currency}` : currency, safe, head.within ? (head.round ? "good" : "") : "bad"),
    figure("Price of a thousand samples", unit === null ? "\u2013" : amount(unit, 3), currency, last && last.offers !== null ? `${whole(last.delivered)} of ${whole(last.offers)} delivered` : ""),
    figure("Ledger", whole(proof.rows), "rows", h("a", { href: `#/ledger/${encodeURIComponent(head.job)}`, class: proof.holds ? "good" : "bad" }, holds), "")));
}

export function alerts(place, head, pick, choose) {
  const key = JSON.stringify(head.list);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  place.hidden = !head.list.length;
  const tone = { money: "bad", fault: "bad", refused: "warn" };
  const item = (alert) => h("li", {},
    h("span", { class: "where" }, h("button", { type: "button", class: "text", onclick: () => pick(alert.round) }, `round ${whole(alert.round)}`)),
    h("span", { class: tone[alert.level] }, alert.text),
    h("span", { class: "muted small" }, alert.clients.flatMap((client, at) => [at ? ", " : "", h("button", { type: "button", class: "text small", onclick: () => choose(client) }, client)])));
  const more = head.list.slice(3);
  fill(place, h("header", {}, h("h2", {}, "What needs a look")), h("ul", { class: "alerts" }, head.list.slice(0, 3).map(item)),
    more.length ? h("details", {}, h("summary", { class: "muted small" }, `${more.length} more`), h("ul", { class: "alerts" }, more.map(item))) : null);
}
