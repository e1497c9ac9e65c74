// The ledger of a job: its rows with filters, and whether they prove themselves.
import { get, view } from "./api.js";
import { fill, h, toast } from "./dom.js";
import { moment, short, whole } from "./format.js";
import { keep } from "./main.js";
import { exportRows, verify } from "./orders.js";

const KINDS = ["offer", "answer", "payment", "round", "end", "reversal", "payout", "pause", "resume", "stop", "budget", "cap", "block", "unblock", "job"];
const NAMES = ["kind", "client", "round", "verdict"];

export async function show(root, [job], query) {
  const head = await get(view(job));
  const proof = h("p", { class: "muted" }), body = h("tbody", {}), more = h("div", {});
  const inputs = Object.fromEntries(NAMES.map((name) => [name, control(name, query.get(name) ?? "")]));
  let next = null, asked = 0;

  stand(proof, head);
  const check = h("button", { type: "button", onclick: () => audit(check, proof, job) }, "Verify all rows");
  const save = h("button", { type: "button", onclick: () => exportRows(job).catch((error) => toast(error.message)) }, "Export CSV");
  root.append(h("div", { class: "head" }, h("a", { href: `#/jobs/${encodeURIComponent(job)}` }, job), h("h1", {}, "Ledger"), h("div", { class: "buttons" }, check, save)), proof);
  const form = h("form", { class: "filters", onsubmit: (event) => { event.preventDefault(); search(); } },
    NAMES.map((name) => h("label", { class: "field" }, name, inputs[name])), h("button", { class: "main" }, "Filter"));
  const labels = ["#", "Round", "Row", "Client", "Thousand samples", "Amount", "Verdict", "Claim", "Time (UTC)", "Leaf"];
  root.append(form, h("div", { class: "scroll" }, h("table", { class: "rows" }, h("thead", {}, h("tr", {}, labels.map((label, at) => h("th", { class: [0, 1, 4, 5].includes(at) ? "number" : null }, label)))), body)), more);

  async function search() {
    keep(values());
    fill(body);
    next = null;
    await load();
  }

  function values() {
    return Object.fromEntries(NAMES.map((name) => [name, inputs[name].value.trim()]));
  }

  async function load() {
    const mine = ++asked;
    const wanted = new URLSearchParams(Object.entries(values()).filter(([, value]) => value !== ""));
    if (next !== null) wanted.set("before", next);
    fill(more, h("p", { class: "muted" }, "Looking."));
    try {
      const page = await get(view(job, `/rows?${wanted}`));
      if (mine !== asked) return;
      next = page.next;
      body.append(...page.rows.map((row) => line(row, job)));
      fill(more, next === null ? h("p", { class: "muted small" }, body.children.length ? "That is the first row." : "No row is like that.") : h("button", { type: "button", onclick: load }, "Older rows"));
    } catch (error) {
      fill(more, h("p", { class: "bad" }, error.message));
    }
  }

  await load();
  return { leave() {}, changed(changes) { NAMES.forEach((name) => { inputs[name].value = changes.get(name) ?? ""; }); search(); } };
}

function control(name, value) {
  if (name !== "kind") return h("input", { name, value, inputmode: name === "round" ? "numeric" : null, pattern: name === "round" ? "[0-9]*" : null });
  const select = h("select", { name }, h("option", { value: "" }, "all"), KINDS.map((kind) => h("option", { value: kind }, kind)));
  select.value = value;
  return select;
}

function stand(place, head) {
  const { proof } = head;
  const text = proof.holds ? `The newest head is signed and covers all ${whole(proof.rows)} rows (root ${proof.root}\u2026).` : proof.signed === null ? "No head is signed yet." : `The newest head covers ${whole(proof.signed)} of ${whole(proof.rows)} rows.`;
  fill(place, h("span", { class: proof.holds ? "good" : "bad" }, text));
}

async function audit(button, place, job) {
  button.disabled = true;
  fill(place, h("span", { class: "muted" }, "Reading every row, signature and payment."));
  try {
    const told = await verify(job);
    const findings = told.findings ?? [];
    const good = findings.length === 0;
    fill(place, h("span", { class: good ? "good" : "bad" }, good ? `All ${whole(told.rows)} rows hold: leaves, signatures, payments, budgets.` : `${whole(findings.length)} findings: ${findings.slice(0, 3).join("; ")}`));
  } catch (error) {
    fill(place, h("span", { class: "bad" }, error.message));
  }
  button.disabled = false;
}

function line(row, job) {
  const client = row.client ? h("a", { href: `#/clients/${encodeURIComponent(job)}/${encodeURIComponent(row.client)}` }, row.client) : "";
  return h("tr", {}, h("td", { class: "number" }, whole(row.seq)), h("td", { class: "number" }, row.round ? whole(row.round) : ""), h("td", { title: row.offer ?? "" }, row.kind), h("td", { class: "wide" }, client),
    h("td", { class: "number" }, row.size === null ? "" : short(row.size)), h("td", { class: "number" }, row.amount ?? ""), h("td", {}, row.verdict ?? ""),
    h("td", { class: "wide", title: row.claim ?? "" }, row.kind === "round" && row.accuracy !== null ? `accuracy ${row.accuracy.toFixed(4)}` : row.claim ?? ""), h("td", { class: "muted" }, moment(row.at)), h("td", { class: "leaf" }, row.leaf.slice(0, 10)));
}
