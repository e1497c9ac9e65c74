// All jobs of the ledger, one line each.
import { get } from "./api.js";
import { copied, fill, h } from "./dom.js";
import { accuracy, ago, amount, signed, whole } from "./format.js";
import { link } from "./main.js";
import { startDemo } from "./orders.js";

const EVERY = 2000; // milliseconds between two looks

export async function show(root) {
  const head = h("div", { class: "head" }), body = h("div", {});
  root.append(head, body);
  let timer = null, gone = false, before = "";

  async function look() {
    try {
      const told = await get("/v1/views/overview");
      const now = JSON.stringify(told);
      if (gone) return;
      link(null);
      if (now !== before || told.jobs.length) draw(head, body, told);
      before = now;
    } catch (error) {
      if (!before) throw error;
      link("The service does not answer; trying again.");
    }
    if (!gone) timer = setTimeout(look, EVERY);
  }

  await look();
  return { leave() { gone = true; clearTimeout(timer); } };
}

function draw(head, body, { place, jobs }) {
  if (!jobs.length) {
    fill(head);
    if (!body.querySelector(".empty")) fill(body, nothing());
    return;
  }
  const alerts = jobs.reduce((sum, job) => sum + job.alerts, 0);
  const many = (count, what) => `${whole(count)} ${what}${count === 1 ? "" : "s"}`;
  fill(head, h("h1", {}, many(jobs.length, "job")),
    h("span", { class: alerts ? "warn" : "good" }, alerts ? many(alerts, "alert") : "no alerts"),
    h("span", { class: "grow" }), h("span", { class: "muted small" }, place));
  const labels = ["Job", "State", "Round", "Spent of budget", "Accuracy", "Last round", ""];
  fill(body, h("table", { class: "jobs stack" },
    h("thead", {}, h("tr", {}, labels.map((label) => h("th", { scope: "col" }, label)))),
    h("tbody", {}, jobs.map((job) => line(job, labels)))));
}

function line(job, labels) {
  const cells = [
    [h("a", { class: "job", href: `#/jobs/${encodeURIComponent(job.job)}` }, job.job), h("div", { class: "muted small" }, job.mechanism || "")],
    h("span", { class: `state ${job.state}` }, job.read < 0.9 ? `reading, ${Math.floor(100 * job.read)}%` : job.state),
    `${whole(job.round)}${job.rounds ? ` of ${whole(job.rounds)}` : ""}`,
    money(job),
    [accuracy(job.accuracy), " ", h("span", { class: "muted small" }, signed(job.change))],
    ago(job.at),
    job.within ? job.refused ? h("span", { class: "warn small" }, `${whole(job.refused)} refused`) : "" : h("span", { class: "bad small" }, "over budget"),
  ];
  return h("tr", { "data-job": job.job }, cells.map((cell, at) => h("td", { class: at === 3 ? "money" : null, "data-label": at ? labels[at] || null : null }, cell)));
}

function money(job) {
  const share = job.total ? Math.min(1, job.spent / job.total) : 0;
  const text = `${amount(job.spent)}${job.total ? ` of ${amount(job.total)}` : ""} ${job.currency}`;
  const bar = job.total ? h("span", { class: `meter${job.within ? "" : " over"}` }, h("i", { style: { width: `${100 * share}%` } })) : null;
  return [bar, h("span", { class: "small" }, text)];
}

function nothing() {
  return h("div", { class: "empty" },
    h("h1", {}, "No job yet"),
    h("p", { class: "muted" }, "A job appears here with its first row in the ledger: from this service, or from a Flower server that writes to the same ledger."),
    h("button", { class: "main", type: "button", onclick: startDemo }, "Start a simulated job"),
    copied("lefi serve --demo"));
}
